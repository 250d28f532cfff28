import type { Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Statements of the stores of this plugin. Each throws RpcError 103 when the database fails. */
export class Statements {
  readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /** Runs a statement where writes run, or in a transaction. */
  rows<Row extends object>(
    text: string,
    params: readonly SqlValue[] = [],
    on: QueryBuilder = this.db.query,
  ): Promise<Row[]> {
    return guarded('channels could not be read or changed', () =>
      rowsOf<Row>(on, { text, params }),
    );
  }

  /** Runs a short read over an index. */
  read<Row extends object>(text: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return guarded('channels could not be read', () => this.db.all<Row>(text, params));
  }

  transaction<T>(work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    return guarded('channels could not be changed', () => this.db.transaction(work));
  }
}
