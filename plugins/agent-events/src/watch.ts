import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, type Kernel, type RpcError, Type, topic } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { type AgentEvent, BATCH_ROWS, type Store } from './store.ts';

/** Refusals of an agent for one reason, and changes of its address, are recorded this often. */
const REFUSED_MS = 3_600_000;
const ADDRESS_MS = 600_000;
const MAX_CHARS = 200;
/** Spellings of UUIDs with an address; beyond, the memory begins anew. */
const MOST_ADDRESSES = 200_000;

/** Addresses of these agents have changed: they report from another one than before. */
const AddressChanged = topic(
  'agent-events.address-changed',
  Type.Object({ uuids: Type.Array(Type.String()) }),
);

/** Sees refused reports and the addresses of accepted ones. An accepted report costs one lookup in a map. */
export class Watch {
  readonly #kernel: Kernel;
  readonly #registry: AgentRegistry;
  readonly #store: Store;
  readonly #record: (event: AgentEvent) => void;
  readonly #addresses = new BoundedCache<string, string>({ most: MOST_ADDRESSES });
  /** New addresses, to be compared with the stored ones, by `Agent.id`. */
  readonly #moved = new Map<number, { readonly uuid: string; readonly address: string }>();
  /** Unix ms until which no more events of this kind are recorded. */
  readonly #silenced = new Map<string, number>();

  constructor(
    kernel: Kernel,
    registry: AgentRegistry,
    store: Store,
    record: (event: AgentEvent) => void,
  ) {
    this.#kernel = kernel;
    this.#registry = registry;
    this.#store = store;
    this.#record = record;
    kernel.hooks.settled.tap(({ method, params, address }, { error }) => {
      if (!method.startsWith('agent_report_')) return;
      const uuid = uuidOf(params);
      if (uuid === undefined) return;
      if (error) this.#refused(uuid, error);
      else if (address !== '' && this.#addresses.get(uuid) !== address) this.#move(uuid, address);
    });
    kernel.subscribe(AddressChanged, ({ uuids }, { own }) => {
      if (!own) for (const uuid of uuids) this.#addresses.delete(uuid);
    });
  }

  #refused(given: string, { code, message, data }: RpcError): void {
    const agent = this.#agent(given);
    if (!agent) return;
    const now = this.#kernel.clock.now();
    if (this.#isSilenced(`${agent.id} ${code}`, now, REFUSED_MS)) return;
    const reason = (typeof data === 'string' ? `${message}: ${data}` : message).slice(0, MAX_CHARS);
    this.#record({ id: agent.id, kind: 'refused', time: now, detail: { code, reason } });
  }

  #move(given: string, address: string): void {
    const agent = this.#agent(given);
    if (!agent) return;
    this.#addresses.set(given, address);
    this.#moved.set(agent.id, { uuid: agent.uuid, address });
  }

  /** Compares new addresses with the stored ones. @throws RpcError 103; what is left comes next time */
  async compare(): Promise<void> {
    const now = this.#kernel.clock.now();
    for (const [what, until] of this.#silenced) if (until <= now) this.#silenced.delete(what);
    const due = [...this.#moved].filter(([id]) => !this.#silenced.has(`${id} address`));
    for (let at = 0; at < due.length; at += BATCH_ROWS) {
      const some = due.slice(at, at + BATCH_ROWS);
      const stored = await this.#store.addresses(some.map(([id]) => id));
      const changed = some.filter(([id, { address }]) => stored.get(id) !== address);
      if (changed.length > 0) {
        await this.#store.setAddresses(changed.map(([id, { address }]) => [id, address]));
      }
      const uuids: string[] = [];
      for (const [id, { uuid, address }] of changed) {
        const old_address = stored.get(id) ?? undefined;
        if (old_address === undefined) continue;
        uuids.push(uuid);
        this.#isSilenced(`${id} address`, now, ADDRESS_MS);
        this.#record({ id, kind: 'address_changed', time: now, detail: { address, old_address } });
      }
      if (uuids.length > 0) this.#kernel.publish(AddressChanged, { uuids });
      for (const [id, move] of some) if (this.#moved.get(id) === move) this.#moved.delete(id);
    }
  }

  #agent(given: string) {
    return given.length <= 45 ? this.#registry.known(canonicalUuid(given)) : undefined;
  }

  /** Tells whether an event of this kind was recorded already; from now on it counts as recorded. */
  #isSilenced(what: string, now: number, for_ms: number): boolean {
    if ((this.#silenced.get(what) ?? 0) > now) return true;
    this.#silenced.set(what, now + for_ms);
    return false;
  }
}

/** Names of the parameter with the report, in both spellings. */
const REPORTS = [
  'data',
  'dynamic_monitoring_data',
  'static_monitoring_data',
  'dynamicMonitoringData',
  'staticMonitoringData',
];

/** The agent that a report names: `[token, data]` or `{token, data}`. */
function uuidOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const named = params as { readonly [name: string]: unknown };
  const name = REPORTS.find((one) => one in params) ?? '';
  const data = Array.isArray(params) ? params[1] : named[name];
  const uuid: unknown = (data as { uuid?: unknown } | null | undefined)?.uuid;
  return typeof uuid === 'string' ? uuid : undefined;
}
