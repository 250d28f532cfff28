import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '@svc/kernel';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { type MessageAlert, Notify, type Outgoing } from '../../plugins/notify/src/api.ts';

export const PLUGINS = ['token', 'egress', 'notify', 'server-info'];
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** One request that a receiver got. */
export interface Got {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: any;
}

/** Answer of a receiver; a number is a status without more, and `hang` never answers. */
export type Reply =
  | number
  | 'hang'
  | 'reset'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

export interface Receiver {
  readonly url: string;
  readonly got: Got[];
  /** Decides the next answers. */
  reply: (got: Got, count: number) => Reply;
  /** Time until an answer, ms. */
  delay_ms: number;
  /** Requests that are not answered yet. */
  busy(): number;
  stop(): Promise<void>;
}

/** A webhook receiver on loopback. */
export async function receiver(port = 0): Promise<Receiver> {
  const got: Got[] = [];
  let busy = 0;
  const server = createServer((request, response) => {
    busy++;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { url: request.url ?? '', headers: request.headers, text, json: jsonOf(text) };
      got.push(one);
      const reply = made.reply(one, got.length);
      if (made.delay_ms > 0) setTimeout(answer, made.delay_ms, response, reply);
      else answer(response, reply);
    });
    response.on('close', () => busy--);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const made: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    reply: () => 200,
    delay_ms: 0,
    busy: () => busy,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void response.socket?.resetAndDestroy();
  const { status, headers = {}, text = '' } = typeof reply === 'number' ? { status: reply } : reply;
  response.writeHead(status, headers).end(text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for what happens without the clock. @throws with `what` when it never does */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limit_ms = 20_000,
) {
  for (const end = Date.now() + limit_ms; !(await holds()); await pause(5))
    if (Date.now() > end) throw new Error(`never: ${what}`);
}

/** Waits while the clock stands. @returns whether it held within a time that also a busy machine needs for one round */
export const arrives = (holds: () => boolean, limit_ms = 2_000): Promise<boolean> =>
  until('', holds, limit_ms).then(
    () => true,
    () => false,
  );

/** Moves time second by second, at most so far, until something holds. @returns the milliseconds that passed */
export async function passes(
  app: TestApp,
  most_ms: number,
  holds: () => boolean | Promise<boolean> = () => false,
  step_ms = SECOND,
): Promise<number> {
  const begun = app.clock.now();
  while (app.clock.now() - begun < most_ms) {
    // What a step began needs the time of the machine to end.
    await pause(4);
    if (await holds()) break;
    await app.clock.advance(step_ms);
  }
  await pause(20);
  return app.clock.now() - begun;
}

/** Moves time until something holds; a busy machine that was too slow for that gets twenty steps more, at a pace that it can follow. */
export async function passesUntil(
  app: TestApp,
  most_ms: number,
  holds: () => boolean,
): Promise<void> {
  await passes(app, most_ms, holds);
  for (let step = 0; step < 20 && !(await arrives(holds, 250)); step++)
    await app.clock.advance(SECOND);
}

export const notifyOf = (app: TestApp): Notify => (app.kernel as App).service(Notify)!;

export const webhook = (name: string, url: string, over: object = {}) => ({
  name,
  kind: 'webhook',
  config: { url },
  ...over,
});

export const create = (app: TestApp, channel: object, token = app.superToken): Promise<any> =>
  app.call('channel_create', { token, channel });
export const send = (app: TestApp, name: string, title: string, over: object = {}): Promise<any> =>
  app.call('channel_send', { token: app.superToken, name, title, text: 'text', ...over });
export const channel = (app: TestApp, name: string): Promise<any> =>
  app.call('channel_get', { token: app.superToken, name });
export const outbox = (app: TestApp, over: object = {}): Promise<any[]> =>
  app.call('channel_outbox', { token: app.superToken, ...over });

export const alert = (id: string, state: 'open' | 'closed', over: object = {}): MessageAlert => ({
  ...{ id, rule: 'disk', severity: 'warning', state, part: '/', since: 1_795_000_000_000 },
  subject: { kind: 'agent', id: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', name: 'web-1', tags: [] },
  ...{ closed_at: state === 'closed' ? 1_795_000_060_000 : null, value: '96 %', threshold: '90 %' },
  ...{ summary: '', runbook: '', url: '', ack_url: '', labels: {}, below: 0, note: '' },
  ...over,
});

let batches = 0;

/** A message about one alert. */
export const about = (channel: number, one: MessageAlert, now: number): Outgoing => ({
  ...{ channel, batch: `b${batches++}-${process.pid}`, group_key: one.id },
  message: {
    type: one.state === 'closed' ? 'alert.closed' : 'alert.opened',
    sent_at: now,
    group: {
      key: one.id,
      open: one.state === 'closed' ? 0 : 1,
      closed: one.state === 'closed' ? 1 : 0,
    },
    ...{ alerts: [one], more: 0, severity: one.severity },
  },
});

/** Adds messages as a plugin does, after the commit of its own change. */
export async function add(app: TestApp, messages: readonly Outgoing[]): Promise<void> {
  const notify = notifyOf(app);
  await (app.kernel as App).db.transaction((trx) => notify.add(trx, messages));
  notify.wake();
}

export const idOf = async (app: TestApp, name: string): Promise<number> =>
  (await notifyOf(app).channels()).find((one) => one.name === name)!.id;
