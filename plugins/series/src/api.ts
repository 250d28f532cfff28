import { service } from '@svc/plugin-sdk';

/** Bytes that an agent received and transmitted, together, as `agent_query_traffic` counts them. */
export interface Traffic {
  /** Of this UTC day. */
  readonly day: number;
  /** Of this month, which begins on the day that the configuration says. */
  readonly month: number;
}

/** Values of one figure in equal buckets of time; of a bucket without reports `count` is 0, and `last` may be NaN. */
export interface Figure {
  readonly count: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  readonly last: Float64Array;
}

export interface Figures {
  /** Begin of the first bucket, Unix ms. */
  readonly from: number;
  readonly step_ms: number;
  /** By the names that `agent_query_series` has. */
  readonly figures: ReadonlyMap<string, Figure>;
}

interface Agent {
  /** `Agent.id` */
  readonly id: number;
  readonly uuid: string;
}

/** What is stored of agents over time; no rights are asked. */
export interface AgentSeries {
  /** Returns the traffic of at most 200 agents at a time, by `Agent.id`; agents of which nothing was counted yet are left out. @throws RpcError 103 */
  traffic(agents: readonly Agent[], now: number): Promise<ReadonlyMap<number, Traffic>>;
  /** Reads figures of summaries of one agent, from rollups and from reports that are not rolled up. @throws RpcError 103, 108, -32008 */
  figures(
    agent: Agent,
    fields: readonly string[],
    range: { readonly from: number; readonly to: number; readonly points: number },
    signal: AbortSignal,
  ): Promise<Figures>;
}

export const AgentSeries = service<AgentSeries>('agent-series');
