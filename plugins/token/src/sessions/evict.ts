import type { QueryBuilder } from '@svc/plugin-sdk/sql';

/** Table of short-lived credentials of tokens. */
interface CredentialTable {
  readonly table: 'token_pass' | 'token_session';
  /** Primary key. */
  readonly key: 'pass_key' | 'session_key';
}

/** Deletes, before an insert at `made_at`, the expired rows of a token (`parent`), and the oldest of more than `most` with the new one. */
export async function evictSurplus(
  trx: QueryBuilder,
  { table, key }: CredentialTable,
  { parent, made_at }: { readonly parent: string; readonly made_at: number },
  most: number,
): Promise<void> {
  await trx.raw(
    `delete from ${table} where parent = ? and ${key} not in (
       select ${key} from ${table} where parent = ? and ends_at >= ?
       order by made_at desc, ${key} limit ?)`,
    [parent, parent, made_at, most - 1],
  );
}
