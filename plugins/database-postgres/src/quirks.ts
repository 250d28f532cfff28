import type { Socket } from 'node:net';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import type { Knex } from 'knex';
import Dialect from 'knex/lib/dialects/postgres/index.js';
import pg from 'pg';
import Cursor from 'pg-cursor';

/*
 * Members that this driver needs of knex, pg and pg-cursor beyond their published types. test/kernel/database-quirks.test.ts fails
 * when a library changes one of these.
 */

/** knex's client for Postgres. */
export const PostgresDialect: typeof Knex.Client = Dialect;

/** One pg client of knex's pool. */
export type PgConnection = pg.Client & {
  readonly connection: { readonly stream: Socket };
  /** Set: the pool throws the connection away instead of handing it out again. */
  __knex__disposed?: unknown;
};

/** Closes the socket at once: whatever waits on the connection fails, and the pool drops it. */
export function spoil(connection: PgConnection, reason: Error): void {
  connection.__knex__disposed = reason;
  connection.connection.stream.destroy(reason);
}

export const isSpoiled = (connection: PgConnection): boolean =>
  Boolean(connection.__knex__disposed);

/** The pool of a query builder; `cancelQuery` ends what runs on a connection. */
export interface Pool {
  acquireConnection(): Promise<PgConnection>;
  releaseConnection(connection: PgConnection): Promise<unknown>;
  cancelQuery(connection: PgConnection): Promise<unknown>;
}

export const poolOf = (knex: Knex): Pool => knex.client as Pool;

/** The connection of a transaction. */
export const connectionOf = (transaction: QueryBuilder): Promise<PgConnection> =>
  poolOf(transaction as unknown as Knex).acquireConnection();

/** Connection that pg hands to a statement that turns out to be a COPY. */
interface CopyConnection {
  sendCopyFail(reason: string): void;
}

/** The message that makes a statement of a text. */
interface ParseMessage {
  readonly text: string;
}

/** A cursor with which no statement makes the driver throw in its socket handler. */
export class SafeCursor extends Cursor {
  /** Type ids of the values, in order; 0: the database takes what fits. The driver itself names no types. */
  valueTypes: readonly number[] = [];
  /** pg puts the end of its own query timer here; a cursor has to call it. */
  callback = (): void => undefined;

  override submit(connection: pg.Connection): void {
    const { parse } = connection as { parse(message: ParseMessage, more?: boolean): void };
    const own = connection as { parse?: unknown };
    own.parse = (message: ParseMessage) => {
      // What the class has comes back.
      delete own.parse;
      parse.call(connection, { ...message, types: this.valueTypes } as ParseMessage);
    };
    super.submit(connection);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFail('COPY FROM STDIN is not possible here');
  }

  handleCopyData(): void {
    // COPY TO STDOUT: there is nowhere to put it.
  }
}

/** Takes the first column of each row as it comes: no round trip per piece, no object per row. */
export class TextQuery extends pg.Query {
  readonly texts: string[] = [];
  /** Bytes that may still come. A character is at least one byte, so this never ends too early. */
  room = 0;
  /** Called once, when `room` is used up. */
  onFull = (): void => undefined;

  /** Called by pg. */
  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.room < 0) return;
    const text = fields[0] ?? 'null';
    this.room -= text.length + 1;
    if (this.room < 0) this.onFull();
    else this.texts.push(text);
  }
}

/** pg's parser of array literals, whose published type is out of date. */
export const arrayParser = pg.types.arrayParser as unknown as {
  create(text: string, item: (text: string) => unknown): { parse(): unknown[] };
};
