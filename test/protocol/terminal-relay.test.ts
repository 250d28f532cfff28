// proof: 15
// terminal.md §6, §7: what goes through, how much may wait, and how a session ends.

import { connect, type Socket } from 'node:net';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { heldBytes } from '../memory.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { A, RESULTS, readyAgent, rows, type SimAgent } from './task-kit.ts';
import {
  agentQuery,
  PLUGINS,
  queryOf,
  roundTrip,
  type Side,
  shellSide,
  shellTask,
  side,
  userQuery,
} from './terminal-kit.ts';
import { eventually } from './token-kit.ts';

const FRAME = 1024 * 1024;
const MESSAGE = 4 * FRAME;
const MINUTE = 60_000;

const test = suite('terminal: relay');
let app: TestApp;
let agent: SimAgent;
test.before(async () => {
  // Smaller than a terminal's own limits, which do not depend on it.
  app = await bootForTest(PLUGINS, { max_request_body_size: 500_000 }, { clock: true });
  agent = await readyAgent(app);
});
test.after(() => app.stop());
// The agent is ready for ten tasks at once again.
test.after.each(() => app.clock.advance(1_000));

interface Joined {
  readonly shell: Side;
  readonly person: Side;
}

const openShell = async () => {
  const item = await shellTask(app, agent);
  const shell = await shellSide(app, agentQuery(item));
  // As an agent does: the result comes when its side has ended.
  shell.socket.once('close', () => {
    agent.answer(item, RESULTS['web_shell']).catch(() => {});
  });
  return shell;
};
const joined = async (token = app.superToken): Promise<Joined> => {
  const shell = await openShell();
  const person = await side(app, userQuery(app, { token }));
  shell.socket.send('prompt');
  await person.received(1);
  person.messages.length = 0;
  return { shell, person };
};
/** A second session must find the place free. */
const over = async ({ shell, person }: Joined) => {
  person.socket.terminate();
  await shell.closed;
  await eventually(async () => assert.is((await rows(app, 'is_running')).length, 0));
};

// biome-ignore format: one case per line
const messages: [name: string, data: string | Buffer][] = [
  ['text', 'ls -l\r'],
  ['empty text, the heartbeat of front ends', ''],
  ['bytes', Buffer.from([0, 1, 2, 0xff])],
  ['no bytes', Buffer.alloc(0)],
  ['resize', '{"type":"resize","cols":132,"rows":43}'],
  ['heartbeat', '{"type":"heartbeat","timestamp":1}'],
  ['text beyond ASCII', 'ü 😀 \u2028'],
  ['a frame of the largest size', Buffer.alloc(FRAME, 7)],
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

test('a message in pieces arrives as one, up to 4 MiB', async () => {
  const both = await joined();
  const { socket } = both.shell;
  for (let n = 0; n < 4; n++) socket.send(Buffer.alloc(FRAME, n), { fin: n === 3, binary: true });
  const [message] = await both.person.received(1);
  assert.is((message as Buffer).length, MESSAGE);
  await over(both);
});

test('order holds over many messages of both kinds', async () => {
  const both = await joined();
  const sent = Array.from({ length: 5_000 }, (_, n) =>
    n % 3 === 0 ? Buffer.from(`${n}`) : `${n}`,
  );
  for (const message of sent) both.shell.socket.send(message);
  assert.equal(await both.person.received(5_000), sent);
  await over(both);
});

test('a ping is answered here, with its payload, and does not reach the other side', async () => {
  const both = await joined();
  let pings = 0;
  const pongs: string[] = [];
  both.shell.socket.on('ping', () => pings++);
  both.person.socket.on('pong', (data) => pongs.push(String(data)));
  both.person.socket.ping('payload');
  await eventually(() => assert.equal(pongs, ['payload']));
  both.person.socket.send('after');
  await both.shell.received(1);
  assert.is(pings, 0);
  assert.is(pongs.length, 1);
  await over(both);
});

for (const from of ['shell', 'person'] as const) {
  const to = from === 'shell' ? 'person' : 'shell';
  // biome-ignore format: one case per line
  const tooMuch: [name: string, send: (side: Side) => void][] = [
    ['a frame above 1 MiB', ({ socket }) => socket.send(Buffer.alloc(FRAME + 1))],
    ['a message above 4 MiB', ({ socket }) => { for (let n = 0; n < 5; n++) socket.send(Buffer.alloc(FRAME), { fin: n === 4, binary: true }); }],
  ];
  for (const [name, send] of tooMuch) {
    test(`${name} of the ${from} is closed with 1009 and ends the session`, async () => {
      const both = await joined();
      send(both[from]);
      assert.is((await both[from].closed).code, 1009);
      const end = await both[to].closed;
      assert.equal(
        end,
        to === 'person' ? { code: 1000, reason: 'session ended' } : { code: 1001, reason: '' },
      );
      assert.equal(both[to].messages, []);
      await over(both);
    });
  }
}

test('text that is not UTF-8 is closed with 1007', async () => {
  const both = await joined();
  both.person.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
  assert.is((await both.person.closed).code, 1007);
  await over(both);
});

// biome-ignore format: one case per line
const ends: [name: string, from: 'shell' | 'person', end: (side: Side) => void, expected: { code: number; reason: string }][] = [
  ['the user closes with code and reason', 'person', ({ socket }) => socket.close(4001, 'bye'), { code: 4001, reason: 'bye' }],
  ['the user closes normally', 'person', ({ socket }) => socket.close(1000), { code: 1000, reason: '' }],
  ['the user closes without a code', 'person', ({ socket }) => socket.close(), { code: 1005, reason: '' }],
  ['the user vanishes', 'person', ({ socket }) => socket.terminate(), { code: 1001, reason: '' }],
  ['the agent closes with code and reason', 'shell', ({ socket }) => socket.close(3000, 'shell ended'), { code: 3000, reason: 'shell ended' }],
  ['the agent closes without a code', 'shell', ({ socket }) => socket.close(), { code: 1005, reason: '' }],
  ['the agent vanishes', 'shell', ({ socket }) => socket.terminate(), { code: 1000, reason: 'session ended' }],
];
for (const [name, from, end, expected] of ends) {
  test(`${name}: the other side sees ${expected.code}`, async () => {
    const both = await joined();
    end(both[from]);
    const other = from === 'shell' ? both.person : both.shell;
    assert.equal(await other.closed, expected);
    await over(both);
  });
}

test('a code that is not allowed on the wire becomes 1002', async () => {
  const shell = await openShell();
  const raw = await rawUser();
  shell.socket.send('prompt');
  await eventually(() => assert.ok(raw.bytes() > 0));
  // A masked close frame with code 1005, mask 0.
  raw.socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xed]));
  assert.is((await shell.closed).code, 1002);
  raw.socket.destroy();
});

