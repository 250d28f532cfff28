import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Bus,
  type Clock,
  DatabaseChanged,
  definePlugin,
  type Kernel,
  type Logger,
  Type,
  topic,
} from '@svc/plugin-sdk';
import type { BusEvent } from '@svc/plugin-sdk/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { machineClock } from '../kernel/src/clock.ts';
import { LocalBus } from '../kernel/src/local-bus.ts';
import type { BusTransport } from '../plugins/bus/src/api.ts';
import { ServerBus } from '../plugins/bus/src/server-bus.ts';

/** Any payload. */
export const Probe = topic('probe', Type.Unknown());

/** What one server's bus has heard. */
export interface BusProbe {
  readonly app: TestApp;
  readonly bus: Bus;
  readonly kernel: Kernel;
  readonly events: BusEvent[];
  /** Payloads of the topic `probe`, and whether they were the own ones. */
  readonly heard: { readonly payload: any; readonly own: boolean; readonly id: string }[];
  /** Times that caches were told to read again. */
  rereads(): number;
  stop(): Promise<void>;
}

export const DEADLINE_MS = 120_000;

/** Polls until something holds. @throws with `what` after `DEADLINE_MS` */
export async function until(what: string, holds: () => unknown): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !(await holds()); await pause(5)) {
    if (Date.now() > end) throw new Error(`${what}: not within ${DEADLINE_MS} ms`);
  }
}

/** A bus without a server: the kernel's part, joined with others by the plugin's. */
export interface BareBus {
  readonly bus: LocalBus;
  open(transport: BusTransport): Promise<void>;
  close(): Promise<void>;
}

export function bareBus(log: Logger, clock: Clock = machineClock, version = '1.0.0'): BareBus {
  const bus = new LocalBus(log);
  const { id, deliver, event } = bus;
  const request = { id, deliver, event, uuid: () => 'u', version };
  let others: ServerBus | undefined;
  return {
    bus,
    async open(transport) {
      others = new ServerBus({ log, clock, request, transport });
      bus.join(others);
      await others.open();
    },
    close: async () => others?.close(),
  };
}

/** Starts a server with nothing but the bus. */
export async function probe(
  config: Record<string, unknown> = {},
  dialect: 'sqlite' | 'postgres' = 'postgres',
  plugins: readonly string[] = [],
): Promise<BusProbe> {
  const heard: BusProbe['heard'] = [];
  const events: BusEvent[] = [];
  let rereads = 0;
  let kernel: Kernel | undefined;
  const plugin = definePlugin({
    name: 'probe',
    version: '1.0.0',
    setup(face) {
      kernel = face;
      face.subscribe(Probe, (payload, { own, id }) => {
        heard.push({ payload, own, id });
      });
      face.subscribe(DatabaseChanged, () => {
        rereads++;
      });
      face.bus.watch((event) => events.push(event));
    },
  });
  const app = await bootForTest([plugin, ...plugins], config, { dialect });
  const found = kernel as unknown as Kernel;
  return {
    app,
    bus: found.bus,
    kernel: found,
    events,
    heard,
    rereads: () => rereads,
    stop: () => app.stop(),
  };
}

/** Configuration that puts another server on the database of this one. */
export async function sharing(
  { app }: BusProbe,
  config: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const text = await readFile(join(app.dir, 'config.toml'), 'utf8');
  const database_url = /database_url = "([^"]+)"/.exec(text)?.[1];
  return { ...config, database: { database_url } };
}

/** Every server knows every other one. */
export async function acquainted(servers: readonly BusProbe[]): Promise<void> {
  const ids = (list: readonly { id: string }[]) =>
    list
      .map(({ id }) => id)
      .sort()
      .join();
  for (const server of servers) {
    const others = ids(servers.filter((other) => other !== server).map(({ bus }) => bus));
    await until('servers know each other', () => ids(server.bus.servers()) === others);
  }
}
