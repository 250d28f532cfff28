import { startWorker } from '@svc/plugin-sdk/driver';
import { toPlain } from './answer.ts';
import type { ConnectionSettings } from './connection.ts';
import type { ExecuteRequest } from './execute-thread.ts';

/**
 * Process for SQL of callers. A running statement cannot be interrupted within a process, so the server kills this
 * one; and the statement runs in a thread, so that this thread can notice when the server is gone.
 */
const settings = JSON.parse(process.argv[2] ?? '') as ConnectionSettings;
const entry = settings.role === 'file' ? './file-thread.ts' : './execute-thread.ts';
const worker = startWorker(import.meta.url, entry, {
  workerData: settings,
  resourceLimits: { maxOldGenerationSizeMb: 1024 },
});
let current = 0;

worker.on('message', (answer) => process.send?.(answer));
worker.on('error', (error) => {
  process.send?.({ id: current, error: toPlain(error) }, undefined, undefined, () =>
    process.exit(1),
  );
});
process.on('message', (request: ExecuteRequest) => {
  current = request.id;
  worker.postMessage(request);
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
