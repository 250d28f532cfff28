import { codeOf, startWorker } from '@svc/plugin-sdk/driver';
import { type PlainError, toPlain } from './answer.ts';
import type { ConnectionSettings } from './connection.ts';
import type { ExecuteRequest } from './execute-thread.ts';
import { MEMORY_LIMIT, MemoryLimit } from './memory-limit.ts';

const MIB = 2 ** 20;
/** Default where the settings say nothing. */
const MEMORY_BYTES = 1024 * MIB;

/**
 * Process for SQL of callers. A running statement cannot be interrupted within a process, so the server kills this
 * one; and the statement runs in a thread, so that this thread can notice when the server is gone, and when the
 * statement takes too much memory.
 */
const settings = JSON.parse(process.argv[2] ?? '') as ConnectionSettings;
const { memory_bytes = MEMORY_BYTES } = settings;
const entry = settings.role === 'file' ? './file-thread.ts' : './execute-thread.ts';
const worker = startWorker(import.meta.url, entry, {
  workerData: settings,
  resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory_bytes / MIB) },
});
let current = 0;

/** The text is undone with the process. */
const fail = (error: PlainError): void => {
  process.send?.({ id: current, error, ends: true }, undefined, undefined, () => process.exit(1));
};
const exceeded = (): void => {
  const message = `the statement took more than ${Math.floor(memory_bytes / MIB)} MB of memory`;
  fail({ message, code: MEMORY_LIMIT });
};
const memory = new MemoryLimit(memory_bytes, exceeded);

worker.on('message', (answer) => {
  memory.end();
  process.send?.(answer);
});
worker.on('error', (error) => {
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') exceeded();
  else fail(toPlain(error));
});
process.on('message', (request: ExecuteRequest) => {
  current = request.id;
  memory.begin();
  worker.postMessage(request);
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
