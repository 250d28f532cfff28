import { RawJson, RpcError, type SqlValue } from '@svc/plugin-sdk';
import type Sqlite from 'better-sqlite3';
import { type ConnectionSettings, openConnection, Statements } from './connection.ts';
import { bindable, exactObjects } from './exact.ts';

/** Short reads on the calling thread, over prepared statements. They see every committed row. */
export class MainReads {
  readonly #db: Sqlite.Database;
  readonly #statements: Statements;
  readonly #plucked: Statements;

  constructor(settings: ConnectionSettings) {
    this.#db = openConnection(settings);
    this.#statements = new Statements(this.#db);
    this.#plucked = new Statements(this.#db, { pluck: true });
  }

  all<Row extends object>(sql: string, params: readonly SqlValue[]): Row[] {
    return exactObjects(this.#statements.get(sql).all(params.map(bindable)) as Row[]);
  }

  first<Row extends object>(sql: string, params: readonly SqlValue[]): Row | undefined {
    const row = this.#statements.get(sql).get(params.map(bindable)) as Row | undefined;
    return row && exactObjects([row])[0];
  }

  /** @throws RpcError -32008 as soon as the texts pass `maxBytes` */
  jsonArray(sql: string, params: readonly SqlValue[], maxBytes: number): RawJson {
    const statement = this.#plucked.get(sql);
    const texts = collect(
      statement.iterate(params.map(bindable)) as IterableIterator<string>,
      maxBytes,
    );
    if (!texts) throw RpcError.responseTooBig(maxBytes);
    return new RawJson(texts);
  }

  close(): void {
    this.#db.close();
  }
}

/** The texts as one JSON array; undefined as soon as it is longer than `maxBytes`. */
export function collect(
  texts: Iterable<string>,
  maxBytes: number,
  stop?: () => boolean,
): string | undefined {
  const parts: string[] = [];
  let length = 1;
  for (const text of texts) {
    length += text.length + 1;
    // A character is at least one byte, so this never stops too early; the exact size is taken at the end.
    if (length > maxBytes || stop?.()) return undefined;
    parts.push(text);
  }
  const joined = `[${parts.join(',')}]`;
  return Buffer.byteLength(joined) > maxBytes ? undefined : joined;
}
