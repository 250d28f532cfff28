import type { MigrationDatabase } from './migration.ts';
import type { Dialect } from './statements.ts';

/** Column in which `addHeldBytes` keeps the size of each row. */
export interface HeldBytes {
  readonly table: string;
  /** Columns whose texts count. */
  readonly texts: readonly string[];
  /** Name of the new index. */
  readonly index: string;
  /** Columns that lead the index: the owner's, then others that counting reads. */
  readonly columns: readonly string[];
}

/** SQL: bytes of a text. Programs of SQLite before 3.43 know no `octet_length`, and could not read the table then. */
const BYTES: { readonly [dialect in Dialect]: (column: string) => string } = {
  sqlite: (column) => `length(cast(${column} as blob))`,
  postgres: (column) => `octet_length(cast(${column} as text))`,
};

/**
 * Adds, in a migration, a column `held_bytes`, which the database computes from the others, and an index with it.
 * `Holdings` then sums `held_bytes` from the index, however long the rows are; from the texts themselves it would read them
 * all at each change.
 */
export async function addHeldBytes(
  { query, dialect }: Pick<MigrationDatabase, 'query' | 'dialect'>,
  { table, texts, index, columns }: HeldBytes,
): Promise<void> {
  // SQLite adds no stored column to a table that exists, and Postgres 15 knows no other; the index has the number on both.
  const kept = dialect === 'sqlite' ? 'virtual' : 'stored';
  const bytes = texts.map((column) => `coalesce(${BYTES[dialect](column)}, 0)`).join(' + ');
  await query.raw(
    `alter table ${table} add column held_bytes integer generated always as (${bytes}) ${kept}`,
  );
  await query.raw(`create index "${index}" on ${table} (${[...columns, 'held_bytes'].join(', ')})`);
}
