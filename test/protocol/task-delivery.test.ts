// task.md §4.1 to §4.4, §5; clients.md §2.4, §2.5, §8: registration, and when which task is sent to whom.

import { definePlugin, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { normaliseTaskType, Tasks } from '@svc/plugin-task/api';
import * as assert from 'uvu/assert';
import { report } from '../process/reports.ts';
import { suite } from '../runner/suite.ts';
import {
  A,
  answerAll,
  B,
  outcome,
  PLUGINS,
  RESULTS,
  readyAgent,
  rows,
  type SimAgent,
  simAgent,
  taskToken,
  timerOf,
} from './task-kit.ts';
import { eventually, FORMAT } from './token-kit.ts';

const BURST = 10;
const INTERVAL_MS = 30;

/** Its method counts its caller's connection once the server has noticed that it ended. */
function endsCounter() {
  let ends = 0;
  const plugin = definePlugin({
    name: 'ends',
    version: '1.0.0',
    namespaces: ['ends'],
    setup({ hooks }) {
      hooks.methods.tap((methods) =>
        methods.add('ends_count', {
          summary: 'Counts the end of this connection.',
          params: {},
          result: Type.Null(),
          access: 'public',
          handle(_params, { peer }) {
            peer?.closed.addEventListener('abort', () => ends++);
            return null;
          },
        }),
      );
    },
  });
  return { plugin, ends: () => ends };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: delivery (${dialect})`);
  let app: TestApp;
  let open: SimAgent[] = [];
  /** Connections whose end the server has noticed. */
  let noticed: () => number;
  /** Connections of the tests before. */
  let over = 0;
  test.before(async () => {
    const { plugin, ends } = endsCounter();
    app = await bootForTest([...PLUGINS, 'agent', plugin], {}, { dialect, clock: true });
    noticed = ends;
  });
  test.after(() => app.stop());
  test.after.each(async () => {
    for (const { socket } of open) socket.close();
    await Promise.all(open.map(({ socket }) => socket.closed));
    over += open.length;
    open = [];
    await eventually(() => assert.is(noticed(), over));
    await eventually(async () => assert.match(await create(), /is not connected/));
    await app.call('task_delete', [app.superToken, []]);
  });

  const create = (type: unknown = 'ip', uuid = A): Promise<any> =>
    outcome(app.call('task_create_task', [app.superToken, uuid, type]));
  const createMany = async (count: number, from = 0) => {
    const made: any[] = [];
    while (made.length < count) {
      // So many at once are answered in time on a busy machine too.
      const length = Math.min(300, count - made.length);
      const first = from + made.length;
      made.push(
        ...(await Promise.all(Array.from({ length }, (_, n) => create({ ping: `${first + n}` })))),
      );
    }
    return made;
  };
  const agentOf = async (ready: boolean, uuid = A) => {
    const agent = await (ready ? readyAgent(app, uuid) : simAgent(app, uuid));
    open.push(agent);
    await agent.socket.call('ends_count');
    return agent;
  };
  /** Everything the server has to say by now has arrived when the answer to one more call is there. */
  const settled = async (agent: SimAgent) => {
    await agent.socket.call('svc-missing_method', []).catch(() => {});
    await agent.socket.call('svc-missing_method', []).catch(() => {});
  };
  const names = (agent: SimAgent) => agent.items.map((item) => item.task_event_type.ping);

  test('the acknowledgement comes first, then after 1.5 s what was created meanwhile', async () => {
    const agent = await agentOf(false);
    agent.socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'task_register_task',
        params: [app.superToken, A],
      }),
    );
    await eventually(() => assert.is(agent.frames.length, 1));
    const [ack] = agent.frames;
    assert.equal([ack.id, typeof ack.result, ack.error], [1, 'number', undefined]);
    assert.type((await create()).id, 'number', 'accepted at once');
    await app.clock.advance(1_499);
    await settled(agent);
    assert.is(agent.items.length, 0);
    await app.clock.advance(1);
    await agent.received(1);
    assert.is(agent.frames[1].params.subscription, ack.result);
  });

  test('tasks that were created while it is not written yet come after the acknowledgement', async () => {
    const agent = await agentOf(true);
    await createMany(40);
    await agent.received(BURST);
    const before = agent.frames.length;
    const again = {
      jsonrpc: '2.0',
      id: 1,
      method: 'task_register_task',
      params: [app.superToken, A],
    };
    agent.socket.send(JSON.stringify(again));
    const creating = createMany(5, 40);
    await eventually(() => assert.ok(agent.frames.length > before));
    assert.is(agent.frames[before].id, 1);
    await creating;
  });

  test('a registration again on the same connection sends at once, under the new id, and loses nothing', async () => {
    const agent = await agentOf(true);
    const first = agent.socket;
    const ids = new Set<number>();
    for (let round = 0; round < 3; round++) {
      ids.add(await agent.register());
      await Promise.all([createMany(3, round * 3), agent.register().then((id) => ids.add(id))]);
    }
    await agent.received(9);
    assert.equal(
      [...new Set(names(agent))].sort(),
      Array.from({ length: 9 }, (_, n) => `${n}`),
    );
    assert.is(agent.items.length, 9, 'none came twice');
    assert.is(ids.size, 6);
    for (const id of [...ids].slice(0, -1)) {
      assert.is(await first.call('task_unregister_task', [id]), false);
    }
  });

  test('re-registration every minute for hours keeps the number of subscriptions at one', async () => {
    const agent = await agentOf(true);
    for (let minute = 0; minute < 1_100; minute++) await agent.register();
    assert.type((await create()).id, 'number');
    await agent.received(1);
  });

  test('another connection takes over at once; what waited goes to it, after its hold', async () => {
    const old = await agentOf(true);
    const firstId = await old.register();
    for (let n = 0; n < BURST + 8; n++) await create({ ping: `${n}` });
    await old.received(BURST);
    const next = await agentOf(false);
    await next.register();
    assert.is(await old.socket.call('task_unregister_task', [firstId]), false);
    await create({ ping: `${BURST + 8}` });
    await settled(next);
    assert.is(next.items.length, 0);
    await app.clock.advance(1_500);
    await next.received(9);
    assert.equal(
      names(next),
      Array.from({ length: 9 }, (_, n) => `${BURST + n}`),
    );
    assert.is(old.items.length, BURST);
    old.socket.close();
    await old.socket.closed;
    assert.type(
      (await create()).id,
      'number',
      "the old connection's end does not end the new session",
    );
  });

  /** Time goes on until the agent has so many tasks, 30 ms at a time. */
  const paced = async (agent: SimAgent, count: number) => {
    while (agent.items.length < count) {
      await app.clock.advance(INTERVAL_MS);
      await settled(agent);
    }
  };

  test('ten go at once, then one each 30 ms, answered or not, in order', async () => {
    const agent = await agentOf(true);
    for (let n = 0; n < BURST + 10; n++) await create({ ping: `${n}` });
    await agent.received(BURST);
    for (let n = 0; n < 10; n++) {
      await app.clock.advance(INTERVAL_MS - 1);
      await settled(agent);
      assert.is(agent.items.length, BURST + n);
      await app.clock.advance(1);
      await agent.received(BURST + n + 1);
    }
    assert.equal(
      names(agent),
      Array.from({ length: BURST + 10 }, (_, n) => `${n}`),
    );
  });

  test('the answer to an upload is a message to the agent, too', async () => {
    const agent = await agentOf(true);
    await createMany(BURST + 2);
    await agent.received(BURST);
    for (const item of agent.items.slice(0, 3)) await agent.answer(item, RESULTS['ping']);
    await app.clock.advance(4 * INTERVAL_MS - 1);
    await settled(agent);
    assert.is(agent.items.length, BURST);
    await app.clock.advance(1);
    await agent.received(BURST + 1);
  });

  test('the answer to an upload over another connection is no message to the agent', async () => {
    const agent = await agentOf(true);
    await createMany(BURST + 1);
    await agent.received(BURST);
    const other = await agentOf(false);
    for (const item of agent.items.slice(0, 3)) await other.answer(item, RESULTS['ping']);
    await app.clock.advance(INTERVAL_MS);
    await agent.received(BURST + 1);
  });

  test('the answer to an upload that is refused is a message, too', async () => {
    const agent = await agentOf(true);
    await createMany(BURST + 1);
    const [item] = await agent.received(BURST);
    await agent.answer(item!, RESULTS['ping']);
    assert.match(await outcome(agent.answer(item!, RESULTS['ping'])), /^108 .*already been/);
    await app.clock.advance(3 * INTERVAL_MS - 1);
    await settled(agent);
    assert.is(agent.items.length, BURST);
    await app.clock.advance(1);
    await agent.received(BURST + 1);
  });

  test('what somebody waits for goes first, what jobs made comes last', async () => {
    const agent = await agentOf(true);
    await createMany(BURST);
    await agent.received(BURST);
    const shell = { web_shell: { url: 'ws://localhost/auto_gen', terminal_id: B } };
    const tasks: Tasks = (app.kernel as any).service(Tasks);
    const order = { agents: [A], cronSource: 'job', run: 1 };
    for (const outcome of await tasks.createMany(order, normaliseTaskType({ ping: 'job' })))
      assert.is((await outcome).failure, undefined);
    await create({ ping: 'usual' });
    for (const type of ['version', 'read_config', { edit_config: '' }, shell]) await create(type);
    const blocking = app.call('task_create_task_blocking', [app.superToken, A, 'ip', 1_000]);
    await eventually(async () => assert.is((await rows(app)).length, BURST + 7));
    await paced(agent, BURST + 7);
    const kinds = agent.items.slice(BURST).map((item) => item.task_event_type);
    assert.equal(kinds, [
      'version',
      'read_config',
      { edit_config: '' },
      shell,
      'ip',
      { ping: 'usual' },
      { ping: 'job' },
    ]);
    await agent.answer(agent.items[BURST + 4]!, RESULTS['ip']);
    assert.is((await blocking).success, true);
  });

  test('a deleted task that waits is not sent', async () => {
    const agent = await agentOf(true);
    await createMany(BURST);
    const { id } = await create({ ping: 'deleted' });
    await create({ ping: 'kept' });
    await app.call('task_delete', [app.superToken, [{ task_id: id }]]);
    await paced(agent, BURST + 1);
    assert.equal(names(agent).slice(BURST), ['kept']);
  });

  test('300 tasks at once to an agent that answers: 300 results, each once', async () => {
    const agent = await agentOf(true);
    answerAll(agent);
    await createMany(300);
    await paced(agent, 300);
    await eventually(async () => assert.is((await rows(app, 'is_success')).length, 300));
    assert.is(new Set(names(agent)).size, 300);
    assert.equal(
      agent.frames.filter(({ failed }) => failed),
      [],
    );
  });

  test('an agent that does not read makes callers wait a few seconds, then 104 and no row', async () => {
    const agent = await agentOf(true);
    agent.socket.raw.pause();
    const body = 'x'.repeat(3 * 1024 * 1024);
    const large = { http_request: { url: 'http://localhost/', method: 'POST', body } };
    let waits = timerOf(app, 5_000);
    let accepted = 0;
    let late = create(large);
    while (await Promise.race([late.then(() => true), waits.then(() => false)])) {
      accepted++;
      late = create(large);
    }
    await app.clock.advance(5_000);
    assert.match(await late, /^104 Unable to connect agent: .*does not take its tasks/);
    assert.is((await rows(app)).length, accepted);
    waits = timerOf(app, 5_000);
    const lucky = create(large);
    await waits;
    agent.socket.raw.resume();
    assert.type((await lucky).id, 'number');
  });

  test('the first task after a disconnect, an unregistration and a revocation is 104', async () => {
    const token = await taskToken(app, ['listen']);
    const ends: [string, (agent: SimAgent, id: number) => unknown][] = [
      ['close', ({ socket }) => socket.raw.close()],
      ['cut', ({ socket }) => socket.raw.terminate()],
      ['unregister', ({ socket }, id) => socket.call('task_unregister_task', [id])],
      ['revoke', () => app.call('token_delete', [app.superToken, token.slice(0, 16)])],
    ];
    for (const [name, end] of ends) {
      const agent = await simAgent(app, A, name === 'revoke' ? token : undefined);
      open.push(agent);
      await agent.socket.call('ends_count');
      const id = await agent.register();
      const before = noticed();
      await end(agent, id);
      if (name === 'close' || name === 'cut') {
        await eventually(() => assert.is(noticed(), before + 1));
      }
      assert.match(await create(), /^104 .*is not connected$/, name);
      agent.socket.close();
    }
    assert.equal(await rows(app), []);
  });

  test('tasks that were never sent fail visibly when the connection ends, and their callers hear of it', async () => {
    const agent = await agentOf(false);
    await agent.register();
    const params = [app.superToken, A, 'ip', 60_000];
    const waiting = app.call('task_create_task_blocking', params);
    await eventually(async () => assert.is((await rows(app)).length, 1));
    const { id } = await create();
    agent.socket.close();
    const answer = await waiting;
    assert.equal([answer.success, answer.task_event_result, answer.agent_uuid], [false, null, A]);
    assert.match(answer.error_message, /was not sent/);
    await eventually(async () => {
      const [row] = await rows(app, { task_id: id });
      assert.equal([row.success, row.timestamp], [false, app.clock.now()]);
      assert.match(row.error_message, /was not sent/);
    });
  });

  test('tasks that were sent stay running when the connection ends; the next one may answer', async () => {
    const agent = await agentOf(true);
    await create();
    const [item] = await agent.received(1);
    agent.socket.close();
    await agent.socket.closed;
    const next = await agentOf(true);
    await settled(next);
    assert.is(next.items.length, 0, 'not sent twice');
    assert.is((await rows(app))[0].success, null);
    assert.equal(await next.answer(item!, RESULTS['ip']), { id: item!.task_id });
  });

  test('several agents on one connection', async () => {
    const agent = await agentOf(true);
    await agent.socket.call('task_register_task', [app.superToken, B]);
    await create({ ping: 'b' }, B);
    await settled(agent);
    assert.is(agent.items.length, 0, 'a fresh registration of another agent is held');
    await create({ ping: 'a' });
    await agent.received(1);
    await app.clock.advance(1_500);
    await agent.received(2);
    assert.equal(names(agent), ['a', 'b']);
  });

  test('104 tells an agent whose tasks are switched off from one that is offline', async () => {
    const refusal = (method: string, ...more: unknown[]) =>
      app.call(method, [app.superToken, B, 'ip', ...more]).then(
        () => 'accepted',
        ({ code, data }) => [code, data],
      );
    const says = async (data: string) => {
      assert.equal(await refusal('task_create_task'), [104, data]);
      assert.equal(await refusal('task_create_task_blocking', 60_000), [104, data]);
    };
    let time = 1_781_000_000_000;
    const reports = () =>
      app.call('agent_report_dynamic_summary', [app.superToken, report('summary', B, time++)]);
    await says('offline');
    // The registrations of the tests before have ended a while ago.
    await app.clock.advance(2_000);
    await reports();
    await says('tasks are switched off on this agent');
    await app.clock.advance(30_000);
    await says('offline');
    const agent = await agentOf(true, B);
    await reports();
    agent.socket.close();
    await agent.socket.closed;
    await eventually(() => says('offline'));
    await app.clock.advance(2_000);
    await reports();
    await says('tasks are switched off on this agent');
  });

  // biome-ignore format: one case per line
  const refusals: [name: string, token: () => string | Promise<string>, expected: string][] = [
    ['a malformed credential', () => 'x', `101 Token Parse Error: ${FORMAT}`],
    ['a wrong credential', () => 'a:b', '102 Permission denied: Invalid credentials'],
    ['no right', () => taskToken(app, [{ write: '*' }]), '102 Permission Denied: Missing Task Listen permission for this agent'],
    ['a right for another agent', () => taskToken(app, ['listen'], { agent_uuid: B }), '102 Permission Denied: Missing Task Listen permission for this agent'],
    ['an expired token', () => taskToken(app, ['listen'], 'global', { timestamp_to: 1 }), '102 Permission Denied: Missing Task Listen permission for this agent'],
  ];
  for (const [name, token, expected] of refusals) {
    test(`${name} is refused after 4 s, with a bare text`, async () => {
      const agent = await agentOf(false);
      let answer: unknown;
      const given = await token();
      const waits = timerOf(app, 4_000);
      const call = outcome(agent.socket.call('task_register_task', [given, A]));
      const done = call.then((value) => {
        answer = value;
      });
      await waits;
      await app.clock.advance(3_999);
      await settled(agent);
      assert.is(answer, undefined);
      await app.clock.advance(1);
      await done;
      assert.is(answer, expected);
    });
  }

  test('over HTTP it is -32603 at once; bad parameters are -32602 at once', async () => {
    const method = 'task_register_task';
    for (const token of [app.superToken, 'a:b']) {
      assert.is(await outcome(app.call(method, [token, A])), '-32603 Internal error');
    }
    assert.is(await outcome(app.call('task_unregister_task', [1])), '-32603 Internal error');
    const agent = await agentOf(false);
    for (const params of [
      [],
      [app.superToken],
      [app.superToken, 'x'],
      [1, A],
      [app.superToken, null],
    ]) {
      assert.match(await outcome(agent.socket.call(method, params)), /^-32602 /);
    }
  });

  test.run();
}
