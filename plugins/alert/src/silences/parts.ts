import type { Auth, Clock, Principal, Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { AlertAnswer } from '../schemas.ts';
import type { Settings } from '../settings.ts';
import type { Alert, Rule } from '../types.ts';
import type { OpenAlert, OpenAlerts } from './open.ts';

/** Parts that the methods of silences, windows and policies use. */
export interface SettingsParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly owners: Pick<Owners, 'of'>;
  readonly settings: Settings;
  readonly open: OpenAlerts;
  /** Reads the settings again, and tells the other servers. */
  readonly changed: (what: 'silence' | 'window' | 'policy') => Promise<void>;
  /** An alert as the wire has it. */
  readonly answer: (
    alert: Alert,
    rule: Rule,
  ) => Static<typeof AlertAnswer> | Promise<Static<typeof AlertAnswer>>;
}

/** Those of the alerts that the caller may read. */
export async function readable(
  alerts: readonly OpenAlert[],
  caller: Principal,
  auth: Auth,
): Promise<OpenAlert[]> {
  const mayRead = (scopes: readonly ('global' | { agent_uuid: string })[]) =>
    auth.allows(caller, { scopes, permissions: [{ alert: 'read' }], denied: '' });
  if (await mayRead(['global'])) return [...alerts];
  const answers = new Map<string, boolean>();
  for (const { alert } of alerts) {
    const { subject_kind, subject_id } = alert;
    if (subject_kind !== 'agent' || answers.has(subject_id)) continue;
    answers.set(subject_id, await mayRead([{ agent_uuid: subject_id }]));
  }
  return alerts.filter(
    ({ alert }) => alert.subject_kind === 'agent' && answers.get(alert.subject_id),
  );
}
