import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { isShorter } from '../../../parts/kept-days.ts';
import { valueIn, withValue } from '../../../parts/toml.ts';
import { KEEP_DAYS } from './model.ts';

/** Keys of the file that say how long something is kept; `standard` is what holds without them. */
const RULES = [
  { name: 'retention.keep_days', standard: '14' },
  { name: 'retention.budget', standard: '20 GB' },
  { name: 'series.keep_minutes_days', standard: '60' },
  { name: 'series.keep_quarter_hours_days', standard: '730' },
  { name: 'agent-events.keep_days', standard: '90' },
  { name: 'agent-events.keep_uptime_days', standard: '400' },
  { name: 'audit.keep_days', standard: '400' },
] as const;
export type Rule = (typeof RULES)[number];
/** Section and key. */
const placeOf = ({ name }: Rule) => name.split('.') as [section: string, key: string];
export const isText = ({ name }: Rule) => name === 'retention.budget';

/** Rules of the file as they are typed; `draft` is the text with them while it is reviewed. */
export function useRules(text: string, standard: number) {
  const { has } = useServer();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<unknown>();
  const rules = RULES.filter((rule) => has(placeOf(rule)[0]));
  const before = (rule: Rule) => String(valueIn(text, ...placeOf(rule)) ?? '');
  const review = () => {
    try {
      setDraft(rules.reduce((made, rule) => changed(made, rule, typed[rule.name]), text));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  return {
    rules,
    textOf: (rule: Rule) => typed[rule.name] ?? before(rule),
    type: (rule: Rule, value: string) => setTyped({ ...typed, [rule.name]: value }),
    isChanged: Object.keys(typed).length > 0,
    isLess: rules.some((rule) => keepsLess(rule, before(rule), typed[rule.name], standard)),
    ...{ review, draft, error, close: () => setDraft(undefined) },
  };
}

/** Tells whether less is kept by this rule than before: only then something is deleted. */
function keepsLess(rule: Rule, before: string, typed: string | undefined, standard: number) {
  if (typed === undefined || typed.trim() === before) return false;
  // The size that the server chooses by itself is not known here: whatever has a bound may be less.
  const budget = budgetOf(typed);
  if (isText(rule)) return budget !== UNBOUNDED && !(budget >= budgetOf(before));
  const days = (value: string) =>
    Number(value.trim() || (rule.name === KEEP_DAYS ? standard : rule.standard));
  return isShorter(days(before), days(typed));
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const BUDGET = /^([\d.]+)\s*([kMGT]?)(i?)B$/i;

/** Bytes; NaN where the server decides, or the text cannot be read. */
function budgetOf(text: string): number {
  if (text.trim() === 'none') return UNBOUNDED;
  const [, count, power = '', binary] = BUDGET.exec(text.trim()) ?? [];
  return Number(count) * (binary ? 1024 : 1000) ** ' kmgt'.indexOf(power.toLowerCase() || ' ');
}

function changed(text: string, rule: Rule, typed: string | undefined): string {
  if (typed === undefined) return text;
  const value = typed.trim() === '' ? undefined : isText(rule) ? typed.trim() : Number(typed);
  return withValue(text, ...placeOf(rule), value);
}
