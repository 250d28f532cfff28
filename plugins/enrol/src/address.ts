import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { codeOf } from '@svc/plugin-sdk/util';
import { parse } from 'smol-toml';

/** Address that can be put into a line for a shell as it is. */
const BASE =
  /^https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~-]+)*$/;
const PIN = /^sha256\/\/[A-Za-z0-9+/]{43}=$/;
const MOST_CHARACTERS = 300;

/** Settings of the configuration's head about the way to this server. */
export interface Listener {
  /** `https://192.0.2.7:2211`: without another word, the address that other machines probably reach. */
  readonly url: string;
  /** `127.0.0.1:2211` */
  readonly listens: string;
  /** `allowed_hosts`; undefined: any. */
  readonly hosts: readonly string[] | undefined;
  /** `sha256//BASE64` of the public key, where the certificate is self-signed. */
  readonly pin: string | undefined;
}

/** Tells whether an address may be given to machines: a host and port, and a path where a proxy has one. */
export const isBase = (text: string): boolean => text.length <= MOST_CHARACTERS && BASE.test(text);
export const isPin = (text: string): boolean => PIN.test(text);

/** Reads the configuration file: the plugin's own section does not hold the listener. `running` is that of a server which listens elsewhere. */
export async function listenerOf(file: string, running?: string): Promise<Listener> {
  const head = parse(await readFile(file, 'utf8'));
  const listens = running ?? String(head['ws_listener'] ?? '');
  const [, six, four = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(listens) ?? [];
  const certificate = await certificateOf(head['tls_cert']);
  const isSelfSigned = certificate?.checkIssued(certificate) ?? false;
  const host = six === undefined ? four : `[${six}]`;
  const isAny = host === '0.0.0.0' || host === '[::]' || host === '';
  const named = certificate && !isSelfSigned ? nameOf(certificate) : undefined;
  const shown = named ?? (isAny ? ownAddress() : host);
  return {
    url: `http${certificate ? 's' : ''}://${shown}:${port}`,
    listens,
    hosts: head['allowed_hosts'] as string[] | undefined,
    pin: certificate && isSelfSigned ? pinOf(certificate) : undefined,
  };
}

/** Reason why machines may not reach an address of this server. */
export interface Obstacle {
  /**
   * `loopback`: the address is that of each machine itself. `listener`: the server listens for its own machine only, so a proxy must
   * stand before it. `host`: `allowed_hosts` lacks the name, which is answered with 421.
   */
  readonly kind: 'loopback' | 'listener' | 'host';
  /** `127.0.0.1:2211` */
  readonly listens: string;
  /** `http://192.0.2.7:2211`: what others could use, once it listens for them. */
  readonly address: string;
  /** Host in the address. */
  readonly name: string;
}

/** Returns what keeps machines from an address; undefined: nothing that is known. */
export function obstacleOf(url: string, { listens, hosts }: Listener): Obstacle | undefined {
  const { hostname: name, protocol } = new URL(url);
  const [port] = /(?<!\d)\d*$/.exec(listens) ?? [];
  const facts = { listens, address: `${protocol}//${ownAddress()}:${port}`, name };
  if (isLoopback(name)) return { kind: 'loopback', ...facts };
  const isAllowed = isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !hosts || hosts.some(covers(name));
  if (!isAllowed) return { kind: 'host', ...facts };
  return isLoopback(listens) ? { kind: 'listener', ...facts } : undefined;
}

const isLoopback = (host: string): boolean => /^(?:127\.|\[::1\]|(?:.*\.)?localhost$)/i.test(host);

/** Tells whether an entry of `allowed_hosts` covers a name, as the server itself reads it: `*.example.net` covers every name below. */
const covers = (name: string) => (entry: string) => {
  const wanted = entry.toLowerCase();
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
};

export function pinOf({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(key).digest('base64')}`;
}

async function certificateOf(path: unknown): Promise<X509Certificate | undefined> {
  if (typeof path !== 'string') return undefined;
  try {
    return new X509Certificate(await readFile(path));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The first name that is no pattern. */
const nameOf = ({ subjectAltName = '' }: X509Certificate): string | undefined =>
  /(?:^|, )DNS:([A-Za-z0-9.-]+)/.exec(subjectAltName)?.[1];

/** The first address of this machine that others may reach; IPv4, where it has one. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const others = all.filter(({ internal, scopeid }) => !internal && !scopeid);
  const four = others.find(({ family }) => family === 'IPv4');
  const six = others.find(({ family }) => family === 'IPv6');
  return four?.address ?? (six ? `[${six.address}]` : '127.0.0.1');
}
