import { RpcError } from '@svc/plugin-sdk';
import { databaseError, withoutStatement } from '@svc/plugin-sdk/driver';
import { BEGIN, type KnexQuery, SqliteDialect } from './quirks.ts';
import type { Writer } from './writer.ts';

/** A knex connection: the writer thread, as long as it is the same one. */
export interface WriterConnection {
  readonly writer: Writer;
  readonly generation: number;
}

/** knex client whose connection is the writer thread. Its errors are 103 with the driver's error as cause. */
export class WriterClient extends SqliteDialect {
  /** Loads nothing: the driver lives in the thread. */
  _driver(): object {
    return {};
  }

  override async acquireRawConnection(): Promise<WriterConnection> {
    const { writer } = this.connectionSettings as { writer: Writer };
    await writer.query('select 1', []);
    return { writer, generation: writer.generation };
  }

  override async destroyRawConnection(): Promise<void> {
    // The thread outlives its connections: it also takes the appenders' batches.
  }

  override async validateConnection(connection: WriterConnection): Promise<boolean> {
    return connection.generation === connection.writer.generation;
  }

  override async acquireConnection(): Promise<WriterConnection> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw databaseError(error);
    }
  }

  override async query(connection: WriterConnection, query: KnexQuery | string): Promise<unknown> {
    try {
      return await super.query(connection, query);
    } catch (error) {
      throw databaseError(withoutStatement(error, typeof query === 'string' ? query : query.sql));
    }
  }

  async _query(connection: WriterConnection, query: KnexQuery): Promise<KnexQuery> {
    if (connection.generation !== connection.writer.generation) {
      throw RpcError.database('the transaction is gone with its connection');
    }
    // A transaction that first reads and then writes would fail when another process wrote in between.
    const sql = query.sql === BEGIN ? 'begin immediate' : query.sql;
    const reply = await connection.writer.query(sql, query.bindings ?? []);
    if ('rows' in reply) {
      query.response = reply.rows;
    } else {
      query.response = { changes: reply.changes, lastInsertRowid: reply.lastID };
      query.context = reply;
    }
    return query;
  }
}
