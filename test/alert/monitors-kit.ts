/** Monitors that the test decides, in the place of the plugin `monitor`, and what channels are told of them. */
import type { MonitorNow } from '@svc/plugin-monitor/api';
import { MonitorHistory, Monitors } from '@svc/plugin-monitor/api';
import { definePlugin } from '@svc/plugin-sdk';
import type { TestApp } from '@svc/plugin-sdk/testing';
import type { Message } from '../../plugins/notify/src/api.ts';
import { create, webhook } from '../notify/kit.ts';
import { PLUGINS, report } from './kit.ts';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const DAY = 86_400_000;
/** Nothing listens there: what is sent is read from the outbox. */
export const NOWHERE = 'http://127.0.0.1:9/';

/** Monitors of one test, equal for all servers. */
export class World {
  readonly list = new Map<string, MonitorNow>();
  isolated: { server: string; since: number }[] = [];
  /** Tells whether the next start is one without the plugin. */
  isOff = false;
  /** Calls of `now`. */
  asked = 0;
  #ids = 1;

  /** Adds a monitor, or changes what one says. */
  set(name: string, over: Partial<MonitorNow> = {}): MonitorNow {
    const monitor: MonitorNow = {
      ...{ id: 0, name, kind: 'http', group: null, tags: [], owner: null, severity: 2 },
      ...{
        parent: null,
        members: [],
        agents: [],
        state: 'up',
        since: 0,
        up: 1,
        down: 0,
        unknown: 0,
      },
      ...{ detail: '', ms: 20, not_after: null, lifetime_ms: null, host: '' },
      ...{ target: 'https://shop.example.net', suspect: false },
      ...{ checked_at: Number.MAX_SAFE_INTEGER, interval_s: 60, settle_ms: 130_000 },
      ...this.list.get(name),
      ...over,
    };
    const made = { ...monitor, id: monitor.id || this.#ids++ };
    this.list.set(name, made);
    return made;
  }

  /** Has a monitor go down, or come back. */
  down(name: string, now: number, over: Partial<MonitorNow> = {}): MonitorNow {
    const counts = { up: 0, down: 1, detail: 'status 500' };
    return this.set(name, { state: 'down', since: now, ...counts, ...over });
  }

  up(name: string, now: number): MonitorNow {
    return this.set(name, { state: 'up', since: now, up: 1, down: 0, detail: '' });
  }

  /** Has a monitor be called otherwise. */
  rename(name: string, to: string): void {
    const monitor = this.set(name);
    this.list.delete(name);
    this.list.set(to, { ...monitor, name: to });
  }

  readonly plugins = [...PLUGINS, this.#plugin()];

  #plugin() {
    return definePlugin({
      name: 'test-monitors',
      provides: [Monitors, MonitorHistory],
      permissions: { monitor: { words: ['read', 'write', 'delete', 'report'] } },
      scopes: { monitor: 'prefix' },
      setup: (kernel) => {
        if (this.isOff) return;
        kernel.provide(Monitors, {
          now: async () => {
            this.asked++;
            return [...this.list.values()];
          },
          isolated: async () => this.isolated,
        });
        const known = (id: number) => {
          const monitor = [...this.list.values()].find((one) => one.id === id);
          return monitor && { ...monitor, public_name: null };
        };
        kernel.provide(MonitorHistory, { known } as MonitorHistory);
      },
    });
  }
}

/** Moves time; what a step began needs time of the machine. */
export async function pass(app: TestApp, ms: number, on: readonly string[] = []): Promise<void> {
  for (let passed = 0; passed < ms; passed += 2 * SECOND) {
    if (passed % (4 * SECOND) === 0) for (const uuid of on) await report(app, uuid);
    await app.clock.advance(2 * SECOND);
    await new Promise((resolve) => setTimeout(resolve, 12));
  }
}

/** Moves time until something holds. */
export async function goes(
  app: TestApp,
  what: string,
  holds: () => Promise<boolean>,
  on: readonly string[] = [],
): Promise<void> {
  for (let round = 0; round < 150; round++) {
    if (await holds()) return;
    await pass(app, 2 * SECOND, on);
  }
  throw new Error(`never: ${what}`);
}

/** Has the policy `default` tell a channel. */
export async function channelFor(app: TestApp): Promise<void> {
  await create(app, webhook('A', NOWHERE));
  const policy = { name: 'default', steps: [{ after_s: 0, channels: ['A'] }], wait_s: 4 };
  const paced = { ...policy, interval_s: 0, group_by: 'subject' };
  await app.call('alert_policy_set', { token: app.superToken, policy: paced });
}

/** What was told about a subject: messages as they stand in the outbox. */
export async function told(app: TestApp, subject: string): Promise<Message[]> {
  const rows = await app.sql('select body from notify_outbox order by id');
  return rows
    .map(({ body }) => JSON.parse(body) as Message)
    .filter(({ alerts }) => alerts.some(({ subject: { name } }) => name === subject));
}

/** The same in short. */
export const typesOf = async (app: TestApp, subject: string) =>
  (await told(app, subject)).map(({ type }) => type.slice('alert.'.length));
