import { TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Loaded, useServer } from '../../../frame/index.ts';
import { Amount, Bar, Card, CopyButton, format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useConfigurationWarnings, useStorage } from '../model.ts';
import { byKind, useDelay, useIdentity, usePlugins } from './model.ts';

const EVERY_MS = 60_000;

/** The server: which one it is, what it warns of, what its database holds, and the plugins that it runs. */
export function Overview() {
  const { may } = useServer();
  return (
    <div class="stack">
      <Warnings />
      <div class="server-columns">
        <Identity />
        {may('svc-server_database_storage') !== false && <Storage />}
      </div>
      <Plugins />
    </div>
  );
}

function Identity() {
  const { name } = useServer();
  const about = useIdentity();
  const delay = useDelay();
  const s = t.server.identity;
  return (
    <Card title={s.title}>
      <Loaded of={about} what={s.unreadable}>
        {({ version, uuid, database }) => (
          <dl class="server-facts">
            <Fact label={s.address}>{name}</Fact>
            <Fact label={s.version}>{version.cargo_version}</Fact>
            <Fact label={s.uuid}>
              <span class="row">
                <code class="ellipsis">{uuid}</code>
                <CopyButton text={uuid} label={s.copyUuid} />
              </span>
            </Fact>
            {database !== undefined && <Fact label={s.database}>{database}</Fact>}
            <Fact label={s.answers}>
              {delay === undefined ? s.silent : s.within(format.number(delay, delay < 10 ? 1 : 0))}
            </Fact>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

interface FactProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

const Fact = ({ label, children }: FactProps) => (
  <>
    <dt class="muted">{label}</dt>
    <dd>{children}</dd>
  </>
);

/** Warning that no limit stands for all machines: the first one that is set under "Retention" makes their place. */
const NO_LIMITS = 'kv: global';

function Warnings() {
  const found = useConfigurationWarnings({ every_ms: EVERY_MS });
  const warnings = found.warnings.filter(({ key }) => key !== NO_LIMITS);
  if (warnings.length === 0) return null;
  return (
    <section class="stack" aria-label={t.server.warnings}>
      {warnings.map(({ kind, key, message }) => (
        <div key={`${key} ${message}`} class={kind === 'advice' ? 'note' : 'note warn'}>
          <Icon of={TriangleAlert} />
          <span class="grow">{message}</span>
        </div>
      ))}
    </section>
  );
}

function Storage() {
  const storage = useStorage({ every_ms: EVERY_MS });
  const s = t.server.storage;
  return (
    <Card title={s.title}>
      <Loaded of={storage} what={s.unreadable}>
        {({ tables, total }) => (
          <div class="stack">
            <p>
              <Amount of={format.bytes(total)} title={format.exact(total, 'B')} /> {s.inAll}
            </p>
            <ul class="server-storage">
              {byKind(tables, total).map(([kind, bytes]) => (
                <li key={kind}>
                  <span>{s.kinds[kind]}</span>
                  <Bar
                    value={total === 0 ? 0 : bytes / total}
                    warn={2}
                    bad={2}
                    label={s.kinds[kind]}
                  />
                  <Amount of={format.bytes(bytes)} title={format.exact(bytes, 'B')} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Plugins() {
  const plugins = usePlugins();
  const s = t.server.plugins;
  return (
    <Card title={s.title} flush>
      <Loaded of={plugins} what={s.unreadable}>
        {({ plugins: list }) => (
          <ul class="server-plugins">
            {list.map(({ name, version, built_in, namespaces }) => (
              <li key={name}>
                <span class="server-plugin">
                  <strong>{name}</strong> <span class="muted">{version}</span>
                </span>
                <span class="muted ellipsis" title={namespaces.join(', ')}>
                  {namespaces.join(', ')}
                </span>
                {!built_in && <span class="tag">{s.own}</span>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
