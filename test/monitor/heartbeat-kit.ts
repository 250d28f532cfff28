import { Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import { type Database, definePlugin, type Kernel, uncounted } from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import {
  type Heartbeats,
  hashOf,
  type JudgedHeartbeat,
  newKey,
  openHeartbeats,
} from '../../plugins/monitor/src/heartbeat/index.ts';
import { migrations } from '../../plugins/monitor/src/migrations/index.ts';
import { MonitorStore } from '../../plugins/monitor/src/store/monitors.ts';
import { type Ping, PingStore } from '../../plugins/monitor/src/store/pings.ts';
import { StateStore } from '../../plugins/monitor/src/store/states.ts';
import type { Monitor, State } from '../../plugins/monitor/src/types.ts';
import { newMonitor } from './store-kit.ts';

export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The heartbeats of one server, and what stands behind them. */
export interface Room {
  readonly heartbeats: Heartbeats;
  readonly monitors: MonitorStore;
  readonly states: StateStore;
  readonly pings: PingStore;
  /** Statement of each transaction before which the server breaks off; one past the last: before the commit. */
  breakAt: number;
  /** Runs once, before the next transaction of a heartbeat. */
  before: (() => Promise<void>) | undefined;
  /** Statements of the last transaction. */
  statements: number;
}

/** A plugin with nothing but heartbeats; `rooms` are those of the servers that it runs on. */
export function heartbeatPlugin() {
  const rooms: Room[] = [];
  const plugin = definePlugin({
    name: 'heartbeats',
    optional: [Audit, Refusals],
    migrations,
    setup(kernel) {
      const { clock, db, hooks } = kernel;
      const monitors = new MonitorStore(db, uncounted(db), clock);
      const states = new StateStore(db, clock);
      const room = {
        monitors,
        states,
        pings: new PingStore(db),
        breakAt: 0,
        statements: 0,
      } as Room;
      const broken = replaced<Kernel<unknown>>(kernel, { db: breaking(db, room) });
      const parts = { kernel: broken, monitors, states };
      const heartbeats = openHeartbeats(parts);
      rooms.push(Object.assign(room, { heartbeats }));
      hooks.routes.tap((routes) => heartbeats.routes(routes));
    },
  });
  return { plugin, rooms };
}

function breaking(db: Database, room: Room): Database {
  const transaction: Database['transaction'] = async (work) => {
    const { before } = room;
    room.before = undefined;
    await before?.();
    return db.transaction(async (trx) => {
      room.statements = 0;
      const step = () => {
        room.statements++;
        if (room.statements === room.breakAt) throw new Error('broken off');
      };
      const raw: QueryBuilder['raw'] = (...args) => {
        step();
        return trx.raw(...args);
      };
      const result = await work({ raw } as QueryBuilder);
      step();
      return result;
    });
  };
  return replaced(db, { transaction });
}

/** Returns an object with other members in place of its own. */
const replaced = <T extends object>(object: T, members: Partial<T>): T =>
  new Proxy(object, {
    get(target, name) {
      if (name in members) return Reflect.get(members, name);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** A server with heartbeats, whose time a test moves. */
export class Server {
  readonly app: TestApp;
  readonly plugin: ReturnType<typeof heartbeatPlugin>['plugin'];
  readonly rooms: readonly Room[];
  #count = 0;

  static async open(dialect: 'sqlite' | 'postgres', clock = true): Promise<Server> {
    const { plugin, rooms } = heartbeatPlugin();
    const app = await bootForTest(['token', 'admission', plugin], {}, { dialect, clock });
    const server = new Server(app, plugin, rooms);
    if (clock) await server.toTime(3, 0);
    return server;
  }

  private constructor(app: TestApp, plugin: Server['plugin'], rooms: readonly Room[]) {
    this.app = app;
    this.plugin = plugin;
    this.rooms = rooms;
  }

  get room(): Room {
    return this.rooms.at(-1) as Room;
  }

  get now(): number {
    return this.app.clock.now();
  }

  /** Lets time pass until this time of UTC, on a day of January: Berlin is an hour ahead. */
  async toTime(hour: number, minute: number, second = 0): Promise<number> {
    const { now } = this;
    const year = new Date(now).getUTCFullYear();
    const days = [0, 1].flatMap((more) =>
      Array.from({ length: 20 }, (_, day) =>
        Date.UTC(year + more, 0, day + 5, hour, minute, second),
      ),
    );
    const time = days.find((day) => day > now) as number;
    await this.app.clock.sleep(time - now);
    return time;
  }

  /** A heartbeat of which the time of making is now. */
  async heartbeat(spec: Record<string, unknown> = {}, over: Partial<Monitor> = {}) {
    const key = newKey();
    const monitor = newMonitor({
      ...{ name: `beat ${++this.#count}`, kind: 'heartbeat' },
      ...{ spec: { period_s: 3_600, grace_s: 300, ...spec }, ...over },
    });
    const { id } = await this.room.monitors.create(monitor, { key_hash: hashOf(key) });
    return new Beat(this, id, key);
  }
}

export class Beat {
  readonly #server: Server;
  readonly id: number;
  readonly key: string;

  constructor(server: Server, id: number, key: string) {
    this.#server = server;
    this.id = id;
    this.key = key;
  }

  /** Calls the address, and something behind it. @returns status and text, `200 OK` */
  async ping(rest = '', init: RequestInit = {}): Promise<string> {
    const answer = await this.#server.app.fetch(`/svc/ping/${this.key}${rest}`, init);
    return `${answer.status} ${await answer.text()}`;
  }

  async state(): Promise<State | undefined> {
    return (await this.#server.room.states.ofMonitors([this.id]))[0];
  }

  async judge(quietUntil?: number): Promise<JudgedHeartbeat> {
    const when = { now: this.#server.now, quietUntil };
    const judged = await this.#server.room.heartbeats.judge([this.id], when);
    return judged.get(this.id) as JudgedHeartbeat;
  }

  /** Pings that are kept, the oldest first. */
  async pings(): Promise<Ping[]> {
    return (await this.#server.room.pings.list(this.id)).reverse();
  }

  async kinds(): Promise<string[]> {
    return (await this.pings()).map(({ kind }) => kind);
  }

  async body(): Promise<Buffer> {
    const last = (await this.pings()).at(-1) as Ping;
    return Buffer.from((await this.#server.room.pings.body(this.id, last.id)) as Uint8Array);
  }

  async runs(): Promise<string[]> {
    const sql = `select rid from monitor_run where monitor_id = ${this.id} order by started_at, rid`;
    return (await this.#server.app.sql(sql)).map(({ rid }) => rid);
  }
}
