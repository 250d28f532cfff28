import type { QueryBuilder, TableBuilder } from './query.ts';
import type { Dialect } from './statements.ts';
import type { PartitionOptions, TimeTable } from './time-partitions.ts';

/** One forward step of a plugin's schema. Names are kebab-case, zero-padded and never renamed. */
export interface Migration {
  readonly name: string;
  /** Tells whether an older program must not run on a database that has this step. */
  readonly breaking?: boolean;
  up(db: MigrationDatabase): Promise<unknown>;
}

/** A step and the plugin whose ledger it is in. */
export interface MigrationStep {
  readonly plugin: string;
  readonly migration: Migration;
}

/** Registry through which a plugin adds its steps, in the order in which they run. */
export interface Migrations {
  add(migration: Migration): void;
}

/** Database that a step acts through: one transaction, which its ledger row is part of. */
export interface MigrationDatabase {
  readonly query: QueryBuilder;
  readonly types: ColumnTypes;
  /** Dialect, for a step of a plugin that works with one database only. */
  readonly dialect: Dialect;
  /**
   * Partitions a plain table by time; undefined: this database has no such tables.
   * @returns false when this server of the database cannot do it; the table then stays a plain one
   */
  readonly partitionByTime:
    | ((table: TimeTable, options: PartitionOptions) => Promise<boolean>)
    | undefined;
  /** A column of an index that is read from the greatest value down, absent values last. */
  descending(column: string): string;
  /** A column of an index that is read from the least value up, absent values first. */
  ascending(column: string): string;
  /** Adds the column `id` and the keys of a table that an appender fills; rows are found by `columns`. */
  addAppendKeys(
    table: TableBuilder,
    keys: { readonly id: string; readonly columns: readonly string[]; readonly index: string },
  ): void;
  /** Compresses long values of these columns better than by default, where the database can. */
  compress(table: string, columns: readonly string[]): Promise<void>;
  /** The first id that the database gives out by itself is `first`. */
  countFrom(table: string, column: string, first: number): Promise<void>;
}

/** Types for `specificType` and `create table`. */
export interface ColumnTypes {
  /** A primary key that the database counts up. */
  readonly countedKey: string;
  readonly bytes: string;
  /** Text that is compared and sorted by its bytes. */
  readonly bytewise: string;
  readonly uuid: string;
  /** JSON as it was written. */
  readonly json: string;
  /** JSON that the database may take apart and write differently. */
  readonly document: string;
  /** `document not null`, where the database refuses what is no JSON. */
  checkedDocument(column: string): string;
}
