import { readdir, readFile, readlink } from 'node:fs/promises';
import { isIPv6, SocketAddress } from 'node:net';
import { endianness } from 'node:os';
import { resolve } from 'node:path';
import type { Head } from '@svc/kernel';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import { parseListener } from './config/listener.ts';
import { loadConfig } from './config/load.ts';
import { caller } from './doctor/listener.ts';
import type { StartOptions } from './start.ts';

/**
 * A start that failed because its address is taken, by a server: the second `npm start` of a user who has forgotten the first.
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
  const pid = await processAt(address);
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

/**
 * The process that takes what comes to an address of this machine, as far as Linux tells this user; undefined when it
 * could be several.
 */
export async function processAt({ host, port }: Head['listen']): Promise<number | undefined> {
  try {
    const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8'));
    const rows = (await Promise.all(tables)).join('\n').split('\n');
    const sockets = rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(wanted) && state === LISTENING)
      .map(([, local = '', ...cells]) => ({
        host: hostOf(local.slice(0, -wanted.length)),
        socket: `socket:[${cells[7]}]`,
      }));
    const own = sockets.filter((one) => one.host === plainHost(host));
    // An address of its own goes before all addresses.
    const taking = own.length > 0 ? own : sockets.filter((one) => /^[0:.]+$/.test(one.host));
    const [found, another] = new Set(taking.map(({ socket }) => socket));
    if (found === undefined || another !== undefined) return undefined;
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    for (const pid of pids) if (await holds(pid, found)) return Number(pid);
  } catch {
    // Another system, which has no such files: the number is not needed.
  }
  return undefined;
}

/** An address of `/proc/net/tcp` or `tcp6`: words of four bytes in hex, in the order of this processor. */
function hostOf(hex: string): string {
  const swapped = (word: string) =>
    (endianness() === 'LE' ? word.match(/../g)?.toReversed() : word.match(/../g)) ?? [];
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap(swapped);
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  const words = (bytes.join('').match(/.{4}/g) ?? []).join(':');
  return plainHost(words);
}

/** One spelling for each address; IPv4 as such where it is mapped to IPv6. */
function plainHost(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '');
  if (!isIPv6(bare)) return bare;
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

async function holds(pid: string, socket: string): Promise<boolean> {
  // Processes of other users, and those that end meanwhile, are not looked into.
  const none = () => [];
  const open = await readdir(`/proc/${pid}/fd`).catch(none);
  const targets = open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
  return (await Promise.all(targets)).includes(socket);
}
