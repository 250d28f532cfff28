import type { ReportBuckets } from '@svc/plugin-agent/api';
import type { AgentHistory } from '@svc/plugin-agent-events/api';
import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Auth, Clock, Kernel } from '@svc/plugin-sdk';
import type { LoadedRule, Machines } from '../../types.ts';
import type { Episode } from '../play.ts';
import type { Facts } from '../variables.ts';

export interface PreviewParts {
  readonly kernel: Pick<Kernel, 'call' | 'system' | 'db'>;
  readonly auth: Auth;
  readonly clock: Clock;
  readonly registry: AgentRegistry;
  readonly machines: Machines;
  readonly buckets: Pick<ReportBuckets, 'summary' | 'parts'>;
  readonly history: Pick<AgentHistory, 'comings'>;
}

/** Rule that is played over a range of one agent. */
export interface Ask {
  readonly agent: Agent;
  readonly loaded: LoadedRule;
  /** Facts of the machine at a time, Unix ms. */
  readonly factsAt: (at: number) => Facts;
  readonly from: number;
  readonly to: number;
  readonly step_ms: number;
  /** Evaluations that may still be made. */
  readonly most: number;
  readonly signal: AbortSignal;
  /** Caller for whom it reads. */
  readonly share: string;
}

/** Episodes of the parts of one agent; the part of the agent as a whole is empty. */
export interface Played {
  readonly places: readonly { readonly part: string; readonly episodes: readonly Episode[] }[];
  readonly evaluated: number;
  /** Tells whether there were more parts or evaluations than are allowed. */
  readonly isCut: boolean;
}
