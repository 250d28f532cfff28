import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Clock } from '@svc/plugin-sdk';
import { type Answer, XML_TYPE } from './answers.ts';
import type { Failure } from './trees.ts';
import { PROLOGUE } from './xml/write.ts';

export const BEGIN = `${PROLOGUE}<D:multistatus xmlns:D="DAV:" xmlns:A="http://apache.org/dav/props/" xmlns:Z="urn:schemas-microsoft-com:">`;
export const END = '</D:multistatus>';

export const statusElement = (status: number): string =>
  `<D:status>HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}</D:status>`;

/** The element for properties with one status; empty text for no properties. */
export const propstat = (status: number, properties: readonly string[], more = ''): string =>
  properties.length === 0
    ? ''
    : `<D:propstat><D:prop>${properties.join('')}</D:prop>${statusElement(status)}${more}</D:propstat>`;

export const responseElement = (href: string, inner: string): string =>
  `<D:response><D:href>${href}</D:href>${inner}</D:response>`;

export const failureElement = ({ href, status }: Failure): string =>
  responseElement(href, statusElement(status));

/** A 207 that names the failures (RFC 4918 §13). */
export const failuresAnswer = (failures: readonly Failure[]): Answer => ({
  status: 207,
  headers: XML_TYPE,
  body: `${BEGIN}${failures.map(failureElement).join('')}${END}`,
});

/** Error for a client that reads too slowly, or has gone. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/** Limit of the time in which a client reads nothing. */
interface Pace {
  readonly clock: Clock;
  readonly stall_ms: () => number;
}

/** Writes text and waits while the client does not take it. @throws Lost */
export async function writeSlowly(
  response: ServerResponse,
  text: string,
  pace: Pace,
): Promise<void> {
  if (response.destroyed) throw new Lost('the client has gone');
  if (!response.write(text)) await until('drain', response, pace);
}

/** Ends the answer with text and waits until the client has taken it. @throws Lost */
export async function endSlowly(response: ServerResponse, text: string, pace: Pace): Promise<void> {
  if (response.destroyed) throw new Lost('the client has gone');
  response.end(text);
  if (!response.writableFinished) await until('finish', response, pace);
}

function until(
  event: 'drain' | 'finish',
  response: ServerResponse,
  { clock, stall_ms }: Pace,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const done = (error?: Error) => {
      cancel();
      response.off(event, onEvent).off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onEvent = () => done();
    const onClose = () => done(new Lost('the client has gone'));
    const cancel = clock.timeout(() => done(new Lost('the client is too slow')), stall_ms());
    response.once(event, onEvent).once('close', onClose);
  });
}
