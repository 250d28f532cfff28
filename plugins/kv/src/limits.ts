import { RpcError } from '@svc/plugin-sdk';
import { parseJson } from '@svc/plugin-sdk/json';
import type { LimitKind } from './api.ts';
import { GLOBAL } from './names.ts';

/** Prefix of the keys of limits; the rest is a `LimitKind`. */
export const PREFIX = 'database_limit_';

/** Rows of table `kv` whose key may be that of a limit, as SQL: from this text to before the next one. The index of step 0003-limits has it, too: other rows need another step. */
export const LIMIT_KEYS = "key >= 'database_limit_' and key < 'database_limit`'";

const OF_AGENTS: readonly LimitKind[] = [
  'static_monitoring',
  'dynamic_monitoring',
  'dynamic_monitoring_summary',
  'task',
];
const OF_THE_SERVER: readonly LimitKind[] = [...OF_AGENTS, 'crontab_result', 'js_result'];

/** The namespace of an agent is its UUID, lower case with hyphens (kv.md §5.1). */
const agent = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A longer text is no number of milliseconds; the reader of limits passes it over. */
const MAX_LENGTH = 99;

/** Milliseconds of a stored value: a number that is not negative, or a text of decimal digits (kv.md §6). */
export function limitOf(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber && !(typeof value === 'string' && /^\d+$/.test(value))) return undefined;
  const limit = Math.floor(Number(value));
  return limit >= 0 ? limit : undefined;
}

/**
 * Returns what is wrong with a limit, as a sentence; undefined for a sound one, and for any key in a namespace where no limits
 * are looked for: that is neither `global` nor the UUID of an agent.
 */
export function limitFault(namespace: string, key: string, text: string): string | undefined {
  if (!key.startsWith(PREFIX) || !(namespace === GLOBAL || agent.test(namespace))) return undefined;
  const kinds = namespace === GLOBAL ? OF_THE_SERVER : OF_AGENTS;
  if (!kinds.some((kind) => key === PREFIX + kind)) {
    const all = kinds.map((kind) => PREFIX + kind).join(', ');
    return `'${key}' is no limit of ${namespace === GLOBAL ? "namespace 'global'" : 'an agent'}; there are ${all}`;
  }
  if (text.length <= MAX_LENGTH && limitOf(parseJson(text)) !== undefined) return undefined;
  return `'${key}' must be milliseconds, a number that is not negative or a text of digits: 604800000 for seven days, 0 for ever`;
}

/** @throws RpcError 108 for a limit that would be passed over */
export function checkLimit(namespace: string, key: string, text: string): void {
  const fault = limitFault(namespace, key, text);
  if (fault !== undefined) throw RpcError.invalid(fault);
}
