import type { Message, MessageAlert } from '../api.ts';
import type { Words } from './en.ts';
import { fill } from './fill.ts';
import { isOffline, shippedOf } from './line.ts';

/** The value that all have, or undefined. */
function common<T>(alerts: readonly MessageAlert[], of: (alert: MessageAlert) => T): T | undefined {
  const values = new Set(alerts.map(of));
  return values.size === 1 ? [...values][0] : undefined;
}

export interface Counts {
  readonly all: number;
  readonly open: number;
  readonly closed: number;
}

/** Alerts of a message, those that are not listed included. */
export function countsOf({ alerts, more, group, type }: Message): Counts {
  const closed = alerts.filter(({ state }) => state === 'closed').length;
  const all = alerts.length + more;
  if (more === 0) return { all, open: all - closed, closed };
  // The group may hold further open alerts, which other messages told of.
  if (type === 'digest') return { all, open: group.open, closed: group.closed };
  return type === 'alert.closed' ? { all, open: 0, closed: all } : { all, open: all, closed: 0 };
}

/** First line of a message about several alerts. */
export function groupTitle(message: Message, words: Words): string {
  const { alerts } = message;
  const { all, open, closed } = countsOf(message);
  const count = `${all}`;
  const differ = new Set(alerts.map(({ subject }) => subject.id)).size === alerts.length;
  const isFleet = differ && alerts.every(({ subject }) => subject.kind === 'agent');
  if (isFleet && alerts.every(isOffline)) {
    if (closed === 0) return fill(words.machinesOffline, { count });
    if (open === 0) return fill(words.machinesBack, { count });
  }
  if (differ && alerts.every(({ shipped }) => shipped === 'monitor-down')) {
    if (closed === 0) return fill(words.monitorsDown, { count });
    if (open === 0) return fill(words.monitorsUp, { count });
  }
  const rule = common(alerts, (alert) => shippedOf(alert, words)?.title ?? alert.rule);
  const what = rule ?? common(alerts, ({ subject }) => subject.name || subject.id);
  const form =
    what === undefined ? words.different : isFleet && rule ? words.machines : words.alerts;
  const title = fill(form, { count, what: what ?? '' });
  if (closed === 0) return title;
  return open === 0
    ? fill(words.allOver, { what: title })
    : fill(words.partly, { open: `${open}`, closed: `${closed}`, what: title });
}

/** First line of a message about what happened while the channel did not work. */
export function digestTitle(message: Message, words: Words): string {
  const { open, closed } = countsOf(message);
  const form =
    open === 0 ? words.digestClosed : closed === 0 ? words.digestOpen : words.digestCounts;
  return fill(words.digest, { what: fill(form, { open: `${open}`, closed: `${closed}` }) });
}
