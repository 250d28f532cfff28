import { readdir, readFile, readlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf, UserError } from '@svc/plugin-sdk';
import { parseListener } from './config/listener.ts';
import { loadConfig } from './config/load.ts';
import { caller } from './doctor/listener.ts';
import type { StartOptions } from './start.ts';

/**
 * A start that failed because its address is taken, by a server: the second `npm start` of somebody who has forgotten the first.
 * @returns an error that says so; any other error as it is
 */
export async function ifRunning(
  error: unknown,
  { config, listen }: Pick<StartOptions, 'config' | 'listen'>,
): Promise<unknown> {
  if (!isTaken(error)) return error;
  // Of a first start there is no file yet, so the server is another one.
  const head = await loadConfig(resolve(config)).then(
    (loaded) => loaded.head,
    () => undefined,
  );
  const address = parseListener(listen ?? head?.ws_listener ?? '');
  if (!head || !address) return error;
  const uuid = await caller(head, address)('svc-server_uuid');
  if (typeof uuid !== 'object' || uuid.result !== head.server_uuid) return error;
  const pid = await processAt(address.port);
  const who = pid === undefined ? '' : ` (process ${pid})`;
  const url = `${head.tls_cert === undefined ? 'http' : 'https'}://${listen ?? head.ws_listener}`;
  const end = pid === undefined ? 'end that one first' : `end that one first: kill ${pid}`;
  const message = `svc already runs with this configuration, at ${url}${who}. Open it in a browser, or ${end}`;
  return new UserError(message, { cause: error });
}

function isTaken(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (codeOf(cause) === 'EADDRINUSE') return true;
  return false;
}

const LISTENING = '0A';

/** The process that listens on a port of this machine, as far as Linux tells this user. */
async function processAt(port: number): Promise<number | undefined> {
  try {
    const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8'));
    const rows = (await Promise.all(tables)).join('\n').split('\n');
    const sockets = rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(wanted) && state === LISTENING)
      .map((cells) => `socket:[${cells[9]}]`);
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
      if (await holds(pid, sockets)) return Number(pid);
  } catch {
    // Another system, which has no such files: nobody needs the number.
  }
  return undefined;
}

async function holds(pid: string, sockets: readonly string[]): Promise<boolean> {
  // Processes of other users, and those that end meanwhile, are not looked into.
  const none = () => [];
  const open = await readdir(`/proc/${pid}/fd`).catch(none);
  const targets = open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
  return (await Promise.all(targets)).some((target) => sockets.includes(target));
}