test('output before the end arrives before the close, whichever way the agent ends', async () => {
  for (const end of ['close', 'terminate'] as const) {
    const both = await joined();
    const sent = Array.from({ length: 50 }, (_, n) => Buffer.alloc(8_192, n));
    for (const data of sent.slice(0, -1)) both.shell.socket.send(data);
    await new Promise<void>((resolve) => both.shell.socket.send(sent.at(-1)!, () => resolve()));
    both.shell.socket[end]();
    await both.person.closed;
    assert.equal(both.person.messages, sent);
    await over(both);
  }
});

test('the user leaving ends the agent side, and then its result ends the task', async () => {
  const both = await joined();
  const [row] = await rows(app, 'is_running');
  both.person.socket.close(1000);
  await both.shell.closed;
  await eventually(async () => {
    assert.is((await rows(app, { task_id: row.task_id }))[0].success, true);
  });
});

test('output before the user is kept: text, bytes and empty messages', async () => {
  const shell = await openShell();
  const sent = ['$ ', Buffer.from('prompt'), '', Buffer.alloc(0), Buffer.alloc(500_000, 1)];
  for (const message of sent) shell.socket.send(message);
  await flushed(shell);
  const person = await side(app, userQuery(app));
  assert.equal(await person.received(5), sent);
  await over({ shell, person });
});

test('an agent that writes without end before the user comes is stopped at a bound, and loses nothing', async () => {
  const shell = await openShell();
  const chunk = Buffer.alloc(8_192, 5);
  const total = 4_000;
  let sent = 0;
  const pump = () => {
    while (sent < total && shell.socket.bufferedAmount < FRAME) {
      sent++;
      shell.socket.send(chunk, pump);
    }
  };
  pump();
  const stalled = await stalledAt(() => sent);
  assert.ok(stalled < total, `${stalled} messages were taken`);
  const person = await side(app, userQuery(app));
  await person.received(total);
  assert.ok(person.messages.every((message) => (message as Buffer).equals(chunk)));
  await over({ shell, person });
});

test('a user who does not read stops the agent; memory stays bounded, and nothing is lost', async () => {
  const shell = await openShell();
  const raw = await rawUser();
  shell.socket.send('prompt');
  await eventually(() => assert.ok(raw.bytes() > 0));
  raw.socket.pause();
  const before = heldBytes();
  const chunk = Buffer.alloc(8_192, 5);
  const total = loop(10_000, 25_000);
  let sent = 0;
  const pump = () => {
    while (sent < total && shell.socket.bufferedAmount < FRAME) {
      sent++;
      shell.socket.send(chunk, pump);
    }
  };
  pump();
  const stalled = await stalledAt(() => sent);
  assert.ok(stalled < total / 2, `${stalled} messages were taken`);
  const grown = (heldBytes() - before) / FRAME;
  assert.ok(grown < loop(40, 100), `${grown.toFixed(0)} MB more`);
  raw.socket.resume();
  await eventually(() => assert.ok(raw.bytes() > total * 8_192));
  raw.socket.destroy();
  await shell.closed;
  await eventually(async () => assert.is((await rows(app, 'is_running')).length, 0));
});

