import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';

export const PLUGINS = ['token', 'egress', 'retention', 'notify', 'monitor', 'server-info'];
export const SECOND = 1_000;
export const MINUTE = 60_000;

/** Answer of a target; a number is a status, `hang` never answers. */
export type Reply = number | 'hang' | 'reset';

export interface Target {
  readonly url: string;
  readonly port: number;
  /** Headers of the requests that came. */
  readonly got: Record<string, unknown>[];
  reply: Reply;
  body: string;
  stop(): Promise<void>;
}

/** An HTTP server on loopback. */
export async function target(host = '127.0.0.1'): Promise<Target> {
  const got: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    got.push(request.headers);
    request.resume();
    answer(response, made);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const made: Target = {
    ...{ url: `http://${host}:${port}/`, port, got, reply: 200, body: 'ok' },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
}

function answer(response: ServerResponse, { reply, body }: Target): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void response.socket?.resetAndDestroy();
  response.writeHead(reply).end(body);
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Moves time second by second, at most so far, until something holds. @returns whether it held */
export async function passes(
  app: TestApp,
  most_ms: number,
  holds: () => boolean | Promise<boolean> = () => false,
): Promise<boolean> {
  for (const end = app.clock.now() + most_ms; app.clock.now() < end; ) {
    // What a step began needs the time of the machine to end.
    await pause(8);
    if (await holds()) return true;
    await app.clock.advance(SECOND);
  }
  await pause(20);
  return holds();
}

export const boot = (
  dialect: 'sqlite' | 'postgres',
  config: Record<string, unknown> = {},
  plugins: string[] = PLUGINS,
): Promise<TestApp> => bootForTest(plugins, config, { dialect, clock: true });

export const call = (app: TestApp, method: string, params: object = {}, token = app.superToken) =>
  app.call(method, { token, ...params });

export const failure = (called: Promise<unknown>): Promise<RpcFailure> =>
  called.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: RpcFailure) => error,
  );

/** A monitor that is checked each ten seconds, and again after five. */
export const http = (name: string, url: string, over: object = {}) => ({
  ...{ name, kind: 'http', spec: { url }, interval_s: 10, timeout_s: 2, retry_s: 5 },
  ...over,
});

export const create = (app: TestApp, monitor: object, token = app.superToken): Promise<any> =>
  app.call('monitor_create', { token, monitor });
export const get = (app: TestApp, name: string): Promise<any> => call(app, 'monitor_get', { name });
export const stateOf = async (app: TestApp, name: string): Promise<string> =>
  (await get(app, name)).verdict.state;
/** Moves time until a monitor says this. */
export const says = (app: TestApp, name: string, state: string, most_ms = MINUTE) =>
  passes(app, most_ms, async () => (await stateOf(app, name)) === state);
