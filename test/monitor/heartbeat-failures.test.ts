// Pings while a server fails, many at once, and on several servers (plugins/monitor/src/heartbeat/heartbeats.ts).
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { DOWN, UP } from '../../plugins/monitor/src/types.ts';
import { suite } from '../runner/suite.ts';
import { type Beat, HOUR, MINUTE, type Room, Server } from './heartbeat-kit.ts';

const TABLES = ['monitor_state', 'monitor_run', 'monitor_result', 'monitor_ping'];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: heartbeats and failures (${dialect})`);
  let server: Server;
  test.before(async () => {
    server = await Server.open(dialect);
    await server.app.clock.sleep(HOUR);
  });
  test.after(() => server.app.stop());

  const rowsOf = async ({ id }: Beat) =>
    JSON.stringify(
      await Promise.all(
        TABLES.map((table) => server.app.sql(`select * from ${table} where monitor_id = ${id}`)),
      ),
    );
  /** Breaks off before each statement of a piece of work in turn, until it gets through. @returns how often */
  async function breakOff(beat: Beat, work: () => Promise<boolean>): Promise<number> {
    const before = await rowsOf(beat);
    for (let at = 1; ; at++) {
      server.room.breakAt = at;
      const isDone = await work();
      server.room.breakAt = 0;
      if (isDone) return at - 1;
      assert.is(await rowsOf(beat), before, `broken off at ${at}`);
    }
  }

  for (const rest of ['', '/start', '/fail', '/log', '/3'])
    for (const isNew of [true, false])
      test(`a ping ${rest || 'of success'} that breaks off at any statement changes nothing, and is taken the next time${isNew ? ', the first ping of all' : ''}`, async () => {
        const beat = await server.heartbeat();
        if (!isNew) {
          await beat.ping('/start');
          await server.app.clock.sleep(MINUTE);
        }
        const tries = await breakOff(beat, async () => {
          const answer = await beat.ping(rest);
          assert.ok(['200 OK', '500 the server failed'].includes(answer), answer);
          return answer === '200 OK';
        });
        assert.ok(tries >= 4, String(tries));
        assert.is((await beat.pings()).length, isNew ? 1 : 2);
      });

  test('a judge that breaks off at any statement changes nothing, and tells it the next time', async () => {
    const beat = await server.heartbeat({ run_grace_s: 60 });
    await beat.ping();
    await beat.ping('/start');
    await server.app.clock.sleep(2 * MINUTE);
    const tries = await breakOff(beat, async () => {
      const judged = await beat.judge().catch(() => undefined);
      return judged?.state === DOWN;
    });
    assert.ok(tries >= 5, String(tries));
    assert.equal(await beat.runs(), []);
    assert.is((await beat.state())?.fails, 1);
  });

  test('20 pings at once are all taken', async () => {
    const beat = await server.heartbeat();
    const rests = Array.from({ length: 20 }, (_, n) => (n % 2 ? `/start?rid=${randomUUID()}` : ''));
    const answers = await Promise.all(rests.map((rest) => beat.ping(rest)));
    assert.equal(answers, new Array(20).fill('200 OK'));
    assert.is((await beat.pings()).length, 20);
    assert.equal([(await beat.runs()).length, (await beat.state())?.goods], [10, 10]);
  });

  test('100 heartbeats that call at once are all taken, and what they leave is bounded', async () => {
    const beats: Beat[] = [];
    for (let n = 0; n < 100; n++) beats.push(await server.heartbeat());
    const answers = await Promise.all(
      beats.map((beat) => beat.ping('', { method: 'POST', body: Buffer.alloc(20_000) })),
    );
    assert.equal(new Set(answers), new Set(['200 OK']));
    const [{ n }] = await server.app.sql(
      `select sum(length(body)) as n from monitor_ping where monitor_id >= ${beats[0]?.id}`,
    );
    assert.is(Number(n), 1_000_000);
  });

  test.run();
}

const test = suite('monitor: heartbeats of two servers (postgres)');
let server: Server;
let second: App;
test.before(async () => {
  server = await Server.open('postgres', false);
  const { app } = server;
  const text = await readFile(join(app.dir, 'config.toml'), 'utf8');
  const config = join(app.dir, 'second.toml');
  await writeFile(config, text.replace(/server_uuid = ".*"/, `server_uuid = "${randomUUID()}"`));
  const plugins = ['token', 'admission', server.plugin];
  second = await start({ config, plugins, console: () => {} });
});
test.after(async () => {
  await second.stop('test');
  await server.app.stop();
});
const there = async ({ key }: Beat, rest = '') => {
  const answer = await fetch(`${second.url}/svc/ping/${key}${rest}`);
  return `${answer.status} ${await answer.text()}`;
};
const judge = async ({ heartbeats }: Room, { id }: Beat, now: number) =>
  (await heartbeats.judge([id], { now, quietUntil: undefined })).get(id);

test('pings that come to both at once are all taken', async () => {
  const beat = await server.heartbeat();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 ? there(beat) : beat.ping())),
  );
  assert.equal(new Set(answers), new Set(['200 OK']));
  assert.equal([(await beat.pings()).length, (await beat.state())?.goods], [40, 40]);
});

test('a run that begins at one and ends at the other has a time', async () => {
  const beat = await server.heartbeat();
  const rid = randomUUID();
  await beat.ping(`/start?rid=${rid}`);
  assert.is(await there(beat, `?rid=${rid}`), '200 OK');
  assert.type((await beat.state())?.ms, 'number');
  assert.equal(await beat.runs(), []);
});

test('of two that judge at once one turns it down', async () => {
  const beat = await server.heartbeat();
  await beat.ping();
  const { version } = (await beat.state())!;
  const now = server.now + 2 * HOUR;
  const judged = await Promise.all(server.rooms.map((room) => judge(room, beat, now)));
  assert.equal(
    judged.map((one) => one?.state),
    [DOWN, DOWN],
  );
  const state = (await beat.state())!;
  assert.equal([state.version, state.fails], [version + 1, 1]);
});

test('a ping to one while the other judges is never overwritten', async () => {
  for (let n = 0; n < 20; n++) {
    const beat = await server.heartbeat();
    await beat.ping();
    const { last_at } = (await beat.state())!;
    // The next ping comes a millisecond later at least, so that it is not late any more at this time.
    while (Date.now() <= last_at) await new Promise(setImmediate);
    const now = last_at + HOUR + 300_000;
    const [answer] = await Promise.all([there(beat), judge(server.rooms[0] as Room, beat, now)]);
    assert.is(answer, '200 OK');
    assert.is((await beat.state())?.state, UP);
  }
});
test.run();
