/** Tasks of the agent program: clients.md §2.4 step 6 and §2.8. */

import * as assert from 'uvu/assert';
import type { Clock } from '../agent/src/clock.ts';
import type { TaskHandler, TaskRuntime } from '../agent/src/task-context.ts';
import { TASK_KINDS } from '../agent/src/task-kinds.ts';
import { TaskRunner } from '../agent/src/task-runner.ts';
import { onNetwork } from '../agent/src/tasks/index.ts';
import {
  AGENT,
  FakeClock,
  memoryLog,
  type Peer,
  serverConfig,
  soon,
  TOKEN,
} from './agent-program-kit.ts';
import { task, withLink, withServer, worksWith } from './agent-program-running.ts';
import { runtimeFor } from './agent-program-task-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: tasks');

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

test('refuses unknown kinds as not allowed, and malformed ones as malformed', () =>
  withServer((server) => {
    const allowed_tasks = new Set(TASK_KINDS);
    return withLink(serverConfig(server.url, { ...listening, allowed_tasks }), async () => {
      const peer = await server.welcome();
      await peer.next();
      peer.result(7);
      // It refuses monitors, which these kinds would serve.
      assert.is((await peer.next()).method, 'monitor_register');
      const types = [
        'no_such_kind',
        { a: 1, b: 2 },
        {},
        5,
        null,
        [],
        'toString',
        { ip: 1 },
        'ping',
      ];
      for (const [task_id, type] of types.entries()) peer.send(task(task_id, type));
      const messages = new Map<number, string>();
      while (messages.size < types.length) {
        const { task_id, error_message, success } = await uploadOf(peer);
        assert.is(success, false);
        messages.set(task_id, error_message);
      }
      for (const task_id of types.keys()) {
        const expected =
          task_id < 7 ? /Permission Denied: Task not allowed$/ : /^Other error: malformed task: /;
        assert.match(messages.get(task_id) ?? '', expected);
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

/** Kinds that take no place among those that run. */
const QUICK = ['version', 'read_config', 'edit_config'] as const;

function deskWith(
  handler: TaskHandler,
  clock: Clock = new FakeClock(),
): { desk: TaskRunner; uploads: any[]; clock: FakeClock; runtime: TaskRuntime } {
  const uploads: any[] = [];
  const runtime = runtimeFor(clock);
  const desk = new TaskRunner({
    server: serverConfig('ws://127.0.0.1', {
      allowed_tasks: new Set(['ping', 'execute', 'web_shell', ...QUICK] as const),
    }),
    agent_uuid: AGENT,
    time: () => 77,
    upload: (text) => uploads.push(JSON.parse(text)),
    log: memoryLog().log,
    runtime,
    handlers: {
      ...{ ping: onNetwork(handler), dns: handler, execute: handler, web_shell: handler },
      ...Object.fromEntries(QUICK.map((kind) => [kind, handler])),
    },
  });
  return { desk, uploads, clock: clock as FakeClock, runtime };
}

const taskOf = (kind: string, task_id: number, content: unknown = 'c') => ({
  task_id,
  task_token: 't',
  task_event_type: { [kind]: content },
});

/** A handler whose calls end when the test says so. */
function heldHandler() {
  const calls: { finish: () => void; signal: AbortSignal }[] = [];
  const handler: TaskHandler = (_content, { signal }) =>
    new Promise<void>((resolve) => calls.push({ finish: resolve, signal }));
  return { calls, handler };
}

const idsOf = (uploads: any[]) => uploads.map(({ task_id }) => task_id);

test('uploads what the handler of an allowed kind gives, under the name of the kind', async () => {
  const { desk, uploads, clock } = deskWith(async (content) => [content, 1.5]);
  desk.receive(taskOf('ping', 3, 'localhost'));
  desk.receive(taskOf('dns', 4));
  await clock.advance(0);
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
  assert.equal(clock.labels(), []);
});

// [what a handler throws, the text of the upload]
const FAILURES: [unknown, string][] = [
  [new Error('no route'), 'Other error: no route'],
  [new Error('Other error: twice'), 'Other error: twice'],
  [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'Other error: ECONNREFUSED'],
  ['text', 'Other error: text'],
];

for (const [thrown, expected] of FAILURES) {
  test(`uploads a failure as "${expected}"`, async () => {
    const { desk, uploads, clock } = deskWith(() => Promise.reject(thrown));
    desk.receive(taskOf('execute', 3));
    await clock.advance(0);
    assert.is(uploads[0].error_message, expected);
    assert.is(uploads[0].success, false);
    assert.is(uploads[0].task_event_result, null);
  });
}

/** Tasks that run at a time, and that wait. */
const PLACES = 256;
const WAITING = 512;

test(`runs ${PLACES} tasks at a time, lets ${WAITING} wait, and answers one more with a failure`, async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  for (let id = 1; id <= PLACES + WAITING + 1; id += 1) desk.receive(taskOf('execute', id));
  await clock.advance(0);
  assert.is(calls.length, PLACES);
  assert.equal(idsOf(uploads), [PLACES + WAITING + 1]);
  assert.is(uploads[0].error_message, 'Other error: too many tasks at a time');
  for (let done = 0; done < PLACES + WAITING; done += 1) {
    calls[done]!.finish();
    await Promise.resolve();
    if (done % PLACES === PLACES - 1) await clock.advance(0);
  }
  await clock.advance(0);
  assert.is(calls.length, PLACES + WAITING);
  assert.is(uploads.filter(({ success }) => success).length, PLACES + WAITING);
  assert.equal(clock.labels(), []);
});

for (const kind of QUICK)
  test(`answers ${kind} at once beside tasks that take all places`, async () => {
    const { calls, handler } = heldHandler();
    const { desk, uploads, clock } = deskWith(handler);
    for (let id = 1; id <= PLACES + WAITING; id += 1) desk.receive(taskOf('execute', id));
    await clock.advance(0);
    desk.receive(taskOf(kind, 1_000));
    await clock.advance(0);
    calls.at(-1)!.finish();
    await clock.advance(0);
    assert.equal(idsOf(uploads), [1_000]);
    assert.is(uploads[0].success, true);
  });

test('runs 10 network tasks at a time, the others in the order of their coming', async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  for (let id = 1; id <= 12; id += 1) desk.receive(taskOf('ping', id));
  await clock.advance(0);
  assert.is(calls.length, 10);
  calls[4]!.finish();
  await clock.advance(0);
  assert.is(calls.length, 11);
  assert.equal(idsOf(uploads), [5]);
  calls[10]!.finish();
  await clock.advance(0);
  assert.equal(idsOf(uploads), [5, 11]);
});

test('gives a network task 10 s from its start, and its place to the next one then', async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  for (let id = 1; id <= 11; id += 1) desk.receive(taskOf('ping', id));
  await clock.advance(9999);
  assert.equal(uploads, []);
  await clock.advance(1);
  assert.is(uploads.length, 10);
  assert.is(uploads[0].error_message, 'Other error: network task took longer than 10 s');
  assert.ok(calls[0]!.signal.aborted);
  assert.is(calls.length, 11);
  await clock.advance(9999);
  assert.is(uploads.length, 10);
  await clock.advance(1);
  assert.is(uploads.length, 11);
});

test('gives every task 10 minutes, waiting included, but a terminal any time', async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  desk.receive(taskOf('web_shell', 1));
  for (let id = 2; id <= PLACES + 8; id += 1) desk.receive(taskOf('execute', id));
  await clock.advance(599_999);
  assert.equal(uploads, []);
  assert.is(calls.length, PLACES + 1);
  await clock.advance(1);
  assert.is(uploads.length, PLACES + 7);
  assert.is(uploads[0].error_message, 'Other error: task took longer than 600 s');
  assert.is(calls.length, PLACES + 1);
  await clock.advance(3_600_000);
  assert.is(calls[0]!.signal.aborted, false);
  calls[0]!.finish();
  await clock.advance(0);
  assert.equal(uploads.at(-1).task_event_result, {});
  assert.is(uploads.at(-1).task_id, 1);
});

test('keeps the place of a task that does not end with its time, not of one that waited', async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  for (let id = 1; id <= PLACES + 8; id += 1) desk.receive(taskOf('execute', id));
  await clock.advance(600_000);
  assert.is(uploads.length, PLACES + 8);
  desk.receive(taskOf('execute', PLACES + 9));
  await clock.advance(0);
  assert.is(calls.length, PLACES);
  calls[0]!.finish();
  await clock.advance(0);
  assert.is(calls.length, PLACES + 1);
});

test('answers what runs and what waits when it is stopped, and waits for what still runs', async () => {
  const { calls, handler } = heldHandler();
  const { desk, uploads, clock } = deskWith(handler);
  for (let id = 1; id <= PLACES + 2; id += 1) desk.receive(taskOf('execute', id));
  await clock.advance(0);
  let isStopped = false;
  const stopping = desk.stop('the agent stops').then(() => (isStopped = true));
  await clock.advance(0);
  assert.is(uploads.length, PLACES + 2);
  assert.ok(uploads.every(({ error_message }) => error_message === 'Other error: the agent stops'));
  assert.ok(calls.every(({ signal }) => signal.aborted));
  assert.is(isStopped, false);
  for (const { finish } of calls) finish();
  await soon('the end of the desk', stopping);
  assert.equal(clock.labels(), []);
  assert.is(uploads.length, PLACES + 2);
});

test('refuses tasks while the agent is about to start again', async () => {
  const { desk, uploads, clock, runtime } = deskWith(async () => 1);
  runtime.restart();
  desk.receive(taskOf('execute', 1));
  await clock.advance(0);
  assert.match(uploads[0].error_message, /^Other error: the agent is about to start again$/);
});

test.run();
