/** What the tests of the client share: a TCP relay that can be cut, and a plugin with a subscription. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { definePlugin, Type } from '@svc/plugin-sdk';

/** The types that an author writes by hand for the plugin below. */
export interface TickerMethods {
  ticker_wait: { params: { timeout_ms?: number }; result: null };
  ticker_seen: { params: Record<never, never>; result: number };
}
export interface TickerSubscriptions {
  ticker_watch: { params: { word: string }; item: { word: string; at: number } };
}

/** Counts calls of `ticker_wait`, which are answered by `answer`; `tick` sends one item to each subscriber. */
export function ticker() {
  const feeds = new Set<{ word: string; push: (item: { word: string; at: number }) => unknown }>();
  const waiting: (() => void)[] = [];
  const counts = { waits: 0, opened: 0, at: 0 };
  const plugin = definePlugin({
    name: 'ticker',
    version: '1.0.0',
    namespaces: ['ticker'],
    setup: ({ hooks }) =>
      hooks.methods.tap((methods) => {
        methods.add('ticker_wait', {
          summary: 'Answers when the test says so.',
          params: { timeout_ms: Type.Optional(Type.Integer()) },
          result: Type.Null(),
          access: 'authenticated',
          handle: () => {
            counts.waits++;
            return new Promise<null>((done) => waiting.push(() => done(null)));
          },
        });
        methods.add('ticker_seen', {
          summary: 'How many calls have waited.',
          params: {},
          result: Type.Integer(),
          access: 'authenticated',
          handle: () => counts.waits,
        });
        methods.addSubscription('ticker_watch', {
          summary: 'Numbers with a word.',
          unsubscribe: 'ticker_unsubscribe_watch',
          params: { word: Type.String() },
          item: Type.Object({ word: Type.String(), at: Type.Integer() }),
          access: 'authenticated',
          open({ word }, _call, push) {
            const feed = { word, push };
            counts.opened++;
            feeds.add(feed);
            // Before the reply: it must arrive behind it.
            push({ word, at: 0 });
            return () => feeds.delete(feed);
          },
        });
      }),
  });
  return {
    plugin,
    feeds,
    counts,
    answer: () => {
      for (const done of waiting.splice(0)) done();
    },
    tick() {
      counts.at++;
      for (const { word, push } of feeds) push({ word, at: counts.at });
    },
  };
}

export interface Relay {
  readonly url: string;
  /** What clients have sent, as text. */
  readonly sent: () => string;
  /** Connections so far. */
  readonly count: () => number;
  /** Ends every connection without a word. */
  cut(): void;
  /** `refuse`: ends new connections at once; `swallow`: nothing from the server gets through. */
  mode: 'pass' | 'refuse' | 'swallow';
  close(): Promise<void>;
}

/** Stands between the client and the server at `url()` of each moment. */
export async function relayTo(url: () => string): Promise<Relay> {
  const pairs = new Set<Socket>();
  let sent = '';
  let count = 0;
  const server = createServer((near) => {
    count++;
    if (relay.mode === 'refuse') {
      near.destroy();
      return;
    }
    const { hostname, port } = new URL(url());
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    near.on('data', (data) => {
      sent += data.toString('latin1');
      far.write(data);
    });
    far.on('data', (data) => {
      if (relay.mode !== 'swallow') near.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of pairs) socket.destroy();
    pairs.clear();
  };
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    count: () => count,
    cut,
    mode: 'pass',
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
  return relay;
}

/** What a promise was rejected with. @throws Error when it was not */
export async function failureOf(promise: Promise<unknown>): Promise<any> {
  const done = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!done) throw new Error('succeeded');
  return done.error;
}

/** Pauses that end when the test says so. */
export function heldPauses() {
  const asked: number[] = [];
  let resume = () => {};
  return {
    /** What the client has asked for, ms. */
    asked,
    resume: () => resume(),
    wait(ms: number): Promise<void> {
      asked.push(ms);
      return new Promise((done) => {
        resume = done;
      });
    },
  };
}
