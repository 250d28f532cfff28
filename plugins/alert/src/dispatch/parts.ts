import type { Notify } from '@svc/plugin-notify/api';
import type { Clock, Database, Logger } from '@svc/plugin-sdk';
import type { KnownMonitors } from '../monitors.ts';
import type { Settings } from '../settings.ts';
import type { Alert, Machines, Rule, Rules } from '../types.ts';

/** Parts that the dispatcher works with. */
export interface DispatchParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly notify: Notify;
  readonly rules: Pick<Rules, 'list' | 'byId'>;
  readonly machines: Machines;
  readonly monitors: Pick<
    KnownMonitors,
    | 'count'
    | 'isNew'
    | 'of'
    | 'nameOf'
    | 'downAbove'
    | 'unsettledAbove'
    | 'downWithin'
    | 'isDownByCertificate'
    | 'explaining'
  >;
  readonly settings: Settings;
  readonly fleet: Fleet;
  /** Tells whether the owner of the rule may know of this subject now; of machines, besides, whether the rule's scope has it. */
  readonly mayTell: (rule: Rule, alert: Alert, scoped: boolean) => boolean | Promise<boolean>;
  /** The value of an alert as people read it: `96.2 %`. */
  readonly valueText: (alert: Alert, rule: Rule) => string;
  /** Path below the public address at which a key acknowledges: `/svc/alert/ack`. */
  readonly ackPath: string;
  /** Address of an alert's page below the public one. */
  readonly pagePath: (alert: Alert) => string;
  /** Hears which alerts were told or suppressed, after the commit. */
  readonly changed: (ids: readonly number[]) => void;
}

/** Machines as the dispatcher counts them. */
export interface Fleet {
  /** Machines that are not deleted. */
  count(): number;
  /** Unix ms of the last report of a machine that is late by more than two of its intervals and not known to be away; undefined: it is not late. */
  lateSince(uuid: string): number | undefined;
}
