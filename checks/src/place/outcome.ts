import type { Condition } from '@svc/conditions';
import type { Outcome } from '../types.ts';
import { isDefault } from '../vocabulary.ts';
import type { Result } from './types.ts';

const MOST_DETAIL = 300;
const MOST_NUMBERS = 3;

type Judged = Pick<Result, 'ok' | 'ms' | 'code' | 'detail'>;

/** Judges an outcome by the condition of its monitor: whether it is good, and in words why not. */
export function judgeOutcome(
  outcome: Outcome,
  condition: Condition,
  isUpsideDown: boolean,
): Judged {
  const failure = failureOf(outcome, condition);
  const { ms, code } = outcome;
  if (!isUpsideDown)
    return { ok: failure === undefined, ms, code, detail: failure?.slice(0, MOST_DETAIL) ?? null };
  const ok = failure !== undefined;
  return { ok, ms, code, detail: ok ? null : 'it is good, and should not be' };
}

/** Returns why a check failed; undefined: it is good. */
function failureOf(outcome: Outcome, condition: Condition): string | undefined {
  const { error, values } = outcome;
  if (error !== undefined) return error;
  try {
    const verdict = condition.evaluate(values);
    if (verdict === true) return undefined;
    if (condition.text === 'tls.valid' && outcome.certificate?.reason)
      return outcome.certificate.reason;
    const said = saidBefore(outcome);
    if (said !== '' && isDefault(condition.text)) return said.slice(0, -2);
    const missing = condition.variables.filter((name) => valueAt(values, name) === undefined);
    return verdict === undefined && missing.length > 0
      ? `${said}the answer has no ${missing.join(', ')}`
      : `${said}not ${condition.text}${measured(outcome, condition)}`;
  } catch (cause) {
    // By its name: the library of conditions is the caller's.
    if (!(cause instanceof Error && cause.name === 'ConditionError')) throw cause;
    const [, member] = /^No such key: (?!index out of bounds)(.+)$/s.exec(cause.message) ?? [];
    if (member !== undefined) return `${saidBefore(outcome)}the answer has no member \`${member}\``;
    return `the condition fails: ${cause.message}`;
  }
}

/** Returns what was measured in few words, as the beginning of a sentence. */
function saidBefore({ summary, code }: Outcome): string {
  const said = summary ?? (code === null ? undefined : `status ${code}`);
  return said === undefined ? '' : `${said}, `;
}

/** Returns the numbers that a condition looked at, for those who want to know how far off they are. */
function measured({ values, code }: Outcome, { variables }: Condition): string {
  const numbers = variables.flatMap((name) => {
    const value = name === 'status' && code !== null ? undefined : valueAt(values, name);
    return typeof value === 'number' ? `${name} ${Math.round(value * 100) / 100}` : [];
  });
  return numbers.length > 0 ? ` (${numbers.slice(0, MOST_NUMBERS).join(', ')})` : '';
}

const valueAt = (values: Outcome['values'], name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>(
      (found, member) => (found as Record<string, unknown> | undefined)?.[member],
      values,
    );
