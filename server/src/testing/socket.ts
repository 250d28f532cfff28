import { once } from 'node:events';
import { RpcFailure, type TestSocket } from '@svc/plugin-sdk/testing';
import { inTime } from '@svc/plugin-sdk/util';
import { WebSocket } from 'ws';

/** Deadline of every wait of the kit, ms: long, because a machine may run much else at the same time. */
export const WAIT_MS = 120_000;

/** Returns the result of an answer. @throws RpcFailure where it is an error */
export function unwrap(response: unknown): unknown {
  const { result, error } = response as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error) throw new RpcFailure(error.code, error.message, error.data);
  return result;
}

/** Opens a connection that calls methods and queues every other message. */
export async function openSocket(url: string): Promise<TestSocket> {
  const socket = new WebSocket(url);
  const pending = new Map<string, (message: unknown) => void>();
  const inbox = new Inbox();
  let lastId = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { id?: string };
    const answer = message.id === undefined ? undefined : pending.get(message.id);
    if (answer) {
      pending.delete(message.id as string);
      answer(message);
      return;
    }
    inbox.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  socket.on('error', () => {
    // The closing code tells what a test needs; `open` below rejects on its own.
  });
  await withDeadline(once(socket, 'open'), `connecting to ${url}`);
  const next = (timeout_ms = WAIT_MS) => inbox.next(timeout_ms);
  return {
    async call(method, params = []) {
      const id = `t${++lastId}`;
      const answer = new Promise((resolve) => pending.set(id, resolve));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return unwrap(await withDeadline(answer, method));
    },
    exchange(text) {
      const answer = next();
      socket.send(text);
      return answer;
    },
    send: (text) => socket.send(text),
    next,
    closed,
    close: () => socket.terminate(),
    raw: socket,
  };
}

/** Messages that answer no call, in order of arrival. */
class Inbox {
  readonly #messages: unknown[] = [];
  readonly #waiting: ((message: unknown) => void)[] = [];

  push(message: unknown): void {
    const resolve = this.#waiting.shift();
    if (resolve) resolve(message);
    else this.#messages.push(message);
  }

  async next(timeout_ms: number): Promise<unknown> {
    if (this.#messages.length > 0) return this.#messages.shift();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.push(resolve);
    return withDeadline(promise, 'the next message', timeout_ms).catch((error) => {
      // A waiter that has given up takes no message from the later ones.
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      throw error;
    });
  }
}

const withDeadline = <T>(work: Promise<T>, what: string, timeout_ms = WAIT_MS): Promise<T> =>
  inTime(timeout_ms, work, () => new Error(`${what}: nothing within ${timeout_ms} ms`));
