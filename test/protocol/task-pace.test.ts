// proof: 40
// task.md §4.3, clients.md §8: an agent that is slow loses no task, and tasks that wait for their answer delay no others.

import type { Peer } from '@svc/plugin-sdk/http';
import { RawJson } from '@svc/plugin-sdk/json';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { AgentLine } from '../../plugins/task/src/agent-line.ts';
import { fakeClock } from '../../server/src/testing/fake-clock.ts';
import { sharedPostgres } from '../postgres.ts';
import { report } from '../process/reports.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { agents, type Crontab, crontab } from './crontab-kit.ts';
import {
  A,
  outcome,
  PLUGINS,
  readThroughRing,
  readyAgent,
  rows,
  type SimAgent,
  type SlowAgent,
} from './task-kit.ts';
import { eventually } from './token-kit.ts';

/** The agent takes one message in so many ms. */
const TAKES_MS = 25;
/** What others may cost a blocking call. */
const DELAY_MS = 100;
const BURST = 300;
const BURSTS = loop(1, 5);

const ECHO = { execute: { cmd: 'echo', args: ['1'] } };
const PING = { ping: 'localhost' };
const SLEEP = { execute: { cmd: 'sleep', args: ['600'] } };
const EVERY_MINUTE = '0 * * * * *';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: pace (${dialect})`);
  let app: TestApp;
  let cron: Crontab;
  let agent: SimAgent;
  let slow: SlowAgent;
  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'agent', 'crontab'], {}, { dialect, clock: true });
    cron = crontab(app, app.superToken);
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    agent = await readyAgent(app);
    const params = [app.superToken, report('summary', A, app.clock.now())];
    slow = readThroughRing(agent, () => agent.socket.call('agent_report_dynamic_summary', params));
  });
  test.after.each(async () => {
    for (const { name } of await cron.get()) await cron.remove(name);
    agent.socket.close();
    await eventually(async () => assert.match(await create(ECHO), /is not connected/));
    await app.call('task_delete', [app.superToken, []]);
  });

  const create = (type: unknown): Promise<any> =>
    outcome(app.call('task_create_task', [app.superToken, A, type]));
  const createMany = (count: number, type: unknown) =>
    Promise.all(Array.from({ length: count }, () => create(type)));
  const stored = async () => (await rows(app, 'is_success', { limit: 10_000 })).length;
  /** Time goes on by one message of the agent; what the server has to say by then has arrived. */
  const pass = async () => {
    await app.clock.advance(TAKES_MS);
    await agent.socket.call('svc-missing_method', []).catch(() => {});
    slow.take();
  };
  const passUntil = async (isReached: () => boolean) => {
    while (!isReached()) await pass();
  };
  /** The agent has taken what was sent, and the server knows that it is ready for ten at once again. */
  const idle = async () => {
    for (let n = 0; n < 40; n++) await pass();
  };
  const burst = async () => {
    const done = slow.answered + slow.lost + BURST;
    await createMany(BURST, ECHO);
    await passUntil(() => slow.answered + slow.lost >= done);
  };
  /** @returns ms of the agent's time until it has taken the task of a blocking call, which needs no time of the server */
  const blocking = async (): Promise<number> => {
    const { length } = agent.items;
    const call = app.call('task_create_task_blocking', [app.superToken, A, 'ip', 60_000]);
    const [task] = (await agent.received(length + 1)).slice(length);
    const turns = slow.before.get(task!.task_id)! + 1;
    const answered = slow.answered + 1;
    for (let n = 0; n < turns; n++) slow.take();
    assert.is((await call).success, true);
    await eventually(() => assert.is(slow.answered, answered));
    return turns * TAKES_MS;
  };
  /** A job's task comes at its second, no time later. */
  const jobOnTime = async () => {
    const name = 'each minute';
    await cron.create(name, EVERY_MINUTE, agents([A], { tcp_ping: 'localhost:1' }));
    const { length } = agent.items;
    await app.clock.advance(60_000 - (app.clock.now() % 60_000));
    const [task] = (await agent.received(length + 1)).slice(length);
    assert.equal(task!.task_event_type, { tcp_ping: 'localhost:1' });
    const [record] = await cron.records(name, 1);
    assert.equal([record.run_time, record.success], [app.clock.now(), true]);
    await cron.remove(name);
    await cron.erase();
  };

  test(`${BURSTS} × ${BURST} tasks lose none, and beside 10, 25 and 200 that run or are never answered a blocking task is answered soon and a job is on time`, async () => {
    await idle();
    const alone_ms = await blocking();
    for (let round = 1; round <= BURSTS; round++) {
      await burst();
      assert.equal([slow.lost, await stored()], [0, round * BURST + 1]);
    }
    for (const [type, count] of [PING, SLEEP].flatMap((of) => [10, 25, 200].map((n) => [of, n]))) {
      const taken = slow.taken.length + Number(count);
      await createMany(Number(count), type);
      await passUntil(() => slow.taken.length >= taken);
      await idle();
      const beside_ms = await blocking();
      const case_ = `${count} × ${JSON.stringify(type)}`;
      assert.ok(beside_ms <= alone_ms + DELAY_MS, `${case_}: ${beside_ms} ms, alone ${alone_ms}`);
      await idle();
      await jobOnTime();
      await idle();
    }
    await burst();
    assert.is(slow.lost, 0);
  });

  test('a blocking call does not wait for 200 tasks that were just created, only for what the agent has before it', async () => {
    await createMany(200, PING);
    await agent.received(10);
    const call = app.call('task_create_task_blocking', [app.superToken, A, 'ip', 60_000]);
    await eventually(async () => assert.is((await rows(app)).length, 201));
    await pass();
    await pass();
    assert.is(agent.items.at(-1)?.task_event_type, 'ip');
    assert.is(agent.items.length, 11);
    await passUntil(() => slow.answered > 0);
    assert.is((await call).success, true);
  });

  if (dialect === 'postgres')
    test('while the database holds results up, no more tasks go than the agent has room for their answers', async () => {
      const [named] = await app.sql('select current_database() as name');
      const url = new URL(sharedPostgres());
      url.pathname = `/${named!['name']}`;
      const beside = new pg.Client({ connectionString: String(url) });
      await beside.connect();
      try {
        await createMany(100, ECHO);
        await beside.query('begin');
        await beside.query('lock table task in exclusive mode');
        for (let n = 0; n < 100; n++) await pass();
        assert.ok(agent.items.length <= 2 * 10, `${agent.items.length} came`);
        await beside.query('commit');
      } finally {
        await beside.end();
      }
      await passUntil(() => slow.answered + slow.lost >= 100);
      assert.equal([slow.lost, await stored()], [0, 100]);
    });

  test.run();
}

const line = suite('task: pace of a line');
line(
  'a task goes when the answers have gone that it waited for, however many were owed',
  async () => {
    const clock = fakeClock();
    const written: unknown[] = [];
    const push = Object.assign((item: unknown) => written.push(item) > 0, {
      ...{ end() {}, buffered: () => 0, isCongested: () => false },
    });
    const way = new AgentLine(clock, (delivery) => way.remove(delivery));
    const peer = { drained: () => new Promise(() => {}) } as unknown as Peer;
    way.register({ peer, push: push as never, isFirst: false, previous: 0 });
    const answers = Array.from({ length: 300 }, () => way.oweAnswer());
    way.enqueue({ item: new RawJson('{}'), turn: 'usual' } as never);
    way.pump();
    await clock.advance(100);
    assert.is(written.length, 0);
    for (const answered of answers) answered();
    await clock.advance(1_000);
    assert.is(written.length, 1);
  },
);
line.run();
