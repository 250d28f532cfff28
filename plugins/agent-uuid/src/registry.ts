import { RpcError } from '@svc/plugin-sdk';
import { KeyedQueue } from '@svc/plugin-sdk/util';
import type { Agent, AgentRegistry, FirstCheck } from './api.ts';
import { createBatches } from './batches.ts';
import { createListeners } from './listeners.ts';
import { NOT_ADMITTED } from './permissions.ts';
import type { AgentStore } from './store.ts';

export interface RegistryOptions {
  readonly store: AgentStore;
  readonly now: () => number;
  /** Most active agents; 0 is no limit. */
  readonly maxAgents: () => number;
  /** Reports of an agent deleted less than this long ago are not stored; 0 is off. */
  readonly holdOff_ms: () => number;
  /** Tells the other servers which agents changed. */
  readonly announce: (uuids: readonly string[]) => void;
  /** A listener threw. */
  readonly failed: (error: unknown) => void;
}

/** Name of the lock of whole reads; no UUID. */
const EVERY_AGENT = '*';

/** Most agents of one statement. */
const BATCH = 200;

/** All agents in memory, by UUID. Every change goes to the table first, one at a time for each UUID. */
export class Registry implements AgentRegistry {
  readonly #options: RegistryOptions;
  readonly #store: AgentStore;
  readonly #queue = new KeyedQueue();
  readonly #activateInBatch: (uuid: string) => Promise<Agent | undefined>;
  readonly #listeners;
  readonly #agents = new Map<string, Agent>();
  /** Agents that changed while the whole table is being read: the rows read of them are old. */
  #touched: Set<string> | undefined;
  #sorted: readonly Agent[] | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#listeners = createListeners<Agent>(options.failed);
    this.#activateInBatch = createBatches(BATCH, async (uuids) => {
      const agents = await options.store.activate(uuids, options.now());
      if (agents.length > 0) options.announce(agents.map(({ uuid }) => uuid));
      const found = new Map<string, Agent | undefined>(uuids.map((uuid) => [uuid, undefined]));
      for (const agent of agents) found.set(agent.uuid, agent);
      return found;
    });
  }

  known(uuid: string): Agent | undefined {
    return this.#agents.get(uuid);
  }

  async find(uuid: string): Promise<Agent | undefined> {
    return this.#agents.get(uuid) ?? this.#read(uuid);
  }

  list(): readonly Agent[] {
    this.#sorted ??= [...this.#agents.values()].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    return this.#sorted;
  }

  register(uuid: string): Agent | Promise<Agent> {
    const agent = this.#agents.get(uuid);
    return agent && !agent.soft_delete ? agent : this.#activate(uuid);
  }

  admit(uuid: string): Agent | undefined | Promise<Agent | undefined> {
    const agent = this.#agents.get(uuid);
    if (agent && !agent.soft_delete) return agent;
    return agent && this.#isHeld(agent) ? undefined : this.#admitInactive(uuid);
  }

  checkFirst(check: FirstCheck): void {
    this.#store.checkFirst(check);
  }

  softDelete(uuid: string): Promise<boolean> {
    return this.#queue.run(uuid, async () => {
      if (!(await this.#store.softDelete(uuid, this.#options.now()))) return false;
      for (const agent of await this.#store.byUuid([uuid])) this.#remember(agent);
      this.#options.announce([uuid]);
      return true;
    });
  }

  onChange(listener: (agent: Agent) => void): () => void {
    return this.#listeners.add(listener);
  }

  uuidSql(column: string): string {
    return this.#store.uuidSql(column);
  }

  isStoredSql(): string {
    return this.#store.isStoredSql();
  }

  /** Reads these agents again: another server changed them. */
  async refresh(uuids: readonly string[]): Promise<void> {
    await Promise.all(uuids.map((uuid) => this.#read(uuid)));
  }

  /** Reads the whole table; agents whose row is gone are forgotten. */
  reload(): Promise<void> {
    return this.#queue.run(EVERY_AGENT, async () => {
      const touched = new Set<string>();
      this.#touched = touched;
      try {
        this.#replace(await this.#store.all(), touched);
      } finally {
        this.#touched = undefined;
      }
    });
  }

  #replace(rows: readonly Agent[], touched: ReadonlySet<string>): void {
    const gone = new Set(this.#agents.keys());
    for (const agent of rows) {
      gone.delete(agent.uuid);
      if (!touched.has(agent.uuid)) this.#remember(agent);
    }
    for (const uuid of gone) if (!touched.has(uuid)) this.#agents.delete(uuid);
    this.#sorted = undefined;
  }

  #read(uuid: string): Promise<Agent | undefined> {
    return this.#queue.run(uuid, async () => {
      const [row] = await this.#store.byUuid([uuid]);
      return row && this.#remember(row);
    });
  }

  #activate(uuid: string): Promise<Agent> {
    return this.#queue.run(uuid, async () => {
      const existing = this.#agents.get(uuid);
      if (existing && !existing.soft_delete) return existing;
      return this.#remember(await this.#activateInTable(uuid));
    });
  }

  /**
   * Activates an agent: with a limit one by one, so that each is counted; without one, agents that come back together
   * share statements.
   */
  async #activateInTable(uuid: string): Promise<Agent> {
    const { maxAgents, now } = this.#options;
    const limit = maxAgents();
    if (limit === 0) {
      const found = await this.#activateInBatch(uuid);
      if (!found) throw RpcError.denied(NOT_ADMITTED);
      return found;
    }
    const agent = await this.#store.activateWithin(uuid, limit, now());
    this.#options.announce([uuid]);
    return agent;
  }

  /** Another server may have deleted the agent without this one knowing yet: the table decides. */
  async #admitInactive(uuid: string): Promise<Agent | undefined> {
    const row = this.#options.holdOff_ms() > 0 ? await this.#read(uuid) : undefined;
    return row && this.#isHeld(row) ? undefined : this.#activate(uuid);
  }

  #isHeld({ soft_delete, deleted_at }: Agent): boolean {
    const { now, holdOff_ms } = this.#options;
    return soft_delete && deleted_at !== null && now() - deleted_at < holdOff_ms();
  }

  #remember(agent: Agent): Agent {
    const before = this.#agents.get(agent.uuid);
    this.#agents.set(agent.uuid, agent);
    this.#touched?.add(agent.uuid);
    this.#sorted = undefined;
    const same = before?.id === agent.id && before.soft_delete === agent.soft_delete;
    if (!same) this.#listeners.call(agent);
    return agent;
  }
}
