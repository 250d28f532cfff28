import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { readObject, readOptionalText, readText, readUrl } from '../content.ts';
import { readBody } from '../http/body.ts';
import type { HttpCall } from '../http/exchange.ts';
import { follow } from '../http/follow.ts';
import type { TaskHandler } from '../task-context.ts';

/** Largest body of an answer (clients.md §2.8). */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** One HTTP request; any status is a success (task.md §2.1). */
export const httpRequest: TaskHandler = async (content, { signal }) => {
  const answer = await follow(readCall(content), signal);
  const bytes = await readBody(answer, MAX_BODY_BYTES);
  const isText = isUtf8(bytes);
  return {
    body: isText ? bytes.toString('utf8') : null,
    body_base64: isText ? null : bytes.toString('base64'),
    headers: headerLines(answer),
    status: answer.statusCode ?? 0,
  };
};

/** The request that a task describes. @throws Error when the task is malformed */
export function readCall(content: unknown): HttpCall {
  const members = readObject(content, 'http_request');
  const headers = Object.entries(readObject(members['headers'] ?? {}, 'headers'));
  return {
    url: readUrl(members['url'], 'url', ['http', 'https']),
    method: readMethod(members['method']),
    headers: headers.map(([name, value]) => [name, readText(value, `header ${name}`)] as const),
    body: readRequestBody(members),
    ...readBinding(readOptionalText(members['ip'], 'ip')),
  };
}

function readMethod(content: unknown): string {
  const method = readText(content, 'method').trim().toUpperCase();
  // Node sends GET for an empty method.
  if (method === '') throw new Error('malformed task: method is empty');
  return method;
}

function readRequestBody(members: Record<string, unknown>): Buffer {
  const text = readOptionalText(members['body'], 'body');
  const base64 = readOptionalText(members['body_base64'], 'body_base64');
  if (text !== null && base64 !== null) {
    throw new Error('malformed task: body and body_base64 exclude each other');
  }
  if (base64 === null) return Buffer.from(text ?? '');
  const bytes = Buffer.from(base64, 'base64');
  // Node skips characters that are not base64, which would send another body than the one asked for.
  if (bytes.toString('base64') === base64) return bytes;
  throw new Error('malformed task: body_base64 is no base64');
}

/** `ip`: a local address, `ipv4 auto`, `ipv6 auto`, or blank for none. */
function readBinding(ip: string | null): Pick<HttpCall, 'family' | 'localAddress'> {
  const text = (ip ?? '').trim();
  const auto = /^ipv([46])\s+auto$/i.exec(text)?.[1];
  if (text === '') return { family: 0 };
  if (auto !== undefined) return { family: auto === '4' ? 4 : 6 };
  const family = isIP(text);
  if (family === 4 || family === 6) return { family, localAddress: text };
  throw new Error('malformed task: ip must be an address, "ipv4 auto" or "ipv6 auto"');
}

/** One object per header line, in order. A value that is not visible ASCII is given as base64. */
function headerLines({ rawHeaders }: IncomingMessage): Record<string, string>[] {
  const lines: Record<string, string>[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const isVisible = /^[\t\x20-\x7e]*$/.test(value);
    const text = isVisible ? value : Buffer.from(value, 'latin1').toString('base64');
    lines.push({ [name.toLowerCase()]: text });
  }
  return lines;
}
