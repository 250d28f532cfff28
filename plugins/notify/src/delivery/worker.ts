import { setTimeout as delay } from 'node:timers/promises';
import { type Kernel, type Principal, RpcError } from '@svc/plugin-sdk';
import { type Outcome, shown } from './outcome.ts';

const LOOK_MS = 100;

interface Run {
  readonly finish_time: number | null;
  readonly error_message: string | null;
}

/** Runs a worker with the message as its parameter, with the rights of the channel's owner. */
export async function sendToWorker(
  kernel: Pick<Kernel, 'call' | 'system'>,
  owner: Principal | undefined,
  order: { readonly worker: string; readonly params: object },
  signal: AbortSignal,
): Promise<Outcome> {
  if (!owner) return { kind: 'permanent', status: null, error: 'the owner has no rights any more' };
  let id: unknown;
  try {
    const run = { js_script_name: order.worker, run_type: 'call', params: order.params };
    ({ id } = (await kernel.call('js-worker_run', run, owner)) as { id: unknown });
  } catch (error) {
    return refused(error);
  }
  try {
    const asked = { query: { condition: [{ id }] } };
    for (;;) {
      // Only whether it succeeded is looked at: the owner may run the worker, and need not be able to read results.
      const rows = (await kernel.call('js-result_query', asked, kernel.system)) as Run[];
      const [run] = rows;
      if (run && run.finish_time !== null) return ended(run);
      await delay(LOOK_MS, undefined, { signal });
    }
  } catch (error) {
    return { kind: 'retry', status: null, error: shown((error as Error).message), uncertain: true };
  }
}

const ended = ({ error_message }: Run): Outcome =>
  error_message === null
    ? { kind: 'ok', status: null }
    : { kind: 'retry', status: null, error: shown(error_message), uncertain: false };

/** A right or a worker that is missing stays so; a database that is away comes back. */
function refused(error: unknown): Outcome {
  const text = shown((error as Error).message);
  const isForGood = error instanceof RpcError && error.code !== 103 && error.code !== 999;
  return isForGood
    ? { kind: 'permanent', status: null, error: text }
    : { kind: 'retry', status: null, error: text, uncertain: false };
}
