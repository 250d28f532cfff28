// proof only: 60
/**
 * Arrays of reports (agent.md §8): whatever ends or disturbs the server, every report that was answered `buffered` is in the
 * database, once, and an array is answered in its order.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { startPostgres } from './postgres.ts';
import type { Acknowledged } from './process/load.ts';
import { makePlace, type Place } from './process/place.ts';
import { report, reportMethod } from './process/reports.ts';
import { rpc, type ServerProcess, startServer, superToken } from './process/server.ts';
import { broken } from './process/stored.ts';
import { loop } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

const ENTRIES = 1_000;
const AGENTS = 3;
/** Arrays of an agent that are under way. */
const IN_FLIGHT = 2;
/** Every so many reports the agent asks for its newest one. */
const ASKS_EVERY = 400;
const kills = loop(2, 10);

/** Agents that send arrays of reports of both kinds, with questions among them, until their connections end. */
class Load {
  readonly acknowledged: Acknowledged[] = [];
  readonly wrong: string[] = [];
  readonly #sockets: WebSocket[] = [];
  #isStopping = false;

  constructor(url: string, token: string) {
    for (let n = 0; n < AGENTS; n++) this.#agent(url, token);
  }

  #agent(url: string, token: string): void {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/`);
    this.#sockets.push(socket);
    const uuid = randomUUID();
    const sent: (Acknowledged | number)[][] = [];
    let time = Date.now();
    const send = () => {
      const entries: (Acknowledged | number)[] = [];
      const calls = Array.from({ length: ENTRIES }, (_, id) => {
        if (id % ASKS_EVERY === ASKS_EVERY - 1) {
          entries.push(time);
          const asked = { fields: [], condition: [{ uuid }, 'last'] };
          const method = 'agent_query_dynamic_summary';
          return { jsonrpc: '2.0', id, method, params: [token, asked] };
        }
        const kind = id % 3 === 0 ? 'dynamic' : 'summary';
        time++;
        entries.push({ kind, uuid, time });
        const params = [token, report(kind, uuid, time)];
        return { jsonrpc: '2.0', id, method: reportMethod[kind], params };
      });
      sent.push(entries);
      socket.send(JSON.stringify(calls));
    };
    socket.on('open', () => {
      for (let n = 0; n < IN_FLIGHT; n++) send();
    });
    socket.on('message', (data) => {
      this.#take(JSON.parse(String(data)), sent.shift() ?? []);
      if (!this.#isStopping) send();
    });
    // A lost connection is what these tests are about.
    socket.on('error', () => undefined);
  }

  #take(answers: any[], entries: readonly (Acknowledged | number)[]): void {
    if (answers.length !== entries.length) this.wrong.push(`${answers.length} answers`);
    for (const [at, { id, result, error }] of answers.entries()) {
      const entry = entries[at];
      if (id !== at) this.wrong.push(`answer ${at} has id ${id}`);
      else if (error) this.wrong.push(JSON.stringify(error));
      else if (typeof entry === 'object') this.acknowledged.push(entry);
      else if (!(result[0]?.timestamp >= entry! - 1))
        this.wrong.push(`${JSON.stringify(result)} after ${entry}`);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await pause(200);
    for (const socket of this.#sockets) socket.terminate();
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !holds(); await pause(10)) {
    if (Date.now() > deadline) throw new Error(`not within 60 s: ${holds}`);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crash: arrays (${dialect})`);
  let place: Place;
  let server: ServerProcess;
  let token: string;

  test.before(async () => {
    place = await makePlace(dialect);
    server = await startServer(place.site);
    token = superToken(server.output());
  });
  test.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    test(`${signal} while arrays of ${ENTRIES} are answered, ${kills} times: no answered report is lost`, async () => {
      for (let round = 1; round <= kills; round++) {
        const load = new Load(place.site.url, token);
        await until(() => load.acknowledged.length > 0);
        await pause(Math.floor(Math.random() * 300));
        await server.end(signal);
        await load.stop();
        server = await startServer(place.site);
        assert.equal([...new Set(load.wrong)].slice(0, 5), []);
        assert.equal((await broken(place.read, load.acknowledged)).slice(0, 5), []);
      }
    });

  test('an array with a right that is taken away in its middle stores what came before it', async () => {
    const uuid = randomUUID();
    const limit = {
      scopes: [{ agent_uuid: uuid }],
      permissions: [{ dynamic_monitoring_summary: 'write' }],
    };
    const made = await rpc(place.site.url, 'token_create', {
      father_token: token,
      token_creation: { version: 1, token_limit: [limit] },
    });
    const { key, secret } = made.result ?? assert.unreachable(JSON.stringify(made));
    const time = Date.now();
    const reports = Array.from({ length: 10 }, (_, id) => ({
      ...{ jsonrpc: '2.0', id, method: reportMethod.summary },
      params: [`${key}:${secret}`, report('summary', uuid, time + id)],
    }));
    const edit = {
      jsonrpc: '2.0',
      id: 99,
      method: 'token_delete',
      params: { token, target_token: key },
    };
    const body = JSON.stringify([...reports.slice(0, 5), edit, ...reports.slice(5)]);
    const answer = await fetch(place.site.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const outcomes = ((await answer.json()) as any[]).map(({ error }) => error?.code ?? 0);
    assert.equal(outcomes, [0, 0, 0, 0, 0, 0, 102, 102, 102, 102, 102]);
    const sent = Array.from(
      { length: 5 },
      (_, id) => ({ kind: 'summary', uuid, time: time + id }) as const,
    );
    assert.equal(await broken(place.read, sent), []);
  });

  test.run();
}

const test = suite('database restarts beside arrays (postgres)');
test('two crashes of the database lose and double nothing of arrays', async () => {
  const postgres = await startPostgres({ own: true });
  const place = await makePlace('postgres', { postgres: postgres.url('postgres') });
  const server = await startServer(place.site);
  const load = new Load(place.site.url, superToken(server.output()));
  try {
    for (let turn = 1; turn <= 2; turn++) {
      await until(() => load.acknowledged.length > 0);
      await pause(300);
      const before = load.acknowledged.length;
      await postgres.restart('crash');
      await until(() => load.acknowledged.length > before + 3 * ENTRIES);
    }
    await load.stop();
    for (const text of new Set(load.wrong)) assert.is(JSON.parse(text).code, 103, text);
    assert.equal((await broken(place.read, load.acknowledged)).slice(0, 5), []);
  } finally {
    await server.end('SIGKILL');
    await place.remove();
    await postgres.stop();
  }
});
test.run();
