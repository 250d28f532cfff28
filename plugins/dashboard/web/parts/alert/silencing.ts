import type { Methods } from '@svc/client';
import type { Server } from '../../frame/server.ts';
import { t } from '../../strings/index.ts';
import { attempt, toast, undo } from '../toast.tsx';
import type { Alert } from './types.ts';

export type Matcher = Methods['alert_silence_create']['params']['silence']['scope'];

const HOUR_MS = 3_600_000;

/** Scope of a silence for one alert: its rule, on its machine where it has one. */
export const matcherOf = ({ rule, subject }: Pick<Alert, 'rule' | 'subject'>): Matcher =>
  subject.kind === 'agent' ? { rules: [rule], agents: [subject.id] } : { rules: [rule] };

/** Silences one alert for an hour, with the way back. */
export function silenceHour({ call }: Server, alert: Alert): Promise<void> {
  return attempt(async () => {
    const silence = {
      scope: matcherOf(alert),
      reason: t.alert.hourReason,
      ends_at: Date.now() + HOUR_MS,
    };
    const { id } = await call('alert_silence_create', { silence });
    toast(
      t.alert.silenced(alert.rule, alert.subject.name),
      undo(t.alert, () => call('alert_silence_end', { id })),
    );
  });
}
