import { createServer as createHttp, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { channelFor, told, typesOf } from '../alert/monitors-kit.ts';
import type { Issued } from '../checks/authority.ts';
import { call, create, get, http, pause, SECOND } from './kit.ts';

const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));
/** Monitors that are well, so that those of the scenarios are no large share that goes down together. */
const FINE = 60;

/** What a target does with a request; a number is a status. */
export type Reply =
  | number
  | 'hang'
  | 'reset'
  | 'loop'
  | 'bomb'
  | 'half'
  | { readonly json: string };

export interface Site {
  readonly url: string;
  readonly port: number;
  reply: Reply;
  stop(): Promise<void>;
}

/** A site on loopback that fails as it is told; with a certificate it speaks TLS. */
export async function site(issued?: Issued, host = '127.0.0.1'): Promise<Site> {
  const listener: RequestListener = (request, response) => {
    request.resume();
    answer(response, made.reply);
  };
  const { key, cert } = issued ?? {};
  const server = key && cert ? createHttps({ key, cert }, listener) : createHttp(listener);
  await new Promise<void>((done) => server.listen(0, host, done));
  const { port } = server.address() as AddressInfo;
  const made: Site = {
    ...{ url: `${issued ? 'https' : 'http'}://${host}:${port}/`, port, reply: 200 },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return made;
}

function answer(response: ServerResponse, reply: Reply): void {
  if (typeof reply === 'object') return void response.writeHead(200).end(reply.json);
  if (typeof reply === 'number') return void response.writeHead(reply).end('ok');
  if (reply === 'reset') return void response.socket?.resetAndDestroy();
  if (reply === 'loop') return void response.writeHead(302, { location: '/' }).end();
  if (reply === 'bomb')
    return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB);
  if (reply === 'half')
    response.writeHead(200, { 'content-length': 100 }).write('half', () => {
      response.socket?.destroy();
    });
}

/** Time of scenarios that run beside each other: it goes on when all of them wait for it. */
export class Timeline {
  readonly #app: TestApp;
  #waiting: (() => void)[] = [];
  #active = 0;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Waits for the next second. */
  tick(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  /** Runs works beside each other. @returns what each of them failed with */
  async run(works: readonly (() => Promise<void>)[]): Promise<unknown[]> {
    const failures = works.map((): unknown => undefined);
    this.#active = works.length;
    for (const [at, work] of works.entries())
      work()
        .catch((error: unknown) => {
          failures[at] = error;
        })
        .finally(() => this.#active--);
    while (this.#active > 0) {
      await pause(2);
      if (this.#waiting.length < this.#active) continue;
      const all = this.#waiting;
      this.#waiting = [];
      await this.#app.clock.advance(SECOND);
      // What a second began needs the time of the machine.
      await pause(10);
      for (const done of all) done();
    }
    return failures;
  }
}

/** One scenario at work: a monitor of its own, and its site. */
export class Scene {
  readonly app: TestApp;
  readonly name: string;
  readonly site: Site;
  readonly #line: Timeline;

  constructor(app: TestApp, line: Timeline, name: string, own: Site) {
    this.app = app;
    this.#line = line;
    this.name = name;
    this.site = own;
  }

  readonly call = (method: string, params: object = {}): Promise<any> =>
    call(this.app, method, params);

  now(): number {
    return this.app.clock.now();
  }

  /** Makes the monitor, checked each ten seconds. */
  make(over: object = {}, name = this.name): Promise<any> {
    return create(this.app, { ...http(name, this.site.url), ...over });
  }

  async says(state: string, name = this.name): Promise<any> {
    let verdict: any;
    await this.until(`${name} is ${state}`, async () => {
      verdict = (await get(this.app, name)).verdict;
      return verdict.state === state;
    });
    return verdict;
  }

  async until(what: string, holds: () => Promise<boolean>, most_s = 150): Promise<void> {
    for (let second = 0; second < most_s; second++) {
      if (await holds()) return;
      await this.#line.tick();
    }
    throw new Error(`never: ${what}`);
  }

  async lasts(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) await this.#line.tick();
  }

  /** Types of the messages about it, of which there are so many. */
  async hears(n: number, name = this.name): Promise<string[]> {
    await this.until(`${n} messages about ${name}`, async () => {
      return (await this.heard(name)).length >= n;
    });
    return this.heard(name);
  }

  /** Types of the messages about it so far. */
  readonly heard = (name = this.name): Promise<string[]> => typesOf(this.app, name);

  /** The alert in each message about it. */
  async alerts(name = this.name): Promise<any[]> {
    const messages = await told(this.app, name);
    return messages.map(({ alerts }) => alerts.find(({ subject }) => subject.name === name));
  }

  async open(name = this.name): Promise<any[]> {
    const { alerts } = await this.call('alert_list');
    return alerts.filter((one: any) => one.subject.id === name);
  }
}

/** Has alerts told, and monitors be there that are well. @returns what they check */
export async function setStage(app: TestApp): Promise<Site> {
  await channelFor(app);
  const fine = await site();
  for (let at = 0; at < FINE; at++)
    await create(app, http(`fine-${at}`, fine.url, { interval_s: 600 }));
  return fine;
}
