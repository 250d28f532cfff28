import { Complaint } from '../../io.ts';
import type { Item } from './step.ts';

/** ISO 8601 with a zone. */
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

interface Once {
  from?: unknown;
  to?: unknown;
}

/** An item with the times of its window as text. */
export function writtenTimes(item: Item): Item {
  const once = item['once'] as { readonly from: number; readonly to: number } | undefined;
  if (!once) return item;
  const [from, to] = [once.from, once.to].map((time) => new Date(time).toISOString());
  return { ...item, once: { from, to } };
}

/** Makes the times of a window of a file Unix ms, as which they may be written, too. @throws Complaint that names the window */
export function readTimes(path: string, item: Item): void {
  const once = item['once'] as Once | null | undefined;
  if (typeof once !== 'object' || once === null) return;
  for (const name of ['from', 'to'] as const) {
    const text = once[name];
    if (typeof text !== 'string') continue;
    const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time))
      throw new Complaint(
        `${path}: window ${item.name}: once.${name} '${text}' is no time: write it like 2026-12-24T22:00:00Z or 2026-12-24T23:00:00+01:00`,
      );
    once[name] = time;
  }
}
