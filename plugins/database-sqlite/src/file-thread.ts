import { workerData } from 'node:worker_threads';
import type { ScriptResult } from '@svc/plugin-sdk/driver';
import type Sqlite from 'better-sqlite3';
import { type ConnectionSettings, openConnection } from './connection.ts';
import { FileLimits } from './file-limits.ts';
import { fileScript } from './file-script.ts';
import type { BoundStatement } from './placeholders.ts';
import { runScript, type Script } from './script.ts';
import { answer, type Request, serveRequests } from './serve-thread.ts';

/** SQL for a file that is no part of the main database. */
export type FileRequest = FileRun | { readonly kind: 'open' | 'close' };
/** The text goes whole: taking it apart may take as long as running it. */
type FileRun = Script & {
  readonly kind: 'run';
  /** 0 or undefined: no limit. */
  readonly max_bytes?: number | undefined;
};
export type FileAnswer = (ScriptResult & { readonly inTransaction: boolean }) | true;

let db: Sqlite.Database | undefined;
// Opened by the first request, which gets the error; the next request may succeed.
const opened = (): Sqlite.Database => (db ??= openConnection(workerData as ConnectionSettings));

/** One connection for all texts: temporary tables and options stay for the next text. */
serveRequests<Request & FileRequest>((request) =>
  answer(request, (): FileAnswer => {
    if (request.kind === 'run') return run(opened(), request);
    if (request.kind === 'open') {
      opened();
      return true;
    }
    db?.close();
    db = undefined;
    return true;
  }),
);

function run(db: Sqlite.Database, { sql, params, maxRows, max_bytes }: FileRun): FileAnswer {
  const began = db.inTransaction;
  const statements = fileScript(sql);
  const limits = new FileLimits(db, max_bytes);
  const before = (statement: BoundStatement) => limits.before(statement);
  try {
    const result = runScript(db, statements, { params, maxRows, typed: true, before });
    return { ...result, inTransaction: db.inTransaction };
  } catch (error) {
    if (!began && db.inTransaction) db.exec('rollback');
    throw limits.explained(error);
  }
}
