import { chosen } from '@svc/checks';
import type { LastReports } from '@svc/plugin-agent/api';
import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { AgentValues } from '@svc/plugin-kv/api';
import { type Auth, type Clock, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { isChecked } from '../engine/checked.ts';
import { gently } from '../engine/gently.ts';
import type { KnownMonitors } from '../engine/known.ts';
import { agentCount } from '../engine/places.ts';
import type { AgentStore, SeenAgent } from '../store/agents.ts';
import type { ListedMonitor } from '../store/rows.ts';
import { type Kind, type Places, SERVER_PLACE, type State, UNKNOWN } from '../types.ts';
import { type AgentKind, mayPlace, taskOf } from './rights.ts';

/** An agent that no server has had for so long is replaced, where another one may be picked, ms. */
const GONE_MS = 300_000;
const TAGS = 'metadata_tags';
const NO_AGENT =
  'no agent may check it: none holds one of its tags, or it has secrets, which go to agents by name only';
const NO_AGENTS =
  'agents need the plugin agent-uuid: list it under plugins, or leave agents and tags out of places';

export interface PlacingParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly known: Pick<KnownMonitors, 'all'>;
  readonly owners: Owners;
  readonly registry: AgentRegistry | undefined;
  /** undefined: agents have no tags. */
  readonly values: AgentValues | undefined;
  readonly store: Pick<AgentStore, 'all'>;
  /** Tells whether agents that do not register for monitors can be sent tasks. */
  readonly hasTasks: boolean;
  readonly reports: LastReports | undefined;
  readonly signal: AbortSignal;
}

type Placeable = Pick<ListedMonitor, 'id' | 'places' | 'down_when'>;

/** Agent that is a place of a monitor. */
export interface Placed {
  /** `Agent.id` */
  readonly place_id: number;
  readonly uuid: string;
  /** Reason why it checks nothing. */
  readonly problem: string | undefined;
  /** Its results are taken. */
  readonly isAllowed: boolean;
  /** It does not register for monitors, and is sent tasks. */
  readonly byTasks: boolean;
}

interface Round {
  readonly seen: ReadonlyMap<number, SeenAgent>;
  readonly byTag: ReadonlyMap<string, readonly Agent[]>;
  /** Agents that report and do not register for monitors. */
  readonly others: ReadonlySet<number>;
  readonly rights: Map<string, boolean>;
}

/** Agents that are places of monitors: every server chooses the same ones. */
export class Placing {
  readonly #parts: PlacingParts;
  #seen: ReadonlyMap<number, SeenAgent> = new Map();
  #placed: ReadonlyMap<number, readonly Placed[]> = new Map();
  #ofAgent: ReadonlyMap<number, ReadonlySet<number>> = new Map();

  constructor(parts: PlacingParts) {
    this.#parts = parts;
  }

  /** Agents of a monitor. */
  of(id: number): readonly Placed[] {
    return this.#placed.get(id) ?? [];
  }

  /** Monitors whose results are taken from an agent. */
  monitorsOf(agent_id: number): ReadonlySet<number> {
    return this.#ofAgent.get(agent_id) ?? new Set();
  }

