import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { DatabaseChanged, type Kernel } from '@svc/plugin-sdk';
import { AgentReported } from '../api.ts';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import type { LastValues } from '../last-values.ts';
import { LastValuesChanged, LastValuesStored } from '../sync.ts';
import { agentsById, Board } from './board.ts';
import { Feed, TURN_MS } from './feed.ts';
import { Rights } from './rights.ts';

export type Feeds = { readonly [K in Kind['name']]: Feed };

/**
 * Tells plugins and subscribers of reports that this server or another one took. Both hear of agents, in batches, and read
 * the newest rows themselves: reports cost the same, however many listen.
 */
export function createFeeds(
  kernel: Kernel,
  registry: AgentRegistry,
  last: { readonly [K in Kind['name']]: LastValues },
): Feeds {
  const { auth, clock, log, publish, subscribe } = kernel;
  const agentOf = agentsById(registry);
  let endTurns: (() => void) | undefined;
  let isTurning = false;
  const turn = async () => {
    if (isTurning) return;
    isTurning = true;
    try {
      for (const feed of all) if (feed.isWatched) await feed.turn();
    } catch (error) {
      log.error('live reports failed', { error });
    }
    isTurning = false;
    if (all.some(({ isWatched }) => isWatched)) return;
    endTurns?.();
    endTurns = undefined;
  };
  const onWatched = () => {
    endTurns ??= clock.interval(() => void turn(), TURN_MS);
  };
  const open = (kind: Kind) => {
    const board = new Board(last[kind.name], registry, agentOf);
    const rights = new Rights(auth, kind);
    return new Feed({ kernel, kind, board, rights, registry, onWatched });
  };
  const feeds = { static: open(STATIC), dynamic: open(DYNAMIC), summary: open(SUMMARY) };
  const all = Object.values(feeds);

  const changed = (kind: Kind['name'], ids: readonly number[] | null) => {
    feeds[kind]?.changed(ids);
    const uuids = ids?.flatMap((id) => agentOf(id)?.uuid ?? []) ?? [];
    if (uuids.length > 0) publish(AgentReported, { kind, uuids });
  };
  subscribe(LastValuesStored, ({ kind, ids }) => changed(kind as Kind['name'], ids));
  subscribe(LastValuesChanged, ({ kind, ids }, { own }) => {
    // This server has announced its own rows itself.
    if (!own || ids === null) changed(kind as Kind['name'], ids);
  });
  subscribe(DatabaseChanged, () => {
    for (const feed of all) feed.changed(null);
  });
  registry.onChange(({ id, soft_delete }) => {
    for (const feed of all) {
      feed.changed([id]);
      if (!soft_delete) feed.appeared();
    }
  });
  return feeds;
}
