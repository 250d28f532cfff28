import type { ReportBuckets, StoredReports } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Throttle } from '@svc/plugin-sdk/util';
import type { Machines, Rule, Rules, Transitions } from '../types.ts';
import type { Changes } from './changes.ts';
import type { Complaints, Costs } from './costs.ts';

export interface EvaluatorParts extends Complaints {
  readonly kernel: Pick<Kernel, 'clock' | 'db' | 'every' | 'log' | 'signal'>;
  readonly rules: Rules;
  readonly transitions: Transitions;
  readonly machines: Machines;
  readonly registry: AgentRegistry;
  readonly stored: StoredReports;
  readonly full: StoredReports;
  readonly buckets: Pick<ReportBuckets, 'summary'>;
  /** Average time of an evaluation from which on a rule is slow, ms. Default: 1. */
  readonly slow_ms?: () => number;
  /** Hears of a rule that cannot be evaluated, once an hour. */
  readonly onError?: (rule: Rule, subject: string, message: string) => void;
}

/** Numbers since the start. */
export interface EvaluatorCounts {
  reports: number;
  evaluations: number;
  /** Reports that tell of the past. */
  late: number;
  /** Reports that were left out because too many waited. */
  left: number;
}

/** Parts of the evaluator with which it judges. */
export interface Bench {
  readonly parts: EvaluatorParts;
  readonly counts: EvaluatorCounts;
  readonly costs: Costs;
  readonly changes: Changes;
  /** Passes errors of a rule (its id) once an hour. */
  readonly errors: Throttle;
}
