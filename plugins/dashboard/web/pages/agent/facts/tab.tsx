import type { ComponentChildren } from 'preact';
import { Loaded, type Resource, useServer } from '../../../frame/index.ts';
import { Card, format } from '../../../parts/index.ts';
import { networkAmount } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';
import { EventList } from '../events/list.tsx';
import type { Event } from '../events/model.ts';
import type { Dynamic } from '../reports.ts';
import type { Stored } from '../settings/model.ts';
import { Shortened } from '../shortened.tsx';
import { FactList, type FactRow } from './list.tsx';
import { type Static, useDevices } from './model.ts';
import { StoredFacts } from './stored.tsx';
import { processorRows, saidOnce, systemRows } from './system.ts';

interface Props {
  readonly uuid: string;
  readonly facts: Static | undefined;
  readonly of: Resource<readonly Event[]>;
  readonly stored: Stored;
}

const EVENTS_AT_FIRST = 30;
const DEVICES_AT_FIRST = 12;

/** Facts that do not change by themselves: system, processor, cards, disks; and what happened. */
export function Facts({ uuid, facts, of, stored }: Props) {
  const { has } = useServer();
  return (
    <div class="agent-columns">
      <div class="stack">
        <Card title={t.agent.facts.system}>
          <System facts={facts} />
        </Card>
        <StoredFacts uuid={uuid} stored={stored} />
        <Devices uuid={uuid} />
      </div>
      {has('agent-events') && (
        <Card title={t.agent.events.title}>
          <Loaded of={of} what={t.agent.events.unreadable}>
            {(events) => (
              <Shortened list={events} first={EVENTS_AT_FIRST}>
                {(shown) => <EventList events={shown} />}
              </Shortened>
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
    ...systemRows(system),
    ...processorRows(cpu),
    [f.vendor, saidOnce((cpu?.per_core ?? []).map(({ vendor_id }) => vendor_id)).join(', ')],
    ...(gpu ?? []).map(({ id, name, architecture, cuda_cores }): [string, string] => [
      `${f.gpu} ${id}`,
      saidOnce([name, architecture, cuda_cores > 0 ? f.cuda(cuda_cores) : '']).join(' · '),
    ]),
    [f.reported, format.dateTime(facts.timestamp)],
  ];
  return <FactList rows={rows} />;
}

/** Disks and interfaces of the newest full report. */
function Devices({ uuid }: { readonly uuid: string }) {
  const found = useDevices(uuid);
  if (!found) return null;
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

/** A phone shows it without scrolling sideways, however long a name is. */
function Disks({ disks }: { readonly disks: NonNullable<Dynamic['disk']> }) {
  if (disks.length === 0) return <p class="muted">{t.agent.noFull}</p>;
  const f = t.agent.facts;
  return (
    <Shortened list={disks} first={DEVICES_AT_FIRST}>
      {(shown) => (
        <DeviceTable labels={[f.mount, t.agent.fields.available, t.agent.fields.total]}>
          {shown.map((disk) => (
            <tr key={disk.mount_point}>
              <td>
                <span class="mono">{disk.mount_point}</span>
                <p class="muted small">
                  {[
                    disk.name,
                    f.kinds[disk.kind],
                    disk.file_system,
                    disk.used_space != null &&
                      f.usedSpace(format.text(format.bytes(disk.used_space))),
                    disk.is_read_only && f.readOnly,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
              </td>
              <Size of={disk.available_space} as={format.bytes} />
              <Size of={disk.total_space} as={format.bytes} />
            </tr>
          ))}
        </DeviceTable>
      )}
    </Shortened>
  );
}

function Interfaces({ list }: { readonly list: NonNullable<Dynamic['network']>['interfaces'] }) {
  if (list.length === 0) return <p class="muted">{t.agent.noFull}</p>;
  const f = t.agent.fields;
  return (
    <Shortened list={list} first={DEVICES_AT_FIRST}>
      {(shown) => (
        <DeviceTable labels={[t.agent.facts.name, f.received, f.sent]}>
          {shown.map((one) => (
            <tr key={one.interface_name}>
              <td class="mono">{one.interface_name}</td>
              <Size of={one.total_received} as={networkAmount} />
              <Size of={one.total_transmitted} as={networkAmount} />
            </tr>
          ))}
        </DeviceTable>
      )}
    </Shortened>
  );
}

interface TableProps {
  /** The first column has names, the others have sizes. */
  readonly labels: readonly string[];
  readonly children: ComponentChildren;
}

const DeviceTable = ({ labels, children }: TableProps) => (
  <table class="agent-table">
    <thead>
      <tr>
        {labels.map((label, at) => (
          <th key={label} scope="col" class={at > 0 ? 'num' : ''}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

interface SizeProps {
  /** Bytes. */
  readonly of: number;
  readonly as: (bytes: number) => format.Figure;
}

const Size = ({ of, as }: SizeProps) => (
  <td class="num" title={format.exact(of, 'B')}>
    {format.text(as(of))}
  </td>
);
