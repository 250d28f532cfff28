import type { MessageAlert, MessageType } from '../api.ts';
import type { Clock, Speech } from './clock.ts';
import type { Words } from './en.ts';
import { fill } from './fill.ts';
import { certificateOf, hasEnd, reasonOf } from './monitor.ts';
import type { ShippedWords } from './shipped.ts';

const MINUTE_MS = 60_000;

export const isOffline = ({ source, part }: MessageAlert): boolean =>
  source === 'presence' && part === '';

const nameOf = ({ subject }: MessageAlert): string => subject.name || subject.id;

/** Rule, and the part of the machine that it is about. */
const ruleOf = ({ rule, part, source }: MessageAlert, words: Words): string =>
  // The part is the name of the problem in a rule about the server.
  part === '' || source === 'server' ? rule : fill(words.part, { rule, part });

/** The value, with what it was compared with; empty: none. */
export const measured = ({ value, threshold }: MessageAlert, words: Words): string =>
  value === '' || threshold === '' ? value : fill(words.compared, { value, threshold });

/** Words for the default rule that an alert comes from; undefined: the rule has a name of its own. */
export const shippedOf = ({ shipped }: MessageAlert, words: Words) =>
  shipped === undefined ? undefined : words.shipped[shipped];

/** Tells whether the sentence of a default rule has the value in it. */
const saysValue = (shipped: ShippedWords | undefined): boolean =>
  shipped?.open.includes('{value}') ?? false;

/** States what holds, without a time. */
function stated(alert: MessageAlert, speech: Speech): string {
  const { words } = speech;
  const name = nameOf(alert);
  if (alert.summary !== '') return alert.summary;
  if (isOffline(alert)) return fill(words.offline, { name });
  const certificate = certificateOf(alert, speech);
  if (certificate !== undefined) return certificate;
  const value = reasonOf(alert) === '' ? measured(alert, words) : '';
  const shipped = shippedOf(alert, words);
  if (shipped) {
    const isBare = alert.value === '' && (!alert.monitor || saysValue(shipped));
    const form = isBare ? shipped.held : shipped.open;
    return fill(form, { name, part: alert.part, value: alert.value, measured: value });
  }
  const what = ruleOf(alert, words);
  return value === ''
    ? fill(words.held, { name, what })
    : fill(words.measured, { name, what, value });
}

/** States what held, from when to when. */
function past(alert: MessageAlert, { words, clock }: Speech): string {
  const name = nameOf(alert);
  const [from, to] = [clock.short(alert.since), clock.short(endOf(alert, clock))];
  if (alert.summary === '' && isOffline(alert)) return fill(words.wasOffline, { name, from, to });
  const what = alert.summary || heldOf(alert, words);
  return hasEnd(alert) ? what : fill(words.was, { what, from, to });
}

/** States what holds or held, without a value. */
function heldOf(alert: MessageAlert, words: Words): string {
  const held = shippedOf(alert, words)?.held ?? words.held;
  return fill(held, { name: nameOf(alert), part: alert.part, what: ruleOf(alert, words) });
}

const endOf = ({ closed_at }: MessageAlert, clock: Clock): number => closed_at ?? clock.now;
/** Time for which it held, or has held so far, ms. */
export const lasted = (alert: MessageAlert, clock: Clock): number =>
  endOf(alert, clock) - alert.since;

function ended(alert: MessageAlert, speech: Speech): string {
  const { words, clock } = speech;
  const values = { what: past(alert, speech), span: clock.span(lasted(alert, clock)) };
  if (alert.closed_by !== undefined)
    return fill(words.closedBy, { ...values, by: alert.closed_by });
  return fill(alert.note === 'expired' ? words.expired : words.over, values);
}

function flapping(alert: MessageAlert, speech: Speech): string {
  const { words, clock } = speech;
  // Whether a monitor is down at the moment, and when its certificate ends, is no matter then.
  const isShort = alert.monitor !== undefined && alert.summary === '';
  const what = isShort ? heldOf(alert, words) : stated(alert, speech);
  if (alert.flaps === undefined) return fill(words.flappingPlain, { what });
  const { times, ms } = alert.flaps;
  return fill(words.flapping, { what, times: `${times}`, span: clock.span(ms) });
}

function open(alert: MessageAlert, speech: Speech): string {
  const { words } = speech;
  const certificate = certificateOf(alert, speech);
  const line = certificate ?? begun(alert, speech);
  const isOne = certificate === undefined && alert.monitor?.one_place === true;
  const seen = isOne ? fill(words.onePlace, { what: line }) : line;
  const all = alert.below > 0 ? fill(words.below, { what: seen, count: `${alert.below}` }) : seen;
  const isSaid = certificate !== undefined || saysValue(shippedOf(alert, words));
  const detail = isSaid ? '' : reasonOf(alert);
  return detail === '' ? all : fill(words.because, { what: all, detail });
}

/** States what holds, and since when. */
function begun(alert: MessageAlert, speech: Speech): string {
  const { words, clock } = speech;
  const what = stated(alert, speech);
  const [time, ms] = [clock.short(alert.since), lasted(alert, clock)];
  return ms < MINUTE_MS
    ? fill(words.since, { what, time })
    : fill(words.sinceSpan, { what, time, span: clock.span(ms) });
}

/** Tells what happened to one alert, in one line. */
export function lineOf(alert: MessageAlert, type: MessageType, speech: Speech): string {
  if (type === 'alert.flapping') return flapping(alert, speech);
  if (alert.state === 'closed')
    return type === 'digest' ? past(alert, speech) : ended(alert, speech);
  const what = open(alert, speech);
  if (alert.state === 'acked') return fill(speech.words.acked, { what });
  return type === 'alert.reminder' ? fill(speech.words.reminder, { what }) : what;
}

/** Lines below the first of a message about one alert. */
export function details(alert: MessageAlert, { words, clock }: Speech): string[] {
  const severity = words.severity[alert.severity];
  const span = clock.span(lasted(alert, clock));
  const [from, to] = [clock.long(alert.since), clock.long(endOf(alert, clock))];
  const value = measured(alert, words);
  return [
    fill(words.rule, { rule: ruleOf(alert, words), severity }),
    value !== '' && alert.summary !== '' ? fill(words.value, { value }) : '',
    alert.state === 'closed'
      ? fill(words.fromTo, { from, to, span })
      : fill(words.sinceLong, { time: from, span }),
    alert.note !== '' && alert.note !== 'expired' ? fill(words.note, { note: alert.note }) : '',
    alert.runbook === '' ? '' : fill(words.runbook, { runbook: alert.runbook }),
  ].filter((line) => line !== '');
}
