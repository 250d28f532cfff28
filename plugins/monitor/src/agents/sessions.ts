import { defaultCondition } from '@svc/checks';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Secrets } from '@svc/plugin-notify/api';
import type { Clock, Logger, Push, Static } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import { SerialQueue } from '@svc/plugin-sdk/util';
import { checkedOf } from '../engine/checked.ts';
import { gently } from '../engine/gently.ts';
import type { KnownMonitors } from '../engine/known.ts';
import type { AgentStore, SeenAgent } from '../store/agents.ts';
import { type MonitorStore, PAGE_ROWS } from '../store/monitors.ts';
import { slices } from '../store/sql.ts';
import type { CheckedKind, Monitor } from '../types.ts';
import type { Placing } from './placing.ts';
import { type AgentKind, taskOf } from './rights.ts';
import type { CheckItem, ChecksItem } from './wire.ts';

/** Checks of one item. */
const MOST_CHECKS = 100;

type Item = Static<typeof ChecksItem>;

export interface SessionParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly known: Pick<KnownMonitors, 'byId' | 'isPaused'>;
  readonly placing: Placing;
  readonly monitors: Pick<MonitorStore, 'byIds'>;
  readonly registry: Pick<AgentRegistry, 'known' | 'onChange'>;
  readonly store: Pick<AgentStore, 'seen'>;
  readonly secrets: Secrets | undefined;
  /** Has every server choose places anew. */
  readonly came: () => void;
}

interface Session {
  /** Its first report may be still to come. */
  readonly uuid: string;
  readonly kinds: readonly AgentKind[];
  readonly peer: Peer;
  readonly push: Push<Item>;
  /** Versions of what it has, by monitor. */
  readonly sent: Map<number, number>;
  isFresh: boolean;
}

/** Agents that take monitors from this server. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #byAgent = new Map<string, Session>();
  readonly #queue = new SerialQueue();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    parts.registry.onChange(({ uuid }) => {
      const session = this.#byAgent.get(uuid);
      if (session) void this.#begin(session);
    });
  }

  /** Sends an agent its checks, and later what changes. A later registration replaces this one. @returns ends it */
  open(of: Pick<Session, 'uuid' | 'kinds' | 'peer' | 'push'>): () => void {
    const session: Session = { ...of, sent: new Map(), isFresh: true };
    const { uuid } = of;
    this.#byAgent.get(uuid)?.push.end();
    this.#byAgent.set(uuid, session);
    void this.#begin(session);
    return () => {
      if (this.#byAgent.get(uuid) === session) this.#byAgent.delete(uuid);
    };
  }

  /** Sends what changed. Never rejects. */
  update(): Promise<void> {
    return this.#queue.run(async () => {
      for (const session of this.#byAgent.values()) await this.#send(session);
    });
  }

  /** Has monitors checked at once. */
  now(ids: readonly number[]): void {
    for (const { push, sent } of this.#byAgent.values()) {
      const own = ids.filter((id) => sent.has(id));
      if (own.length > 0) push({ ...this.#empty(), now: own });
    }
  }

  /** Says for all servers which agents are here. @throws RpcError 103 */
  async beat(): Promise<void> {
    await this.#parts.store.seen([...this.#byAgent.values()].flatMap((one) => this.#seen(one)));
  }

  #seen({ uuid, kinds }: Session): SeenAgent[] {
    const { clock, registry } = this.#parts;
    const agent = registry.known(uuid);
    return agent ? [{ agent_id: agent.id, seen_at: clock.now(), kinds }] : [];
  }

  #empty(): Item {
    return { time: this.#parts.clock.now(), whole: false, checks: [], gone: [], now: [] };
  }

  async #begin(session: Session): Promise<void> {
    const { came, log, placing, store } = this.#parts;
    try {
      const seen = this.#seen(session);
      const isNews = seen.some((one) => placing.isNews(one));
      await store.seen(seen);
      if (isNews) came();
    } catch (error) {
      log.error('an agent of monitors could not be stored; tried again', { error });
    }
    await this.#queue.run(() => this.#send(session));
  }

  async #send(session: Session): Promise<void> {
    const { uuid, sent } = session;
    try {
      const wanted = this.#wanted(session);
      const gone = [...sent.keys()].filter((id) => !wanted.has(id));
      const changed = [...wanted].flatMap(([id, version]) => (sent.get(id) === version ? [] : id));
      for (const id of gone) sent.delete(id);
      if (gone.length > 0) session.push({ ...this.#empty(), gone });
      if (session.isFresh && changed.length === 0) session.push({ ...this.#empty(), whole: true });
      for (const some of slices(changed, PAGE_ROWS)) await this.#sendChecks(session, some);
      session.isFresh = false;
    } catch (error) {
      this.#parts.log.error('an agent could not be sent its monitors; tried again', {
        agent_uuid: uuid,
        error,
      });
    }
  }

  /** Returns versions of the monitors that the agent is to check. */
  #wanted({ uuid, kinds }: Session): ReadonlyMap<number, number> {
    const { known, placing, registry } = this.#parts;
    const agent = registry.known(uuid);
    const wanted = new Map<number, number>();
    for (const id of agent ? placing.monitorsOf(agent.id) : []) {
      const monitor = known.byId(id);
      const task = monitor && taskOf(monitor.kind);
      if (monitor && task && kinds.includes(task) && !known.isPaused(id))
        wanted.set(id, monitor.version);
    }
    return wanted;
  }

  async #sendChecks(session: Session, ids: readonly number[]): Promise<void> {
    const { monitors, secrets } = this.#parts;
    const items: { readonly check: Static<typeof CheckItem>; readonly version: number }[] = [];
    await gently(await monitors.byIds(ids), (monitor) => {
      const check = itemOf(monitor, secrets);
      if (check) items.push({ check, version: monitor.version });
    });
    for (const some of slices(items, MOST_CHECKS)) {
      if (session.push.isCongested()) await session.peer.drained();
      const checks = some.map(({ check }) => check);
      if (!session.push({ ...this.#empty(), whole: session.isFresh, checks })) return;
      session.isFresh = false;
      for (const { check, version } of some) session.sent.set(check.monitor, version);
    }
  }
}

/** Returns a check with its secrets; undefined: it cannot be made, and the monitor says why. */
function itemOf(monitor: Monitor, secrets: Secrets | undefined) {
  const checked = checkedOf(monitor, secrets);
  if ('problem' in checked) return undefined;
  const { id, version, interval_s, timeout_s, retries, retry_s, recover_after } = monitor;
  const condition = monitor.condition ?? defaultCondition(monitor.kind as CheckedKind);
  return {
    ...{ monitor: id, version, interval_s, timeout_s, retries, retry_s, recover_after },
    ...{ upside_down: monitor.upside_down, condition, host: checked.host },
    spec: { ...checked.spec },
  };
}
