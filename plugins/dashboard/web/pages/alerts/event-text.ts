import type { AlertEvent } from '../../parts/alert/index.ts';
import { t } from '../../strings/index.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What happened, in words: "Acknowledged by root: New disk is ordered". */
export function eventText({
  kind,
  by,
  detail,
}: Pick<AlertEvent, 'kind' | 'by' | 'detail'>): string {
  const word = t.alerts.kinds[kind];
  const who = by === null ? word : t.alerts.byWhom(word, by);
  const more = [detail['note'], detail['text'], detail['reason'], detail['value']]
    .map(textOf)
    .find((text) => text !== '');
  return more === undefined ? who : `${who}: ${more}`;
}
