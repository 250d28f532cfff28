// task.md §4.4, §5: several servers on one Postgres database. Their buses are joined by a plugin of the test.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definePlugin, type Kernel } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { A, B, outcome, PLUGINS, RESULTS, response, type SimAgent, simAgent } from './task-kit.ts';
import { eventually } from './token-kit.ts';

const TOPICS = ['task.sessions', 'task.deliver', 'task.delivered', 'task.done'];

/** Carries what one bus says to the others, until `cut`. */
class Wire {
  readonly #ends = new Set<Kernel>();

  readonly plugin = definePlugin({
    name: 'wire',
    version: '1.0.0',
    setup: (kernel) => {
      this.#ends.add(kernel);
      for (const topic of TOPICS) {
        kernel.bus.subscribe(topic, (payload) => {
          const { from } = payload as { from: string };
          if (from !== kernel.bus.id || !this.#ends.has(kernel)) return;
          for (const end of this.#ends) if (end !== kernel) end.bus.publish(topic, payload);
        });
      }
    },
  });

  cut(app: TestApp): void {
    this.#ends.delete([...this.#ends].find((end) => end.bus.id === busOf(app).id)!);
  }
}

const busOf = (app: TestApp) => (app.kernel as any).face('task').bus;

const test = suite('task: several servers (postgres)');
let wire: Wire;
let one: TestApp;
let two: TestApp;
let token: string;

const another = async (): Promise<TestApp> => {
  const config = await readFile(join(one.dir, 'config.toml'), 'utf8');
  const database_url = /database_url = "([^"]+)"/.exec(config)?.[1];
  const database = { database: { database_url } };
  return bootForTest([wire.plugin, ...PLUGINS], database, { dialect: 'postgres', clock: true });
};
const advance = (ms: number) => Promise.all([one.clock.advance(ms), two.clock.advance(ms)]);
const create = (app: TestApp, type: unknown = 'ip', uuid = A): Promise<any> =>
  outcome(app.call('task_create_task', [token, uuid, type]));
const block = (app: TestApp): Promise<any> =>
  outcome(app.call('task_create_task_blocking', [token, A, 'ip', 60_000]));
const agentAt = async (app: TestApp, uuid = A): Promise<SimAgent> => {
  const agent = await simAgent(app, uuid, token);
  await agent.register();
  await advance(1_500);
  return agent;
};

test.before.each(async () => {
  wire = new Wire();
  one = await bootForTest([wire.plugin, ...PLUGINS], {}, { dialect: 'postgres', clock: true });
  token = one.superToken;
  two = await another();
});
test.after.each(async () => {
  await two.stop();
  await one.stop();
});

test('a task created on one server reaches an agent on the other, and its answer comes back', async () => {
  const agent = await agentAt(one);
  const answer = block(two);
  const [item] = await agent.received(1);
  await agent.answer(item!, RESULTS['ip']);
  assert.equal(await answer, response(A, item!, RESULTS['ip']));
  assert.type((await create(two)).id, 'number');
  await agent.received(2);
});

test('an answer uploaded on the other server wakes the caller and frees the window', async () => {
  const agent = await agentAt(one);
  for (let n = 0; n < 32; n++) await create(one);
  const answer = block(one);
  await agent.received(32);
  const upload = (n: number) =>
    two.call('task_upload_task_result', [token, response(A, agent.items[n]!, RESULTS['ip'])]);
  await upload(0);
  await agent.received(33);
  await upload(32);
  assert.is((await answer).success, true);
});

test('a deletion on the other server ends the blocking call', async () => {
  const agent = await agentAt(one);
  const answer = block(one);
  await agent.received(1);
  await two.call('task_delete', [token, []]);
  assert.match(await answer, /^105 /);
});

test('a server that starts later knows the agents of the others', async () => {
  const agents = await Promise.all(
    Array.from({ length: 120 }, (_, n) => simAgent(one, `${A.slice(0, -3)}${n + 100}`, token)),
  );
  for (const agent of agents) await agent.register();
  await advance(1_500);
  const three = await another();
  for (const n of [0, 60, 119]) {
    assert.type((await create(three, 'ip', agents[n]!.uuid)).id, 'number');
    await agents[n]!.received(1);
  }
  await three.stop();
});

test('an agent that moves is found where it is; what waited for it goes with it', async () => {
  const old = await agentAt(one);
  for (let n = 0; n < 35; n++) await create(one, { ping: `${n}` });
  await old.received(32);
  const next = await simAgent(two, A, token);
  await next.register();
  await create(one, { ping: '35' });
  await advance(1_500);
  await next.received(4);
  assert.equal(next.items.map((item) => item.task_event_type.ping).sort(), [
    '32',
    '33',
    '34',
    '35',
  ]);
  old.socket.close();
  await old.socket.closed;
  assert.type((await create(one)).id, 'number');
});

test('an agent that left is 104 on both servers, at once', async () => {
  const agent = await agentAt(one);
  const id = await agent.register();
  await agent.socket.call('task_unregister_task', [id]);
  for (const app of [one, two]) assert.match(await create(app), /^104 .*is not connected$/);
  assert.match(await create(two, 'ip', B), /^104 .*is not connected$/);
});

test('a server that dies silently costs one caller three seconds', async () => {
  await agentAt(one);
  wire.cut(one);
  const first = create(two);
  await eventually(async () => assert.is((await two.sql('select id from task')).length, 1));
  await two.clock.advance(3_000);
  assert.match(await first, /^104 Unable to connect agent: .*ended$/);
  assert.match(await create(two), /^104 .*is not connected$/);
  assert.equal(await two.sql('select id from task'), []);
});

test('a server that stops says so', async () => {
  await agentAt(one, B);
  await two.stop();
  const agent = await simAgent(one, A, token);
  await agent.register();
  two = await another();
  assert.type((await create(two, 'ip', B)).id, 'number');
  const keep = one;
  await one.restart();
  one = keep;
  assert.match(await create(two, 'ip', B), /^104 .*is not connected$/);
});

test('messages of others that make no sense change nothing', async () => {
  const agent = await agentAt(one);
  const bus = busOf(one);
  for (const topic of TOPICS) {
    for (const payload of [
      {},
      { from: 'x' },
      { from: 'x', to: bus.id },
      { from: 'x', done: [[1, A]] },
      { from: 'x', closed: [A] },
    ]) {
      bus.publish(topic, payload);
    }
  }
  assert.type((await create(one)).id, 'number');
  await agent.received(1);
});

test.run();
