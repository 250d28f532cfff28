import { RpcError } from '@svc/plugin-sdk';
import { checkText } from './names.ts';

/** One element of `namespace_key` (kv.md §4.4). */
export interface Item {
  readonly namespace: string;
  readonly key: string;
}

/** The keys that a pattern matches: one, or those from `from` to before `to` in byte order. */
export type Keys =
  | { readonly exact: string }
  /** `to` is undefined when no key can come after the last match. */
  | { readonly from: string; readonly to: string | undefined };

/** @throws RpcError 108, -32602 */
export function checkItem({ namespace, key }: Item): void {
  checkText('namespace', namespace);
  checkText('key', key);
  if (namespace === '') throw RpcError.invalid('namespace cannot be empty');
  if (key === '') throw RpcError.invalid('Key cannot be empty');
  const star = key.indexOf('*');
  if (star >= 0 && star < key.length - 1) {
    throw RpcError.invalid("Wildcard key must contain exactly one '*' and it must be at the end");
  }
}

/** Reads a pattern that passed `checkItem`. */
export function keysOf(pattern: string): Keys {
  if (!pattern.endsWith('*')) return { exact: pattern };
  const prefix = pattern.slice(0, -1);
  return { from: prefix, to: after(prefix) };
}

const LAST = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** The least text that is greater than every text with this prefix; code points order as their bytes do. */
function after(prefix: string): string | undefined {
  for (let end = prefix.length; end > 0; ) {
    const isPair = end > 1 && (prefix.codePointAt(end - 2) as number) > 0xffff;
    end -= isPair ? 2 : 1;
    const last = prefix.codePointAt(end) as number;
    if (last === LAST) continue;
    const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
    return prefix.slice(0, end) + String.fromCodePoint(next);
  }
  return undefined;
}
