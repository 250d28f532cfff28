import {
  fillTemplate,
  type MessageAlert,
  parseTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
} from '@svc/plugin-notify/api';
import type { MonitorFacts } from '../monitor-facts.ts';
import type { Rule } from '../types.ts';

const MOST_SUMMARY = 500;
/** Filters whose text depends on language and zone. */
const SPOKEN = /\|\s*(?:date|duration)\b/;

type Texts = Pick<Rule, 'source' | 'summary' | 'labels'>;

/** Values of a summary beside those of its rule. */
export interface SummaryFacts {
  readonly subject: {
    readonly id: string;
    readonly name: string;
    readonly tags: readonly string[];
  };
  readonly part: string;
  readonly value: string;
  readonly threshold: string;
  /** Unix ms. */
  readonly since: number;
  /** Time for which it lasted or has lasted so far, ms. */
  readonly duration: number;
  readonly monitor?: MonitorFacts | undefined;
}

const NAMES = [
  'subject.name',
  'subject.id',
  'subject.tags',
  'part',
  'rule',
  'severity',
  'value',
  'threshold',
  'since',
  'duration',
];

/** Values of rules about monitors, by their names. */
const OF_MONITOR = {
  'monitor.kind': ({ kind }: MonitorFacts) => kind,
  'monitor.target': ({ target }: MonitorFacts) => target,
  'monitor.group': ({ group }: MonitorFacts) => group,
  'monitor.places': ({ places }: MonitorFacts) => places,
  'monitor.detail': ({ detail }: MonitorFacts) => detail,
};

const namesOf = ({ source, labels }: Texts) => [
  ...NAMES,
  ...(source === 'monitor' ? Object.keys(OF_MONITOR) : []),
  ...Object.keys(labels).map((label) => `labels.${label}`),
];

/** Tells what is wrong with a summary, and where; undefined: nothing. */
export function summaryFault(rule: Texts): string | undefined {
  try {
    parseTemplate(rule.summary, namesOf(rule));
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `summary, character ${error.at}: ${error.message}`;
  }
}

const parsed = new WeakMap<Texts, Template>();

function templateOf(rule: Texts): Template {
  const known = parsed.get(rule);
  if (known) return known;
  // One that names something that is no more is sent as it is.
  const made = summaryFault(rule) ? [rule.summary] : parseTemplate(rule.summary, namesOf(rule));
  parsed.set(rule, made);
  return made;
}

type Summed = Texts & Pick<Rule, 'name' | 'severity'>;

/** Returns the summary of a rule with its values; times are in English and UTC where they name no zone. */
export function summaryText(rule: Summed, facts: SummaryFacts): string {
  if (rule.summary === '') return '';
  const values = valuesOf(rule, facts);
  const text = fillTemplate(templateOf(rule), values, { language: 'en', zone: 'UTC' });
  return text.slice(0, MOST_SUMMARY);
}

/** Returns the members of a message for a summary; one that holds times goes with its values, for each channel to fill in. */
export function summaryMembers(
  rule: Summed,
  facts: SummaryFacts,
): Pick<MessageAlert, 'summary' | 'summary_form'> {
  const summary = summaryText(rule, facts);
  if (summary === '' || !SPOKEN.test(rule.summary)) return { summary };
  const values = valuesOf(rule, facts);
  const used = templateOf(rule).flatMap((part) =>
    typeof part === 'string' ? [] : [[part.name, values[part.name] ?? null] as const],
  );
  if (used.length === 0) return { summary };
  return { summary, summary_form: { text: rule.summary, values: Object.fromEntries(used) } };
}

function valuesOf(rule: Summed, { subject, monitor, ...facts }: SummaryFacts): TemplateValues {
  const said = Object.entries(OF_MONITOR).map(([name, of]) => [
    name,
    (monitor && of(monitor)) ?? '',
  ]);
  const labels = Object.entries(rule.labels).map(([name, text]) => [`labels.${name}`, text]);
  return {
    ...facts,
    'subject.name': subject.name,
    'subject.id': subject.id,
    'subject.tags': subject.tags.join(', '),
    rule: rule.name,
    severity: rule.severity,
    ...Object.fromEntries(labels),
    ...(rule.source === 'monitor' && Object.fromEntries(said)),
  };
}