test('empty messages count: an agent cannot fill the memory with them either', async () => {
  const item = await shellTask(app, agent);
  const raw = await rawSide(queryOf(agentQuery(item)));
  // Masked binary frames without payload, 6 bytes each.
  const frames = Buffer.alloc(65_536 * 6);
  for (let at = 0; at < frames.length; at += 6) frames.set([0x82, 0x80], at);
  const total = 200;
  let sent = 0;
  const pump = (): void => {
    if (sent++ < total) raw.socket.write(frames, (error) => error || pump());
  };
  pump();
  const stalled = await stalledAt(() => sent);
  assert.ok(stalled < total / 2, `${stalled * 65_536} messages were taken`);
  const person = await side(app, userQuery(app));
  await person.received(20_000);
  person.socket.terminate();
  raw.socket.destroy();
  await agent.answer(item, RESULTS['web_shell']);
});

test('a session ends when the token of its user ends', async () => {
  const limits = [{ scopes: [{ agent_uuid: A }], permissions: [{ terminal: 'connect' }] }];
  const expiring = { timestamp_to: app.clock.now() + 20_000 };
  // biome-ignore format: one case per line
  const ways: [string, Record<string, unknown>, (token: string) => Promise<unknown>][] = [
    ['deleted', {}, (token) => app.call('token_delete', [app.superToken, token.slice(0, 16)])],
    ['rolled', {}, (token) => app.call('token_roll_token_secret', [app.superToken, token.slice(0, 16)])],
    ['expired', expiring, () => app.clock.advance(20_001)],
  ];
  for (const [name, extra, end] of ways) {
    const both = await joined(await app.token(limits, extra));
    await end(both.person.socket.url.split('token=')[1]!.replace('%3A', ':'));
    assert.equal(await both.person.closed, { code: 1008, reason: 'credential ended' }, name);
    assert.is((await both.shell.closed).code, 1001, name);
    await over(both);
  }
});

test('a session without a user ends after three minutes', async () => {
  const shell = await openShell();
  for (let n = 0; n < 9; n++) {
    await app.clock.advance((3 * MINUTE) / 9 - (n === 8 ? 1 : 0));
    // Its answers to pings are heard.
    await roundTrip(shell);
  }
  assert.is(shell.socket.readyState, shell.socket.OPEN);
  await app.clock.advance(1);
  assert.equal(await shell.closed, { code: 1000, reason: 'no user came' });
});

test('after a pause of the server, a session without a user still waits for one', async () => {
  const shell = await openShell();
  await app.clock.sleep(10 * MINUTE);
  await roundTrip(shell);
  const person = await side(app, userQuery(app));
  shell.socket.send('prompt');
  assert.equal(await person.received(1), ['prompt']);
  await over({ shell, person });
});

test('both sides are pinged every 30 s, and a side that does not answer is dropped', async () => {
  const both = await joined();
  const pings = { shell: 0, person: 0 };
  both.shell.socket.on('ping', () => pings.shell++);
  both.person.socket.on('ping', () => pings.person++);
  /** Ten seconds, and then time for what went out to come back. */
  const tenSeconds = async (...sides: Side[]) => {
    await app.clock.advance(10_000);
    for (const each of sides) await roundTrip(each);
  };
  for (let n = 0; n < 30; n++) await tenSeconds(both.shell, both.person);
  assert.ok(pings.shell >= 9 && pings.shell <= 10, `${pings.shell} pings in 300 s`);
  assert.is(pings.person, pings.shell);
  // From now on nothing is read, so no ping is answered.
  both.person.socket.pause();
  let ended = false;
  both.shell.socket.once('close', () => {
    ended = true;
  });
  let seconds = 0;
  for (; !ended && seconds < 200; seconds += 10) {
    await Promise.race([tenSeconds(both.shell).catch(() => {}), both.shell.closed]);
  }
  // The first unanswered ping may go out at once; ten seconds after the second the end.
  assert.ok(seconds >= 40 && seconds <= 120, `dropped after ${seconds} s`);
  assert.is((await both.shell.closed).code, 1001);
  both.person.socket.resume();
  await both.person.closed;
});

test('a server that stops ends all terminals', async () => {
  const both = await joined();
  await app.restart();
  assert.is((await both.person.closed).code, 1001);
  assert.is((await both.shell.closed).code, 1001);
  agent = await readyAgent(app);
});

/** Resolves when everything sent has left this process. */
const flushed = async ({ socket }: Side) => {
  await eventually(() => assert.is(socket.bufferedAmount, 0));
};

/** The value at which `count` stays for a while. */
async function stalledAt(count: () => number): Promise<number> {
  for (;;) {
    const before = count();
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (count() === before) return before;
  }
}

const rawUser = () => rawSide(queryOf(userQuery(app)));

/** A side whose reading the test controls down to the socket. */
async function rawSide(query: string): Promise<{ socket: Socket; bytes: () => number }> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  let received = 0;
  let opened = false;
  socket.on('error', () => {
    // The end of the test destroys it while data is on its way.
  });
  socket.on('data', (data) => {
    if (opened) received += data.length;
    opened = true;
  });
  socket.write(
    `GET /terminal?${query} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n',
  );
  await eventually(() => assert.ok(opened));
  return { socket, bytes: () => received };
}

test.run();
