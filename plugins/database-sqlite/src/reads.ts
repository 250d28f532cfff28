import { RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import { mark } from '@svc/plugin-sdk/util';
import type Sqlite from 'better-sqlite3';
import { collect } from './collect.ts';
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
    mark();
    return exactObjects(this.#statements.get(sql).all(params.map(bindable)) as Row[]);
  }

  first<Row extends object>(sql: string, params: readonly SqlValue[]): Row | undefined {
    mark();
    const row = this.#statements.get(sql).get(params.map(bindable)) as Row | undefined;
    return row && exactObjects([row])[0];
  }

  /** @throws RpcError -32008 as soon as the texts pass `maxBytes` */
  jsonArray(sql: string, params: readonly SqlValue[], maxBytes: number): RawJson {
    mark();
    const statement = this.#plucked.get(sql);
    const texts = collect(statement.iterate(params.map(bindable)), maxBytes);
    if (!texts) throw RpcError.responseTooBig(maxBytes);
    return new RawJson(texts);
  }

  close(): void {
    this.#db.close();
  }
}
