import type { Auth, Clock, Principal, Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { MonitorNames } from '../monitors.ts';
import type { AlertAnswer } from '../schemas.ts';
import type { Settings } from '../settings.ts';
import type { Alert } from '../types.ts';
import type { OpenAlerts } from './open.ts';

/** Parts that the methods of silences, windows and policies use. */
export interface SettingsParts {
  readonly auth: Auth;
  readonly monitors: MonitorNames;
  readonly clock: Clock;
  readonly owners: Pick<Owners, 'of'>;
  readonly settings: Settings;
  readonly open: OpenAlerts;
  /** Reads the settings again, and tells the other servers. */
  readonly changed: (what: 'silence' | 'window' | 'policy') => Promise<void>;
  /** An alert as the wire has it for this caller. */
  readonly answer: (alert: Alert, caller: Principal) => Promise<Static<typeof AlertAnswer>>;
}
