import { workerData } from 'node:worker_threads';
import type { ScriptResult } from '@svc/plugin-sdk/driver';
import { type ConnectionSettings, openConnection } from './connection.ts';
import { Guard, refuseForeignFiles } from './guard.ts';
import { type BoundStatement, bindPlaces } from './placeholders.ts';
import { onlyReads, runScript, type Script } from './script.ts';
import { answer, serveRequests } from './serve-thread.ts';
import { splitScript } from './split.ts';
import { makeVacuumFile } from './vacuum-file.ts';

/** SQL of a caller. `write`: the writer waits, so this may change the database. */
export interface ExecuteRequest extends Script {
  readonly id: number;
  readonly write: boolean;
}

/** `writes`: nothing was done, because some statement is no plain read. */
export type ExecuteAnswer = ScriptResult | 'writes';

const settings = workerData as ConnectionSettings;

serveRequests<ExecuteRequest>((request) =>
  answer(request, (): ExecuteAnswer => {
    // Foreign SQL may change options, even while it is only prepared, or leave a transaction open: a connection of its
    // own takes both along.
    const db = openConnection({ ...settings, role: request.write ? 'script' : 'execute' });
    try {
      const statements = bindPlaces(splitScript(request.sql));
      const { guards, vacuum_folder } = request;
      for (const statement of statements) refuseForeignFiles(statement, vacuum_folder);
      const guard = guards && new Guard(db, guards.tables, guards.caller);
      guard?.refuseNames(statements);
      const before = (statement: BoundStatement) => makeVacuumFile(statement, vacuum_folder);
      const mayRun = request.write || onlyReads(db, statements);
      return mayRun ? runScript(db, statements, { ...request, guard, before }) : 'writes';
    } finally {
      db.close();
    }
  }),
);
