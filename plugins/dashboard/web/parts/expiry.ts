import { t } from '../strings/index.ts';
import { day } from './format.ts';

const DAY_MS = 86_400_000;
/** Time before its end from which a contract needs attention, ms. */
const SOON_MS = 14 * DAY_MS;

/** `metadata_expire_time`: a date, which is good until its day is over here, or Unix ms (kv.md §5.2). Undefined: none. */
export function expiryOf(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0) return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{11,}$/.test(text)) return Number(text);
  const [, year, month, date] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text)?.map(Number) ?? [];
  const time =
    year === undefined || month === undefined || date === undefined
      ? Date.parse(text)
      : new Date(year, month - 1, date + 1).getTime() - 1;
  return Number.isNaN(time) ? undefined : time;
}

/** A sentence about the end, where it is near or past. */
export function expiryNote(
  end: number | undefined,
): { readonly mood: 'warn' | 'bad'; readonly text: string } | undefined {
  if (end === undefined || end - Date.now() > SOON_MS) return undefined;
  return end < Date.now()
    ? { mood: 'bad', text: t.parts.expired(day(end)) }
    : { mood: 'warn', text: t.parts.expires(day(end)) };
}
