import type { QueryBuilder } from '@svc/plugin-sdk';

/** A table of short-lived credentials of tokens. */
interface Lent {
  readonly table: 'token_pass' | 'token_session';
  /** Its primary key. */
  readonly key: 'pass_key' | 'session_key';
}

/** Before a row that a token (`parent`) gets at `made_at`: what of it is over goes, and the oldest of more than `most` with the new one. */
export async function makeRoom(
  trx: QueryBuilder,
  { table, key }: Lent,
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