  /** Tells whether another choice follows from the registration of an agent. */
  isNews({ agent_id, kinds }: Pick<SeenAgent, 'agent_id' | 'kinds'>): boolean {
    if (this.#placed.size === 0) return false;
    const before = this.#seen.get(agent_id);
    return !before || this.#isGone(before) || before.kinds.join() !== kinds.join();
  }

  /** Returns why no place checks a monitor; undefined: one does. */
  problem({ id, places, down_when }: Placeable): string | undefined {
    const own = this.#placed.get(id);
    // A new one has no places until they are chosen, which takes a second.
    if (agentCount(places) === 0 || !own) return undefined;
    const ready = own.filter(({ problem }) => problem === undefined).length;
    const count = ready + Number(places.server);
    if (count > 0 && (down_when ?? 0) > count)
      return `${down_when} places have to say down, and ${count} can check it`;
    if (count > 0) return undefined;
    const [first] = own;
    return first ? `${first.uuid}: ${first.problem}` : NO_AGENT;
  }

  /** Tells whether what a place said counts. */
  counts(
    { id, kind, places }: Pick<ListedMonitor, 'id' | 'kind' | 'places'>,
    { place_id }: Pick<State, 'place_id'>,
  ): boolean {
    if (!isChecked(kind)) return true;
    if (place_id === SERVER_PLACE) return places.server;
    return this.#ofAgent.get(place_id)?.has(id) ?? false;
  }

  /** Returns what the places of a monitor say, and why agents do not check it; those that said nothing yet are unknown. */
  states(
    monitor: Pick<ListedMonitor, 'id' | 'kind' | 'places' | 'updated_at'>,
    rows: readonly State[],
  ): readonly (readonly [row: State, problem: string | undefined])[] {
    const ofServer = rows.filter((row) => !isAgent(row) && this.counts(monitor, row));
    const ofAgents = this.of(monitor.id).map((placed) => {
      const row = rows.find((one) => one.place_id === placed.place_id);
      const said = placed.isAllowed && row ? row : silent(monitor, placed);
      return [said, placed.problem] as const;
    });
    return [...ofServer.map((row) => [row, undefined] as const), ...ofAgents];
  }

  /** Text that differs where other agents are the places. */
  key(id: number): string {
    return this.of(id)
      .map(({ place_id, isAllowed }) => `${place_id} ${isAllowed}`)
      .join();
  }

  /** Chooses again. @throws RpcError 103 */
  async update(): Promise<void> {
    const used = [...this.#parts.known.all()].filter((one) => agentCount(one.places) > 0);
    const placed = new Map<number, readonly Placed[]>();
    const ofAgent = new Map<number, Set<number>>();
    if (used.length > 0) {
      const round = await this.#round(used);
      this.#seen = round.seen;
      await gently(used, async (monitor) => {
        const own = await this.#choose(monitor, round);
        placed.set(monitor.id, own);
        for (const { place_id, isAllowed } of own) {
          if (!isAllowed) continue;
          const ids = ofAgent.get(place_id) ?? new Set();
          ofAgent.set(place_id, ids.add(monitor.id));
        }
      });
    }
    this.#placed = placed;
    this.#ofAgent = ofAgent;
  }

  /** @throws RpcError 102 where the caller may not have an agent check this, 108 where there is no such agent */
  async demand({ agents = [], tags = [] }: Places, kind: Kind, caller: Principal): Promise<void> {
    const { auth, registry } = this.#parts;
    if (agents.length + tags.length === 0) return;
    if (!registry) throw RpcError.invalid(NO_AGENTS);
    const task = taskOf(kind);
    if (!task)
      throw RpcError.invalid(`places: monitors of the kind ${kind} are not checked by agents`);
    for (const uuid of agents) {
      const right = mayPlace(uuid, task);
      if (!(await auth.allows(caller, right))) throw RpcError.denied(right.denied);
      const agent = await registry.find(uuid);
      if (!agent || agent.soft_delete)
        throw RpcError.invalid(`places: there is no agent ${uuid}: leave it out`);
    }
  }

  async #round(used: readonly ListedMonitor[]): Promise<Round> {
    const { registry, signal, store, values } = this.#parts;
    const seen = new Map((await store.all()).map((one) => [one.agent_id, one]));
    const byTag = new Map<string, Agent[]>();
    const wanted = new Set(used.flatMap(({ places }) => places.tags ?? []));
    const active = (registry?.list() ?? []).filter(({ soft_delete }) => !soft_delete);
    const uuids = active.map(({ uuid }) => uuid);
    const isTagged = wanted.size > 0 && values !== undefined;
    const tags = new Map(isTagged ? await values.ofAgents(TAGS, uuids, signal) : []);
    for (const agent of active) {
      const own = tags.get(agent.uuid);
      for (const tag of new Set(Array.isArray(own) ? own : []))
        if (wanted.has(tag)) byTag.set(tag, [...(byTag.get(tag) ?? []), agent]);
    }
    const named = new Set(used.flatMap(({ places }) => places.agents ?? []));
    const asked = [...active.filter(({ uuid }) => named.has(uuid)), ...byTag.values()].flat();
    return { seen, byTag, others: await this.#others(asked, seen), rights: new Map() };
  }

  async #others(asked: readonly Agent[], seen: Round['seen']): Promise<ReadonlySet<number>> {
    const { clock, hasTasks, reports } = this.#parts;
    if (!hasTasks || !reports) return new Set();
    const agents = [...new Set(asked)].filter(({ id }) => {
      const one = seen.get(id);
      return !one || this.#isGone(one);
    });
    if (agents.length === 0) return new Set();
    const heard = await reports.heard(agents);
    const from = clock.now() - GONE_MS;
    return new Set(agents.flatMap(({ id }, at) => ((heard[at] ?? 0) >= from ? id : [])));
  }

  async #choose(monitor: ListedMonitor, round: Round): Promise<readonly Placed[]> {
    const { registry } = this.#parts;
    const { id, kind, owner, places } = monitor;
    const task = taskOf(kind);
    if (!task || !registry) return [];
    const named = (places.agents ?? []).flatMap((uuid) => registry.known(uuid) ?? []);
    // Whoever writes the tags of an agent could read the secrets there.
    const tags = monitor.has_secret ? [] : (places.tags ?? []);
    const holders = tags.flatMap((tag) => round.byTag.get(tag) ?? []);
    const found = new Map<string, Placed & { readonly rank: number }>();
    for (const agent of [...named, ...holders]) {
      const isAllowed = !agent.soft_delete && (await this.#may(owner, agent.uuid, task, round));
      // An agent that only holds a tag is no place where the owner has no right to it.
      if (!isAllowed && !named.includes(agent)) continue;
      const problem = isAllowed ? this.#absence(agent, task, round) : noRight(agent, task);
      const rank = isAllowed ? (problem === undefined ? 0 : 1) : 2;
      const byTasks = isAllowed && round.others.has(agent.id);
      const { id: place_id, uuid } = agent;
      found.set(uuid, { place_id, uuid, problem, isAllowed, byTasks, rank });
    }
    const picked: Placed[] = [];
    for (const rank of [0, 1, 2]) {
      const uuids = [...found.values()].flatMap((one) => (one.rank === rank ? one.uuid : []));
      const left = agentCount(places) - picked.length;
      for (const uuid of chosen(`${id}`, uuids, left)) picked.push(found.get(uuid) as Placed);
    }
    return picked;
  }

  /** Returns why an agent checks nothing; undefined: some server has, or just had, its registration. */
  #absence({ id }: Agent, task: AgentKind, { others, seen }: Round): string | undefined {
    if (others.has(id)) return undefined;
    const agent = seen.get(id);
    if (!agent) return 'it has not registered for monitors (monitor_register)';
    if (this.#isGone(agent)) return 'it is not connected';
    return agent.kinds.includes(task) ? undefined : `its configuration does not allow ${task}`;
  }

  #isGone({ seen_at }: SeenAgent): boolean {
    return this.#parts.clock.now() - seen_at > GONE_MS;
  }

  async #may(owner: string | null, uuid: string, task: AgentKind, { rights }: Round) {
    const key = `${owner ?? ''} ${uuid} ${task}`;
    const known = rights.get(key);
    if (known !== undefined) return known;
    const may = await this.#parts.owners.may(owner, mayPlace(uuid, task));
    rights.set(key, may);
    return may;
  }
}

const isAgent = ({ place_id }: State): boolean => place_id !== SERVER_PLACE;

const silent = (
  { id, updated_at }: Pick<ListedMonitor, 'id' | 'updated_at'>,
  { place_id }: Placed,
): State => ({
  ...{ monitor_id: id, place_id, state: UNKNOWN, since: updated_at, last_at: updated_at },
  ...{ fails: 0, goods: 0, ms: null, code: null, detail: '', changed_at: updated_at, version: 0 },
});

const noRight = ({ soft_delete }: Agent, task: AgentKind): string =>
  soft_delete
    ? 'it was deleted'
    : `the token that owns the monitor may not create tasks of the kind ${task} there any more`;
