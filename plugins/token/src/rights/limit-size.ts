import { RpcError } from '@svc/plugin-sdk';

/** How large a limit is: its entries, and the scopes and permissions of all entries together. */
export interface Size {
  readonly entries: number;
  readonly parts: number;
}

/** How large the limit of a token may be. One that is larger, from an earlier version, may be made smaller. */
export const MOST: Size = { entries: 64, parts: 10_000 };

/** Of a value that need not be a limit: what is none counts nothing. */
export function sizeOf(limit: unknown): Size {
  const entries = Array.isArray(limit) ? limit : [];
  const parts = entries.reduce(
    (sum: number, entry) => sum + lengthOf(entry?.scopes) + lengthOf(entry?.permissions),
    0,
  );
  return { entries: entries.length, parts };
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

export const isLarger = (size: Size, most: Size = MOST): boolean =>
  size.entries > most.entries || size.parts > most.parts;

/** @throws RpcError -32602 where the limit is larger than `most` */
export function refuseLarger(limit: unknown, at: string, most: Size = MOST): void {
  const { entries, parts } = sizeOf(limit);
  const refuse = (count: string, bound: string) =>
    RpcError.params(`invalid length: ${count}, expected at most ${bound}, at ${at}`);
  if (entries > most.entries) throw refuse(`${entries} entries`, `${most.entries} entries`);
  if (parts > most.parts)
    throw refuse(`${parts} scopes and permissions`, `${most.parts} entries of all lists together`);
}

/** A limit of this size may take the place of the stored one: it is within the bounds, or no larger in either respect. @throws RpcError -32602 */
export function refuseGrowth(limit: unknown, at: string, stored: string): void {
  const old = sizeOf(JSON.parse(stored));
  refuseLarger(limit, at, {
    entries: Math.max(MOST.entries, old.entries),
    parts: Math.max(MOST.parts, old.parts),
  });
}
