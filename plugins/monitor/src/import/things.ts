import type { AgentFacts } from '@svc/plugin-agent-uuid/api';
import type { Kernel, Principal } from '@svc/plugin-sdk';
import type { MonitorStore } from '../store/monitors.ts';
import { isDenied, reasonOf } from './report.ts';
import type { ItemType, Values } from './types.ts';
import { membersOf, shortHash } from './values.ts';

/** Thing that is there: its id, or the name where it has none, and what marks its content. */
export interface Thing {
  readonly type: ItemType;
  readonly thing: string;
  readonly name: string;
  readonly enable: boolean;
  readonly mark: string;
}

/** Methods by which things of a type are listed, made, switched and deleted. */
export interface Ways {
  readonly list: string;
  readonly create: string;
  /** Name of the parameter that `create` takes. */
  readonly as: string;
  readonly on: (name: string) => readonly [method: string, params: object];
  readonly update: string;
  readonly remove: string;
  /** Members that say nothing about what somebody wrote. */
  readonly passing: readonly string[];
}

export const WAYS: { readonly [type in ItemType]: Ways } = {
  channel: {
    ...{ list: 'channel_list', create: 'channel_create', as: 'channel', remove: 'channel_delete' },
    update: 'channel_update',
    on: (name) => ['channel_update', { name, change: { enable: true } }],
    passing: [
      'failing_since',
      'last_ok_at',
      'last_status',
      'last_error',
      'waiting',
      'sent',
      'failed',
      'dropped',
      'problem',
      'owner',
      'emptied',
    ],
  },
  monitor: {
    ...{ list: '', create: 'monitor_create', as: 'monitor', remove: 'monitor_delete' },
    update: 'monitor_update',
    on: (name) => ['monitor_set_enable', { name, enable: true }],
    passing: ['version', 'updated_at', 'owner'],
  },
  rule: {
    ...{
      list: 'alert_rule_list',
      create: 'alert_rule_create',
      as: 'rule',
      ...{ update: 'alert_rule_update', remove: 'alert_rule_delete' },
    },
    on: (name) => ['alert_rule_set_enable', { name, enable: true }],
    passing: ['updated_at', 'problem', 'open', 'owner'],
  },
  window: {
    ...{
      list: 'alert_window_list',
      create: 'alert_window_create',
      as: 'window',
      ...{ update: 'alert_window_update', remove: 'alert_window_delete' },
    },
    on: (name) => ['alert_window_update', { name, change: { enable: true } }],
    passing: ['active', 'next'],
  },
};

type Parts = Pick<Kernel, 'auth' | 'call' | 'methods'>;

/** Things of the types that are not monitors, as the lists of their plugins show them. */
export class Things {
  readonly #kernel: Parts;
  readonly #monitors: MonitorStore;

  constructor(kernel: Parts, monitors: MonitorStore) {
    this.#kernel = kernel;
    this.#monitors = monitors;
  }

  /** Things of a type by what names them; of monitors none, which `monitor` finds. */
  async all(type: ItemType, caller: Principal): Promise<ReadonlyMap<string, Thing>> {
    const { list } = WAYS[type];
    if (list === '' || !this.#kernel.methods.has(list)) return new Map();
    const rows = (await this.#kernel.call(list, {}, caller)) as Values[];
    return new Map(rows.map((row) => thingOf(type, row)).map((thing) => [thing.thing, thing]));
  }

  async monitor(id: number): Promise<Thing | undefined> {
    const found = await this.#monitors.byId(id);
    return found && thingOf('monitor', { ...found });
  }

  /** Returns those that the caller may read. */
  async readable(given: Iterable<Thing>, caller: Principal): Promise<ReadonlySet<Thing>> {
    const lists = new Map<ItemType, ReadonlyMap<string, Thing>>();
    const found = new Set<Thing>();
    for (const one of given) {
      const { type, thing } = one;
      if (type !== 'monitor' && !lists.has(type)) lists.set(type, await this.all(type, caller));
      const isShown =
        type === 'monitor' ? await this.#has('read', one, caller) : lists.get(type)?.has(thing);
      if (isShown) found.add(one);
    }
    return found;
  }

  /** Tells whether the caller may change a thing, or delete it, without a change. @throws RpcError 103 */
  async mayChange(word: 'write' | 'delete', one: Thing, caller: Principal): Promise<boolean> {
    const { type, name } = one;
    if (type === 'monitor' || type === 'channel') return this.#has(word, one, caller);
    const params = { name, change: {}, dry_run: true };
    try {
      await this.#kernel.call(WAYS[type].update, params, caller);
    } catch (error) {
      return !isDenied(error) && reasonOf(error) !== '';
    }
    return true;
  }

  #has(word: 'read' | 'write' | 'delete', { type, name }: Thing, caller: Principal) {
    const wanted = { scopes: [{ [type]: name }], permissions: [{ [type]: word }], denied: '' };
    return this.#kernel.auth.allows(caller, wanted);
  }

  /** UUIDs of machines by what dashboards call them: a name that was set, else the host name; of a name that several have, the first. */
  async machines(caller: Principal): Promise<ReadonlyMap<string, string>> {
    if (!this.#kernel.methods.has('agent-uuid_list')) return new Map();
    const answer = await this.#kernel.call('agent-uuid_list', {}, caller).catch(noneIfDenied);
    const rows = (Array.isArray(answer) ? answer : []) as (Partial<AgentFacts> & {
      uuid: string;
    })[];
    // A name that somebody set wins over a host name.
    const sorted = rows
      .toReversed()
      .sort((a, b) => Number(a.name != null) - Number(b.name != null));
    return new Map(sorted.map(({ name, host_name, uuid }) => [name ?? host_name ?? uuid, uuid]));
  }
}

/** Returns no machines for whoever may not list them. @throws any other error */
function noneIfDenied(error: unknown): readonly never[] {
  if (isDenied(error)) return [];
  throw error;
}

/** Returns what marks a thing: the digest of what people can write, but for whether it is switched on. */
export function thingOf(type: ItemType, row: Values): Thing {
  const { passing } = WAYS[type];
  const lasting = Object.entries(row).filter(
    ([name]) => name !== 'enable' && !passing.includes(name),
  );
  const name = String(row['name']);
  return {
    ...{ type, thing: String(row['id'] ?? name), name, enable: row['enable'] === true },
    mark: shortHash(JSON.stringify(lasting.map(([key, value]) => [key, sorted(value)]))),
  };
}

/** Members in the order of their names, however they were stored. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(membersOf(value))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)]);
}
