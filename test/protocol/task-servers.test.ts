// task.md §4.4, §5: several servers on one Postgres database.
import { Type, topic } from '@svc/plugin-sdk';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  acquainted,
  busOf,
  kernelOf,
  type SharedServers,
  sharedServers,
} from '../shared-servers.ts';
import { A, B, outcome, PLUGINS, RESULTS, response, type SimAgent, simAgent } from './task-kit.ts';
import { eventually } from './token-kit.ts';

const TOPICS = ['task.sessions', 'task.deliver', 'task.delivered', 'task.done'];

const test = suite('task: several servers (postgres)');
let servers: SharedServers;
let one: TestApp;
let two: TestApp;
let token: string;

const advance = (ms: number) => Promise.all([one.clock.advance(ms), two.clock.advance(ms)]);
const create = (app: TestApp, type: unknown = 'ip', uuid = A): Promise<any> =>
  outcome(app.call('task_create_task', [token, uuid, type]));
const block = (app: TestApp): Promise<any> =>
  outcome(app.call('task_create_task_blocking', [token, A, 'ip', 60_000]));
const agents: SimAgent[] = [];
const connect = async (app: TestApp, uuid = A): Promise<SimAgent> => {
  const agent = await simAgent(app, uuid, token);
  agents.push(agent);
  await agent.register();
  return agent;
};
/** Until this server sends tasks for the agent somewhere. */
const known = (app: TestApp, uuid: string) =>
  eventually(async () => {
    const answer = await create(app, 'ip', uuid);
    assert.is(typeof answer, 'object', answer);
  });
/** Until this server knows no session of these agents. */
const gone = async (app: TestApp, ...uuids: string[]) => {
  for (const uuid of uuids)
    await eventually(async () => assert.match(await create(app, 'ip', uuid), /is not connected$/));
};
/** An agent that every server knows and that listens; the first task that it got is `items[0]`. */
const agentAt = async (app: TestApp, uuid = A): Promise<SimAgent> => {
  const agent = await connect(app, uuid);
  await advance(1_500);
  for (const other of servers.apps) if (other !== app) await known(other, uuid);
  await eventually(() => assert.ok(agent.items.length > 0));
  for (const item of agent.items) await agent.answer(item, RESULTS['ip']);
  agent.items.length = 0;
  // From now on it is ready for ten at once again.
  await advance(1_000);
  return agent;
};

