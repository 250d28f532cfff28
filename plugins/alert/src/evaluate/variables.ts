import type { Value, VariableType, Vocabulary } from '@svc/conditions';
import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import type { Machines, Source } from '../types.ts';

export type Unit = '%' | 'B' | 'B/s' | 's' | 'MHz' | '°C' | 'ms' | 'days' | '';

/** Variable of the days until a certificate ends; below 0 it has ended. */
export const DAYS_LEFT = 'tls.days_left';

/** Variable of conditions, for forms and for texts with its value. */
export interface Variable {
  readonly name: string;
  readonly type: VariableType;
  readonly unit: Unit;
  readonly title: string;
  readonly example?: string;
}

export type Row = readonly SqlValue[];
type Column = keyof typeof SUMMARY_COLUMNS;

/** Facts of a machine beside its report. */
export interface Facts {
  readonly name: string;
  readonly tags: readonly string[];
  readonly region: string | null;
  readonly cores: number | undefined;
  /** Usual difference between arrival and the agent's clock, ms. */
  readonly offset_ms: number | undefined;
  /** Days until its contract ends; absent: nobody said when. */
  readonly expires_in_days?: number | undefined;
}

/** Variable of a summary, and how it is read from the row; `columns` are those it reads. */
export interface Measured extends Variable {
  readonly columns: readonly Column[];
  readonly read: (row: Row) => number | null;
}

const numberAt = (row: Row, column: Column): number | null => {
  const value = row[SUMMARY_COLUMNS[column]];
  return value === null || value === undefined ? null : Number(value);
};

/** A field as it is stored; `scale` times what people read. */
function field(column: Column, unit: Unit, title: string, scale = 1): Measured {
  const read = (row: Row) => {
    const value = numberAt(row, column);
    return value === null ? null : value / scale;
  };
  return { name: column, type: 'double', unit, title, columns: [column], read };
}

/** Share of a whole in percent; 0 where the whole is nothing, such as swap that a machine does not have. */
function share(
  name: string,
  title: string,
  [part, whole]: readonly [Column, Column],
  isRest = false,
): Measured {
  const read = (row: Row) => {
    const all = numberAt(row, whole);
    const some = numberAt(row, part);
    if (all === null || some === null) return null;
    if (all === 0) return 0;
    return ((isRest ? all - some : some) / all) * 100;
  };
  return { name, type: 'double', unit: '%', title, columns: [part, whole], read };
}

/** Variables that come from the numbers of a summary; window functions take them. */
export const MEASURED: readonly Measured[] = [
  { ...field('cpu_usage', '%', 'CPU usage', 10), example: 'cpu_usage > 90' },
  field('gpu_usage', '%', 'GPU usage'),
  {
    ...share('memory_used_percent', 'Memory used', ['used_memory', 'total_memory']),
    example: 'memory_used_percent > 95',
  },
  share('swap_used_percent', 'Swap used', ['used_swap', 'total_swap']),
  share(
    'disk_used_percent',
    'Disk space used, all disks',
    ['available_space', 'total_space'],
    true,
  ),
  field('used_memory', 'B', 'Memory used'),
  field('total_memory', 'B', 'Memory'),
  { ...field('available_memory', 'B', 'Memory available'), example: 'available_memory < GiB(1)' },
  field('used_swap', 'B', 'Swap used'),
  field('total_swap', 'B', 'Swap'),
  { ...field('load_one', '', 'Load, 1 min', 10), example: 'load_one > cores * 2' },
  field('load_five', '', 'Load, 5 min', 10),
  field('load_fifteen', '', 'Load, 15 min', 10),
  { ...field('uptime', 's', 'Time since the start'), name: 'uptime_s' },
  field('boot_time', 's', 'Start of the machine, Unix seconds'),
  field('process_count', '', 'Processes'),
  field('total_space', 'B', 'Disk space, all disks'),
  field('available_space', 'B', 'Disk space free, all disks'),
  field('read_speed', 'B/s', 'Reads from disks'),
  field('write_speed', 'B/s', 'Writes to disks'),
  field('tcp_connections', '', 'TCP connections'),
  field('udp_connections', '', 'UDP sockets'),
  field('total_received', 'B', 'Received since the start'),
  field('total_transmitted', 'B', 'Sent since the start'),
  field('receive_speed', 'B/s', 'Receive speed'),
  field('transmit_speed', 'B/s', 'Send speed'),
];

const measuredByName = new Map(MEASURED.map((one) => [one.name, one]));
export const measuredOf = (name: string): Measured | undefined => measuredByName.get(name);

const text = (name: string, title: string, example?: string): Variable => ({
  name,
  type: 'string',
  unit: '',
  title,
  ...(example && { example }),
});
const number = (name: string, unit: Unit, title: string, example?: string): Variable => ({
  ...text(name, title, example),
  type: 'double',
  unit,
});

/** Variables that say which machine it is. */
const IDENTITY: readonly Variable[] = [
  text('name', 'Name of the machine', 'name.startsWith("web-")'),
  text('region', 'Region of the machine'),
  { ...text('tags', 'Tags of the machine', '"web" in tags'), type: 'list' },
];

const FACTS: readonly Variable[] = [
  number('cores', '', 'Processor cores'),
  number('clock_offset_s', 's', 'Clock of the agent, ahead of the server'),
  number(
    'expires_in_days',
    '',
    'Days until the contract of the machine ends',
    'expires_in_days < 7',
  ),
];

