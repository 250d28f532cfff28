import type { AgentFacts } from '@svc/plugin-agent-uuid/api';
import type { Kernel, Principal } from '@svc/plugin-sdk';
import type { MonitorStore } from '../store/monitors.ts';
import type { ItemType, Values } from './types.ts';
import { membersOf, shortHash } from './values.ts';

/** Thing that is there: its id, or the name where it has none, and what marks its content. */
export interface Thing {
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
  readonly remove: string;
  /** Members that say nothing about what somebody wrote. */
  readonly passing: readonly string[];
}

export const WAYS: { readonly [type in ItemType]: Ways } = {
  channel: {
    ...{ list: 'channel_list', create: 'channel_create', as: 'channel', remove: 'channel_delete' },
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
    on: (name) => ['monitor_set_enable', { name, enable: true }],
    passing: ['version', 'updated_at', 'owner'],
  },
  rule: {
    ...{
      list: 'alert_rule_list',
      create: 'alert_rule_create',
      as: 'rule',
      remove: 'alert_rule_delete',
    },
    on: (name) => ['alert_rule_set_enable', { name, enable: true }],
    passing: ['updated_at', 'problem', 'open', 'owner'],
  },
  window: {
    ...{
      list: 'alert_window_list',
      create: 'alert_window_create',
      as: 'window',
      remove: 'alert_window_delete',
    },
    on: (name) => ['alert_window_update', { name, change: { enable: true } }],
    passing: ['active', 'next'],
  },
};

/** Things of the types that are not monitors, as the lists of their plugins show them. */
export class Things {
  readonly #kernel: Pick<Kernel, 'call' | 'methods'>;
  readonly #monitors: MonitorStore;

  constructor(kernel: Pick<Kernel, 'call' | 'methods'>, monitors: MonitorStore) {
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

  /** UUIDs of machines by their names; of a name that several have, the first. */
  async machines(caller: Principal): Promise<ReadonlyMap<string, string>> {
    if (!this.#kernel.methods.has('agent-uuid_list')) return new Map();
    const answer = await this.#kernel.call('agent-uuid_list', {}, caller);
    const rows = (Array.isArray(answer) ? answer : []) as (Partial<AgentFacts> & {
      uuid: string;
    })[];
    return new Map(rows.toReversed().map(({ name, uuid }) => [name ?? uuid, uuid]));
  }
}

/** Returns what marks a thing: the digest of what people can write, but for whether it is switched on. */
export function thingOf(type: ItemType, row: Values): Thing {
  const { passing } = WAYS[type];
  const lasting = Object.entries(row).filter(
    ([name]) => name !== 'enable' && !passing.includes(name),
  );
  const name = String(row['name']);
  return {
    ...{ thing: String(row['id'] ?? name), name, enable: row['enable'] === true },
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
