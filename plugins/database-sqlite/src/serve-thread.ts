import { parentPort, type TransferListItem, workerData } from 'node:worker_threads';
import { FATAL, toPlain } from './answer.ts';

export interface Request {
  readonly id: number;
}

/** A result whose buffers move to the main thread instead of being copied. */
export class Moved {
  readonly result: unknown;
  readonly transfer: readonly TransferListItem[];

  constructor(result: unknown, transfer: readonly TransferListItem[]) {
    this.result = result;
    this.transfer = transfer;
  }
}

/** Runs in a worker thread: answers one request; what `work` throws goes back as text and code. */
export function answer(request: Request, work: () => unknown): void {
  if (!parentPort) throw new Error('this module runs in a worker thread');
  const { id } = request;
  try {
    const result = work();
    if (result instanceof Moved)
      parentPort.postMessage({ id, result: result.result }, result.transfer);
    else parentPort.postMessage({ id, result });
  } catch (error) {
    parentPort.postMessage({ id, error: toPlain(error) });
  }
}

/** Requests that came before the thread could take them. */
const early: unknown[] = [];
const queueEarly = (request: unknown) => void early.push(request);

/** Returns the settings of the thread: known at its start, else its first message. */
export async function given<T>(): Promise<T> {
  if (workerData) return workerData;
  const { promise, resolve } = Promise.withResolvers<T>();
  parentPort?.once('message', (data: T) => {
    parentPort?.on('message', queueEarly);
    resolve(data);
  });
  return promise;
}

/** Calls `handle` for each request, in order of arrival. */
export function serveRequests<T extends Request>(handle: (request: T) => void): void {
  if (!parentPort) throw new Error('this module runs in a worker thread');
  parentPort.on('message', handle);
  parentPort.off('message', queueEarly);
  for (const request of early.splice(0)) handle(request as T);
}

/** The value of `work`, which the thread needs: a failure is sent in full before the thread ends. */
export function orEnd<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // An Error that ends a thread loses its text on the way when the driver made it, and may overtake this message.
    parentPort?.postMessage({ id: FATAL, error: toPlain(error) });
    return process.exit(1);
  }
}
