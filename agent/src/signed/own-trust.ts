import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ServerConfig } from '../config.ts';
import { download } from '../http/download.ts';
import type { Logger } from '../log.ts';
import { fingerprintOf, readManifest } from './manifest.ts';
import { newerOf, ranHere, readTrust, type Trust, trustText } from './trust.ts';

/** Path of the installed agent; undefined: no server has installed it. */
export const bundlePath = (): string | undefined => process.env['SVC_AGENT_BUNDLE'];
/** Name of this machine in the manifest. The agent never replaces its Node, so the C library does not matter here. */
export const PLATFORM = `${process.platform}-${process.arch}`;
const FIRST_KEY_MS = 20_000;

const readIfThere = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** `https://host/svc/enrol` of the address of a WebSocket. */
export const enrolAddress = ({ ws_url }: ServerConfig): string =>
  ws_url.replace(/^ws/, 'http').replace(/\/rpc$/, '/enrol');

/**
 * Trust of this agent: the file that root wrote next to its folder, and its own, which is later where the agent has
 * replaced itself. Root deletes the agent's own where it writes another.
 */
export async function trustOf(bundle: string): Promise<Trust | undefined> {
  const [own, roots] = (
    await Promise.all([ownPath(bundle), join(dirname(bundle), '..', 'trust')].map(readIfThere))
  ).map(readTrust);
  const trust = own ?? roots;
  return trust && { ...trust, newest: newerOf(own?.newest, roots?.newest) };
}

const ownPath = (bundle: string): string => join(dirname(bundle), 'trust');

export async function writeTrust(bundle: string, trust: Trust): Promise<void> {
  const fresh = `${ownPath(bundle)}.new`;
  await writeFile(fresh, trustText(trust), { mode: 0o600, flush: true });
  await rename(fresh, ownPath(bundle));
}

/** Returns the path of the manifest that the agent came with, next to the agent. */
export const manifestPath = (bundle: string): string => bundle.replace(/\.mjs$/, '.signed');

/** Tells whether the connection can only be that of the server: by a certificate that is checked, or within the machine. */
function isSure({ ws_url, ignore_cert, cert_pin }: ServerConfig): boolean {
  const { protocol, hostname } = new URL(ws_url);
  if (protocol === 'wss:') return cert_pin !== undefined || !ignore_cert;
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
}

let isAsked = false;

/**
 * Notes, after the first connection of a process, that this version ran, and, where the agent was installed before there
 * were signatures, the key of its server, once. A server that signs nothing is asked again at the next start.
 */
export async function settleTrust(server: ServerConfig, log: Logger): Promise<void> {
  const bundle = bundlePath();
  if (bundle === undefined || isAsked) return;
  isAsked = true;
  try {
    const trust = await trustOf(bundle);
    if (trust) await noteVersion(bundle, trust);
    else await storeFirstKey(bundle, server, log);
  } catch (error) {
    log.warn('the key that signs new versions could not be settled', {
      reason: (error as Error).message,
    });
  }
}

async function noteVersion(bundle: string, trust: Trust): Promise<void> {
  const text = await readIfThere(manifestPath(bundle));
  if (text === '') return;
  const ran = ranHere(readManifest(text), trust, PLATFORM);
  if (newerOf(trust.newest, ran.newest) !== trust.newest) await writeTrust(bundle, ran);
}

async function storeFirstKey(bundle: string, server: ServerConfig, log: Logger): Promise<void> {
  if (!isSure(server)) {
    log.warn(
      'no key is trusted over this connection, which has no certificate: self_update is refused (install.sh --trust-key pins one)',
      {},
    );
    return;
  }
  const address = `${enrolAddress(server)}/manifest`;
  const text = (await download(address, server, AbortSignal.timeout(FIRST_KEY_MS))).toString();
  const { key } = readManifest(text);
  await writeTrust(bundle, { key, before: undefined, newest: undefined });
  log.warn('from now on only what this key has signed replaces the agent', {
    key: fingerprintOf(key),
  });
}
