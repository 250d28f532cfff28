import { workerData } from 'node:worker_threads';
import type { ScriptResult } from '@svc/plugin-sdk/driver';
import { type ConnectionSettings, openConnection } from './connection.ts';
import { Guard } from './guard.ts';
import { bindPlaces } from './placeholders.ts';
import { onlyReads, runScript, type Script } from './script.ts';
import { answer, serveRequests } from './serve-thread.ts';
import { splitScript } from './split.ts';

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
      const guard = request.guards && new Guard(db, request.guards);
      guard?.refuseNames(statements);
      const mayRun = request.write || onlyReads(db, statements);
      return mayRun ? runScript(db, statements, { ...request, guard }) : 'writes';
    } finally {
      db.close();
    }
  }),
);
