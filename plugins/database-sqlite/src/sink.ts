import type { AppenderOptions } from '@svc/plugin-sdk';
import { codeOf, type Entry, isDiskFull, type Settle, type Sink } from '@svc/plugin-sdk/driver';
import { fromPlain } from './answer.ts';
import type { Writer } from './writer.ts';

/** Batches over the writer thread, which leaves refused rows out by itself. */
export class WriterSink implements Sink {
  readonly parallel = 1;
  readonly #writer: Writer;
  readonly #width: number;
  readonly #sql: string;

  constructor(writer: Writer, options: AppenderOptions) {
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
    this.#writer = writer;
    this.#width = options.columns.length;
    this.#sql = `insert into ${quoted(options.table)} (${options.columns.map(quoted).join(', ')}) values (${options.columns.map(() => '?').join(', ')})`;
  }

  async store(entries: readonly Entry[], settle: Settle): Promise<void> {
    const rows = entries.map((entry) => entry.row);
    try {
      const refused = await this.#writer.batch(this.#sql, rows, this.#width);
      for (const [index, message, code] of refused) {
        const entry = entries[index];
        if (entry) settle(entry, fromPlain({ message, code }));
      }
    } catch (error) {
      // The table or a column is missing: no row of this appender can be stored. A full disk passes only after hours: agents
      // are told at once. Everything else may pass.
      if (codeOf(error) !== 'SQLITE_ERROR' && !isDiskFull(error)) throw error;
      for (const entry of entries) settle(entry, error);
    }
    for (const entry of entries) if (!entry.settled) settle(entry);
  }
}
