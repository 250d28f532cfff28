import type { HoldingKind } from '@svc/plugin-sdk';
import type { HeldBy, HoldingStore, Reader } from './store.ts';

/** Rows and bytes that an owner holds of one kind; null: no limit. */
export interface KindHeld {
  readonly kind: string;
  readonly rows: number;
  readonly bytes: number;
  readonly max_rows: number | null;
  readonly max_bytes: number | null;
}

/** Holdings of one owner. */
export interface OwnerHeld {
  /** null: the Super Token. */
  readonly token_key: string | null;
  readonly username: string | null;
  readonly kinds: KindHeld[];
}

interface HoldingsQuery {
  readonly kinds: readonly HoldingKind[];
  readonly store: HoldingStore;
  readonly reader: Reader;
}

/** Returns all holdings of one owner, empty kinds included. */
export async function heldBy(
  { kinds, store, reader }: HoldingsQuery,
  holder: string | null,
): Promise<OwnerHeld> {
  const held: KindHeld[] = [];
  for (const kind of kinds)
    held.push(answerOf(kind, { holder, ...(await store.read(kind.rows, holder, reader)) }));
  const names = holder === null ? undefined : await store.names([holder]);
  return { token_key: holder, username: names?.get(holder ?? '') ?? null, kinds: held };
}

/** Returns the largest holders of each kind, the Super Token first, then those nearest to a limit. */
export async function heldByAll({ kinds, store, reader }: HoldingsQuery): Promise<OwnerHeld[]> {
  const owners = new Map<string | null, KindHeld[]>();
  for (const kind of kinds)
    for (const held of await store.largest(kind.rows, reader)) {
      const list = owners.get(held.holder) ?? [];
      list.push(answerOf(kind, held));
      owners.set(held.holder, list);
    }
  const names = await store.names([...owners.keys()].filter((key) => key !== null));
  return [...owners]
    .map(([token_key, held]) => ({
      token_key,
      username: names.get(token_key ?? '') ?? null,
      kinds: held,
    }))
    .sort((a, b) => nearness(b) - nearness(a));
}

function answerOf({ kind, limits }: HoldingKind, { holder, rows, bytes }: HeldBy): KindHeld {
  const { rows: most, bytes: much, shared } = limits();
  const most_rows = holder === null ? shared?.most : (most ?? shared)?.most;
  const max_bytes = holder === null ? null : orNull(much?.most);
  return { kind, rows, bytes, max_rows: orNull(most_rows), max_bytes };
}

const orNull = (most: number | undefined) =>
  most === undefined || most === Number.POSITIVE_INFINITY ? null : most;

/** Largest part of a limit that is used up. */
function nearness({ token_key, kinds }: OwnerHeld): number {
  if (token_key === null) return Number.POSITIVE_INFINITY;
  return Math.max(
    ...kinds.map(({ rows, bytes, max_rows, max_bytes }) =>
      Math.max(
        rows / (max_rows || Number.POSITIVE_INFINITY),
        bytes / (max_bytes || Number.POSITIVE_INFINITY),
      ),
    ),
  );
}
