import { TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Loaded, usePoll, useServer } from '../../frame/index.ts';
import { Amount, Bar, Card, CopyButton, format, Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** Tables by what they hold; what is in none of these is "the rest". */
const KINDS = {
  reports: /^(dynamic_|static_monitoring)/,
  series: /^series_/,
  tasks: /^task/,
  results: /^(crontab_result|js_result)/,
  kv: /^kv/,
  audit: /^audit/,
  events: /^agent_(event|uptime|presence|refusal|address)/,
} as const;

/** Which server this is, what it warns of, what its database holds, and the plugins that it runs. */
export function Overview() {
  const { may } = useServer();
  return (
    <div class="stack">
      {may('svc-server_config_warnings') !== false && <Warnings />}
      <div class="server-columns">
        <Identity />
        {may('svc-server_database_storage') !== false && <Storage />}
      </div>
      <Plugins />
    </div>
  );
}

function Identity() {
  const { call, may, name, connection } = useServer();
  const about = usePoll('about', async () => {
    const [version, uuid, database] = await Promise.all([
      call('svc-server_version'),
      call('svc-server_uuid'),
      may('svc-server_get_database_type') === false
        ? undefined
        : call('svc-server_get_database_type'),
    ]);
    return { version, uuid, database: database?.data };
  });
  const delay = usePoll(
    'delay',
    async () => {
      const begun = performance.now();
      await call('svc-server_hello');
      return performance.now() - begun;
    },
    { every_ms: 5_000 },
  );
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
              {connection.value.state === 'open' && delay.data !== undefined
                ? s.within(format.number(delay.data, delay.data < 10 ? 1 : 0))
                : s.silent}
            </Fact>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <dt class="muted">{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** That no limit stands for all machines: the first one that is set under "Retention" makes their place. */
const NO_LIMITS = 'kv: global';

function Warnings() {
  const { call } = useServer();
  const found = usePoll('warnings', () => call('svc-server_config_warnings'), {
    every_ms: 60_000,
  });
  const warnings = found.data?.warnings.filter(({ key }) => key !== NO_LIMITS) ?? [];
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
  const { call } = useServer();
  const storage = usePoll('storage', () => call('svc-server_database_storage'), {
    every_ms: 60_000,
  });
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

type KindName = keyof typeof KINDS | 'rest';

/** Largest first; the rest at the end, also what no table says. */
function byKind(
  tables: Readonly<Record<string, number>>,
  total: number,
): readonly [KindName, number][] {
  const sums = new Map<KindName, number>();
  let known = 0;
  for (const [name, bytes] of Object.entries(tables)) {
    const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((one) =>
      KINDS[one].test(name),
    );
    if (kind === undefined) continue;
    known += bytes;
    sums.set(kind, (sums.get(kind) ?? 0) + bytes);
  }
  const rows = [...sums].sort(([, a], [, b]) => b - a);
  return [...rows, ['rest', Math.max(0, total - known)]];
}

function Plugins() {
  const { call } = useServer();
  const plugins = usePoll('plugins', () => call('svc-server_plugins'));
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
