import { type Principal, RpcError } from '@svc/plugin-sdk';
import { type Named, orRefused, type TokenStore } from '../records/store.ts';
import { tokenOf } from '../records/token.ts';

/** The record with exactly this key or username (token.md §1.1). @throws RpcError 103, 105 */
export async function exactTarget(store: TokenStore, target: string, what: string): Promise<Named> {
  const found = await orRefused(what, store.find(target));
  if (!found) throw notFound(target);
  return found;
}

/** As `exactTarget`; when nothing has the whole text as its name, the part before `:` or `|` is tried. */
export async function extractedTarget(store: TokenStore, target: string): Promise<Named> {
  const what = 'DB query error: ';
  const whole = await orRefused(what, store.find(target));
  if (whole) return whole;
  const cut = nameIn(target);
  const found = cut === target ? undefined : await orRefused(what, store.find(cut));
  if (!found) throw notFound(cut, 'Target token');
  return found;
}

/** True when this target means the caller itself: a name that is another token's key means that one. */
export async function isOwnTarget(
  store: TokenStore,
  caller: Principal,
  target: string,
): Promise<boolean> {
  const own = tokenOf(caller);
  if (!own || (own.key !== target && own.username !== target)) return false;
  return own.key === target || (await store.find(target))?.id === own.id;
}

/** A lookup without hit, or a record that went between look-up and change. */
export const notFound = (name: string, what = 'Token') =>
  RpcError.notFound(`${what} not found by key/username: ${name}`);

/** A target may be a whole credential: the part that is no secret. */
export function nameIn(target: string): string {
  const separator = target.includes(':') ? ':' : '|';
  const at = target.indexOf(separator);
  return at < 0 ? target : target.slice(0, at);
}