test.before(async () => {
  servers = await sharedServers(2, PLUGINS, {}, { clock: true });
  [one, two] = servers.apps as [TestApp, TestApp];
  token = servers.superToken;
});
test.after(() => servers?.stop());
test.after.each(async () => {
  for (const agent of agents.splice(0)) {
    agent.socket.close();
    await agent.socket.closed;
  }
  for (const app of servers.apps) await gone(app, A, B);
  await one.call('task_delete', [token, []]);
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

test('an answer uploaded on the other server wakes the caller', async () => {
  const agent = await agentAt(one);
  const answer = block(one);
  const [item] = await agent.received(1);
  await two.call('task_upload_task_result', [token, response(A, item!, RESULTS['ip'])]);
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
  const many = await Promise.all(
    Array.from({ length: 120 }, (_, n) => connect(one, `${A.slice(0, -3)}${n + 100}`)),
  );
  await advance(1_500);
  const three = await servers.join();
  for (const n of [0, 60, 119]) {
    await known(three, many[n]!.uuid);
    await many[n]!.received(1);
  }
  servers.apps.pop();
  await three.stop();
  await acquainted(servers.apps);
});

test('an agent that moves is found where it is; what waited for it goes with it', async () => {
  const old = await agentAt(one);
  for (let n = 0; n < 13; n++) await create(one, { ping: `${n}` });
  await old.received(10);
  const next = await connect(two);
  await create(one, { ping: '13' });
  // Time stands still where the agent was: what waits there for its turn is not sent before it moves.
  await two.clock.advance(1_500);
  await next.received(4);
  assert.equal(next.items.map((item) => item.task_event_type.ping).sort(), [
    '10',
    '11',
    '12',
    '13',
  ]);
  old.socket.close();
  await old.socket.closed;
  assert.type((await create(one)).id, 'number');
});

test('the pace of an agent holds though its tasks come in at several servers', async () => {
  const agent = await agentAt(one);
  const made = Array.from({ length: 20 }, (_, n) => create(n % 2 ? one : two));
  for (const { id } of await Promise.all(made)) assert.type(id, 'number');
  await agent.received(10);
  for (let sent = 10; sent < 20; sent++) {
    await advance(29);
    await agent.socket.call('svc-missing_method', []).catch(() => {});
    assert.is(agent.items.length, sent);
    await advance(1);
    await agent.received(sent + 1);
  }
});

test('an agent that left is 104 on both servers, at once', async () => {
  const agent = await agentAt(one);
  const id = await agent.register();
  await agent.socket.call('task_unregister_task', [id]);
  assert.match(await create(one), /^104 .*is not connected$/);
  // The other one may ask it before it has heard of that.
  assert.match(await create(two), /^104 .*(?:is not connected|the connection of \S+ ended)$/);
  await eventually(async () => assert.match(await create(two), /^104 .*is not connected$/));
  assert.match(await create(two, 'ip', B), /^104 .*is not connected$/);
});

test('a server that stops says so, and one that comes back is told of all agents', async () => {
  await connect(two, B);
  await connect(one, A);
  await known(one, B);
  await known(two, A);
  await one.restart();
  assert.match(await create(two, 'ip', A), /^104 .*is not connected$/);
  await acquainted(servers.apps);
  await known(one, B);
});

test('a later registration wins although its server’s clock is behind', async () => {
  // The machine's clock is set: no timer runs early for it, and neither server counts the other as dead.
  const { now } = one.clock;
  one.clock.now = () => now() + 60_000;
  const old = await agentAt(one);
  const next = await connect(two);
  await advance(1_500);
  await eventually(async () => {
    await create(one);
    assert.ok(next.items.length > 0);
  });
  // What came to the old connection came before the other server told of the new one, and before this answer.
  await old.socket.call('svc-missing_method').catch(() => {});
  const before = old.items.length;
  const { length } = next.items;
  for (const app of [one, two]) await create(app);
  await next.received(length + 2);
  assert.is(old.items.length, before);
});

test('an answer that a server stored and did not live to tell of wakes the caller when the server is gone', async () => {
  const agent = await agentAt(one);
  const answer = block(two);
  const [item] = await agent.received(1);
  await two.sql(
    `update task set success = true, timestamp = 1, task_event_result = '{"ip":[null,null]}' where id = ${item!.task_id}`,
  );
  const three = await servers.join();
  servers.apps.pop();
  await three.stop();
  assert.is((await answer).timestamp, 1);
});

test('servers that lost the database find each other’s agents again', async () => {
  await agentAt(one);
  await two.sql(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  let agent: SimAgent | undefined;
  // A server may have to find out that its connections are gone.
  await eventually(async () => {
    agent = await connect(one, B);
  });
  await advance(1_500);
  await known(two, B);
  await known(two, A);
  await agent!.received(1);
});

test('messages of others that make no sense change nothing', async () => {
  const agent = await agentAt(one);
  const payloads = [null, 7, {}, { done: 1 }, { done: [[1, A]] }, { closed: [A] }, { request: 1 }];
  for (const anything of TOPICS.map((name) => topic(name, Type.Unknown()))) {
    for (const payload of payloads) {
      kernelOf(two).publish(anything, payload);
      busOf(two).send(busOf(one).id, anything, payload);
    }
  }
  assert.type((await create(two)).id, 'number');
  await agent.received(1);
});

test.run();
