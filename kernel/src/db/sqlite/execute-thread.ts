import { workerData } from 'node:worker_threads';
import type { ScriptResult } from '../executed.ts';
import { type ConnectionSettings, openConnection } from './connection.ts';
import { onlyReads, runScript, type Script } from './script.ts';
import { answer, serveRequests } from './serve-thread.ts';

/** SQL of a caller. `write`: the writer waits, so this may change the database. */
export interface ExecuteRequest extends Script {
  readonly id: number;
  readonly write: boolean;
}

/** `writes`: nothing was done, because some statement is no plain read. */
export type ExecuteAnswer = ScriptResult | 'writes';

const settings = workerData as ConnectionSettings;
const reading = openConnection({ ...settings, role: 'execute' });

serveRequests<ExecuteRequest>((request) =>
  answer(request, (): ExecuteAnswer => {
    if (!request.write) return onlyReads(reading, request) ? runScript(reading, request) : 'writes';
    // Foreign SQL may change options or leave a transaction open: both end with the connection.
    const writing = openConnection({ ...settings, role: 'script' });
    try {
      return runScript(writing, request);
    } finally {
      writing.close();
    }
  }),
);
