import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { RpcError } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import type { Integer } from '@svc/plugin-sdk/sql';
import { type Filter, matchesNothing } from './conditions.ts';
import { EMPTY_ARRAY, type Selection } from './fields.ts';
import type { LastValues } from './last-values.ts';
import type { DeleteStore } from './store/delete.ts';
import type { ReadOptions, ReadStore } from './store/read.ts';

/** Answers a query from the table. @throws RpcError 105 unknown agent, 103, -32008 */
export type Query = (
  filter: Filter,
  selection: Selection,
  options: ReadOptions,
) => Promise<RawJson>;

export function queries(registry: AgentRegistry, store: ReadStore): Query {
  return async (filter, selection, options) => {
    const [agent] = await agentsOf(registry, filter, 'Unknown agent UUID');
    return matchesNothing(filter) ? EMPTY_ARRAY : store.query(filter, agent, selection, options);
  };
}

/** Deletes matching rows and gives their number. @throws RpcError 105 unknown agent, 103 */
export type Delete = (filter: Filter, how?: How) => Promise<number>;

export interface How {
  /** Ids of agents whose rows stay. */
  readonly except?: readonly number[];
  /** Rows of one statement. */
  readonly batch?: number;
  /** Awaited between two statements; throws to give up. */
  readonly proceed?: () => Promise<void> | void;
}

export interface DeleteOptions {
  readonly store: DeleteStore;
  readonly last: LastValues;
  /** Called when rows are gone that were stored at `storedTo` or before; `id` is undefined when they may have belonged to any agent. */
  readonly gone: (id: number | undefined, storedTo?: Integer) => void;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

export function deletes(
  registry: AgentRegistry,
  { store, last, gone, signal }: DeleteOptions,
): Delete {
  return async (
    filter,
    { except = [], batch = 500, proceed = () => throwIfStopping(signal) } = {},
  ) => {
    const [agent] = await agentsOf(registry, filter, 'Agent UUID not found in monitoring registry');
    if (matchesNothing(filter)) return 0;
    let deleted: number | undefined;
    try {
      deleted = await store.remove(filter, { agent: agent?.id, except, batch, proceed });
      return deleted;
    } finally {
      // Also after a failure: the batches before it are gone.
      if (deleted !== 0) {
        last.deleted(filter, agent?.id);
        gone(agent?.id, filter.storage.to);
      }
    }
  };
}

function throwIfStopping(signal: AbortSignal): void {
  if (signal.aborted) throw RpcError.other('the server stops; not all rows are deleted');
}

async function agentsOf(
  registry: AgentRegistry,
  { uuids }: Filter,
  unknown: string,
): Promise<Agent[]> {
  const agents: Agent[] = [];
  for (const uuid of uuids) {
    const agent = registry.known(uuid) ?? (await registry.find(uuid));
    if (!agent) throw RpcError.notFound(`${unknown}: ${uuid}`);
    agents.push(agent);
  }
  return agents;
}
