import type { MessageMonitor } from '@svc/plugin-notify/api';

/** Facts of a monitor as they were when its alert opened. */
export interface MonitorFacts extends MessageMonitor {
  /** Why it is down; foreign text. */
  readonly detail: string;
  /** What it checks, without credentials; its group; and how many of the places that know say down: `2/3`. Absent in older alerts. */
  readonly target?: string;
  readonly group?: string;
  readonly places?: string;
}
