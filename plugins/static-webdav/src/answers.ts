import type { Clock } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import { escapeText, PROLOGUE } from './xml/write.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  /** Text; XML unless the headers say otherwise. */
  readonly body?: string;
}

/** Ends a request with this answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(answer: Answer | number) {
    super(`answered ${typeof answer === 'number' ? answer : answer.status}`);
    this.answer = typeof answer === 'number' ? { status: answer } : answer;
  }
}

export const XML_TYPE = { 'content-type': 'application/xml; charset=utf-8' };

/** A refusal that names the precondition that failed (RFC 4918 §16). */
export const failedCondition = (status: number, inner: string): Refusal =>
  new Refusal({
    status,
    headers: XML_TYPE,
    body: `${PROLOGUE}<D:error xmlns:D="DAV:">${inner}</D:error>`,
  });

/** 507 with the precondition of RFC 4331 §6, and the text that says which limit it is. */
export const bucketFull = (text: string): Refusal =>
  failedCondition(
    507,
    `<D:quota-not-exceeded/><message xmlns="urn:ietf:rfc:4331">${escapeText(text)}</message>`,
  );

/** Time for which the rest of the body is read after a refusal: otherwise the client would not see the answer. */
const LINGER_MS = 30_000;

/** Sends a whole answer. Bytes that the client still sends are discarded for 30 s, then the connection is closed. */
export function send(exchange: Exchange, answer: Answer, clock: Clock): void {
  const { request, response, method } = exchange;
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers = {}, body } = answer;
  const hasNone = status === 204 || status === 304;
  // The client waits for status 100 and sends no body. Its next bytes must not be read as one.
  const isWaiting = !request.complete && request.headers.expect && !request.readableDidRead;
  response.writeHead(status, {
    ...(hasNone ? {} : { 'content-length': Buffer.byteLength(body ?? '') }),
    ...(isWaiting || status === 501 ? { connection: 'close' } : {}),
    ...headers,
  });
  response.end(method === 'HEAD' ? undefined : body);
  if (request.complete || isWaiting) return;
  request.on('error', () => response.destroy());
  request.resume();
  const cancel = clock.timeout(() => request.destroy(), LINGER_MS);
  request.once('close', cancel);
}

/** Status by the code of a file system error (static-http.md §B3). */
const statuses: { readonly [code: string]: number } = {
  LEADS_OUT: 403,
  ENOENT: 404,
  EACCES: 403,
  EPERM: 403,
  ENOTDIR: 403,
  EISDIR: 403,
  EROFS: 403,
  EEXIST: 405,
  ENOTEMPTY: 405,
  ENOSPC: 507,
  EDQUOT: 507,
  BUCKET_FULL: 507,
  ENAMETOOLONG: 414,
  ELOOP: 508,
  EXDEV: 502,
  EFBIG: 413,
};

/** The status for a file system error; undefined for any other error. */
export const fileStatus = (error: unknown): number | undefined => statuses[codeOf(error)];
