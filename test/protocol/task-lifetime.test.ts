// task.md §1, §4.4, §5, §6, §7 and crontab.md §3.1: waiting callers, tasks that get lost, restarts, large results, and jobs.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { normaliseTaskType, type TaskOutcome, Tasks } from '@svc/plugin-task/api';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  A,
  ABSENT,
  B,
  outcome,
  PLUGINS,
  RESULTS,
  readyAgent,
  response,
  rows,
  type SimAgent,
  simAgent,
  timerOf,
} from './task-kit.ts';
import { eventually } from './token-kit.ts';

const MINUTE = 60_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: lifetime (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  test.before(async () => {
    // A stop that waited for the calls of these tests would take the whole minute.
    const config = { max_request_body_size: 100_000, shutdown_timeout_ms: MINUTE };
    app = await bootForTest(PLUGINS, config, { dialect, clock: true });
  });
  test.before.each(async () => {
    agent = await readyAgent(app);
  });
  test.after.each(async () => {
    agent.socket.close();
    await app.call('task_delete', [app.superToken, []]);
  });
  test.after(() => app.stop());

  const create = (type: unknown = 'ip', uuid = A): Promise<any> =>
    outcome(app.call('task_create_task', [app.superToken, uuid, type]));
  const block = (timeout_ms: number): Promise<any> =>
    outcome(app.call('task_create_task_blocking', [app.superToken, A, 'ip', timeout_ms]));
  /** Sends a blocking call. @returns its answer, and the task once the agent has it and the call waits */
  const blocked = async (timeout_ms: number) => {
    const { length } = agent.items;
    const waits = timerOf(app, timeout_ms);
    const answer = block(timeout_ms);
    await waits;
    await agent.received(length + 1);
    return { answer, item: agent.items.at(-1)! };
  };

  // biome-ignore format: one case per line
  const timeouts: [requested: number, waited: number][] = [[1, 1], [5_000, 5_000], [300_000, 300_000]];
  for (const [requested, waited] of timeouts) {
    test(`a blocking call of ${requested} ms ends after ${waited} ms, and the task goes on`, async () => {
      const { answer, item } = await blocked(requested);
      let ended = false;
      const done = answer.then(() => {
        ended = true;
      });
      await app.clock.advance(waited - 1);
      assert.is(ended, false);
      await app.clock.advance(1);
      await done;
      const text = `999 Other error: Task ${item.task_id} timed out after ${requested}ms`;
      assert.is(await answer, text);
      assert.is((await rows(app, { task_id: item.task_id }))[0].success, null);
    });
  }

  test('a wait beyond 300,000 ms is cut to that, and the text names what was asked for', async () => {
    for (const requested of ['300001', '10000000000000000', '18446744073709551615']) {
      const { length } = agent.items;
      const body = `{"jsonrpc":"2.0","id":1,"method":"task_create_task_blocking","params":["${app.superToken}","${A}","ip",${requested}]}`;
      const headers = { 'content-type': 'application/json' };
      const waits = timerOf(app, 300_000);
      const answer = app.fetch('/', { method: 'POST', headers, body });
      await waits;
      await agent.received(length + 1);
      const { task_id } = agent.items.at(-1)!;
      await app.clock.advance(300_000);
      const { error } = (await (await answer).json()) as any;
      assert.is(error.message, `Other error: Task ${task_id} timed out after ${requested}ms`);
      agent.socket.close();
      agent = await readyAgent(app);
    }
  });

  test('0 ms times out at once; the task was sent all the same', async () => {
    assert.match(await block(0), /^999 Other error: Task \d+ timed out after 0ms$/);
    const [item] = await agent.received(1);
    assert.equal(await agent.answer(item!, RESULTS['ip']), { id: item!.task_id });
  });

  test('a deletion ends the blocking call', async () => {
    const { answer, item } = await blocked(MINUTE);
    await app.call('task_delete', [app.superToken, [{ task_id: item.task_id }]]);
    assert.match(await answer, /^105 Not found in database: /);
    assert.match(await outcome(agent.answer(item, RESULTS['ip'])), /^105 /);
  });

  test('a blocking call ends when its caller goes, on WebSocket and HTTP', async () => {
    let ended = 0;
    (app.kernel as any).hooks.settled.tap('test', ({ method }: { method: string }) => {
      if (method === 'task_create_task_blocking') ended++;
    });
    const caller = await app.connect();
    caller.call('task_create_task_blocking', [app.superToken, A, 'ip', MINUTE]).catch(() => {});
    await agent.received(1);
    const abort = new AbortController();
    const params = [app.superToken, A, 'ip', MINUTE];
    const body = { jsonrpc: '2.0', id: 1, method: 'task_create_task_blocking', params };
    const post = app.fetch('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: abort.signal,
    });
    post.catch(() => {});
    await agent.received(2);
    assert.is(ended, 0);
    caller.close();
    await eventually(() => assert.is(ended, 1));
    abort.abort();
    await eventually(() => assert.is(ended, 2));
    assert.is((await rows(app, 'is_running')).length, 2, 'the tasks go on');
  });

  test('a task without result fails after 15 minutes, visibly; terminals go on', async () => {
    const shell = { url: 'ws://h/auto_gen', terminal_id: A };
    const { id } = await create();
    const { id: terminal } = await create({ web_shell: shell });
    await agent.received(2);
    const [item] = agent.items;
    const born = app.clock.now();
    agent.socket.close();
    await app.clock.advance(15 * MINUTE - 1);
    await eventually(async () => assert.is((await rows(app, 'is_running')).length, 2));
    await eventually(async () => {
      // The look of one minute may still be at work in the next.
      await app.clock.advance(MINUTE);
      assert.is((await rows(app, 'is_failure')).length, 1);
    });
    const [row] = await rows(app, { task_id: id });
    assert.is(row.success, false);
    assert.ok(row.timestamp >= born + 15 * MINUTE && row.timestamp <= app.clock.now());
    assert.match(row.error_message, /No result .* 900000 ms/);
    assert.is((await rows(app, { task_id: terminal }))[0].success, null);
    const late = app.call('task_upload_task_result', [
      app.superToken,
      response(A, item!, RESULTS['ip']),
    ]);
    assert.match(await outcome(late), /^108 /);
  });

  test('a result larger than a request may be arrives over the connection of a registered agent', async () => {
    await create({ execute: { cmd: 'x', args: [] } });
    const [item] = await agent.received(1);
    const result = { execute: 'x'.repeat(1_000_000) };
    assert.equal(await agent.answer(item!, result), { id: item!.task_id });
    assert.equal((await rows(app, { task_id: item!.task_id }))[0].task_event_result, result);
    const stranger = await simAgent(app);
    stranger.answer(item!, result).catch(() => {});
    assert.is((await stranger.socket.closed).code, 1009);
  });

  test('a job gets one task for each agent, duplicates included, and learns what became of them', async () => {
    const other = await readyAgent(app, B);
    const run = async (agents: string[], type: any): Promise<TaskOutcome[]> => {
      const order = { agents, cronSource: 'edge latency', run: 1 };
      return Promise.all(await tasksOf(app).createMany(order, normaliseTaskType(type)));
    };
    const outcomes = await run([A, ABSENT, B, A], { ping: 'x' });
    assert.equal(
      outcomes.map(({ uuid, id }) => [uuid, typeof id]),
      [
        [A, 'number'],
        [ABSENT, 'undefined'],
        [B, 'number'],
        [A, 'number'],
      ],
    );
    assert.is(outcomes[1]!.failure, `agent ${ABSENT} is not connected`);
    await agent.received(2);
    const [item] = await other.received(1);
    assert.is(item!.task_id, outcomes[2]!.id);
    const ids = new Set(agent.items.map(({ task_id }) => task_id));
    assert.equal(ids, new Set([outcomes[0]!.id, outcomes[3]!.id]));
    const found = await rows(app, { cron_source: 'edge latency' });
    assert.equal(new Set(found.map((row) => row.task_id)), new Set([...ids, item!.task_id]));
    assert.equal(await run([], 'ip'), []);
    const listed = await app.call('agent-uuid_list_all', [app.superToken]);
    assert.not(listed.includes(ABSENT));
    other.socket.close();
  });

  test('a job for 1,200 agents stores all of them under ids of their own', async () => {
    const agents = Array.from({ length: 1_200 }, (_, n) => `${ABSENT.slice(0, -4)}${n + 1_000}`);
    agents[700] = A;
    const order = { agents, cronSource: 'many', run: 1 };
    const outcomes = await Promise.all(
      await tasksOf(app).createMany(order, normaliseTaskType('ip')),
    );
    assert.is(outcomes.filter(({ failure }) => failure).length, 1_199);
    const [item] = await agent.received(1);
    assert.is(outcomes[700]!.id, item!.task_id);
    assert.is((await rows(app, { cron_source: 'many' })).length, 1);
  });

  test('a restart between task and result: the row runs on, and a later connection answers', async () => {
    await create();
    const [item] = await agent.received(1);
    await app.restart();
    assert.is((await rows(app, { task_id: item!.task_id }))[0].success, null);
    assert.match(await create(), /^104 .*is not connected$/, 'sessions do not survive');
    const later = await simAgent(app);
    assert.equal(await later.answer(item!, RESULTS['ip']), { id: item!.task_id });
    assert.match(await outcome(later.answer(item!, RESULTS['ip'])), /^108 /);
    await later.register();
    await app.clock.advance(1_500);
    const { id } = await create();
    assert.ok(id > item!.task_id);
    await later.received(1);
    later.socket.close();
  });

  test('a stop fails what was never sent, and does not wait for refusals and blocking calls', async () => {
    const fresh = await simAgent(app, B);
    await fresh.register();
    const unsent = await create('ip', B);
    const waiting = block(MINUTE);
    const waits = timerOf(app, 4_000);
    const refused = outcome(fresh.socket.call('task_register_task', ['a:b', B]));
    await waits;
    await agent.received(1);
    const begun = Date.now();
    await app.restart();
    assert.ok(Date.now() - begun < MINUTE / 2);
    assert.match(await waiting, /^999 /);
    assert.match(await refused, /^102 /);
    const [row] = await rows(app, { task_id: unsent.id });
    assert.is(row.success, false);
    assert.match(row.error_message, /was not sent/);
  });

  test.run();
}

const tasksOf = (app: TestApp): Tasks => (app.kernel as any).service(Tasks);
