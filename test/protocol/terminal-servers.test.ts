// terminal.md §6, §7 with the two sides at different servers on one database: neither side notices.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Type, topic } from '@svc/plugin-sdk';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { acquainted, busOf, type SharedServers, sharedServers } from '../shared-servers.ts';
import { RESULTS, type SimAgent, simAgent } from './task-kit.ts';
import {
  agentQuery,
  agentRefusal,
  PLUGINS,
  type Side,
  shellSide,
  shellTask,
  side,
  T2,
  userQuery,
  userRefusal,
} from './terminal-kit.ts';
import { eventually, keyOf } from './token-kit.ts';

const MIB = 1024 * 1024;

const test = suite('terminal: several servers (postgres)');
let servers: SharedServers;
/** The agent is connected here … */
let one: TestApp;
/** … and the user here. */
let two: TestApp;
let agent: SimAgent;

test.before(async () => {
  servers = await sharedServers(2, PLUGINS);
  [one, two] = servers.apps as [TestApp, TestApp];
  agent = await simAgent(one, undefined, servers.superToken);
  await agent.register();
});
test.after(() => servers?.stop());

const user = (over = {}) => ({ ...userQuery(one), ...over });
const openShell = async (): Promise<Side> => {
  const item = await shellTask(one, agent);
  const shell = await shellSide(one, agentQuery(item));
  shell.socket.once('close', () => {
    agent.answer(item, RESULTS['web_shell']).catch(() => {});
  });
  return shell;
};
const joined = async (token = servers.superToken) => {
  const shell = await openShell();
  shell.socket.send('prompt');
  const person = await side(two, user({ token }));
  assert.equal(await person.received(1), ['prompt']);
  person.messages.length = 0;
  return { shell, person };
};
type Joined = Awaited<ReturnType<typeof joined>>;
const over = async ({ shell, person }: Joined) => {
  person.socket.terminate();
  await shell.closed;
  await free();
};
/** Both servers have forgotten the terminal. */
const free = () =>
  eventually(async () => {
    const condition = ['is_running'];
    const rows = await one.call('task_query', [servers.superToken, { condition }]);
    assert.is(rows.length, 0);
  });

// biome-ignore format: one case per line
const messages: [name: string, data: string | Buffer][] = [
  ['text', 'ls -l\r'],
  ['empty text', ''],
  ['bytes', Buffer.from([0, 1, 2, 0xff])],
  ['no bytes', Buffer.alloc(0)],
  ['text beyond ASCII', 'ü 😀 \u2028'],
  ['a frame of the largest size', Buffer.alloc(MIB, 7)],
];
for (const [name, data] of messages) {
  test(`${name} goes through both ways, unchanged`, async () => {
    const both = await joined();
    for (const [from, to] of [
      [both.shell, both.person],
      [both.person, both.shell],
    ] as const) {
      from.socket.send(data);
      from.socket.send('end');
      assert.equal(await to.received(2), [data, 'end']);
    }
    await over(both);
  });
}

test('a message of 4 MiB arrives whole', async () => {
  const both = await joined();
  const { socket } = both.shell;
  for (let n = 0; n < 4; n++) socket.send(Buffer.alloc(MIB, n), { fin: n === 3, binary: true });
  const [message] = await both.person.received(1);
  assert.is((message as Buffer).length, 4 * MIB);
  await over(both);
});

test('order holds over many messages of both kinds, both ways at once', async () => {
  const both = await joined();
  const sent = Array.from({ length: 5_000 }, (_, n) =>
    n % 3 === 0 ? Buffer.from(`${n}`) : `${n}`,
  );
  for (const message of sent) {
    both.shell.socket.send(message);
    both.person.socket.send(message);
  }
  assert.equal(await both.person.received(5_000), sent);
  assert.equal(await both.shell.received(5_000), sent);
  await over(both);
});

test('a user who does not read holds the shell up; then gets all of it, in order', async () => {
  const both = await joined();
  both.person.socket.pause();
  const chunk = Buffer.alloc(8_192);
  const all = createHash('sha256');
  for (let n = 0; n < 8_192; n++) {
    chunk.writeUInt32BE(n);
    all.update(chunk);
    both.shell.socket.send(Buffer.from(chunk));
  }
  // The shell's socket stops being read: what the two servers and four sockets hold between them is all that left.
  let before = -1;
  while (before !== both.shell.socket.bufferedAmount) {
    before = both.shell.socket.bufferedAmount;
    await pause(300);
  }
  const left = 64 * MIB - before;
  assert.ok(left < 24 * MIB, `${(left / MIB).toFixed(1)} MiB are under way`);
  both.person.socket.resume();
  const got = createHash('sha256');
  for (const message of await both.person.received(8_192)) got.update(message);
  assert.is(got.digest('hex'), all.digest('hex'));
  await over(both);
});

