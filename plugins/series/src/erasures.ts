import type { ReportBuckets } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Kernel, optional, RpcError, Type, topic } from '@svc/plugin-sdk';
import type { Rounds } from './rounds.ts';
import type { BlockStore } from './store/blocks.ts';
import type { ReportKind } from './store/state.ts';
import type { TrafficStore } from './store/traffic.ts';

/** Every report of a kind was deleted, of one agent or of all, and so are their rollups. */
const RollupsErased = topic(
  'series.erased',
  Type.Object({ kind: Type.Enum(['summary', 'dynamic']), uuid: optional(Type.String()) }),
);

export interface ErasureParts {
  readonly kernel: Kernel<unknown>;
  readonly registry: AgentRegistry;
  readonly buckets: ReportBuckets;
  readonly blocks: BlockStore;
  readonly traffic: TrafficStore;
  readonly rounds: Rounds;
}

/** Rollups go with the reports that they were made of, when a caller deletes all of an agent's reports, or all of all. */
export function eraseWithReports(parts: ErasureParts): void {
  const { kernel, registry, buckets, blocks, traffic, rounds } = parts;
  const { log, signal } = kernel;
  const proceed = () => {
    if (signal.aborted) throw RpcError.other('the server stops; not all rollups are deleted');
  };
  const erase = async (kind: ReportKind, uuid: string | undefined) => {
    // What it has read of the reports it writes.
    await rounds.step;
    for (const agent of registry.list()) {
      if (uuid !== undefined && agent.uuid !== uuid) continue;
      await blocks.erase(agent.id, kind, proceed);
      if (kind === 'summary') await traffic.erase({ id: agent.id });
    }
  };
  buckets.whenErased(async (kind, uuid) => {
    await erase(kind, uuid);
    kernel.publish(RollupsErased, { kind, uuid: uuid ?? null });
  });
  // Another server may have been rolling the reports up.
  kernel.subscribe(RollupsErased, ({ kind, uuid }, { own }) => {
    if (own) return;
    erase(kind, uuid ?? undefined).catch((error: unknown) => {
      log.error('rollups of deleted reports could not be deleted', { error });
    });
  });
}
