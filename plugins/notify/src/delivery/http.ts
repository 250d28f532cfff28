import type { EgressClient, EgressRequest, EgressResponse } from '@svc/plugin-egress/api';
import type { HttpRequest, Kind } from '../kinds/index.ts';
import { type Outcome, unanswered } from './outcome.ts';

/** Characters of an answer that are read. */
const MOST_ANSWER = 65_536;

/** Sends the request of a channel. */
export async function sendHttp(
  client: EgressClient,
  kind: Kind,
  request: HttpRequest,
  limits: Pick<EgressRequest, 'signal' | 'share' | 'limit_ms'>,
): Promise<Outcome> {
  const { url, method, headers, body } = request;
  let response: EgressResponse;
  try {
    const order = { url, method, headers, redirect: 'error', ...limits } as const;
    response = await client.request({ ...order, body: bytesOf(body) });
  } catch (error) {
    return unanswered(error);
  }
  const text = await textOf(response);
  return judged(kind, response, text);
}

function judged(kind: Kind, { status, headers }: EgressResponse, text: string): Outcome {
  const answer = kind.answer(status, Object.fromEntries(headers), text);
  if (answer === 'ok') return { kind: 'ok', status };
  if ('remote_id' in answer) return { kind: 'ok', status, remote: answer.remote_id };
  // The kind's words quote the answer.
  if ('permanent' in answer) return { kind: 'permanent', status, error: answer.permanent };
  const { retry: error, after_ms } = answer;
  return { kind: 'retry', status, error, after_ms, uncertain: false };
}

/** Reads the beginning of an answer; what it is worth is told by its status where the rest does not come. */
async function textOf({ body }: EgressResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= MOST_ANSWER) break;
    }
  } catch (error) {
    chunks.push(Buffer.from(` (the answer broke off: ${(error as Error).message})`));
  }
  body.destroy();
  return Buffer.concat(chunks).toString().slice(0, MOST_ANSWER);
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body;
