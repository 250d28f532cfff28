/**
 * The query builder, as far as plugins use it. The two built-in drivers hand out knex, which fits these interfaces; a
 * third driver may hand out something smaller. Placeholders of raw SQL are `?` for values and `??` for names.
 */
export interface QueryBuilder {
  <Row extends object = StoredRow>(table: string): TableQuery<Row>;
  /** The result has the driver's own form: use `rowsOf`. */
  raw(sql: string, bindings?: readonly unknown[]): RawQuery;
  readonly schema: SchemaBuilder;
  /** Within a transaction: a savepoint, to which a failure of `work` goes back. */
  transaction<T>(work: (trx: QueryBuilder) => Promise<T>): Promise<T>;
}

export type StoredRow = { readonly [column: string]: unknown };

/** A statement, or a piece of one that stands for a value or a column. */
export interface RawQuery extends Promise<unknown> {
  readonly toString: () => string;
}

type Values = { readonly [column: string]: unknown };
type Columns = string | readonly string[];

/** A statement over one table; it runs when it is awaited. */
export interface TableQuery<Row extends object = StoredRow> extends Promise<Row[]> {
  select(...columns: readonly (Columns | RawQuery)[]): TableQuery<Row>;
  where(values: Values): TableQuery<Row>;
  whereRaw(sql: string, bindings?: readonly unknown[]): TableQuery<Row>;
  orderBy(column: Columns, direction?: 'asc' | 'desc'): TableQuery<Row>;
  /** Limits the rows. */
  limit(rows: number): TableQuery<Row>;
  first(...columns: readonly string[]): Promise<Row | undefined>;
  pluck(column: string): Promise<unknown[]>;
  /** `count({ n: '*' })` gives one row with the column `n`. */
  count(columns: { readonly [name: string]: string }): Promise<StoredRow[]>;
  insert(rows: Values | readonly Values[]): Insertion<Row>;
  /** @returns how many rows changed */
  update(values: Values): Promise<number>;
  /** @returns how many rows went */
  delete(): Promise<number>;
}

export interface Insertion<Row extends object = StoredRow> extends Promise<unknown> {
  onConflict(columns?: Columns): {
    ignore(): Insertion<Row>;
    /** Writes these columns, or these values, over the row that is there. */
    merge(columns?: readonly string[] | Values): Insertion<Row>;
  };
  returning(columns: Columns): Promise<Row[]>;
}

/** Changes of the schema: for migrations. */
export interface SchemaBuilder {
  createTable(name: string, define: (table: TableBuilder) => void): Promise<void>;
  alterTable(name: string, define: (table: TableBuilder) => void): Promise<void>;
  dropTableIfExists(name: string): Promise<void>;
  hasTable(name: string): Promise<boolean>;
  hasColumn(table: string, column: string): Promise<boolean>;
}

/** One table of a migration. `specificType` takes the types of `ColumnTypes`. */
export interface TableBuilder {
  increments(name: string): ColumnBuilder;
  bigIncrements(name: string): ColumnBuilder;
  integer(name: string): ColumnBuilder;
  bigInteger(name: string): ColumnBuilder;
  boolean(name: string): ColumnBuilder;
  text(name: string): ColumnBuilder;
  /** Adds a text column, of at most 255 characters by default. */
  string(name: string, length?: number): ColumnBuilder;
  binary(name: string): ColumnBuilder;
  jsonb(name: string): ColumnBuilder;
  specificType(name: string, type: string): ColumnBuilder;
  primary(columns: readonly string[]): unknown;
  dropPrimary(): unknown;
  index(columns: readonly string[], name?: string): unknown;
  unique(columns: readonly string[], options?: { readonly indexName?: string }): unknown;
}

export interface ColumnBuilder {
  notNullable(): ColumnBuilder;
  defaultTo(value: string | number | boolean | null): ColumnBuilder;
  unique(): ColumnBuilder;
  primary(): ColumnBuilder;
}
