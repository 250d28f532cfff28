import type { Session } from '../../session.ts';
import { type Part, without } from './part.ts';
import type { Item } from './step.ts';

type Values = Readonly<Record<string, unknown>>;

/** Monitors that are asked for at the same time. */
const AT_ONCE = 20;
const MOST_TIMEOUT_S = 10;
const INTERVAL_S = 60;

/** Monitors of a file; groups name members, and others the one through which they are reached. */
export const MONITORS: Part = {
  word: 'monitor',
  list: storedMonitors,
  defaults: {
    kind: '',
    spec: {},
    group: null,
    tags: [],
    interval_s: INTERVAL_S,
    timeout_s: null,
    retries: 2,
    retry_s: 20,
    recover_after: 1,
    places: { server: true },
    down_when: null,
    condition: null,
    upside_down: false,
    parent: null,
    severity: 'critical',
    public_name: null,
    enable: true,
    note: '',
  },
  fixed: ['kind'],
  hasSecret: true,
  normal: asStored,
  ordered: behindNamed,
  create: (item) => ['monitor_create', { monitor: item }],
  update: (item) => ['monitor_update', { name: item.name, change: without(item, 'name', 'kind') }],
  remove: (name) => ['monitor_delete', { name }],
};

/** Rows of all monitors that the caller may read. @throws RpcError */
export async function monitorRows<Row>(session: Session): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = (await session.anyMethod.call('monitor_list', { after })) as {
      readonly monitors: Row[];
      readonly next: number | null;
    };
    rows.push(...page.monitors);
    after = page.next;
  }
  return rows;
}

async function storedMonitors(session: Session): Promise<Item[]> {
  const rows = await monitorRows<Item>(session);
  const items: Item[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const asked = some.map(({ name }) => session.anyMethod.call('monitor_get', { name }));
    items.push(...((await Promise.all(asked)) as Item[]));
  }
  return items;
}

/** Returns an item with the defaults of its kind, and without a time-out that follows from its interval. */
function asStored(item: Item): Item {
  const { kind, spec, interval_s, timeout_s, places } = item as Values;
  const usual = Math.min(MOST_TIMEOUT_S, Math.floor(Number(interval_s ?? INTERVAL_S) / 2));
  return {
    ...item,
    ...(isObject(spec) && { spec: { ...SPECS[String(kind)], ...spec } }),
    ...(isObject(places) && { places: { server: true, ...places } }),
    ...(timeout_s === Math.max(1, usual) && { timeout_s: null }),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Members of `spec` that the server adds. */
const SPECS: Readonly<Record<string, Values>> = {
  heartbeat: { grace_s: 300 },
  group: { rule: 'worst' },
};

/** Other monitors that one names: its parent, and the members of a group. */
const namedBy = ({ parent, spec }: Values): readonly unknown[] => [parent, ...membersOf(spec)];

const membersOf = (spec: unknown): readonly unknown[] => {
  const members = isObject(spec) && (spec as Values)['members'];
  return Array.isArray(members) ? members : [];
};

/**
 * Returns members of a monitor without the names of monitors that earlier steps make; undefined: a group of these alone, which
 * the server cannot check before it has them.
 */
export function withoutMadeMonitors<T extends Values>(
  item: T,
  made: ReadonlySet<unknown>,
): T | undefined {
  const members = membersOf(item['spec']);
  const left = members.filter((name) => !made.has(name));
  if (members.length > 0 && left.length === 0) return undefined;
  return {
    ...item,
    ...(made.has(item['parent']) && { parent: null }),
    ...(members.length > 0 && { spec: { ...(item['spec'] as Values), members: left } }),
  };
}

/** Monitors behind those that they name. In a circle the server refuses one of them. */
function behindNamed(items: readonly Item[]): Item[] {
  const byName = new Map<unknown, Item>(items.map((item) => [item.name, item]));
  const ordered = new Set<Item>();
  const begun = new Set<Item>();
  const add = (item: Item) => {
    if (begun.has(item)) return;
    begun.add(item);
    for (const name of namedBy(item)) {
      const named = byName.get(name);
      if (named) add(named);
    }
    ordered.add(item);
  };
  for (const item of items) add(item);
  return [...ordered];
}
