import type { HostNames } from '@svc/plugin-agent/api';
import type { AgentHistory } from '@svc/plugin-agent-events/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { AgentValues } from '@svc/plugin-kv/api';
import type { Kernel } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import { placeOfHost } from './addresses.ts';
import type { Machines } from './types.ts';

/** Machines that lie between this one and the server, at most. */
const MOST_PARENTS = 5;
const NONE: readonly string[] = [];
/** Keys of the metadata that people give machines (kv.md §5.2). */
const KEYS = [
  'metadata_name',
  'metadata_tags',
  'metadata_region',
  'metadata_parent',
  'metadata_expire_time',
] as const;
type Key = (typeof KEYS)[number];

export interface MachinesParts {
  readonly kernel: Pick<Kernel, 'signal'>;
  readonly registry: AgentRegistry;
  readonly history: AgentHistory;
  readonly hostNames: HostNames;
  /** undefined: the plugin `kv` is off, and machines are called by their host names. */
  readonly values: AgentValues | undefined;
}

interface Facts {
  readonly names: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, readonly string[]>;
  readonly regions: ReadonlyMap<string, string>;
  readonly parents: ReadonlyMap<string, string>;
  readonly expiries: ReadonlyMap<string, number>;
}

const NOTHING: Facts = {
  names: new Map(),
  tags: new Map(),
  regions: new Map(),
  parents: new Map(),
  expiries: new Map(),
};

/** Metadata of machines, and which of them are away, in memory (`Machines`). */
export class KnownMachines implements Machines {
  readonly #parts: MachinesParts;
  readonly #queue = new SerialQueue();
  #facts = NOTHING;
  #away: ReadonlyMap<string, number> = new Map();
  #byAddress: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(parts: MachinesParts) {
    this.#parts = parts;
  }

  nameOf(uuid: string): string {
    return this.#facts.names.get(uuid) ?? uuid.slice(0, 8);
  }

  tagsOf(uuid: string): readonly string[] {
    return this.#facts.tags.get(uuid) ?? NONE;
  }

  regionOf(uuid: string): string | null {
    return this.#facts.regions.get(uuid) ?? null;
  }

  parentOf(uuid: string): string | undefined {
    return this.#facts.parents.get(uuid);
  }

  expiresAt(uuid: string): number | undefined {
    return this.#facts.expiries.get(uuid);
  }

  awaySince(uuid: string): number | undefined {
    return this.#away.get(uuid);
  }

  standingAt(host: string): readonly string[] {
    const place = placeOfHost(host);
    return (place === undefined ? undefined : this.#byAddress.get(place)) ?? NONE;
  }

  /** Machines that do not report, with Unix ms of their last reports. */
  away(): ReadonlyMap<string, number> {
    return this.#away;
  }

  /** Reads again which machines are away. @throws RpcError 103 */
  async readAway(): Promise<void> {
    const { history, registry } = this.#parts;
    // Without machines none is away.
    if (registry.list().length === 0) return;
    const uuids = new Map(
      registry.list().map(({ id, uuid, soft_delete }) => [id, soft_delete ? undefined : uuid]),
    );
    const away = new Map<string, number>();
    for (const { id, since } of await history.away()) {
      const uuid = uuids.get(id);
      if (uuid !== undefined) away.set(uuid, since);
    }
    this.#away = away;
  }

  /** Reads again from where machines reported last. @throws RpcError 103 */
  async readAddresses(): Promise<void> {
    const { history, registry } = this.#parts;
    const addresses = await history.addresses();
    const byAddress = new Map<string, string[]>();
    for (const { id, uuid, soft_delete } of registry.list()) {
      const place = soft_delete ? undefined : placeOfHost(addresses.get(id) ?? '');
      if (place === undefined) continue;
      const there = byAddress.get(place) ?? [];
      byAddress.set(place, there);
      there.push(uuid);
    }
    this.#byAddress = byAddress;
  }

  /** Reads names, tags and the rest again. @throws RpcError 103 */
  readFacts(): Promise<void> {
    return this.#queue.run(async () => {
      const hostNames = await this.#hostNames();
      const { kernel, registry, values } = this.#parts;
      const uuids = registry.list().map(({ uuid }) => uuid);
      const said = (await values?.ofAgentsKeys(KEYS, uuids, kernel.signal)) ?? [];
      const byKey = Map.groupBy(said, ([, key]) => key);
      const read = <T>(key: Key, factOf: (value: unknown) => T | undefined) =>
        (byKey.get(key) ?? []).flatMap(([uuid, , value]): [string, T][] => {
          const fact = factOf(value);
          return fact === undefined ? [] : [[uuid, fact]];
        });
      this.#facts = {
        names: new Map([...hostNames, ...read('metadata_name', textOf)]),
        tags: new Map(read('metadata_tags', tagsOf)),
        regions: new Map(read('metadata_region', textOf)),
        parents: withoutCycles(new Map(read('metadata_parent', uuidOf))),
        expiries: new Map(read('metadata_expire_time', expiryOf)),
      };
    });
  }

  async #hostNames(): Promise<[uuid: string, name: string][]> {
    const { hostNames, registry } = this.#parts;
    const agents = registry.list();
    const names = await hostNames.of(agents);
    return agents.flatMap(({ uuid }, at) => {
      const name = names[at];
      return name ? [[uuid, name]] : [];
    });
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const uuidOf = (value: unknown) => textOf(value)?.trim().toLowerCase();
const tagsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : undefined;

/** `metadata_expire_time`: a date, which is good until its day is over (UTC), or Unix ms (kv.md §5.2). */
function expiryOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 ? value : undefined;
  const text = textOf(value)?.trim() ?? '';
  if (/^\d{11,}$/.test(text)) return Number(text);
  const isDay = /^\d{4}-\d{1,2}-\d{1,2}$/.test(text);
  const time = Date.parse(isDay ? `${text} UTC` : text);
  if (Number.isNaN(time)) return undefined;
  return isDay ? time + 86_400_000 - 1 : time;
}

/** Parents of machines; a machine whose parents lead back to it, or are more than five, has none. */
function withoutCycles(parents: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const sound = new Map<string, string>();
  for (const [uuid, parent] of parents) {
    let at: string | undefined = parent;
    let depth = 1;
    while (at !== undefined && at !== uuid && depth <= MOST_PARENTS) {
      at = parents.get(at);
      depth++;
    }
    if (at === undefined) sound.set(uuid, parent);
  }
  return sound;
}
