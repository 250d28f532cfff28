import type { SourceFile } from './store-source.ts';
import type { Item, Plan, Values } from './types.ts';
import { jsonOf, lineOf, listOf, membersOf, numberOf, shortHash, textOf } from './values.ts';

type Written = {
  readonly source: string;
  readonly condition: string;
  readonly notes?: readonly string[];
  readonly held?: boolean;
};
type Maker = (value: number, minutes: number) => Written;

const average =
  (variable: string, threshold: (value: number) => string = String): Maker =>
  (value, minutes) => ({
    source: 'machine',
    condition:
      minutes > 1
        ? `avg("${variable}", "${minutes}m") > ${threshold(value)}`
        : `${variable} > ${threshold(value)}`,
  });

const MAKERS: Readonly<Record<string, Maker>> = {
  Status: (_value, minutes) => ({
    source: 'presence',
    condition: `silent_for > ${Math.max(1, minutes) * 60}`,
  }),
  CPU: average('cpu_usage'),
  Memory: average('memory_used_percent'),
  Disk: (value) => ({ source: 'part', condition: `disk.used_percent > ${value}`, held: true }),
  GPU: (value) => ({ source: 'part', condition: `gpu.usage > ${value}`, held: true }),
  LoadAvg1: average('load_one'),
  LoadAvg5: average('load_five'),
  LoadAvg15: average('load_fifteen'),
  Bandwidth: (value) => ({
    ...{ source: 'part', held: true, notes: ['it is judged for each interface'] },
    condition: `interface.receive_speed + interface.transmit_speed > MB(${value})`,
  }),
};
const CANNOT: Readonly<Record<string, string>> = {
  Temperature: 'temperatures are known of graphics cards only',
  Battery: 'the charge of a battery is not reported',
};

/** Returns what a database of Beszel holds: its alerts as rules, its quiet hours as windows. @throws ImportFault */
export function readBeszel(file: SourceFile, name: string): Plan {
  const systems = new Map(
    file.rows('systems', ['id', 'name']).map((row) => [textOf(row['id']), textOf(row['name'])]),
  );
  const alerts = file.rows('alerts', ['id', 'system', 'name', 'value', 'min', 'user']);
  const hours = file.rows('quiet_hours', ['id', 'system', 'type', 'start', 'end']);
  const settings = file.rows('user_settings', ['id', 'settings']);
  const items = [
    ...settings.flatMap(channelsOf),
    ...rulesOf(alerts, systems),
    ...hours.map((row) => windowOf(row, systems)),
  ];
  return { format: 'beszel', source: `beszel:${shortHash(name)}`, items, rewritings: [] };
}

/** Channels of a user: addresses in the form of Shoutrrr; those of mail have no server there. */
function channelsOf(row: Values): Item[] {
  const { webhooks, emails } = membersOf(jsonOf(row['settings']));
  const item = (index: number, was: string) => ({
    ...{ id: `channel:${textOf(row['id'])}:${was}:${index}`, type: 'channel' as const, was },
    name: `beszel-${was}-${index + 1}`,
  });
  const notes = ['which alerts it gets is said by a policy'];
  return [
    ...listOf(webhooks)
      .slice(0, 50)
      .map((url, index) => ({ ...item(index, 'webhook'), notes, make: { address: textOf(url) } })),
    ...listOf(emails)
      .slice(0, 50)
      .map((_mail, index) => ({
        ...item(index, 'email'),
        notes: [],
        why: 'the mail server stands elsewhere: make a channel of the kind smtp',
      })),
  ];
}

/** One rule for the systems of one kind, value and time. */
function rulesOf(rows: readonly Values[], systems: ReadonlyMap<string, string>): Item[] {
  const groups = new Map<string, { row: Values; machines: Set<string> }>();
  for (const row of rows) {
    const id = ['name', 'value', 'min']
      .map((column) => textOf(row[column]))
      .join('/')
      .slice(0, 200);
    const group = groups.get(id) ?? { row, machines: new Set() };
    group.machines.add(systems.get(textOf(row['system'])) ?? textOf(row['system']));
    groups.set(id, group);
  }
  return [...groups].map(([id, { row, machines }]) => ruleOf(id, row, [...machines]));
}

function ruleOf(id: string, row: Values, machines: readonly string[]): Item {
  const was = textOf(row['name']).slice(0, 40);
  const [value, minutes] = [numberOf(row['value']) ?? 0, Math.max(1, numberOf(row['min']) ?? 1)];
  const limit = was === 'Status' ? `${minutes} min` : `${value}, ${minutes} min`;
  const item = { id: `rule:${id}`, type: 'rule', name: lineOf(`${was} (${limit})`), was } as const;
  const maker = Object.hasOwn(MAKERS, was) ? MAKERS[was] : undefined;
  if (!maker) return { ...item, notes: [], why: CANNOT[was] ?? `there is no value for '${was}'` };
  const { notes = [], held, ...rule } = maker(value, minutes);
  const for_s = held && minutes > 1 ? { for_s: Math.min(86_400, minutes * 60) } : {};
  const told = held && minutes > 1 ? ['it holds for that time, which is no average'] : [];
  const severity = was === 'Status' ? 'critical' : 'warning';
  return { ...item, notes: [...notes, ...told], machines, make: { ...rule, ...for_s, severity } };
}

function windowOf(row: Values, systems: ReadonlyMap<string, string>): Item {
  const [id, was] = [textOf(row['id']), textOf(row['type']).slice(0, 40)];
  const system = textOf(row['system']);
  const machines = system === '' ? [...systems.values()] : [systems.get(system) ?? system];
  const item = {
    id: `window:${id}`,
    type: 'window',
    name: lineOf(`Quiet hours ${system === '' ? 'of all' : machines[0]} ${id.slice(0, 4)}`),
    was,
  } as const;
  const [from, to] = [row['start'], row['end']].map((one) =>
    Date.parse(textOf(one).replace(' ', 'T')),
  );
  if (!Number.isFinite(from) || !Number.isFinite(to))
    return { ...item, notes: [], why: 'its times cannot be read' };
  const [begin, end] = [from as number, to as number];
  if (was !== 'daily')
    return { ...item, notes: [], machines, make: { once: { from: begin, to: end } } };
  const start = new Date(begin);
  const day = 86_400_000;
  const duration_s = Math.round(((((end - begin) % day) + day) % day || day) / 1_000);
  const notes = ['its hours are in UTC, without summer time'];
  return {
    ...item,
    notes,
    machines,
    make: {
      cron: `${start.getUTCMinutes()} ${start.getUTCHours()} * * *`,
      duration_s,
      zone: 'UTC',
    },
  };
}
