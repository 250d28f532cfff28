import { type AlertEvent, ackedText, comparedText } from '../../parts/alert/index.ts';
import { format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Units in which a value stands as it was measured. */
const SHOWN = /^[<>=!]+ [\d.,-]+( %| °C|)$/;

/** "97 % (> 90 %)": the value in the unit of what it was compared with; empty where that is another one. */
function measured({ value, threshold }: AlertEvent['detail']): string {
  const compared = textOf(threshold);
  const [, unit] = SHOWN.exec(compared) ?? [];
  if (typeof value !== 'number' || unit === undefined) return textOf(value);
  const digits = Number.isInteger(value) ? 0 : 1;
  return comparedText(`${format.number(value, digits)}${unit}`, compared);
}

/** What happened, in words: "Acknowledged by root: New disk is ordered". */
export function eventText({
  kind,
  by,
  detail,
}: Pick<AlertEvent, 'kind' | 'by' | 'detail'>): string {
  const { step } = detail;
  // A later step is the first that some channels hear of it, and no reminder.
  if (kind === 'reminded' && typeof step === 'number')
    return t.alerts.toldAfter(format.duration(step * 1_000));
  const word = t.alerts.kinds[kind];
  const who = by === null ? word : t.alerts.byWhom(word, ackedText(by));
  const opened = kind === 'opened' ? measured(detail) : '';
  const more = [...[detail['note'], detail['text'], detail['reason']].map(textOf), opened].find(
    (text) => text !== '',
  );
  return more === undefined ? who : t.alerts.said(who, more);
}
