import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { TestApp, TestSocket } from '@svc/plugin-sdk/testing';
import { report } from '../process/reports.ts';
import { boot, call, PLUGINS, pause } from './kit.ts';

export const WITH_AGENTS = [...PLUGINS, 'agent', 'agent-uuid', 'kv', 'task'];

/** Agent of a test: a socket that registers for monitors, and reports what the test says. */
export interface Place {
  readonly uuid: string;
  readonly socket: TestSocket;
  /** What it has to check, by monitor. */
  readonly checks: Map<number, any>;
  readonly items: any[];
  say(monitor: number, results: readonly object[]): Promise<{ taken: number; refused: number }>;
  /** Waits until this holds of what it was sent. */
  hears(holds: () => boolean): Promise<boolean>;
  leave(): void;
}

export const bootWithAgents = (dialect: 'sqlite' | 'postgres') => boot(dialect, {}, WITH_AGENTS);

/** A machine that reports once, so that the server knows it. */
export async function machine(app: TestApp, uuid: string = randomUUID()): Promise<string> {
  const summary = report('summary', uuid, app.clock.now());
  await app.call('agent_report_dynamic_summary', [app.superToken, summary]);
  return uuid;
}

export const tokenOf = (app: TestApp, uuid: string): Promise<string> =>
  app.token([{ scopes: [{ agent_uuid: uuid }], permissions: [{ monitor: 'report' }] }]);

/** Registers an agent for monitors. */
export async function place(app: TestApp, uuid: string, kinds?: string[]): Promise<Place> {
  const token = await tokenOf(app, uuid);
  const socket = await app.connect();
  const checks = new Map<number, any>();
  const items: any[] = [];
  socket.raw.on('message', (data: Buffer) => {
    const item = JSON.parse(data.toString()).params?.result;
    if (!item) return;
    items.push(item);
    if (item.whole) checks.clear();
    for (const check of item.checks) checks.set(check.monitor, check);
    for (const id of item.gone) checks.delete(id);
  });
  await socket.call('monitor_register', { token, uuid, ...(kinds && { kinds }) });
  return {
    ...{ uuid, socket, checks, items },
    say: (monitor, results) =>
      call(
        app,
        'monitor_report',
        { uuid, results: results.map((one) => ({ monitor, ...one })) },
        token,
      ),
    async hears(holds) {
      for (let tries = 0; tries < 200 && !holds(); tries++) await pause(10);
      return holds();
    },
    leave: () => socket.close(),
  };
}

const unknown = { ms: null, code: null };
export const good = (at: number, over: object = {}) => ({
  ...{ at, ok: true, ms: 12.5, code: 200, detail: null, ...over },
});
export const bad = (at: number, over: object = {}) => ({
  ...{ at, ok: false, ...unknown, detail: 'the connection was refused', ...over },
});

/** A port at which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
