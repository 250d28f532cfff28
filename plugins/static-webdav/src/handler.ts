import { RpcError } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import { authenticate, authorize } from './access.ts';
import { type Answer, bucketFull, fileStatus, Refusal, send } from './answers.ts';
import { requireNoBody } from './bodies.ts';
import { copy, move } from './methods/copy-move.ts';
import { remove } from './methods/delete.ts';
import { get } from './methods/get.ts';
import { lock } from './methods/lock.ts';
import { mkcol } from './methods/mkcol.ts';
import { options } from './methods/options.ts';
import { patch } from './methods/patch.ts';
import { propfind } from './methods/propfind.ts';
import { proppatch } from './methods/proppatch.ts';
import { put } from './methods/put.ts';
import { unlock } from './methods/unlock.ts';
import type { Parts } from './parts.ts';
import { DavRequest } from './request.ts';

/** Returns undefined when it has answered itself. */
type Handle = (request: DavRequest) => Promise<Answer | undefined>;

const withBody: { readonly [method: string]: Handle } = {
  PUT: put,
  PATCH: patch,
  PROPFIND: propfind,
  PROPPATCH: proppatch,
  LOCK: lock,
};

const withoutBody: { readonly [method: string]: Handle } = {
  OPTIONS: options,
  GET: get,
  HEAD: get,
  MKCOL: mkcol,
  DELETE: remove,
  COPY: copy,
  MOVE: move,
  UNLOCK: unlock,
};

/** Answers one request, in the order of static-http.md §B1: credential, address, rights, bucket, method. Never rejects. */
export async function handle(exchange: Exchange, parts: Parts): Promise<void> {
  try {
    const request = await authorized(exchange, parts);
    // A mounted drive cannot follow to another host name: its client would not send the password there.
    if (!parts.content.admit(exchange, { trusted: request.bucket.trusted, stays: true })) return;
    const answer = await recorded(request, handlerOf(exchange.method));
    if (answer) send(exchange, answer, parts.clock);
  } catch (error) {
    fail(exchange, error, parts);
  }
}

async function authorized(exchange: Exchange, parts: Parts): Promise<DavRequest> {
  const caller = await authenticate(exchange, parts);
  const address = parts.addresses.ofPath(exchange.path);
  await authorize(caller, address.bucket, parts.auth);
  const bucket = parts.buckets.get(address.bucket);
  if (!bucket) {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    throw new Refusal({ status: 404, headers, body: 'Static bucket not found' });
  }
  return new DavRequest(parts, { exchange, bucket, caller, address });
}

/** Changes of files, for the record of changes. */
const WRITES = new Set('PUT PATCH MKCOL DELETE COPY MOVE'.split(' '));

async function recorded(request: DavRequest, run: Handle): Promise<Answer | undefined> {
  const { bucket, caller, exchange, headers, parts } = request;
  const { method, peerAddress: address } = exchange;
  const { audit } = parts;
  if (!audit || !WRITES.has(method)) return run(request);
  const to = URL.parse(headers['destination']?.toString() ?? '', 'http://here')?.pathname ?? '';
  const event = {
    method: `webdav ${method}`,
    target: `${bucket.name}/${request.path.join('/')}${headers['destination'] ? ` to ${to}` : ''}`,
    caller,
    origin: { address, transport: 'http' },
  } as const;
  try {
    const answer = await run(request);
    const status = answer?.status ?? exchange.response.statusCode;
    audit.record({ ...event, error: status >= 400 ? status : undefined });
    return answer;
  } catch (error) {
    audit.record({ ...event, error: answerFor(error).status });
    throw error;
  }
}

function handlerOf(method: string): Handle {
  if (Object.hasOwn(withBody, method)) return withBody[method] as Handle;
  if (!Object.hasOwn(withoutBody, method)) throw new Refusal(501);
  return async (request) => {
    await requireNoBody(request);
    return (withoutBody[method] as Handle)(request);
  };
}

const NOT_KEPT = {
  'cache-control': 'no-store, no-cache, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
  vary: '*',
};

function fail(exchange: Exchange, error: unknown, parts: Parts): void {
  const { method, path, request, response } = exchange;
  if (response.destroyed || request.errored) {
    parts.log.debug('request ended early', { method, path, error });
    response.destroy();
    return;
  }
  const answer = answerFor(error);
  if (answer.status >= 500 && !(error instanceof Refusal))
    parts.log.warn('request failed', { method, path, error });
  const isForgetful =
    answer.status === 404 && /Microsoft/.test(request.headers['user-agent'] ?? '');
  const headers = { ...answer.headers, ...(isForgetful ? NOT_KEPT : {}) };
  send(exchange, { ...answer, headers }, parts.clock);
}

function answerFor(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  if (codeOf(error) === 'BUCKET_FULL') return bucketFull((error as Error).message).answer;
  if (error instanceof RpcError) {
    if (error.code === 108) return { status: 400 };
    // 102: there is no Super Token record. Other codes: the database or the password check is busy or unreachable.
    return error.code === 102 ? { status: 403 } : { status: 503, headers: { 'retry-after': '1' } };
  }
  return { status: fileStatus(error) ?? 500 };
}