// biome-ignore format: one case per line
const ends: [name: string, end: (both: Joined) => void, sees: 'shell' | 'person', code: number, reason: string][] = [
  ['the close frame of the user', ({ person }) => person.socket.close(4001, 'bye'), 'shell', 4001, 'bye'],
  ['the loss of the user', ({ person }) => person.socket.terminate(), 'shell', 1001, ''],
  ['the close frame of the agent', ({ shell }) => shell.socket.close(4002, 'done'), 'person', 4002, 'done'],
  ['the loss of the agent', ({ shell }) => shell.socket.terminate(), 'person', 1000, 'session ended'],
];
for (const [name, end, sees, code, reason] of ends) {
  test(`${name} is seen on the other side as ${code}, and the place is free again`, async () => {
    const both = await joined();
    both.shell.socket.send('last words');
    await both.person.received(1);
    end(both);
    assert.equal(await both[sees].closed, { code, reason });
    await free();
    await over(await joined());
  });
}

test('the rest of the output comes before the end', async () => {
  const both = await joined();
  for (let n = 0; n < 200; n++) both.shell.socket.send(Buffer.alloc(8_192, n));
  both.shell.socket.close(1000);
  await both.person.closed;
  assert.is(both.person.messages.length, 200);
  await free();
});

test('a second user is refused on both servers', async () => {
  const both = await joined();
  for (const app of [one, two]) assert.is(await userRefusal(app, user()), '108 1013');
  both.person.socket.send('still here');
  await both.shell.received(1);
  await over(both);
});

test('a user who is there before the agent is joined when it comes, and nothing typed is lost', async () => {
  const item = await shellTask(one, agent);
  const person = await side(two, user());
  person.socket.send('typed early');
  await pause(50);
  const shell = await side(one, agentQuery(item));
  assert.equal(await shell.received(1), ['typed early']);
  shell.socket.send('prompt');
  assert.equal(await person.received(1), ['prompt']);
  person.socket.terminate();
  await shell.closed;
  await agent.answer(item, RESULTS['web_shell']);
  await free();
});

test('one session for a task, whichever server it is', async () => {
  const item = await shellTask(one, agent);
  const shell = await side(one, agentQuery(item));
  await eventually(async () => assert.is(await agentRefusal(two, agentQuery(item)), '409 108'));
  assert.is(await userRefusal(two, user({ terminal_id: T2 })), '108 1013');
  shell.socket.terminate();
  await agent.answer(item, RESULTS['web_shell']);
  await free();
});

// biome-ignore format: one case per line
for (const [name, method] of [
  ['deleted', 'token_delete'],
  ['rolled', 'token_roll_token_secret'],
] as const) {
  test(`a token that is ${name} on the agent's server ends the user's session on the other`, async () => {
    const token = await one.token([
      { scopes: ['global'], permissions: [{ terminal: 'connect' }] },
    ]);
    await eventually(async () => assert.ok(await two.call('token_get', [token])));
    const both = await joined(token);
    await one.call(method, [servers.superToken, keyOf(token)]);
    assert.is((await both.person.closed).code, 1008);
    assert.is((await both.shell.closed).code, 1001);
    await free();
  });
}

test('messages that make no sense change nothing', async () => {
  const both = await joined();
  for (const payload of [
    null,
    1,
    {},
    { channel: 1 },
    { channel: 'x', kind: 'data' },
    { kind: 'join' },
  ]) {
    for (const name of ['terminal.relay', 'terminal.open']) {
      busOf(two).send(busOf(one).id, topic(name, Type.Unknown()), payload);
      busOf(one).send(busOf(two).id, topic(name, Type.Unknown()), payload);
    }
  }
  both.person.socket.send('a');
  assert.equal(await both.shell.received(1), ['a']);
  await over(both);
});

test('a server that the other one counted as dead ends what went between them, and a new terminal works', async () => {
  const both = await joined();
  // What a server says that has not heard of this one for three seconds and hears of it again.
  const [from, to] = [busOf(two).id, busOf(one).id];
  const beat = { uuid: '', version: '', direct: {}, mourned: { [to]: 1 }, bye: false };
  const frame = JSON.stringify({ v: 1, from, n: 0, beat });
  await one.sql(`select pg_notify('svc_bus_' || substr(md5(current_schema()), 1, 8), '${frame}')`);
  assert.is((await both.shell.closed).code, 1001);
  await both.person.closed;
  await free();
  await over(await joined());
});

test('the end of the agent’s server ends the user’s session, and that of the user’s server the agent’s', async () => {
  const first = await joined();
  await one.restart();
  assert.ok([1000, 1001].includes((await first.person.closed).code));
  agent = await simAgent(one, undefined, servers.superToken);
  await agent.register();
  await acquainted(servers.apps);
  await two.call('task_delete', [servers.superToken, []]);
  const second = await joined();
  await two.stop();
  servers.apps.pop();
  assert.is((await second.shell.closed).code, 1001);
});

test.run();
