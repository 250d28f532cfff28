import { type Principal, RpcError } from '@svc/plugin-sdk';
import { orDatabaseError, type TokenName, type TokenStore } from '../records/store.ts';
import { tokenOf } from '../records/token.ts';

/** Record with exactly this key or username (token.md §1.1). @throws RpcError 103, 105 */
export async function exactTarget(
  store: TokenStore,
  target: string,
  what: string,
): Promise<TokenName> {
  const found = await orDatabaseError(what, store.find(target));
  if (!found) throw notFound(target);
  return found;
}

/** Finds like `exactTarget`; when nothing has the whole text as its name, by the part before `:` or `|`. */
export async function extractedTarget(store: TokenStore, target: string): Promise<TokenName> {
  const what = 'DB query error: ';
  const whole = await orDatabaseError(what, store.find(target));
  if (whole) return whole;
  const cut = nameIn(target);
  const found = cut === target ? undefined : await orDatabaseError(what, store.find(cut));
  if (!found) throw notFound(cut, 'Target token');
  return found;
}

/** Tells whether this target means the caller itself: a name that is another token's key means that one. */
export async function isOwnTarget(
  store: TokenStore,
  caller: Principal,
  target: string,
): Promise<boolean> {
  const own = tokenOf(caller);
  if (!own || (own.key !== target && own.username !== target)) return false;
  return own.key === target || (await store.find(target))?.id === own.id;
}

/** Error for a failed lookup, or for a record that was deleted between lookup and change. */
export const notFound = (name: string, what = 'Token') =>
  RpcError.notFound(`${what} not found by key/username: ${name}`);

/** Part of a target that is no secret: it may be a whole credential. */
export function nameIn(target: string): string {
  const separator = target.includes(':') ? ':' : '|';
  const at = target.indexOf(separator);
  return at < 0 ? target : target.slice(0, at);
}
