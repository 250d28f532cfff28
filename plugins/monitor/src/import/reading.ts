import type { Clock, Logger } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import { startWorker } from '@svc/plugin-sdk/util';
import type { Format, Plan } from './types.ts';

/** A file that somebody chose. */
export interface Given {
  /** Its name without the folder: it names what came from it, where the file itself has no name. */
  readonly name: string;
  /** Absent: found by what it holds. */
  readonly format?: Format | undefined;
  readonly bytes?: Uint8Array;
  /** A copy of a database that is too large to be handed over. */
  readonly path?: string;
  /** Values for the `$NAME`s of a file. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Read = { readonly plan: Plan } | { readonly fault: string; readonly error?: string };

/** Times for a file that came with a call, and for one of the command, which may be a large database. */
const [LONGEST_MS, LONGEST_OF_PATH_MS] = [6_000, 30_000];
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Reads a file in a thread of its own: it may hold anything. @throws RpcError 108 */
export async function readFile(
  given: Given,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Plan> {
  const worker = startWorker(import.meta.url, './read-thread.ts', {
    ...{ workerData: given, resourceLimits: MEMORY, env: {}, stdout: true, stderr: true },
  });
  const read = await new Promise<Read>((resolve) => {
    const longest = given.path === undefined ? LONGEST_MS : LONGEST_OF_PATH_MS;
    const cancel = clock.timeout(() => end({ fault: 'it takes too long to read' }), longest);
    const end = (found: Read) => {
      cancel();
      resolve(found);
    };
    worker.once('message', end);
    worker.once('error', (error) =>
      end({ fault: 'it takes too much memory to read', error: error.message }),
    );
    worker.once('exit', () => end({ fault: 'it could not be read' }));
  });
  await worker.terminate();
  if ('plan' in read) return read.plan;
  if (read.error !== undefined) log.warn('A file could not be imported.', { error: read.error });
  throw RpcError.invalid(`the file cannot be imported: ${read.fault}`);
}
