import { type Kernel, RpcError } from '@svc/plugin-sdk';
import {
  BodyTooBig,
  type Exchange,
  type FileServer,
  openFile,
  type Routes,
} from '@svc/plugin-sdk/http';
import type { AttemptThrottle } from '@svc/plugin-token/api';
import { agentConfig } from './agent-config.ts';
import { agentBundle } from './bundle.ts';
import type { Enrolment, Refused } from './enrolment.ts';
import type { Digests, Handed } from './files.ts';
import { filled, partLines, template } from './installer.ts';
import type { Signer } from './manifest.ts';
import type { Base, Place } from './place.ts';
import { PARTS, type Part, type Runtimes } from './runtimes.ts';
import type { Settings } from './settings.ts';
import { shippedManifest } from './shipped.ts';

/**
 * Installers before 0.9 write the new one over themselves, and the shell that reads them goes on in it where they ended: 23 to 30 kB from its
 * beginning. There it finds comments, and the end; `work` is empty in a new installer that is read from its beginning.
 */
const ROOM = '# @ROOM@\n';
const OLD_ENDS = 31_000;
const MOST_BODY = 1_024;
const DENIED = 102;

interface Parts {
  readonly kernel: Kernel<Settings>;
  readonly server: FileServer;
  readonly place: Place;
  readonly enrolment: Enrolment;
  readonly digests: Digests;
  readonly runtimes: Runtimes;
  /** Fingerprint of the key that signs what machines get. */
  readonly fingerprint: () => Promise<string>;
  readonly signer: Signer;
  readonly throttle: AttemptThrottle;
}

const headers = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Adds the routes that a machine requests on its way into the fleet; plain lines, because a shell reads them. */
export function addRoutes(routes: Routes, parts: Parts): void {
  const handlers: Readonly<Record<string, (exchange: Exchange, parts: Parts) => Promise<void>>> = {
    '/svc/enrol/install': reading(script),
    '/svc/enrol/installer': reading(installer),
    '/svc/enrol/manifest': reading(manifest),
    '/svc/enrol/agent': reading(bundle),
    '/svc/enrol/runtime/:platform': reading(download('runtime')),
    '/svc/enrol/terminal/:platform': reading(download('terminal')),
    '/svc/enrol/exchange': exchanging,
  };
  for (const [path, handle] of Object.entries(handlers)) {
    routes.add({ path, handle: (exchange) => answered(exchange, parts, handle) });
  }
}

async function answered(
  exchange: Exchange,
  parts: Parts,
  handle: (exchange: Exchange, parts: Parts) => Promise<void>,
): Promise<void> {
  try {
    await handle(exchange, parts);
  } catch (error) {
    const { path, response } = exchange;
    if (error instanceof BodyTooBig)
      return refuse(exchange, 413, `send at most ${error.limit} bytes`);
    if (error instanceof RpcError && error.code === DENIED)
      return refuse(exchange, 403, 'the token that made this code may not enrol machines any more');
    parts.kernel.log.error('a machine could not be served', { path, error });
    if (!response.headersSent) refuse(exchange, 500, 'the server failed; its log says why');
  }
}

const reading =
  (handle: (exchange: Exchange, parts: Parts) => Promise<void>) =>
  async (exchange: Exchange, parts: Parts): Promise<void> => {
    if (/^(?:GET|HEAD)$/.test(exchange.method)) return handle(exchange, parts);
    refuse(exchange, 405, 'use GET', { allow: 'GET, HEAD' });
  };

const refuse = (
  exchange: Exchange,
  status: number,
  why: string,
  more: Record<string, string> = {},
) => exchange.text(status, `${why}\n`, { ...headers, ...more });

/** The installer for the shell of a new machine: filled in with the way to this server, and with the signed manifest. */
async function script(exchange: Exchange, parts: Parts): Promise<void> {
  const { kernel, place } = parts;
  const base = await place.asked(exchange);
  if (!base) return refuse(exchange, 400, 'the header "host" names no host');
  const values = {
    BASE: base.url + kernel.brand.rewrite('/svc/enrol'),
    PIN: base.pin ?? '',
    KEY: await parts.fingerprint(),
    MANIFEST: (await manifestText(parts)).trimEnd(),
  };
  exchange.text(200, withRoom(filled(await template(), values)), headers);
}

function withRoom(text: string): string {
  const [head = '', tail] = text.split(ROOM);
  const lines = Math.max(0, OLD_ENDS - Buffer.byteLength(head)) / 2;
  return `${head}${'#\n'.repeat(lines)}[ -z "$work" ] || exit 0\n${tail}`;
}

/** Sends the installer that is the same for every machine: an update installs it once its digest matches the manifest. */
async function installer(exchange: Exchange): Promise<void> {
  exchange.text(200, await template(), headers);
}

