import type { Methods } from '@svc/client';
import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { type Found, TYPED_MS, useAsked } from '../../../parts/asked.ts';
import type { NewRule, Source } from '../model.ts';

export type Check = Methods['alert_rule_check']['result'];
export type Test = Methods['alert_rule_test']['result'];

/** Pause, ms, after the last key before history is read, which costs the server more. */
const TESTED_MS = 900;
export const WEEK_MS = 7 * 86_400_000;

/** Check of a condition while it is typed; an empty one is none. */
export function useCheck(source: Source, condition: string, scope: NewRule['scope']): Found<Check> {
  const { call } = useServer();
  const text = condition.trim() === '' ? undefined : condition;
  const key = text && JSON.stringify([source, text, scope]);
  const found = useAsked(key, TYPED_MS, () =>
    call('alert_rule_check', { source, condition: condition, scope }),
  );
  return found.data?.valid === false && found.key !== key ? {} : found;
}

/** Sources whose past is stored: the values of summaries. */
export const isStored = (source: Source): boolean => source === 'machine';

/** What the rule would have done in the last seven days; undefined while it cannot run. */
export function useTest(rule: NewRule | undefined): Found<Test> & { readonly to: number } {
  const { call } = useServer();
  const [to] = useState(() => Date.now());
  // What it is called, and who is told, changes nothing.
  const key =
    rule && isStored(rule.source)
      ? JSON.stringify({ ...rule, name: '', summary: '', runbook: '' })
      : undefined;
  const found = useAsked(key, TESTED_MS, () =>
    call('alert_rule_test', {
      rule: { ...(rule as NewRule), name: rule?.name || '-' },
      from: to - WEEK_MS,
      to,
    }),
  );
  return { ...found, to };
}
