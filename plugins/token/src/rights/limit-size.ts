import { RpcError } from '@svc/plugin-sdk';

/** Size of a limit: its entries, and the scopes and permissions of all entries together. */
export interface Size {
  readonly entries: number;
  readonly items: number;
}

/** Largest size of a token's limit. A larger one, from an earlier version, may be made smaller. */
export const MAX_SIZE: Size = { entries: 64, items: 10_000 };

/** Size of a value that need not be a limit: anything else counts as empty. */
export function sizeOf(limit: unknown): Size {
  const entries = Array.isArray(limit) ? limit : [];
  const items = entries.reduce(
    (sum: number, entry) => sum + lengthOf(entry?.scopes) + lengthOf(entry?.permissions),
    0,
  );
  return { entries: entries.length, items };
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

export const isLarger = (size: Size, most: Size = MAX_SIZE): boolean =>
  size.entries > most.entries || size.items > most.items;

/** Demands a size of at most `most`. @throws RpcError -32602 */
export function demandSize(limit: unknown, at: string, most: Size = MAX_SIZE): void {
  const { entries, items } = sizeOf(limit);
  const refuse = (count: string, bound: string) =>
    RpcError.params(`invalid length: ${count}, expected at most ${bound}, at ${at}`);
  if (entries > most.entries) throw refuse(`${entries} entries`, `${most.entries} entries`);
  if (items > most.items)
    throw refuse(`${items} scopes and permissions`, `${most.items} entries of all lists together`);
}

/** Demands that a limit is within the bounds, or no larger than the stored one in either respect. @throws RpcError -32602 */
export function demandNoGrowth(limit: unknown, at: string, stored: string): void {
  const old = sizeOf(JSON.parse(stored));
  demandSize(limit, at, {
    entries: Math.max(MAX_SIZE.entries, old.entries),
    items: Math.max(MAX_SIZE.items, old.items),
  });
}
