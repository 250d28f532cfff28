// Agents of other make: they report and take tasks, and do not register for monitors (plugins/monitor/src/agents/task-checks.ts).
import type { TestApp, TestSocket } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bootWithAgents, machine } from './agents-kit.ts';
import { call, create, get, MINUTE, passes, SECOND } from './kit.ts';

type Answer = (type: any) => { readonly result?: unknown; readonly error?: string };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: agents that take tasks (${dialect})`);
  let app: TestApp;
  let uuid: string;
  let socket: TestSocket;
  let answer: Answer = () => ({ error: 'Other error: nothing' });
  const asked: any[] = [];
  let serial = 0;
  let name: string;

  test.before(async () => {
    app = await bootWithAgents(dialect);
    await passes(app, 130 * SECOND);
    uuid = await machine(app);
    socket = await app.connect();
    socket.raw.on('message', (data: Buffer) => {
      const task = JSON.parse(data.toString()).params?.result;
      if (!task?.task_id) return;
      asked.push(task.task_event_type);
      const { result = null, error = null } = answer(task.task_event_type);
      const { task_id, task_token } = task;
      const response = {
        ...{ agent_uuid: uuid, task_id, task_token, timestamp: app.clock.now() },
        ...{ success: error === null, error_message: error, task_event_result: result },
      };
      void app.call('task_upload_task_result', [app.superToken, response]);
    });
    await socket.call('task_register_task', { token: app.superToken, uuid });
  });
  test.after(async () => {
    socket.close();
    await app.stop();
  });
  test.before.each(async () => {
    name = `t${serial++}`;
    asked.length = 0;
    // It goes on to report.
    await machine(app, uuid);
  });
  test.after.each(() => call(app, 'monitor_delete', { name }));

  const made = (kind: string, spec: object, over: object = {}) =>
    create(app, {
      ...{ name, kind, spec, interval_s: 60, timeout_s: 5, retries: 0 },
      ...{ places: { server: false, agents: [uuid] }, ...over },
    });
  const place = async () => (await get(app, name)).states[0];
  const reaches = (state: string) =>
    passes(app, 3 * MINUTE, async () => (await place())?.state === state);

  test('a page is judged on the server by what the task brought, at most once a minute', async () => {
    answer = () => ({
      result: {
        http_request: {
          status: 200,
          headers: [{ 'X-Load': 'low' }],
          body: '{"ok":true}',
          body_base64: null,
        },
      },
    });
    const condition = 'status == 200 && json.ok == true && headers["x-load"] == "low"';
    await made('http', { url: 'http://shop.example.net/' }, { condition, interval_s: 20 });
    assert.ok(await reaches('up'));
    assert.is(asked[0].http_request.url, 'http://shop.example.net/');
    const { code, problem } = await place();
    assert.equal([code, problem], [200, null]);
    const before = asked.length;
    await passes(app, 2 * MINUTE);
    assert.ok(asked.length - before <= 3, `${asked.length - before} tasks in two minutes`);
    answer = () => ({
      result: { http_request: { status: 500, headers: [], body: '', body_base64: null } },
    });
    assert.ok(await reaches('down'));
    assert.match((await place()).detail, 'status 500');
  });

  // biome-ignore format: one case per line
  const kinds: readonly (readonly [kind: string, spec: object, task: object, result: object])[] = [
    ['tcp', { host: '2001:db8::7', port: 443 }, { tcp_ping: '[2001:db8::7]:443' }, { tcp_ping: 7.5 }],
    ['ping', { host: 'db.example.net' }, { ping: 'db.example.net' }, { ping: 18.5 }],
    ['dns', { name: 'example.net', type: 'MX', server: '192.0.2.1' }, { dns: { domain: 'example.net', record_types: ['mx'], dns_server: '192.0.2.1:53' } }, { dns: [{ record_type: 'mx', time: 3.5, data: '10 mx.example.net.' }] }],
  ];
  for (const [kind, spec, task, result] of kinds)
    test(`a check of the kind ${kind} is a task`, async () => {
      answer = () => ({ result });
      await made(kind, spec);
      assert.ok(await reaches('up'));
      assert.equal(asked[0], task);
      assert.type((await place()).ms, 'number');
      answer = () => ({ error: 'Other error: connect ECONNREFUSED' });
      assert.ok(await reaches('down'));
      assert.is((await place()).detail, 'connect ECONNREFUSED');
    });

  // biome-ignore format: one case per line
  const unknown: readonly (readonly [what: string, kind: string, spec: object, over: object, detail: RegExp])[] = [
    ['what has secrets', 'http', { url: 'http://127.0.0.1/' }, { secret: { secret_headers: ['X-Key: hush'] } }, /it has secrets, which tasks would show/],
    ['a certificate', 'tls', { host: 'example.net' }, {}, /do not register for monitors cannot check this/],
  ];
  for (const [what, kind, spec, over, detail] of unknown)
    test(`${what} is not made a task: the place says so`, async () => {
      await made(kind, spec, over);
      assert.ok(await passes(app, 3 * MINUTE, async () => detail.test((await place())?.detail)));
      assert.is((await place()).state, 'unknown');
      assert.equal(asked, []);
    });

  test('an agent that does not allow the task knows nothing', async () => {
    answer = () => ({ error: 'Permission Denied: Task not allowed' });
    await made('ping', { host: '127.0.0.1' });
    const says = async () => (await place())?.detail.includes('does not allow it');
    assert.ok(await passes(app, 3 * MINUTE, says));
    assert.is((await place()).state, 'unknown');
  });

  test.run();
}
