import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { killAtExit } from '../process/server.ts';
import type { Schema } from './values.ts';

export interface Method {
  readonly name: string;
  readonly credential?: string;
  readonly access: string;
  readonly params: { readonly [name: string]: Schema };
  readonly shown: { readonly [name: string]: unknown };
}

/** What the server tells when it is ready. */
interface Told {
  readonly url: string;
  readonly methods: readonly Method[];
  readonly tokens: { readonly [caller: string]: string };
}

/** Milliseconds of processor time: the longest turn of the event loop, and all that are no noise together. */
export interface Cost {
  readonly longest: number;
  readonly together: number;
}

const LATE_MS = 120_000;

/** A server in a process of its own, and the processor time that its main thread uses. */
export class Server {
  readonly #child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true });
  told: Told = { url: '', methods: [], tokens: {} };

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(dialect: 'sqlite' | 'postgres'): Promise<Server> {
    const child = fork(join(import.meta.dirname, 'server.ts'), [dialect]);
    killAtExit(child);
    const server = new Server(child);
    server.told = (await server.#next()) as Told;
    return server;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = once(this.#child, 'exit');
    this.#child.send('stop');
    await ended;
  }

  /** Processor time of the main thread for one call. */
  async cost(text: string): Promise<Cost> {
    this.#child.send('begin');
    await this.#post(text);
    const answer = this.#next();
    this.#child.send('end');
    return (await answer) as Cost;
  }

  /** @throws Error when the server ends instead */
  async #next(): Promise<unknown> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.#child, 'exit', { signal }).then(() => {
      throw new Error('the server ended');
    });
    const told = once(this.#child, 'message', { signal }).then(([message]) => message);
    try {
      return await Promise.race([told, ended]);
    } finally {
      for (const one of [told, ended]) one.catch(() => {});
      over.abort();
    }
  }

  #post(text: string, tries = 3): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      };
      const options = { method: 'POST', agent: this.#agent, headers, timeout: LATE_MS };
      const sent = request(`${this.told.url}/svc/rpc`, options, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${LATE_MS} ms`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server closes idle connections, and those whose message is long on its way, as on a busy machine.
        const again = tries > 1 && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? '');
        if (again) this.#post(text, tries - 1).then(resolve, reject);
        else reject(error);
      });
      sent.end(text);
    });
  }
}
