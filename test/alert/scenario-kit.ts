import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp, TestSocket } from '@svc/plugin-sdk/testing';
import { summaryReport } from '../protocol/agent-kit.ts';

export const SECOND = 1_000;
/** Machines are here for so long before the first second. */
const WARM_S = 660;
/** Reports of the time before come this often. */
const WARM_STEP_S = 10;

/** A message that a channel received. */
export interface Received {
  readonly channel: string;
  /** Second of the scenario. */
  readonly at: number;
  readonly type: string;
  readonly id: string;
  readonly body: {
    readonly alerts: readonly {
      readonly id: string;
      readonly rule: string;
      readonly state: string;
      readonly since: number;
      readonly subject: { readonly id: string; readonly name: string };
    }[];
    readonly more?: number;
    readonly group: { readonly open: number; readonly closed: number };
  };
}

/** Receiver of webhooks; the last part of the path is the channel. */
export async function startReceiver(now: () => number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString());
    const channel = request.url?.split('/').at(-1) ?? '';
    const id = String(request.headers['webhook-id']);
    received.push({ channel, at: now(), type: body.type, id, body });
    response.end('ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: (channel: string) => `http://127.0.0.1:${port}/${channel}`,
    stop: () => new Promise((done) => server.close(done)),
  };
}

/** A machine of a scenario. */
export interface Actor {
  readonly uuid: string;
  /** CPU in percent at a second; null: no value; undefined: no report. */
  readonly cpu: (second: number) => number | null | undefined;
  /** Seconds by which its clock is ahead. */
  readonly ahead_s: number;
}

/** Time of the scenarios: one second after another, with a report of each machine. */
export class Stage {
  readonly #app: TestApp;
  readonly #actors: readonly Actor[];
  readonly #start: number;
  #socket: TestSocket | undefined;
  second = -WARM_S;

  constructor(app: TestApp, actors: readonly Actor[]) {
    this.#app = app;
    this.#actors = actors;
    this.#start = app.clock.now() + WARM_S * SECOND;
  }

  now(): number {
    return Math.round((this.#app.clock.now() - this.#start) / SECOND);
  }

  timeOf(second: number): number {
    return this.#start + second * SECOND;
  }

  async warm(): Promise<void> {
    while (this.second < 0) await this.#step(WARM_STEP_S);
  }

  /** Goes on until this second. */
  async to(second: number): Promise<void> {
    while (this.second < second) await this.#step(1);
  }

  async #step(seconds: number): Promise<void> {
    await Promise.all(this.#actors.map((actor) => this.#report(actor)));
    await this.settled();
    this.second += seconds;
    for (let n = 0; n < seconds; n++) {
      await this.#app.clock.advance(SECOND);
      await this.settled();
    }
  }

  /** What has begun goes on until the database has nothing to do for it. */
  async settled(): Promise<void> {
    for (let n = 0; n < 3; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await this.#app.sql('select 1');
    }
  }

  async #report({ uuid, cpu, ahead_s }: Actor): Promise<void> {
    const value = this.second < 0 ? 10 : cpu(this.second);
    if (value === undefined) return;
    await this.send(uuid, value, this.#app.clock.now() + ahead_s * SECOND);
  }

  async send(uuid: string, cpu: number | null, time: number): Promise<void> {
    this.#socket ??= await this.#app.connect();
    const cpu_usage = cpu === null ? null : cpu * 10;
    const report = { ...summaryReport({ uuid, time }), cpu_usage };
    await this.#socket.call('agent_report_dynamic_summary', [this.#app.superToken, report]);
  }

  close(): void {
    this.#socket?.close();
  }
}
