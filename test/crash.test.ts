// proof only: 90
/**
 * Reports are never lost (agent.md §8, configuration.md §6 and §8): whatever ends or disturbs the server, every report
 * that was answered `buffered` is in the database, once.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { type Load, startLoad } from './process/load.ts';
import { makePlace, type Place } from './process/place.ts';
import { kinds } from './process/reports.ts';
import { rpc, type ServerProcess, startServer, superToken } from './process/server.ts';
import { broken } from './process/stored.ts';
import { loop } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

/** Kills in each database; together at least 50 in the long form. */
const rounds = loop(2, 14);
/** A small answer limit: the queue is full most of the time, so kills also meet back-pressure. */
const buffer = '[monitoring_buffer]\nchannel_capacity = 64';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crash (${dialect})`);
  let place: Place;
  let server: ServerProcess;
  let token: string;

  const load = (reconnect = false): Promise<Load> =>
    startLoad({ url: place.site.url, token, agents: 8, inFlight: 8, kinds, reconnect });

  test.before(async () => {
    place = await makePlace(dialect, { tables: dialect === 'sqlite' ? buffer : '' });
    server = await startServer(place.site);
    token = superToken(server.output());
  });
  test.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
  });

  test(`${rounds} times kill -9 at a random moment under load loses no answered report`, async () => {
    let answered = 0;
    for (let round = 1; round <= rounds; round++) {
      const running = await load();
      // A machine that is slow has answered something by then too; every other round is killed at any moment.
      if (round % 2 === 0) await until(() => running.acknowledged.length >= 64);
      const moment_ms = 50 + Math.floor(Math.random() * 450);
      await pause(moment_ms);
      await server.end('SIGKILL');
      await running.stop();
      assert.equal(running.refused, [], `round ${round}: no report is refused`);
      server = await startServer(place.site);
      const lost = await broken(place.read, running.acknowledged);
      assert.equal(lost.slice(0, 5), [], `round ${round}, killed after ${moment_ms} ms`);
      answered += running.acknowledged.length;
    }
    assert.ok(answered > rounds * 20, `only ${answered} reports were answered in all rounds`);
  });

  test('SIGTERM under load ends with status 0, closes sockets with 1001 and loses nothing', async () => {
    const running = await load();
    await pause(300);
    const status = await server.end('SIGTERM');
    await running.stop();
    server = await startServer(place.site);
    assert.is(status.code, 0);
    assert.equal([...new Set(running.closes)], [1001]);
    assert.equal((await broken(place.read, running.acknowledged)).slice(0, 5), []);
    assert.ok(running.acknowledged.length > 0, 'some reports were answered');
  });

  test('reloads under load lose nothing, and reports are stored after them', async () => {
    const running = await load(true);
    for (let size = 1; size <= 4; size++) {
      await pause(300);
      await reload(place, token, 100_000_000 + size);
    }
    const before = running.acknowledged.length;
    await until(() => running.acknowledged.length > before);
    await pause(300);
    await running.stop();
    assert.equal(running.refused, []);
    assert.equal((await broken(place.read, running.acknowledged)).slice(0, 5), []);
  });

  test.run();
}

{
  const test = suite('database restarts (postgres)');
  let postgres: TestPostgres;
  let place: Place;
  let server: ServerProcess;
  let token: string;

  test.before(async () => {
    postgres = await startPostgres({ own: true });
    place = await makePlace('postgres', { postgres: postgres.url('postgres') });
    server = await startServer(place.site);
    token = superToken(server.output());
  });
  test.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
    await postgres.stop();
  });

  for (const how of ['crash', 'fast'] as const) {
    test(`two restarts (${how}) under load lose and double nothing, and reports go on`, async () => {
      const options = { url: place.site.url, token, agents: 8, inFlight: 8, kinds };
      const running = await startLoad(options);
      for (let turn = 1; turn <= 2; turn++) {
        await until(() => running.acknowledged.length > 0);
        await pause(300);
        const before = running.acknowledged.length;
        await postgres.restart(how);
        await until(() => running.acknowledged.length > before + 200);
      }
      await running.stop();
      assert.equal(
        running.closes.filter((code) => code !== 1005),
        [],
        'no connection was lost',
      );
      for (const text of running.refused) assert.is(JSON.parse(text).error.code, 103, text);
      assert.equal((await broken(place.read, running.acknowledged)).slice(0, 5), []);
    });
  }

  test.run();
}

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !holds(); await pause(10)) {
    if (Date.now() > deadline) throw new Error(`not within 60 s: ${holds}`);
  }
}

/** Edits one limit through the wire, as an operator would. */
async function reload(place: Place, token: string, limit: number): Promise<void> {
  const text = readFileSync(place.site.config, 'utf8').replace(/^max_response_body_size.*\n/m, '');
  const config_string = `max_response_body_size = ${limit}\n${text}`;
  const params = { token, config_string };
  const answer = await rpc(place.site.url, 'svc-server_edit_config', params);
  assert.is(answer.result, true, JSON.stringify(answer));
}
