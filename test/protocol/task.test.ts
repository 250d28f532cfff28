// task.md §3, §4.3 to §4.5: who may do what, the order of checks, and the texts of refusals.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
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
  taskToken,
} from './task-kit.ts';
import { FORMAT, WRONG } from './token-kit.ts';

const PING = { ping: 'db1.example.net' };
const MALFORMED = `101 Parse error: Failed to parse token: ${FORMAT}`;

/** [name, permissions, scope, may it create ping for A, or the verb that the denial names] */
// biome-ignore format: one case per line
const creators: [name: string, permissions: any[], scope: unknown, denied?: string][] = [
  ['exactly this', [{ create: 'ping' }, { read: 'ping' }], { agent_uuid: A }],
  ['a pattern', [{ create: 'pi*' }, { read: '*' }], { agent_uuid: A }],
  ['globally', [{ create: 'ping' }, { read: 'ping' }], 'global'],
  ['another agent', [{ create: 'ping' }, { read: 'ping' }], { agent_uuid: B }, 'Create'],
  ['another type', [{ create: 'tcp_ping' }, { read: 'tcp_ping' }], { agent_uuid: A }, 'Create'],
  ['a pattern that is none', [{ create: '*ping' }, { read: '*' }], { agent_uuid: A }, 'Create'],
  ['other verbs', [{ write: '*' }, { read: '*' }, { delete: '*' }, 'listen'], 'global', 'Create'],
  ['nothing', [], 'global', 'Create'],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: rights and errors (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    agent = await readyAgent(app);
  });
  test.after(() => app.stop());
  test.after.each(async () => {
    await app.call('task_delete', [app.superToken, []]);
    // The agent is ready for ten tasks at once again.
    await app.clock.advance(1_000);
  });

  const create = (token: string, type: unknown = PING, uuid = A) =>
    outcome(app.call('task_create_task', [token, uuid, type]));
  const next = async (type: unknown = PING) => {
    const { length } = agent.items;
    await create(app.superToken, type);
    await agent.received(length + 1);
    return agent.items.at(-1)!;
  };

  for (const [name, permissions, scope, denied] of creators) {
    test(`create with a right to ${name} is ${denied ? 'denied' : 'allowed'}`, async () => {
      const token = await taskToken(app, permissions, scope);
      const answer = await create(token);
      if (!denied) assert.type(answer.id, 'number');
      else
        assert.is(
          answer,
          `102 Permission denied: Permission Denied: Missing Task ${denied} permission (ping) for this agent`,
        );
    });
  }

  test('a blocking call needs the right to read as well, and the denial names it', async () => {
    const token = await taskToken(app, [{ create: '*' }, { read: 'tcp_ping' }]);
    const answer = await outcome(app.call('task_create_task_blocking', [token, A, PING, 5]));
    assert.match(answer, /^102 Permission denied: .*Read permission \(ping\)/);
    const other = await taskToken(app, [{ read: '*' }]);
    const first = await outcome(app.call('task_create_task_blocking', [other, A, PING, 5]));
    assert.match(first, /^102 Permission denied: .*Create permission \(ping\)/);
  });

  test('scope and permission of different entries do not add up', async () => {
    const token = await app.token([
      { scopes: [{ agent_uuid: A }], permissions: [{ task: 'listen' }] },
      { scopes: [{ agent_uuid: B }], permissions: [{ task: { create: '*' } }] },
    ]);
    assert.match(await create(token), /^102 /);
  });

  test('an expired and an early token are denied', async () => {
    const now = app.clock.now();
    for (const times of [{ timestamp_to: now - 1 }, { timestamp_from: now + 60_000 }]) {
      const token = await taskToken(app, [{ create: '*' }], 'global', times);
      assert.match(await create(token), /^102 Permission denied: Permission Denied: /);
    }
  });

  test('credentials: malformed 101, wrong 102', async () => {
    for (const method of ['task_create_task', 'task_create_task_blocking']) {
      assert.is(await outcome(app.call(method, ['x', A, PING, 5])), MALFORMED);
      assert.is(await outcome(app.call(method, ['a:b', A, PING, 5])), WRONG);
    }
  });

  test('both forms of parameters, snake and camel case', async () => {
    const token = app.superToken;
    const named = { token, target_uuid: A.toUpperCase(), task_type: PING };
    assert.type((await app.call('task_create_task', named)).id, 'number');
    const camel = { token, targetUuid: `{${A}}`, taskType: PING, timeoutMs: 0 };
    assert.match(await outcome(app.call('task_create_task_blocking', camel)), /^999 /);
  });

  for (const timeout of [undefined, null, -1, 1.5, '5', '18446744073709551616']) {
    test(`timeout_ms ${timeout} is -32602`, async () => {
      const params = [app.superToken, A, PING, timeout];
      assert.match(await outcome(app.call('task_create_task_blocking', params)), /^-32602 /);
    });
  }

  test('an agent that is not connected is 104: no row stays, no agent appears', async () => {
    for (const [method, ...more] of [
      ['task_create_task'],
      ['task_create_task_blocking', 60_000],
    ] as const) {
      const answer = await outcome(app.call(method, [app.superToken, ABSENT, PING, ...more]));
      assert.is(answer, `104 Unable to connect agent: agent ${ABSENT} is not connected`);
    }
    assert.equal(await rows(app, { uuid: ABSENT }), []);
    assert.not((await app.call('agent-uuid_list_all', [app.superToken])).includes(ABSENT));
  });

  test('a task that was handed over lists its agent, or brings it back', async () => {
    const other = await readyAgent(app, B);
    const listed = () => app.call('agent-uuid_list_all', [app.superToken]);
    assert.not((await listed()).includes(B), 'registering alone lists no agent');
    await create(app.superToken, PING, B);
    assert.ok((await listed()).includes(B));
    await app.call('agent-uuid_delete', [app.superToken, B]);
    await create(app.superToken, PING, B);
    assert.ok((await listed()).includes(B));
    other.socket.close();
  });

  test('the frame to the agent is exact, and the token is ten letters and digits', async () => {
    const item = await next({ tcp_ping: 'db1.example.net:5432' });
    const frame = agent.frames.at(-1);
    assert.equal(Object.keys(frame).sort(), ['jsonrpc', 'method', 'params']);
    assert.equal([frame.jsonrpc, frame.method], ['2.0', 'task_register_task']);
    assert.equal(Object.keys(frame.params).sort(), ['result', 'subscription']);
    assert.equal(Object.keys(item).sort(), ['task_event_type', 'task_id', 'task_token']);
    assert.match(item.task_token, /^[A-Za-z0-9]{10}$/);
    assert.equal(item.task_event_type, { tcp_ping: 'db1.example.net:5432' });
  });

  test('the answer of a blocking call is the response, failures included', async () => {
    const answers = [
      { result: RESULTS['ping'], over: {} },
      { result: null, over: { success: false, error_message: 'Other error: no route' } },
      { result: null, over: { success: false, error_message: undefined } },
    ];
    for (const { result, over } of answers) {
      const { length } = agent.items;
      const params = [app.superToken, A, PING, 60_000];
      const waiting = app.call('task_create_task_blocking', params);
      await agent.received(length + 1);
      const item = agent.items.at(-1)!;
      await agent.answer(item, result, over);
      const expected = response(A, item, result, over);
      assert.equal(await waiting, { ...expected, error_message: expected.error_message ?? null });
    }
  });

  // biome-ignore format: one case per line
  const uploaders: [name: string, permissions: any[], scope: unknown, code: number, text: RegExp][] = [
    ['exactly this', [{ write: 'ping' }], { agent_uuid: A }, 0, /./],
    ['a pattern', [{ write: '*' }], 'global', 0, /./],
    ['another type: the row is looked up, then it is denied', [{ write: 'ip' }], { agent_uuid: A }, 102, /Write permission \(ping\)/],
    ['another agent', [{ write: '*' }], { agent_uuid: B }, 102, /Permission Denied: Missing Task Write permission/],
    ['other verbs', [{ create: '*' }, { read: '*' }, { delete: '*' }, 'listen'], 'global', 102, /Permission Denied: Missing Task Write permission/],
  ];
  for (const [name, permissions, scope, code, text] of uploaders) {
    test(`upload with a right to ${name}`, async () => {
      const item = await next();
      const token = await taskToken(app, permissions, scope);
      const upload = (over = {}) =>
        outcome(
          app.call('task_upload_task_result', [token, response(A, item, RESULTS['ping'], over)]),
        );
      const answer = await upload();
      if (code === 0) assert.equal(answer, { id: item.task_id });
      else assert.match(answer, new RegExp(`^${code} Permission denied: `));
      assert.match(JSON.stringify(answer), text);
      const unknown = await upload({ task_id: 999_999 });
      const knows = !/Missing Task Write permission for/.test(answer);
      assert.match(unknown, knows ? /^105 Not found in database: / : /^102 /);
      const [row] = await rows(app, { task_id: item.task_id });
      assert.is(row.success, code === 0 ? true : null);
    });
  }

  test('upload: a malformed credential is 101, a wrong one 102 with the prefix twice', async () => {
    const item = await next();
    const upload = (token: string) =>
      outcome(app.call('task_upload_task_result', [token, response(A, item, RESULTS['ping'])]));
    assert.is(await upload('x'), MALFORMED);
    assert.is(await upload('a:b'), '102 Permission denied: Permission denied: Invalid credentials');
  });

  test('an expired token sees which tasks exist, and cannot answer them', async () => {
    const item = await next();
    const timestamp_to = app.clock.now() - 1;
    const token = await taskToken(app, [{ write: 'ping' }], 'global', { timestamp_to });
    const upload = (over = {}) =>
      outcome(
        app.call('task_upload_task_result', [token, response(A, item, RESULTS['ping'], over)]),
      );
    assert.match(await upload({ task_id: 999_999 }), /^105 /);
    assert.match(await upload(), /^102 .*Write permission \(ping\)/);
  });

  test('upload: another id, agent or token is 105', async () => {
    const item = await next();
    const good = response(A, item, RESULTS['ping']);
    // biome-ignore format: one case per line
    for (const over of [{ task_id: 0 }, { task_id: item.task_id + 1 }, { agent_uuid: B }, { task_token: 'xxxxxxxxxx' }, { task_token: '' }, { task_token: `${item.task_token}\0` }, { task_token: `${item.task_token.toLowerCase()}X` }]) {
      const call = app.call('task_upload_task_result', [app.superToken, { ...good, ...over }]);
      assert.match(await outcome(call), /^105 Not found in database: /, JSON.stringify(over));
    }
    assert.is((await rows(app, { task_id: item.task_id }))[0].success, null);
  });

  test('a result of another type is 108 and the task goes on', async () => {
    const item = await next('ip');
    for (const type of ['ping', 'http_ping', 'execute', 'read_config', 'self_update']) {
      assert.match(await outcome(agent.answer(item, RESULTS[type])), /^108 Invalid input: /);
    }
    assert.is((await rows(app, { task_id: item.task_id }))[0].success, null);
    assert.equal(await agent.answer(item, RESULTS['ip']), { id: item.task_id });
  });

  test('a second upload is 108, from any sender, and changes nothing', async () => {
    const item = await next();
    await agent.answer(item, RESULTS['ping']);
    const answer = await outcome(agent.answer(item, { ping: 1 }, { success: false }));
    assert.match(answer, /^108 Invalid input: .*already been uploaded/);
    const token = await taskToken(app, [{ write: 'ip' }]);
    const other = app.call('task_upload_task_result', [token, response(A, item, { ping: 1 })]);
    assert.match(await outcome(other), /^108 /, 'before the exact right is looked at');
    const [row] = await rows(app, { task_id: item.task_id });
    assert.equal([row.success, row.task_event_result], [true, RESULTS['ping']]);
  });

  test('of many uploads at once exactly one wins', async () => {
    const item = await next();
    const uploads = Array.from({ length: 20 }, (_, n) => outcome(agent.answer(item, { ping: n })));
    const answers = await Promise.all(uploads);
    assert.is(answers.filter((answer) => answer.id === item.task_id).length, 1);
    assert.is(answers.filter((answer) => /^108 /.test(answer)).length, 19);
    const [row] = await rows(app, { task_id: item.task_id });
    assert.is(
      row.task_event_result.ping,
      answers.findIndex((answer) => answer.id),
    );
  });

  test('results come over any connection and over HTTP', async () => {
    const item = await next();
    const upload = response(A, item, RESULTS['ping']);
    assert.equal(await app.call('task_upload_task_result', [app.superToken, upload]), {
      id: item.task_id,
    });
    const second = await next();
    const later = await simAgent(app);
    assert.equal(await later.answer(second, RESULTS['ping']), { id: second.task_id });
    later.socket.close();
  });

  test('the token of a task is never in a query', async () => {
    const item = await next();
    assert.not(JSON.stringify(await rows(app)).includes(item.task_token));
  });

  test.run();
}
