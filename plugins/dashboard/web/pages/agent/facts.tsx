import { useState } from 'preact/hooks';
import { Loaded, type Resource, usePoll, useServer } from '../../frame/index.ts';
import { Button, Card, format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { EventList } from './event-list.tsx';
import type { Event } from './events.ts';
import { FactList, type FactRow } from './fact-list.tsx';
import type { Static } from './use-facts.ts';

interface Props {
  readonly uuid: string;
  readonly facts: Static | undefined;
  readonly of: Resource<readonly Event[]>;
}

const AT_FIRST = 30;

/** What does not change by itself: system, processor, cards, disks; and what happened. */
export function Facts({ uuid, facts, of }: Props) {
  const { has } = useServer();
  const [isAll, setAll] = useState(false);
  return (
    <div class="agent-columns">
      <div class="stack">
        <Card title={t.agent.facts.system}>
          <System facts={facts} />
        </Card>
        <Devices uuid={uuid} />
      </div>
      {has('agent-events') && (
        <Card title={t.agent.events.title}>
          <Loaded of={of} what={t.agent.events.unreadable}>
            {(events) => (
              <div class="stack">
                <EventList events={isAll ? events : events.slice(0, AT_FIRST)} />
                {events.length > AT_FIRST && !isAll && (
                  <Button onClick={() => setAll(true)}>{t.agent.showAll(events.length)}</Button>
                )}
              </div>
            )}
          </Loaded>
        </Card>
      )}
    </div>
  );
}

function System({ facts }: { readonly facts: Static | undefined }) {
  const { system, cpu, gpu } = facts ?? {};
  if (!facts || (!system && !cpu)) return <p class="muted">{t.agent.facts.none}</p>;
  const f = t.agent.facts;
  const rows: FactRow[] = [
    [f.host, system?.system_host_name],
    [f.system, system?.system_os_long_version],
    [f.distribution, system?.distribution_id],
    [f.kernel, system?.system_kernel_version || system?.system_kernel],
    [f.arch, system?.arch],
    [f.virtualization, system?.virtualization],
    [f.processor, [...new Set(cpu?.per_core.map(({ brand }) => brand))].join(', ')],
    [f.vendor, [...new Set(cpu?.per_core.map(({ vendor_id }) => vendor_id))].join(', ')],
    [f.cores, cpu && f.coreCount(cpu.physical_cores, cpu.logical_cores)],
    ...(gpu ?? []).map(({ id, name, architecture, cuda_cores }): [string, string] => [
      `${f.gpu} ${id}`,
      [name, architecture, cuda_cores > 0 && f.cuda(cuda_cores)].filter(Boolean).join(' · '),
    ]),
    [f.reported, format.dateTime(facts.timestamp)],
  ];
  return <FactList rows={rows} />;
}

/** Disks and interfaces of the newest full report. */
function Devices({ uuid }: { readonly uuid: string }) {
  const { call, covers } = useServer();
  const fields = (['disk', 'network'] as const).filter((field) =>
    covers('dynamic_monitoring', 'read', uuid, field),
  );
  const found = usePoll(
    `devices ${uuid}`,
    async (signal) => {
      if (fields.length === 0) return null;
      const asked = { uuids: [uuid], fields };
      return (await call('agent_dynamic_data_multi_last_query', asked, { signal }))[0] ?? null;
    },
    { every_ms: 30_000 },
  );
  if (fields.length === 0) return null;
  return (
    <Loaded of={found} what={t.agent.unreadable}>
      {(row) => (
        <div class="stack">
          <Card title={t.agent.parts.disks}>
            <Disks disks={row?.disk ?? []} />
          </Card>
          <Card title={t.agent.parts.interfaces}>
            <Interfaces list={row?.network?.interfaces ?? []} />
          </Card>
        </div>
      )}
    </Loaded>
  );
}

type Full = import('./live.ts').Dynamic;

function Disks({ disks }: { readonly disks: NonNullable<Full['disk']> }) {
  if (disks.length === 0) return <p class="muted">{t.agent.noFull}</p>;
  const f = t.agent.facts;
  return (
    <div class="agent-scroll" tabIndex={0} role="region" aria-label={t.agent.parts.disks}>
      <table class="agent-table">
        <thead>
          <tr>
            <th scope="col">{f.mount}</th>
            <th scope="col">{f.device}</th>
            <th scope="col">{f.kind}</th>
            <th scope="col" class="num">
              {t.agent.fields.available}
            </th>
            <th scope="col" class="num">
              {t.agent.fields.total}
            </th>
          </tr>
        </thead>
        <tbody>
          {disks.map((disk) => (
            <tr key={disk.mount_point}>
              <td class="mono">{disk.mount_point}</td>
              <td class="mono">{disk.name}</td>
              <td>
                {[f.kinds[disk.kind], disk.file_system, disk.is_read_only && f.readOnly]
                  .filter(Boolean)
                  .join(' · ')}
              </td>
              <td class="num" title={format.exact(disk.available_space, 'B')}>
                {format.text(format.bytes(disk.available_space))}
              </td>
              <td class="num" title={format.exact(disk.total_space, 'B')}>
                {format.text(format.bytes(disk.total_space))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Interfaces({ list }: { readonly list: NonNullable<Full['network']>['interfaces'] }) {
  if (list.length === 0) return <p class="muted">{t.agent.noFull}</p>;
  return (
    <div class="agent-scroll" tabIndex={0} role="region" aria-label={t.agent.parts.interfaces}>
      <table class="agent-table">
        <thead>
          <tr>
            <th scope="col">{t.agent.facts.name}</th>
            <th scope="col" class="num">
              {t.agent.fields.received}
            </th>
            <th scope="col" class="num">
              {t.agent.fields.sent}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => (
            <tr key={one.interface_name}>
              <td class="mono">{one.interface_name}</td>
              <td class="num" title={format.exact(one.total_received, 'B')}>
                {format.text(format.bytes(one.total_received))}
              </td>
              <td class="num" title={format.exact(one.total_transmitted, 'B')}>
                {format.text(format.bytes(one.total_transmitted))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
