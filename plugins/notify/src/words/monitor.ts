import type { MessageAlert } from '../api.ts';
import type { Speech } from './clock.ts';
import { fill } from './fill.ts';

const DAY_MS = 86_400_000;
const CERTIFICATES = new Set(['certificate', 'certificate-critical']);

/** Tells whether an alert is about the end of a certificate: the time of day at which it was noticed says nothing. */
export const hasEnd = ({ monitor, shipped = '', summary }: MessageAlert): boolean =>
  monitor !== undefined && summary === '' && CERTIFICATES.has(shipped);

/** States when a certificate ends or ended; undefined: the alert is not about one. */
export function certificateOf(alert: MessageAlert, { words, clock }: Speech): string | undefined {
  const { monitor, subject } = alert;
  const end = monitor?.not_after ?? null;
  if (end === null || !hasEnd(alert)) return undefined;
  const left = end - clock.now;
  const days = Math.floor(Math.abs(left) / DAY_MS);
  const span = days > 1 ? fill(words.someDays, { d: `${days}` }) : clock.span(Math.abs(left));
  const form = left < 0 ? words.certificateEnded : words.certificateEnds;
  return fill(form, { name: subject.name || subject.id, span, date: clock.day(end) });
}

/** Why a monitor is down, where the alert has it in the place of a value; empty: nobody knows. */
export const reasonOf = ({ monitor, threshold, value, summary }: MessageAlert): string =>
  monitor && threshold === '' && summary === '' ? value : '';
