import { shippedEn } from './shipped.ts';

/** English. `{…}` stands for a value; another language has the same members. */
export const en = {
  months: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  date: '{d} {month}',
  fullDate: '{d} {month} {y}',
  dateTime: '{date}, {clock}',
  seconds: '{s} s',
  minutes: '{m} min',
  hours: '{h} h {m} min',
  wholeHours: '{h} h',
  days: '{d} d {h} h',
  wholeDays: '{d} d',

  since: '{what} since {time}',
  sinceSpan: '{what} since {time} ({span})',
  offline: '{name} is offline',
  wasOffline: '{name} was offline {from}–{to}',
  measured: '{name}: {what} at {value}',
  held: '{name}: {what}',
  was: '{what} {from}–{to}',
  part: '{rule} {part}',
  compared: '{value} ({threshold})',
  because: '{what}: {detail}',
  onePlace: '{what}, seen from one place',
  certificateEnds: 'certificate of {name} ends in {span}, {date}',
  certificateEnded: 'certificate of {name} ended {span} ago, {date}',
  someDays: '{d} days',
  below: '{what}, and {count} more because of it',

  over: 'Over after {span}: {what}',
  closedBy: 'Closed by {by} after {span}: {what}',
  expired: 'No longer watched after {span}: {what}',
  acked: 'Acknowledged: {what}',
  reminder: 'Still open: {what}',
  flapping: '{what}: {times} times in {span}',
  flappingPlain: '{what}: keeps coming and going',
  machines: '{count} machines: {what}',
  machinesOffline: '{count} machines are offline',
  machinesBack: '{count} machines are back',
  monitorsDown: '{count} monitors are down',
  monitorsUp: '{count} monitors are up again',
  alerts: '{count} alerts: {what}',
  different: '{count} different alerts',
  allOver: 'Over: {what}',
  partly: '{open} open, {closed} over: {what}',
  andMore: 'and {count} more',
  digest: 'While I could not reach you: {what}',
  digestCounts: '{open} open, {closed} over',
  digestOpen: '{open} open',
  digestClosed: '{closed} over',

  sinceLong: 'Since {time}, for {span}',
  fromTo: 'From {from} to {to} ({span})',
  value: 'Value: {value}',
  rule: 'Rule: {rule} ({severity})',
  note: 'Note: {note}',
  runbook: 'What to do: {runbook}',
  zone: 'Times: {zone} ({offset})',

  open: 'Open',
  ack: 'Acknowledge',
  severity: { info: 'Info', warning: 'Warning', critical: 'Critical' },
  testTitle: 'Test message from {brand}',
  testText: 'Channel “{name}” works. Alerts will look like this:',
  testExample: 'web-1: disk / at 96 % (> 90 %) since {time}',

  shipped: shippedEn,
} as const;

type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };
/** Texts of messages in one language. */
export type Words = Shape<typeof en>;
