import { Agent, type IncomingMessage, request } from 'node:http';

/**
 * Calls over HTTP POST with kept connections. A third of the processor time of `fetch`, and tests make tens of thousands.
 * @param limit_ms a call that is silent for longer fails
 */
export class HttpCalls {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #limit_ms: number;

  constructor(limit_ms: number) {
    this.#limit_ms = limit_ms;
  }

  /** The parsed body of the answer, whatever its status. */
  async post(url: string, message: unknown): Promise<unknown> {
    const body = JSON.stringify(message);
    // No TLS here: a test that has certificates asks only now and then.
    if (url.startsWith('https:')) return (await fetch(url, { ...POST, body })).json();
    return JSON.parse(await this.#exchange(url, body));
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(url: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { ...POST.headers, 'content-length': Buffer.byteLength(body) };
      const options = { ...POST, agent: this.#agent, headers, timeout: this.#limit_ms };
      const sent = request(url, options, (response) => textOf(response).then(resolve, reject));
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${this.#limit_ms} ms`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the kept connection at the moment it was used again.
        const again = sent.reusedSocket && error.code === 'ECONNRESET';
        if (again) this.#exchange(url, body).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  }
}

const POST = { method: 'POST', headers: { 'content-type': 'application/json' } };

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}
