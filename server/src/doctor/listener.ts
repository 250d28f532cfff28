import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { type Finding, finding } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Head } from '../config/head.ts';
import { parseListener } from '../config/listener.ts';
import { readTls } from '../kernel-head.ts';
import { VERSION } from '../version.ts';

const area = 'listeners';
const WAIT_MS = 3_000;
const DAY_MS = 86_400_000;
/** Time before its end from which a certificate is reported. */
const SOON_MS = 14 * DAY_MS;
const MOST_BYTES = 65_536;
const TO_SELF = /^(?:127\.|::1$)/;

/** Examines who answers at the configured address, or whether it is free; and the certificate. */
export async function examineListener(head: Head): Promise<Finding[]> {
  const address = parseListener(head.ws_listener);
  if (!address) return [];
  const found = certificate(head);
  if (head.tls_cert === undefined && !TO_SELF.test(address.host)) {
    const message = `${head.ws_listener} is open to the network without TLS: tokens can be read on the way.`;
    found.push(finding(area, 'advice', message, USE_TLS));
  }
  if (address.port > 0) return [...found, await answering(head, address)];
  return [...found, finding(area, 'ok', 'Each start takes another free port.')];
}

function certificate(head: Head): Finding[] {
  try {
    const tls = readTls(head);
    if (!tls) return [];
    const { validFrom, validTo } = new X509Certificate(tls.cert);
    const left = Date.parse(validTo) - Date.now();
    const level = left < 0 ? 'problem' : left < SOON_MS ? 'advice' : 'ok';
    const until = `The certificate ${head.tls_cert} is valid until ${validTo}${left < 0 ? ': it has ended' : ''}.`;
    const found = [finding(area, level, until, level === 'ok' ? undefined : RENEW)];
    if (Date.parse(validFrom) > Date.now()) {
      const message = `The certificate ${head.tls_cert} is valid from ${validFrom} on only.`;
      found.push(finding(area, 'problem', message, 'Look at the clock, or wait.'));
    }
    return found;
  } catch (error) {
    return [finding(area, 'problem', `${(error as Error).message}.`, TWO_FILES)];
  }
}

type Address = NonNullable<ReturnType<typeof parseListener>>;

async function answering(head: Head, address: Address): Promise<Finding> {
  const { ws_listener, server_uuid } = head;
  const taken = (by: string) =>
    finding(area, 'problem', `${ws_listener} is taken by ${by}.`, remedies['EADDRINUSE']);
  const call = caller(head, address);
  const uuid = await call('svc-server_uuid');
  if (uuid === 'refused') return free(head, address);
  if (typeof uuid !== 'object') return taken('another program');
  // A configuration that asks for a new UUID has no server yet.
  if (uuid.result !== server_uuid) return taken(`the server ${String(uuid.result)}`);
  const about = await call('svc-server_version');
  const version = typeof about === 'object' ? versionIn(about.result) : '';
  const message = `This server answers at ${ws_listener}, version ${version || 'unknown'}.`;
  const advice = `This program is ${VERSION}: restart the service to run it.`;
  const isOwn = version === '' || version === VERSION;
  return isOwn ? finding(area, 'ok', message) : finding(area, 'advice', message, advice);
}

/** `X.Y.Z` */
const versionIn = (result: unknown): string =>
  /(?<!\d)\d+\.\d+\.\d+/.exec(JSON.stringify(result) ?? '')?.[0] ?? '';

type Answer = { readonly result?: unknown } | 'refused' | 'other';

/** Calls public methods of the server at this address. */
export function caller({ brand, tls_cert }: Head, { host, port }: Address) {
  const to = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const send = tls_cert === undefined ? httpRequest : httpsRequest;
  return async (name: string): Promise<Answer> => {
    const method = name.replace(/^svc/, brand.word);
    try {
      const signal = AbortSignal.timeout(WAIT_MS);
      const headers = { 'content-type': 'application/json' };
      // Only the UUID is asked for: whose certificate it is does not matter.
      const options = { host: to, port, path: '/', method: 'POST', headers, signal, agent: false };
      const sent = send({ ...options, rejectUnauthorized: false });
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }));
      const [response] = await once(sent, 'response');
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        if (text.length > MOST_BYTES) break;
      }
      const answer: unknown = JSON.parse(text);
      return typeof answer === 'object' && answer !== null ? answer : 'other';
    } catch (error) {
      return /^(?:ECONNREFUSED|EADDRNOTAVAIL)$/.test(codeOf(error)) ? 'refused' : 'other';
    }
  };
}

async function free({ ws_listener }: Head, { host, port }: Address): Promise<Finding> {
  const trial = createServer();
  try {
    await once(trial.listen({ host, port, exclusive: true }), 'listening');
    return finding(area, 'ok', `No server runs; ${ws_listener} is free.`);
  } catch (error) {
    const message = `${ws_listener} cannot be listened on: ${(error as Error).message}.`;
    return finding(area, 'problem', message, remedies[codeOf(error)] ?? 'Change ws_listener.');
  } finally {
    trial.close();
  }
}

const USE_TLS = 'Set tls_cert and tls_key, or listen on 127.0.0.1 behind a proxy with TLS.';
const RENEW = 'Put a new certificate there: a running server takes it by itself.';
const TWO_FILES =
  'Give the paths of a PEM certificate chain and of its key, readable for the service.';
const remedies: { readonly [code: string]: string } = {
  EACCES: 'Take a port above 1023, or give the service CAP_NET_BIND_SERVICE.',
  EADDRNOTAVAIL: 'Let ws_listener name an address of this machine, or 0.0.0.0 for all of them.',
  EADDRINUSE: 'End that program (ss -ltnp names it), or change ws_listener.',
};
