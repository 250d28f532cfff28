import { type Comparison, readBack, readCondition } from '../../../parts/alert/condition.ts';
import { format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Source } from '../model.ts';
import { readChoice, wordsOf } from './choice.ts';
import { readGrouped, readNamed } from './named.ts';
import { titleOf, type UnitKind, unitOf, type Variable } from './variables.ts';

/** Value with its unit: 90%, 10 GiB, 2 min. */
export function valueText(value: number, unit: UnitKind): string {
  const short = Number.isInteger(value) ? format.number(value) : format.number(value, 1);
  if (unit === 'percent') return `${short}%`;
  if (unit === 'bytes') return format.text(format.bytes(value));
  if (unit === 'rate') return rateText(value);
  if (unit === 'seconds')
    return value < 0 ? `−${format.duration(-value * 1_000)}` : format.duration(value * 1_000);
  if (unit === 'degrees') return `${short} °C`;
  if (unit === 'days') return t.alerts.days(value);
  return unit === 'ms' ? `${short} ms` : short;
}

/** Rates in steps of a thousand, as the form and networks have them. */
function rateText(value: number): string {
  const [name, one] = (
    [
      ['GB/s', 1e9],
      ['MB/s', 1e6],
      ['kB/s', 1e3],
    ] as const
  ).find(([, size]) => Math.abs(value) >= size) ?? ['B/s', 1];
  const amount = value / one;
  return `${Number.isInteger(amount) ? format.number(amount) : format.number(amount, 1)} ${name}`;
}

/** Things that a rule's sentence is made of. */
export interface Said {
  readonly source?: Source;
  readonly condition: string;
  readonly clear?: string | null | undefined;
  readonly for_s?: number | null | undefined;
}

/** "Disk used above 90% for 5 min, until below 85%"; undefined: the condition says more than a sentence. */
export function sentence(said: Said, variables: readonly Variable[] = []): string | undefined {
  const { condition, clear, for_s, source } = said;
  const { condition: whole, prefix } = readNamed(condition);
  const { condition: own, group } = readGrouped(whole);
  const s = t.alerts.sentence;
  const named = [
    prefix === '' ? '' : source === 'monitor' ? s.monitorsNamed(prefix) : s.named(prefix),
    group === '' ? '' : s.inGroup(group),
  ].join('');
  const text = own.trim();
  const known = Object.hasOwn(KNOWN, text) ? KNOWN[text] : undefined;
  if (known) return t.alerts.known[known] + named + lasting(for_s, 'lastsAll');
  const opens = readCondition(own);
  const single = opens && compared(opens, said, named, variables);
  if (single !== undefined) return single;
  const all = clauses(own, variables);
  const end = clear?.trim() ? clauses(clear, variables) : '';
  if (all === undefined || end === undefined) return undefined;
  const until = end === '' ? '' : s.untilAll(end);
  return all + named + lasting(for_s, opens ? 'lasts' : 'lastsAll') + until;
}

/** Comparisons that must all hold, in words; undefined: it is more than that. */
function clauses(text: string, variables: readonly Variable[]): string | undefined {
  const parts = text.split('&&').map((part) => clause(part, variables));
  return parts.reduce((all, part) =>
    all === undefined || part === undefined ? undefined : t.alerts.sentence.and(all, part),
  );
}

function clause(text: string, variables: readonly Variable[]): string | undefined {
  const s = t.alerts.sentence;
  const choice = readChoice(text);
  if (choice) {
    const { variable, operator, word } = choice;
    const called = wordsOf(variable)?.[word] ?? word;
    return variable === 'state'
      ? s.stateIs[operator](called)
      : s.is[operator](titleOf(variable), called);
  }
  const opens = readCondition(text);
  if (!opens) return undefined;
  const known = variables.find(({ name }) => name === opens.variable);
  return comparedText(opens, known);
}

function comparedText(opens: Comparison, known: Variable | undefined): string {
  const s = t.alerts.sentence;
  const value = valueText(opens.value, unitOf(opens.variable, known));
  if (opens.variable === 'tls.days_left' && opens.operator === '<')
    return s.certificateWithin(value);
  return s.opens(subjectText(opens, known), s.operators[opens.operator], value);
}

const lasting = (for_s: Said['for_s'], words: 'lasts' | 'lastsAll' = 'lasts'): string =>
  for_s ? t.alerts.sentence[words](format.duration(for_s * 1_000)) : '';

function compared(
  opens: Comparison,
  { clear, for_s }: Said,
  named: string,
  variables: readonly Variable[],
): string | undefined {
  const known = variables.find(({ name }) => name === opens.variable);
  const unit = unitOf(opens.variable, known);
  const back = readBack(opens, clear ?? '');
  if (back === null) return undefined;
  const s = t.alerts.sentence;
  const parts = [
    comparedText(opens, known),
    named,
    lasting(for_s),
    back === undefined
      ? ''
      : s.until(s.operators[opens.operator.startsWith('>') ? '<' : '>'], valueText(back, unit)),
  ];
  return parts.join('');
}

const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600 };

/** `15m` as "15 min". */
const spanText = (span: string): string =>
  format.duration(Number.parseInt(span, 10) * (SECONDS[span.at(-1) ?? ''] ?? 1) * 1_000);

function subjectText({ variable, window }: Comparison, known: Variable | undefined): string {
  const title = titleOf(variable, known);
  return window ? t.alerts.sentence.windows[window.fn](title, spanText(window.span)) : title;
}

/** Sentence of a rule, else its condition as it stands and how long it must hold. */
export const ruleText = (rule: Said): string =>
  sentence(rule) ?? rule.condition + lasting(rule.for_s);

/** Words for a condition that no sentence is made of. */
export const heldText = ({ for_s }: Said): string => t.alerts.noSentence(lasting(for_s));

/** Conditions of rules and templates that came with the server, in words where the comparison would say less. */
const KNOWN: { readonly [condition: string]: keyof typeof t.alerts.known } = {
  'silent_for > 120 && !("intermittent" in tags)': 'offline',
  'disk.used_percent > 90 && disk.free < GiB(50)': 'diskAlmostFull',
  'disk.used_percent > 97 && disk.free < GiB(10)': 'diskFull',
  'available_memory < total_memory * 0.05 && (total_swap == 0 || swap_used_percent > 60)': 'memory',
  'event == "refused"': 'refused',
  'state == "down"': 'down',
  'state == "down" && kind != "heartbeat"': 'downChecked',
  'state == "down" && kind == "heartbeat"': 'heartbeat',
  'tls.days_left < least(14, tls.lifetime_days / 4)': 'certificate',
  'tls.days_left < least(3, tls.lifetime_days / 10)': 'certificateSoon',
  'problem == "cut_off"': 'cutOff',
  'expires_in_days < 7': 'contractWeek',
  'expires_in_days < 14': 'contractTwoWeeks',
  'problem == "channel_failing" && lasts_s > 900': 'channelFailing',
  'problem == "database_disk"': 'databaseDisk',
  'problem == "reports_lost"': 'reportsLost',
  'problem == "server_dead" && lasts_s > 60': 'serverDead',
  'clock_offset_s > 60 || clock_offset_s < -60': 'clockOff',
  'load_five > 2 * cores': 'load',
  'predict("available_space", "24h") < 0.0': 'diskSoon',
  'traffic("month") > GiB(800)': 'traffic',
};
