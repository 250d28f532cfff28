import {
  byTable,
  codeOf,
  type Entry,
  isDiskFull,
  type Settle,
  type Sink,
} from '@svc/plugin-sdk/driver';
import type { AppenderOptions } from '@svc/plugin-sdk/sql';
import { fromPlain } from './answer.ts';
import type { Writer } from './writer.ts';

/** Batches over the writer thread, which leaves refused rows out by itself. */
export class WriterSink implements Sink {
  readonly parallel = 1;
  readonly #writer: Writer;
  readonly #sql = new WeakMap<AppenderOptions, string>();

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  async store(entries: readonly Entry[], settle: Settle): Promise<void> {
    const tables = byTable(entries);
    try {
      const refused = await this.#writer.batch(
        tables.map(([into, rows]) => ({
          sql: this.#insert(into),
          rows: rows.map(({ row }) => row),
          width: into.columns.length,
        })),
      );
      for (const [table, index, message, code] of refused) {
        const entry = tables[table]?.[1][index];
        if (entry) settle(entry, fromPlain({ message, code }));
      }
    } catch (error) {
      // A full disk passes only after hours: agents are told at once. Everything else may pass, but a fault of the statement.
      if (codeOf(error) !== 'SQLITE_ERROR' && !isDiskFull(error)) throw error;
      for (const entry of entries) settle(entry, error);
    }
    for (const entry of entries) if (!entry.settled) settle(entry);
  }

  #insert(into: AppenderOptions): string {
    const cached = this.#sql.get(into);
    if (cached !== undefined) return cached;
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
    const columns = into.columns.map(quoted).join(', ');
    const places = into.columns.map(() => '?').join(', ');
    const sql = `insert into ${quoted(into.table)} (${columns}) values (${places})`;
    this.#sql.set(into, sql);
    return sql;
  }
}
