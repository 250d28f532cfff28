// What pings, and their absence, make of a heartbeat (plugins/monitor/src/heartbeat/{heartbeats,late}.ts).
import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { lengthOf } from '../../plugins/monitor/src/heartbeat/texts.ts';
import type { Monitor } from '../../plugins/monitor/src/types.ts';
import { DOWN, UNKNOWN, UP } from '../../plugins/monitor/src/types.ts';
import { suite } from '../runner/suite.ts';
import { DAY, HOUR, MINUTE, Server } from './heartbeat-kit.ts';

const BERLIN = { cron: '0 5 * * *', zone: 'Europe/Berlin', grace_s: 600 };
const POST = { method: 'POST' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: late heartbeats (${dialect})`);
  let server: Server;
  test.before(async () => {
    server = await Server.open(dialect);
  });
  test.after(() => server.app.stop());
  const pass = (ms: number) => server.app.clock.sleep(ms);
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);

  test('65: a ping half a minute before 05:00 in Berlin counts for 05:00, and the next day without one is late', async () => {
    const beat = await server.heartbeat(BERLIN);
    const came = await server.toTime(3, 59, 30);
    assert.is(await beat.ping(), '200 OK');
    const { state, since, next_at } = await beat.judge();
    assert.equal([state, since, next_at], [UP, came, came + 30_000 + DAY + 10 * MINUTE]);
    await pass((next_at as number) - server.now - 1);
    assert.is((await beat.judge()).state, UP);
    await pass(1);
    const expected = came + 30_000 + DAY;
    assert.equal(await beat.judge(), {
      ...{ state: DOWN, since: expected, up: 0, down: 1, unknown: 0, next_at: null },
      detail: `no ping since ${day(came)} 04:59 (expected ${day(expected)} 05:00 Europe/Berlin, grace 10 min)`,
    });
  });

  test('66: a run that has not ended within an hour is late, though the period is a day', async () => {
    const beat = await server.heartbeat({ period_s: 86_400, run_grace_s: 3_600 });
    await server.toTime(4, 0);
    await beat.ping();
    const first = await beat.judge();
    await pass(MINUTE);
    assert.is(await beat.ping('/start'), '200 OK');
    const [before, after] = [first.next_at as number, (await beat.judge()).next_at as number];
    assert.is(after, server.now + HOUR, 'the look comes earlier');
    assert.ok(after < before);
    assert.ok(((await beat.state())?.changed_at ?? 0) === server.now, 'so that rounds see it');
    await pass(HOUR);
    const { state, since, detail } = await beat.judge();
    assert.equal([state, since], [DOWN, server.now]);
    assert.is(detail, 'the run that began 04:01 UTC has not ended within 1 h');
  });

  test('67: of two runs that overlap the first one never ends: it is told, once', async () => {
    const beat = await server.heartbeat({ period_s: 600, grace_s: 60, run_grace_s: 1_800 });
    const [a, b] = [randomUUID(), randomUUID()];
    await beat.ping(`/start?rid=${a}`);
    const began = server.now;
    await pass(5 * MINUTE);
    await beat.ping(`/start?rid=${b}`);
    await pass(2 * MINUTE);
    await beat.ping(`?rid=${b}`);
    assert.is((await beat.state())?.ms, 2 * MINUTE);
    for (let n = 0; n < 3; n++) {
      assert.is((await beat.judge()).state, UP);
      await pass(7 * MINUTE);
      await beat.ping();
    }
    await pass(began + 30 * MINUTE - server.now);
    const { state, detail, since } = await beat.judge();
    assert.equal([state, since], [DOWN, server.now]);
    assert.match(detail, /^the run that began \S+ UTC has not ended within 30 min$/);
    assert.equal(await beat.runs(), []);
    await pass(MINUTE);
    await beat.ping();
    assert.is((await beat.judge()).state, UP);
    await beat.ping(`?rid=${a}`);
    assert.is((await beat.judge()).state, UP, 'its end comes after all');
  });

  test('a run that is told after a ping said that all is well is late from that ping on', async () => {
    const beat = await server.heartbeat({ run_grace_s: 600 });
    await beat.ping('/fail');
    await beat.ping(`/start?rid=${randomUUID()}`);
    await pass(30 * MINUTE);
    assert.is((await beat.judge()).detail, 'the job says that it failed');
    const came = server.now;
    await beat.ping();
    await pass(2_000);
    const { state, since, detail } = await beat.judge();
    assert.equal([state, since], [DOWN, came]);
    assert.match(detail, /has not ended within 10 min$/);
  });

  test('68: a failure is down at once, a success up at once', async () => {
    const beat = await server.heartbeat();
    await beat.ping();
    await pass(MINUTE);
    const failed = server.now;
    await beat.ping('/fail');
    const down = { state: DOWN, since: failed, up: 0, down: 1, unknown: 0, next_at: null };
    assert.equal(await beat.judge(), { ...down, detail: 'the job says that it failed' });
    await pass(MINUTE);
    await beat.ping('/7');
    assert.equal(await beat.judge(), { ...down, detail: 'exit status 7' }, 'since the first');
    assert.equal([(await beat.state())?.fails, (await beat.state())?.code], [2, 7]);
    await pass(MINUTE);
    await beat.ping();
    const { state, since, next_at } = await beat.judge();
    assert.equal([state, since, next_at], [UP, server.now, server.now + HOUR + 5 * MINUTE]);
  });

  test('one that was never called waits from its making on, and is unknown until then', async () => {
    const beat = await server.heartbeat();
    const made = server.now;
    const { state, since, next_at, unknown } = await beat.judge();
    assert.equal([state, since, next_at, unknown], [UNKNOWN, made, made + HOUR + 300_000, 1]);
    await beat.ping('/log', POST);
    assert.is((await beat.judge()).state, UNKNOWN, 'a log is no ping that counts');
    await pass(HOUR + 300_000);
    const late = await beat.judge();
    assert.equal([late.state, late.since], [DOWN, made + HOUR]);
    assert.match(late.detail, /^no ping yet \(expected \d\d:\d\d UTC, grace 5 min\)$/);
    await beat.ping();
    assert.is((await beat.judge()).state, UP);
  });

  test('one that is switched off takes pings and is not judged; switched on, it waits anew', async () => {
    const beat = await server.heartbeat({ run_grace_s: 60 }, { enable: false });
    await beat.ping('/start');
    await pass(3 * HOUR);
    const off = await beat.judge();
    assert.equal([off.state, off.next_at], [UNKNOWN, null]);
    await beat.ping('', POST);
    assert.equal(await beat.kinds(), ['start', 'success']);
    await pass(3 * HOUR);
    await beat.ping('/start');
    const { heartbeats, monitors } = server.room;
    const monitor = (await monitors.byId(beat.id)) as Monitor;
    await monitors.change({ ...monitor, enable: true });
    await heartbeats.renew(beat.id);
    const on = await beat.judge();
    assert.equal(
      [on.state, on.since, on.next_at],
      [UNKNOWN, server.now, server.now + HOUR + 300_000],
    );
    assert.equal(await beat.runs(), []);
  });

  test('a repeated start of one run changes nothing, one without an id begins anew; 100 are watched', async () => {
    const beat = await server.heartbeat({ run_grace_s: 600 });
    const rid = randomUUID();
    await beat.ping(`/start?rid=${rid}`);
    await beat.ping('/start');
    const due = server.now + 10 * MINUTE;
    await pass(MINUTE);
    await beat.ping(`/start?rid=${rid}`);
    assert.is((await beat.judge()).next_at, due);
    await beat.ping(`?rid=${rid}`);
    await beat.ping('/start');
    assert.is((await beat.judge()).next_at, due + MINUTE);
    for (let n = 0; n < 110; n++) {
      await pass(1_000);
      assert.is(await beat.ping(`/start?rid=${randomUUID()}`), '200 OK');
    }
    assert.is((await beat.runs()).length, 100);
  });

  test('after a downtime nobody is late before the time is over in which jobs may call again', async () => {
    const [quiet, calls] = [await server.heartbeat(), await server.heartbeat()];
    for (const beat of [quiet, calls]) await beat.ping();
    const came = server.now;
    await pass(3 * HOUR);
    await server.app.restart();
    const until = server.now + 2 * MINUTE;
    const { state, next_at } = await quiet.judge(until);
    assert.equal([state, next_at], [UP, until]);
    await pass(MINUTE);
    await calls.ping();
    await pass(MINUTE);
    const late = await quiet.judge(until);
    assert.equal([late.state, late.since], [DOWN, came + HOUR]);
    assert.is((await calls.judge(until)).state, UP);
  });

  test('a ping that comes while one is judged is not overwritten', async () => {
    const beat = await server.heartbeat();
    await beat.ping();
    await pass(2 * HOUR);
    const { room } = server;
    room.before = async () => {
      assert.is(await beat.ping(), '200 OK');
    };
    const { state, next_at } = await beat.judge();
    assert.equal([state, next_at], [UP, server.now], 'it is looked at again');
    const { last_at, state: stored } = (await beat.state())!;
    assert.equal([stored, last_at], [UP, server.now]);
    assert.is((await beat.judge()).next_at, server.now + HOUR + 300_000);
  });

  test('many are judged at once; one whose settings cannot be read is logged and keeps nobody from it', async () => {
    const { heartbeats, monitors } = server.room;
    const ids: number[] = [];
    for (let n = 0; n < 120; n++)
      ids.push(
        (await server.heartbeat(n === 50 ? { cron: 'never', zone: 'Nowhere/At' } : BERLIN)).id,
      );
    await pass(2 * DAY);
    const judged = await heartbeats.judge(ids, { now: server.now, quietUntil: undefined });
    const states = [...judged.values()].map(({ state }) => state);
    assert.equal([states.length, states.filter((state) => state === DOWN).length], [120, 119]);
    assert.is(judged.get(ids[50] as number)?.next_at, server.now + MINUTE);
    assert.match(
      JSON.stringify(server.app.records()),
      'when a heartbeat is due could not be computed',
    );
    await monitors.remove(ids[0] as number);
  });

  test('pings and their absence are results, with the time that a run took', async () => {
    const beat = await server.heartbeat();
    const start = server.now;
    await beat.ping('/start');
    await pass(90_000);
    await beat.ping('/0');
    await pass(1_000);
    await beat.ping('/2');
    await beat.ping('/log');
    await pass(1_000);
    await beat.ping();
    await pass(2 * HOUR);
    await beat.judge();
    const sql = `select at, state, ms, code from monitor_result where monitor_id = ${beat.id} order by at`;
    const rows = (await server.app.sql(sql)).map((row) => [
      ...[Number(row.at) - start, Number(row.state), row.ms === null ? null : Number(row.ms)],
      row.code === null ? null : Number(row.code),
    ]);
    assert.equal(rows, [
      [90_000, UP, 90_000, 0],
      [91_000, DOWN, null, 2],
      [92_000, UP, null, null],
      [92_000 + HOUR, DOWN, null, null],
    ]);
  });

  test.run();
}

const words = suite('monitor: words of late heartbeats');
for (const [seconds, text] of [
  [0, '0 s'],
  [45, '45 s'],
  [600, '10 min'],
  [5_400, '1 h 30 min'],
  [90_061, '1 d 1 h 1 min 1 s'],
] as const)
  words(`${seconds} s are ${text}`, () => assert.is(lengthOf(seconds), text));
words.run();
