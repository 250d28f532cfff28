import { readFile, stat } from 'node:fs/promises';
import { type ConfigurationFile, type Logger, RpcError, UserError } from '@svc/plugin-sdk';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { SerialQueue } from '@svc/plugin-sdk/util';
import { parse } from 'smol-toml';
import { type Change, changesOf, fileOnlyKeys, refuseFileOnly } from './config-changes.ts';
import { pinUuid } from './pin-uuid.ts';

/** The running server's configuration file (svc-server.md §6, §7). */
export interface ConfigFile {
  /** @throws RpcError 108 missing or no regular file, 999 unreadable or not UTF-8 */
  read(): Promise<string>;
  /**
   * Checks, tries and writes a complete text, one call after the other; the reload follows when this has resolved.
   * @param changing gets the keys that differ from the file, before any is refused
   * @throws RpcError 101 not a configuration, 107 a change that is the operator's only, 108 a configuration that cannot be served, 999 not written
   */
  edit(text: string, changing: (changes: readonly Change[]) => void): Promise<void>;
  /** Settings of the file without effect; asked after edits, it sees what they wrote. */
  warnings(): Promise<readonly ConfigWarning[]>;
  /** Keys of the file that `edit` does not change. */
  fileOnly(): Promise<string[]>;
}

/** Reads and edits the file that the operator named on the command line, wherever it lies. */
export function openConfigFile(
  file: ConfigurationFile,
  uuid: () => string,
  log: Logger,
  stopping: AbortSignal,
): ConfigFile {
  const queue = new SerialQueue();
  const reloadSoon = createReloader(file, log, stopping);
  return {
    read: async () => readText(await regularFile(file)),
    edit: (text, changing) =>
      queue.run(async () => {
        const pinned = parsed(file, text, uuid());
        const before = await tableOf(file);
        const changes = changesOf(await file.schema(), before, parse(pinned));
        changing(changes);
        refuseFileOnly(changes);
        await file.try(pinned).catch(userError((detail) => RpcError.invalid(detail)));
        await file.write(pinned).catch(writeFailure);
        reloadSoon();
      }),
    warnings: () => queue.run(() => file.warnings()),
    fileOnly: async () => fileOnlyKeys(await file.schema(), await tableOf(file)),
  };
}

/** Returns the table of the file; of one that its operator has broken, what is in force. */
async function tableOf(file: ConfigurationFile): Promise<Readonly<Record<string, unknown>>> {
  const path = await regularFile(file);
  try {
    return parse(await readText(path));
  } catch {
    // Its text is mended over the wire as well; what it said before is what counts.
    return file.inForce();
  }
}

function parsed(file: ConfigurationFile, text: string, uuid: string): string {
  try {
    const pinned = pinUuid(text, uuid);
    file.check(pinned);
    return pinned;
  } catch (error) {
    return userError((detail) => RpcError.parse(`Config parse error: ${detail}`))(error);
  }
}

/** Rethrows: a mistake in the text becomes an error of the call, any other error stays as it is. */
const userError =
  (toRpc: (detail: string) => RpcError) =>
  (error: unknown): never => {
    throw error instanceof UserError ? toRpc(error.message) : error;
  };

async function regularFile({ path }: ConfigurationFile): Promise<string> {
  const found = await stat(path).catch((error: Error) => {
    throw RpcError.invalid(`Invalid config path: ${error.message}`);
  });
  if (!found.isFile()) throw RpcError.invalid('Config path must be a regular file');
  return path;
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    throw RpcError.other(`Failed to read config file: ${(error as Error).message}`);
  }
}

function writeFailure(error: NodeJS.ErrnoException): never {
  const step = error.syscall === 'rename' ? 'rename config file' : 'write temp config file';
  throw RpcError.other(`Failed to ${step}: ${error.message}`, { cause: error });
}

/** Reloads after the running call has been answered; requests made before that become one reload. */
function createReloader(file: ConfigurationFile, log: Logger, stopping: AbortSignal): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    // After the microtasks that send this call's answer: the reload closes its WebSocket.
    setImmediate(() => {
      asked = false;
      if (stopping.aborted) return;
      file.reload().catch((error: unknown) => {
        log.error('the edited configuration is not in force', { error });
      });
    });
  };
}
