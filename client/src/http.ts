import { ConnectionError } from './errors.ts';
import { parseJson } from './json.ts';
import type { Message } from './wire.ts';

/** One POST. @throws ConnectionError without an answer, or with one that is no JSON-RPC */
export async function post(
  url: string,
  body: string,
  signal: AbortSignal,
  send: typeof fetch,
): Promise<Message | Message[]> {
  // The body holds the credential: it follows no redirect.
  const request = { method: 'POST', body, signal, redirect: 'error', credentials: 'omit' } as const;
  const headers = { 'content-type': 'application/json' };
  const { response, text } = await send(url, { ...request, headers })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error: Error) => {
      const { message } = (error.cause as Error | undefined) ?? error;
      throw new ConnectionError(`${url}: ${message}`, true);
    });
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (isJson) return parseJson(text) as Message | Message[];
  const said = `${url}: ${response.status} ${text.slice(0, 200).trim()}`;
  throw new ConnectionError(said, true, response.status);
}