async function manifest(exchange: Exchange, parts: Parts): Promise<void> {
  exchange.text(200, await manifestText(parts), headers);
}

async function manifestText({ kernel, digests, runtimes, signer }: Parts): Promise<string> {
  const shipped = await shippedManifest();
  return shipped ?? signer.sign(await partLines(kernel.server.version, digests, runtimes));
}

async function bundle(exchange: Exchange, { digests, server }: Parts): Promise<void> {
  const found = await digests.of(await agentBundle());
  if (!found) return refuse(exchange, 404, 'this server has no agent: npm run build');
  await send(exchange, server, found);
}

/** Sends a download of a hundred megabytes, to machines that have a code or a token of this server. */
const download = (part: Part) => async (exchange: Exchange, parts: Parts) => {
  const { runtimes, server } = parts;
  if (!(await mayDownload(exchange, parts))) return;
  const { platform = '' } = exchange.params;
  const found = await runtimes.of(part, platform);
  if (found) return send(exchange, server, found);
  const why = `this server has no file ${PARTS[part]} for '${platform}': its operator can run svc-server fetch-runtime`;
  refuse(exchange, 404, why);
};

async function mayDownload(exchange: Exchange, { kernel, enrolment, throttle }: Parts) {
  const { peerAddress: address, request, connection } = exchange;
  if (throttle.isClosed(address)) return tooMany(exchange);
  const [, scheme, value = ''] =
    /^(code|bearer) ([^\s]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
  if (scheme?.toLowerCase() === 'bearer') {
    const origin = { address, transport: 'http', connection } as const;
    const caller = await kernel.auth.authenticate(value, origin).catch((error) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    });
    if (caller) return true;
  } else {
    const why = await enrolment.refusal(value);
    if (why === undefined) return true;
    if (why === 'unknown' && scheme) throttle.failed(address);
    if (why === 'held') return notTaken(exchange, 401, why);
  }
  return notTaken(exchange, 401, 'unknown');
}

/** Answer to every code that does not work: a client that guesses does not learn which ones there were. */
const NOT_KNOWN =
  'the code is not known, or it was used, revoked or has expired: ask for a new one';
const NOT_TAKEN: Readonly<Record<Refused, string>> = {
  unknown: NOT_KNOWN,
  ended: NOT_KNOWN,
  held: 'a machine came with this code a moment ago; when it has not reported within half a minute, the code is good again',
};

function notTaken(exchange: Exchange, status: number, why: Refused): false {
  const more = status === 401 ? { 'www-authenticate': 'Code' } : {};
  refuse(exchange, status, NOT_TAKEN[why], more);
  return false;
}

function tooMany(exchange: Exchange): false {
  refuse(exchange, 429, 'too many wrong codes from this address', { 'retry-after': '10' });
  return false;
}

async function send(exchange: Exchange, server: FileServer, handed: Handed): Promise<void> {
  const file = await openFile(handed.path);
  try {
    await server.serve(exchange, {
      size: file.stat.size,
      mtime_ms: Math.max(0, Math.round(file.stat.mtimeMs)),
      etag: `"${handed.digest}"`,
      common: ['cache-control', 'no-store'],
      entity: ['content-type', 'application/octet-stream', 'x-content-type-options', 'nosniff'],
      body: file,
    });
  } finally {
    await file.close();
  }
}

/** `POST code=CODE` → the machine's configuration. */
async function exchanging(exchange: Exchange, parts: Parts): Promise<void> {
  const { place, enrolment, throttle } = parts;
  const { method, peerAddress: address } = exchange;
  if (method !== 'POST') return refuse(exchange, 405, 'use POST', { allow: 'POST' });
  if (throttle.isClosed(address)) return void tooMany(exchange);
  const base = await place.asked(exchange);
  if (!base) return refuse(exchange, 400, 'the header "host" names no host');
  const body = String(await exchange.body(MOST_BODY));
  const code = new URLSearchParams(body.trim()).get('code') ?? '';
  const enrolled = await enrolment.exchange(code, address);
  if (typeof enrolled === 'string') {
    if (enrolled === 'unknown') throttle.failed(address);
    return void notTaken(exchange, 403, enrolled);
  }
  exchange.text(200, configOf(base, enrolled, parts.kernel), headers);
}

function configOf(
  { url, pin }: Base,
  { uuid, token }: { readonly uuid: string; readonly token: string },
  { brand, methods, server }: Kernel<Settings>,
): string {
  const ws_url = url.replace(/^http/, 'ws') + brand.rewrite('/svc/rpc');
  const reports = methods.has('agent_report_dynamic_summary');
  const { word } = brand;
  return agentConfig({
    uuid,
    server_uuid: server.uuid(),
    token,
    ws_url,
    brand: word,
    pin,
    reports,
  });
}
