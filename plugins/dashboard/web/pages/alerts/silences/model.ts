import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../../frame/index.ts';
import type { Matcher } from '../../../parts/alert/index.ts';
import { TYPED_MS, useAsked } from '../../../parts/asked.ts';
import { toast, undo } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

export type Silence = Methods['alert_silence_list']['result'][number];
type Preview = Methods['alert_silence_preview']['result'];

const HOUR_MS = 3_600_000;
const EVERY_MS = 15_000;

export function useSilences(isPast: boolean) {
  const { call } = useServer();
  return usePoll(
    `silences ${isPast}`,
    () => call('alert_silence_list', isPast ? { past: true } : {}),
    { every_ms: EVERY_MS },
  );
}

/** Tells whether a scope names anything: an empty one would be refused. */
export const isNamed = (scope: Matcher): boolean => Object.values(scope).some((one) => one != null);

/** Alerts that a silence of this scope hides now; undefined: not known. */
export function useHides(scope: Matcher): Preview | undefined {
  const { call } = useServer();
  const key = JSON.stringify(scope);
  // The button says what is wrong with the scope.
  const found = useAsked(isNamed(scope) ? key : undefined, TYPED_MS, () =>
    call('alert_silence_preview', { scope }),
  );
  return found.key === key ? found.data : undefined;
}

/** Until nine o'clock of the next day, by the reader's clock, Unix ms. */
function tomorrow(): number {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  day.setHours(9, 0, 0, 0);
  return day.getTime();
}

export const LENGTHS = ['hour', 'tomorrow', 'own'] as const;
export type Length = (typeof LENGTHS)[number];

/** End of a silence, Unix ms; NaN: it is not typed yet. */
export const endOf = (length: Length, own: string): number =>
  length === 'hour' ? Date.now() + HOUR_MS : length === 'tomorrow' ? tomorrow() : Date.parse(own);

export function useSilencing(onDone: () => void = () => {}) {
  const { call } = useServer();
  return {
    create: async (scope: Matcher, reason: string, ends_at: number) => {
      const silence = { scope, reason: reason.trim(), ends_at };
      const { id } = await call('alert_silence_create', { silence });
      toast(
        t.alerts.silenceMade,
        undo(t.alert, async () => {
          await call('alert_silence_end', { id });
          onDone();
        }),
      );
      onDone();
    },
    end: async (id: number) => {
      await call('alert_silence_end', { id });
      toast(t.alerts.silenceEnded);
      onDone();
    },
  };
}
