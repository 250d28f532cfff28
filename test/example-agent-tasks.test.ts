/** Tasks of the example agent: clients.md §2.4 step 6 and §2.8. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TaskDesk, type TaskHandler } from '../examples/agent/src/tasks.ts';
import { AGENT, memoryLog, type Peer, serverConfig, TOKEN } from './example-agent-kit.ts';
import { task, withLink, withServer, worksWith } from './example-agent-running.ts';

const test = suite('example agent: tasks');

const listening = { allow_task: true };

/** The upload that answers a task. */
async function uploadOf(peer: Peer): Promise<any> {
  const { method, params } = await peer.next();
  assert.is(method, 'task_upload_task_result');
  assert.is(params[0], TOKEN);
  return params[1];
}

test('answers a task that arrives right behind the registration: not allowed', () =>
  withServer((server) =>
    withLink(serverConfig(server.url, listening), async ({ clock }) => {
      const peer = await server.welcome();
      await peer.next();
      peer.result(7);
      peer.send(task(41, { ping: '127.0.0.1' }));
      const response = await uploadOf(peer);
      assert.match(response.error_message, /Permission Denied: Task not allowed$/);
      assert.equal(response, {
        agent_uuid: AGENT,
        error_message: response.error_message,
        success: false,
        task_event_result: null,
        task_id: 41,
        task_token: 'q7ZrT0aTxe',
        timestamp: clock.now(),
      });
      assert.equal(Object.keys(response), Object.keys(response).sort());
    }),
  ));

test('refuses kinds that it was allowed but cannot run, and kinds that nobody knows', () =>
  withServer((server) => {
    const allowed_tasks = new Set(['ip', 'ping'] as const);
    return withLink(serverConfig(server.url, { ...listening, allowed_tasks }), async () => {
      const peer = await server.welcome();
      await peer.next();
      peer.result(7);
      const types = ['ip', { ping: 'h' }, 'no_such_kind', { a: 1, b: 2 }, 5, null, [], 'toString'];
      for (const [task_id, type] of types.entries()) peer.send(task(task_id, type));
      for (const task_id of types.keys()) {
        const response = await uploadOf(peer);
        assert.is(response.task_id, task_id);
        assert.match(response.error_message, /Permission Denied: Task not allowed$/);
      }
    });
  }));

test('ignores what is no task, and tasks that it did not ask for', () =>
  withServer((server) =>
    withLink(serverConfig(server.url), async ({ link }) => {
      const peer = await server.welcome();
      peer.send(task(1));
      peer.send([task(2)]);
      peer.send(Buffer.from(JSON.stringify(task(3))));
      peer.send('not json');
      peer.send({ jsonrpc: '2.0', method: 'task_register_task', params: { subscription: 1 } });
      await worksWith(peer, link);
    }),
  ));

for (const task_id of ['41', -1, 0.5, null, undefined]) {
  test(`drops a task whose id is ${task_id}`, () =>
    withServer((server) =>
      withLink(serverConfig(server.url, listening), async ({ link, lines }) => {
        const peer = await server.welcome();
        await peer.next();
        peer.result(7);
        peer.send(task(task_id));
        peer.send(task(5));
        assert.is((await uploadOf(peer)).task_id, 5);
        assert.match(lines.join(''), 'a task without id or token was dropped');
        await worksWith(peer, link);
      }),
    ));
}

function deskWith(handler: TaskHandler): { desk: TaskDesk; uploads: any[] } {
  const uploads: any[] = [];
  const desk = new TaskDesk({
    server: serverConfig('ws://127.0.0.1', { allowed_tasks: new Set(['ping'] as const) }),
    agent_uuid: AGENT,
    time: () => 77,
    upload: (text) => uploads.push(JSON.parse(text)),
    log: memoryLog().log,
    handlers: { ping: handler, dns: handler },
  });
  return { desk, uploads };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const pingTask = (task_id: number) => ({
  task_id,
  task_token: 't',
  task_event_type: { ping: 'localhost' },
});

test('uploads what the handler of an allowed kind gives, under the name of the kind', async () => {
  const { desk, uploads } = deskWith(async (content) => [content, 1.5]);
  desk.receive(pingTask(3));
  desk.receive({ ...pingTask(4), task_event_type: { dns: {} } });
  await turn();
  const base = { agent_uuid: AGENT, task_token: 't', timestamp: 77 };
  assert.equal(
    uploads.sort((a, b) => a.task_id - b.task_id),
    [
      {
        ...base,
        task_id: 3,
        success: true,
        error_message: null,
        task_event_result: { ping: ['localhost', 1.5] },
      },
      {
        ...base,
        task_id: 4,
        success: false,
        error_message: 'Permission Denied: Task not allowed',
        task_event_result: null,
      },
    ],
  );
});

test('uploads the failure of a handler as another error', async () => {
  const { desk, uploads } = deskWith(() => Promise.reject(new Error('no route')));
  desk.receive(pingTask(3));
  await turn();
  assert.is(uploads[0].error_message, 'Other error: no route');
  assert.is(uploads[0].success, false);
});

test('answers the 33rd task at a time with a failure instead of dropping it', async () => {
  const finish: (() => void)[] = [];
  const { desk, uploads } = deskWith(() => new Promise<void>((resolve) => finish.push(resolve)));
  for (let id = 1; id <= 33; id += 1) desk.receive(pingTask(id));
  await turn();
  assert.equal(
    uploads.map(({ task_id, success }) => [task_id, success]),
    [[33, false]],
  );
  finish[0]?.();
  await turn();
  desk.receive(pingTask(34));
  for (const end of finish) end();
  await turn();
  assert.is(finish.length, 33);
  finish[32]?.();
  await turn();
  assert.is(uploads.filter(({ success }) => success).length, 33);
});

test.run();