const PARTS: readonly Variable[] = [
  text('disk.mount', 'Mount point of the disk', 'disk.mount == "/"'),
  text('disk.name', 'Name of the disk'),
  number('disk.used_percent', '%', 'Disk: used', 'disk.used_percent > 90'),
  number('disk.free', 'B', 'Disk: free', 'disk.free < GiB(10)'),
  number('disk.total', 'B', 'Disk: size'),
  number('disk.read_speed', 'B/s', 'Disk: reads'),
  number('disk.write_speed', 'B/s', 'Disk: writes'),
  { ...text('disk.read_only', 'Disk: read-only'), type: 'bool' },
  text('gpu.id', 'Number of the graphics card'),
  number('gpu.usage', '%', 'Graphics card: usage', 'gpu.usage > 95'),
  number('gpu.temperature', '°C', 'Graphics card: temperature', 'gpu.temperature > 85'),
  number('gpu.memory_used_percent', '%', 'Graphics card: memory used'),
  number('gpu.used_memory', 'B', 'Graphics card: memory used'),
  number('gpu.total_memory', 'B', 'Graphics card: memory'),
  number('gpu.clock', 'MHz', 'Graphics card: clock'),
  text('interface.name', 'Name of the interface', 'interface.name == "eth0"'),
  number(
    'interface.receive_speed',
    'B/s',
    'Interface: receive speed',
    'interface.receive_speed > MB(100)',
  ),
  number('interface.transmit_speed', 'B/s', 'Interface: send speed'),
  number('interface.total_received', 'B', 'Interface: received since the start'),
  number('interface.total_transmitted', 'B', 'Interface: sent since the start'),
];

/** Variables of each source of rules, with what `alert_rule_variables` answers. */
export const VARIABLES: { readonly [source in Source]: readonly Variable[] } = {
  machine: [
    ...MEASURED.map(({ columns: _columns, read: _read, ...variable }) => variable),
    ...FACTS,
    ...IDENTITY,
  ],
  part: [...PARTS, ...IDENTITY],
  presence: [
    number('silent_for', 's', 'Seconds since the last report', 'silent_for > 120'),
    ...IDENTITY,
  ],
  event: [
    text('event', 'Kind of the event', 'event == "refused"'),
    text('reason', 'Reason that the event gives'),
    number('code', '', 'Code of the error'),
    ...IDENTITY,
  ],
  server: [
    text('problem', 'Name of the problem', 'problem == "channel_failing"'),
    number('lasts_s', 's', 'Seconds for which it lasts', 'lasts_s > 900'),
    text('detail', 'Text about the problem'),
  ],
  monitor: [
    text('state', 'State of the monitor: up, degraded, down', 'state == "down"'),
    text('kind', 'Kind of the monitor', 'kind == "heartbeat"'),
    text('name', 'Name of the monitor', 'name.startsWith("shop-")'),
    text('group', 'Group of the monitor'),
    { ...text('tags', 'Tags of the monitor', '"web" in tags'), type: 'list' },
    number('down_for', 's', 'Seconds for which it is down', 'down_for > 300'),
    number('places_up', '', 'Places that say up'),
    number('places_down', '', 'Places that say down', 'places_down > 1'),
    number('places_unknown', '', 'Places that know nothing'),
    number('ms', 'ms', 'Time of the newest check', 'ms > 2000'),
    number(DAYS_LEFT, 'days', 'Days until its certificate ends', 'tls.days_left < 14'),
    number('tls.lifetime_days', 'days', 'Days for which its certificate holds in all'),
  ],
};

const vocabularyOf = (source: Source): Vocabulary => ({
  variables: Object.fromEntries(VARIABLES[source].map(({ name, type }) => [name, type])),
  ...(source === 'machine' && { windows: MEASURED.map(({ name }) => name) }),
});

/** Names that conditions of each source may use; one object each, as `compile` keeps what it makes for it. */
export const VOCABULARIES: { readonly [source in Source]: Vocabulary } = {
  machine: vocabularyOf('machine'),
  part: vocabularyOf('part'),
  presence: vocabularyOf('presence'),
  event: vocabularyOf('event'),
  server: vocabularyOf('server'),
  monitor: vocabularyOf('monitor'),
};

/** Returns the variable of this name in any source. */
export const variableOf = (name: string): Variable | undefined => byName.get(name);
const byName = new Map(
  Object.values(VARIABLES)
    .flat()
    .map((variable) => [variable.name, variable]),
);

/** Returns the values of the variables that say which machine it is. */
export const identityOf = (
  machines: Pick<Machines, 'nameOf' | 'tagsOf' | 'regionOf'>,
  uuid: string,
) => ({
  name: machines.nameOf(uuid),
  tags: machines.tagsOf(uuid),
  region: machines.regionOf(uuid),
});

/** Reads a fact of a machine. */
export function factOf(name: string, facts: Facts): Value {
  switch (name) {
    case 'name':
      return facts.name;
    case 'tags':
      return facts.tags;
    case 'region':
      return facts.region;
    case 'cores':
      return facts.cores;
    case 'expires_in_days':
      return facts.expires_in_days;
    case 'clock_offset_s':
      return facts.offset_ms === undefined ? undefined : -facts.offset_ms / 1_000;
  }
  return undefined;
}
