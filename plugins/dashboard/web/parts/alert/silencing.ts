import type { Server } from '../../frame/server.ts';
import { t } from '../../strings/index.ts';
import { attempt, toast, undo } from '../toast.tsx';
import { matcherOf } from './matcher.ts';
import type { Alert } from './types.ts';

const HOUR_MS = 3_600_000;

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
