/** Kind web_shell of the agent program: clients.md §2.9, terminal.md §5 to §7. */
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import * as assert from 'uvu/assert';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../agent/src/clock.ts';
import { terminalAddress } from '../agent/src/terminal/address.ts';
import { readTerminalMessage } from '../agent/src/terminal/message.ts';
import { loadPty, shellEnvironment } from '../agent/src/terminal/pty.ts';
import { PtyInput } from '../agent/src/terminal/pty-input.ts';
import { AGENT, FakeClock, soon } from './agent-program-kit.ts';
import { gone, isAlive } from './agent-program-programs.ts';
import { contextFor, failureOf, resultOf, runtimeFor } from './agent-program-task-kit.ts';
import { heldBytes } from './memory.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: terminal');
const TERMINAL = '7d0b2f4e-3c1a-4a55-9d52-0b6f2e6f9a10';
const QUERY = `agent_uuid=${AGENT}&task_id=41&task_token=q7ZrT0aTxe&terminal_id=${TERMINAL}`;

// [address of the task, address of the connection]
const ADDRESSES: [string, string][] = [
  ['ws://mon.example.net:2211/auto_gen', `ws://mon.example.net:2211/terminal?${QUERY}`],
  ['ws://mon.example.net/auto_gen', `ws://mon.example.net:80/terminal?${QUERY}`],
  ['wss://mon.example.net/auto_gen', `wss://mon.example.net:443/terminal?${QUERY}`],
  ['wss://mon.example.net:8443/auto_gen', `wss://mon.example.net:8443/terminal?${QUERY}`],
  ['ws://[::1]:2211/auto_gen', `ws://[::1]:2211/terminal?${QUERY}`],
  ['ws://user:pass@mon.example.net/auto_gen?x=1#y', `ws://mon.example.net:80/terminal?${QUERY}`],
  ['ws://a.example/auto_gen/', `ws://a.example/auto_gen/?terminal_id=${TERMINAL}`],
  ['ws://a.example/x/auto_gen', `ws://a.example/x/auto_gen?terminal_id=${TERMINAL}`],
  ['ws://a.example/t?a=1#y', `ws://a.example/t?a=1&terminal_id=${TERMINAL}`],
  ['ws://a.example/t?terminal_id=old&a=1', `ws://a.example/t?terminal_id=${TERMINAL}&a=1`],
];

for (const [given, expected] of ADDRESSES) {
  test(`connects for ${given} to ${expected.replace(QUERY, '…')}`, () => {
    const task = { task_id: 41, task_token: 'q7ZrT0aTxe', agent_uuid: AGENT };
    const address = terminalAddress({ ...task, url: new URL(given), terminal_id: TERMINAL });
    assert.is(address, expected);
  });
}

const INPUT = { kind: 'input' };
const HEARTBEAT = { kind: 'heartbeat' };

// [text from the user, what it means]
const MESSAGES: [string, unknown][] = [
  ['{"type":"resize","cols":132,"rows":43}', { kind: 'resize', cols: 132, rows: 43 }],
  [' \n{"cols":1,"rows":0}', { kind: 'resize', cols: 1, rows: 0 }],
  ['{"cols":65536,"rows":99999999}', { kind: 'resize', cols: 65535, rows: 65535 }],
  ['{"type":"heartbeat","timestamp":1}', HEARTBEAT],
  ['{"type":1,"timestamp":null,"cols":-1,"rows":5}', HEARTBEAT],
  ['{"cols":80}', INPUT],
  ['{"cols":"80","rows":"24"}', INPUT],
  ['{"cols":80.5,"rows":24}', INPUT],
  ['{"type":"heartbeat"}', INPUT],
  ['{"error_id":108,"error_message":"no"}', { kind: 'refusal', reason: 'no' }],
  ['{"error_id":"108","error_message":"no"}', INPUT],
  ['{}', INPUT],
  ['{', INPUT],
  ['[{"cols":80,"rows":24}]', INPUT],
  ['"x"', INPUT],
  ['ls\r', INPUT],
  ['', INPUT],
];

for (const [text, meaning] of MESSAGES) {
  test(`reads ${JSON.stringify(text)} as ${JSON.stringify(meaning)}`, () => {
    assert.equal(readTerminalMessage(text), meaning);
  });
}

// [what, content, words of the failure]
const REFUSED: [string, unknown, RegExp][] = [
  ['a text', 'ws://127.0.0.1/', /^malformed task: web_shell must be an object$/],
  ['no url', { terminal_id: TERMINAL }, /^malformed task: url must be a string$/],
  ['http', { url: 'http://127.0.0.1/', terminal_id: TERMINAL }, /^malformed task: url must be/],
  ['no id', { url: 'ws://127.0.0.1/' }, /^malformed task: terminal_id must be a string$/],
  [
    'an id that is no UUID',
    { url: 'ws://127.0.0.1/', terminal_id: 'x' },
    /terminal_id must be a UUID$/,
  ],
];

for (const [what, content, words] of REFUSED) {
  test(`refuses ${what}`, async () => {
    assert.match(await failureOf('web_shell', content), words);
  });
}

const TEXT_KEPT = 16_384;

/** The user's side of one terminal. */
class User {
  readonly closed: Promise<number>;
  readonly sizes: number[] = [];
  kinds = new Set<string>();
  /** The end of what came. */
  text = '';
  /** Letters x that came. */
  xs = 0;
  readonly #socket: WebSocket;
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => socket.terminate());
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.kinds.add(isBinary ? 'binary' : 'text');
      this.sizes.push(data.length);
      for (const byte of data) if (byte === 0x78) this.xs += 1;
      this.text = (this.text + data.toString()).slice(-TEXT_KEPT);
      this.#wake();
    });
    this.closed = new Promise((resolve) => socket.on('close', resolve));
  }

  send(data: string | Buffer): void {
    this.#socket.send(data);
  }

  leave(): void {
    this.#socket.close(1000);
  }

  vanish(): void {
    this.#socket.terminate();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** What the words captured, as soon as they stand in the output. */
  async sees(words: RegExp): Promise<string> {
    const look = async () => {
      for (;;) {
        const match = words.exec(this.text);
        if (match) return match[1] ?? match[0];
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    };
    return await soon(`${words}`, look()).catch((error: Error) => {
      throw new Error(`${error.message}, but ${JSON.stringify(this.text.slice(-500))}`);
    });
  }
}

interface Terminals {
  url: string;
  /** The next terminal that connects. */
  accept(): Promise<{ user: User; request: IncomingMessage }>;
}

async function withTerminals(use: (terminals: Terminals) => Promise<void>): Promise<void> {
  const http = createServer();
  const ws = new WebSocketServer({ server: http });
  const waiting: { user: User; request: IncomingMessage }[] = [];
  let wake = () => {};
  ws.on('connection', (socket, request) => {
    waiting.push({ user: new User(socket), request });
    wake();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    await use({
      url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/auto_gen`,
      async accept() {
        while (waiting.length === 0) {
          await soon('a terminal', new Promise<void>((resolve) => (wake = resolve)));
        }
        return waiting.shift()!;
      },
    });
  } finally {
    for (const socket of ws.clients) socket.terminate();
    http.close();
    await once(http, 'close');
  }
}

/** Opens one terminal; `result` is what is uploaded at its end. */
async function openOne(terminals: Terminals, clock: Clock = systemClock, extra = {}) {
  const runtime = runtimeFor(clock);
  const content = { url: terminals.url, terminal_id: TERMINAL.toUpperCase() };
  let isDone = false;
  const result = resultOf('web_shell', content, { runtime, ...extra }).finally(
    () => (isDone = true),
  );
  const { user, request } = await terminals.accept();
  return { user, request, result, runtime, isDone: () => isDone };
}

const hasPty = await loadPty().then(
  () => true,
  () => false,
);
const shellTest = hasPty && process.platform === 'linux' ? test : test.skip;
if (!hasPty)
  process.stdout.write('  skipped: the optional package @lydell/node-pty is not installed\n');

shellTest('opens a shell of 24 × 80 that is typed into and resized, as binary output', () =>
  withTerminals(async (terminals) => {
    const { user, request, result, isDone } = await openOne(terminals);
    assert.is(request.url, `/terminal?${QUERY}`);
    user.send('stty size; echo "term=$TERM"\r');
    assert.is(await user.sees(/(\d+ \d+)\r\nterm=/), '24 80');
    assert.is(await user.sees(/\nterm=(\S+)\r/), 'xterm-256color');
    user.send('{"type":"resize","cols":132,"rows":43}');
    user.send('{"type":"heartbeat","timestamp":1}');
    user.send('');
    user.send(Buffer.from('stty size; echo done-$((6*7))\r'));
    await user.sees(/43 132\r\ndone-/);
    await user.sees(/done-42/);
    user.send('{"cols":0,"rows":0}');
    user.send('echo grüße | tr a-z A-Z; stty size\r');
    await user.sees(/GR[\s\S]*43 132\r/);
    assert.match(user.text, 'GR');
    assert.not.match(user.text, 'heartbeat');
    assert.equal([...user.kinds], ['binary']);
    assert.is(isDone(), false);
    user.leave();
    assert.is(await result, true);
  }),
);

// [the agent's environment, LANG of the shell]
const LOCALES: [{ readonly [name: string]: string }, string | undefined][] = [
  [{}, 'C.UTF-8'],
  [{ LANG: '' }, 'C.UTF-8'],
  [{ LANG: 'de_DE.UTF-8' }, 'de_DE.UTF-8'],
  [{ LANG: 'C' }, 'C'],
  [{ LC_ALL: 'C' }, undefined],
  [{ LC_CTYPE: 'ja_JP.UTF-8' }, undefined],
];
for (const [given, expected] of process.platform === 'darwin' ? [] : LOCALES) {
  test(`a shell under ${JSON.stringify(given)} has the LANG ${expected}`, () => {
    const { LANG, ...others } = shellEnvironment({ ...given, HOME: '/root' });
    const { LANG: _lang, ...same } = given;
    assert.equal([LANG, others], [expected, { ...same, HOME: '/root' }]);
  });
}

shellTest('counts letters, not bytes, where the agent has no locale', () =>
  withTerminals(async (terminals) => {
    const names = ['LANG', 'LC_ALL', 'LC_CTYPE'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    try {
      const { user, result } = await openOne(terminals);
      user.send("printf 'gr\\303\\274\\303\\237e' | wc -m | sed s/^/letters=/\r");
      assert.is(await user.sees(/letters=(\d+)\r/), '5');
      user.leave();
      assert.is(await result, true);
    } finally {
      for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
    }
  }),
);

shellTest('says goodbye and uploads when the shell exits, its last output first', () =>
  withTerminals(async (terminals) => {
    const { user, result, runtime } = await openOne(terminals);
    user.send('seq 1 50000; echo the-$((40+2))-end; exit 3\r');
    assert.is(await soon('the goodbye', user.closed), 1000);
    // Some shells say that they exit.
    assert.match(user.text, /\n50000\r\nthe-42-end\r\n(?:exit\r\n)?$/);
    assert.ok(Math.max(...user.sizes) <= 8192, `${Math.max(...user.sizes)} bytes in a frame`);
    assert.is(await soon('the upload', result), true);
    assert.is(runtime.terminals.size, 0);
  }),
);

// [how the user goes, the act]
const ENDS: [string, (user: User) => void][] = [
  ['leaves', (user) => user.leave()],
  ['vanishes', (user) => user.vanish()],
];

for (const [name, act] of ENDS) {
  shellTest(`ends the shell and what it runs when the user ${name}`, () =>
    withTerminals(async (terminals) => {
      const { user, result } = await openOne(terminals);
      // Interactive shells and this program ignore TERM: only KILL and the hang-up end them.
      user.send('trap "" TERM; echo "pid=$$="; cat\r');
      const pid = await user.sees(/pid=(\d+)=/);
      assert.ok(isAlive(pid));
      const begun = performance.now();
      act(user);
      assert.is(await soon('the upload', result), true);
      await gone(pid);
      assert.ok(performance.now() - begun >= 190, 'TERM has its 200 ms');
    }),
  );
}

shellTest('ends the terminal when the agent stops', () =>
  withTerminals(async (terminals) => {
    const stop = new AbortController();
    const { user, result } = await openOne(terminals, systemClock, { signal: stop.signal });
    user.send('echo "pid=$$="\r');
    const pid = await user.sees(/pid=(\d+)=/);
    stop.abort(new Error('the agent stops'));
    assert.is(await soon('the upload', result), true);
    await gone(pid);
  }),
);

shellTest('has 8 terminals at a time, each id once', () =>
  withTerminals(async (terminals) => {
    const runtime = runtimeFor(systemClock);
    const idOf = (n: number) => TERMINAL.replace('7d0b2f4e', `0000000${n}`);
    const open = (n: number) => ({ url: terminals.url, terminal_id: idOf(n) });
    const users: User[] = [];
    const results: Promise<unknown>[] = [];
    for (let n = 1; n <= 8; n += 1) {
      results.push(resultOf('web_shell', open(n), { runtime }));
      users.push((await terminals.accept()).user);
    }
    assert.is(await failureOf('web_shell', open(9), { runtime }), '8 terminals are open');
    assert.is(
      await failureOf('web_shell', open(3), { runtime }),
      'a terminal with this id is open',
    );
    users[2]!.leave();
    assert.is(await results[2], true);
    results[2] = resultOf('web_shell', open(3), { runtime });
    users[2] = (await terminals.accept()).user;
    for (const user of users) user.leave();
    assert.equal(await Promise.all(results), Array(8).fill(true));
  }),
);

shellTest(
  'fails when the server refuses after the upgrade, without typing that into the shell',
  () =>
    withTerminals(async (terminals) => {
      const failed = failureOf('web_shell', { url: terminals.url, terminal_id: TERMINAL });
      const { user } = await terminals.accept();
      user.send('{"error_id":102,"error_message":"Task not found"}');
      user.leave();
      assert.is(await failed, 'the server refused the terminal: Task not found');
      assert.not.match(user.text, 'error_id');
    }),
);

shellTest('types such a text when it comes later', () =>
  withTerminals(async (terminals) => {
    const { user, result } = await openOne(terminals);
    user.send(Buffer.from('cat\r'));
    user.send('{"error_id":102,"error_message":"typed"}\r');
    await user.sees(/"typed"/);
    user.leave();
    assert.is(await result, true);
  }),
);

shellTest('fails when the server refuses before the upgrade, or is not there', async () => {
  const http = createServer((_request, answer) => void answer.end());
  http.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/auto_gen`;
    const failure = await failureOf('web_shell', { url, terminal_id: TERMINAL });
    assert.match(failure, '403');
    assert.not.match(failure, 'q7ZrT0aTxe');
  } finally {
    http.close();
    await once(http, 'close');
  }
  const url = `ws://127.0.0.1:${await freePort()}/auto_gen`;
  assert.match(await failureOf('web_shell', { url, terminal_id: TERMINAL }), 'ECONNREFUSED');
});

shellTest('gives up a connection after 10 s', async () => {
  const mute = createTcpServer((socket) => void socket.on('error', () => socket.destroy()));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const clock = new FakeClock();
  try {
    const url = `ws://127.0.0.1:${(mute.address() as AddressInfo).port}/auto_gen`;
    const runtime = runtimeFor(clock);
    const failed = failureOf('web_shell', { url, terminal_id: TERMINAL }, contextFor({ runtime }));
    assert.is(await clock.timer('connect'), 10_000);
    await clock.advance(10_000);
    assert.is(await failed, 'no connection within 10000 ms');
    assert.is(runtime.terminals.size, 0);
  } finally {
    mute.close();
  }
});

shellTest('holds the shell while the user reads nothing, and then loses no byte', () =>
  withTerminals(async (terminals) => {
    const { user, result } = await openOne(terminals);
    user.send('echo ready-$((1+1))\r');
    await user.sees(/ready-2/);
    user.pause();
    const before = heldBytes();
    user.send('head -c 33554432 /dev/zero | tr "\\0" x; echo; echo all-$((1+1))\r');
    await new Promise((wake) => setTimeout(wake, 1000));
    const grown = heldBytes() - before;
    assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes more in memory`);
    user.resume();
    await user.sees(/all-2/);
    // One stands in the echo of the command.
    assert.is(user.xs, 33_554_432 + 1);
    user.leave();
    assert.is(await result, true);
  }),
);

shellTest('holds the user while the program reads nothing, and then types all of it', () =>
  withTerminals(async (terminals) => {
    const { user, result } = await openOne(terminals);
    user.send(
      'stty raw -echo; echo ready-$((1+1)); sleep 1; head -c $((3*1000000)) | wc -c; stty sane\r',
    );
    await user.sees(/ready-2/);
    for (let n = 0; n < 300; n += 1) user.send(Buffer.alloc(10_000, 'y'));
    await user.sees(/\b3000000\b/);
    user.leave();
    assert.is(await result, true);
  }),
);

test('holds the sender beyond 256 KiB of input, and gives up what waits when the shell ends', async () => {
  const clock = new FakeClock();
  const held: boolean[] = [];
  const pty = { fd: openSync('/dev/null', 'w') };
  const input = new PtyInput({ pty: pty as never, clock, hold: (isHeld) => held.push(isHeld) });
  input.write(Buffer.alloc(0));
  input.write(Buffer.alloc(256 * 1024));
  assert.equal(held, []);
  input.write(Buffer.from('x'));
  assert.equal(held, [true]);
  input.close();
  assert.equal(held, [true, false]);
  input.write(Buffer.alloc(1024 * 1024));
  assert.equal(held, [true, false]);
  assert.equal(clock.labels(), []);
  const writing = () => process.getActiveResourcesInfo().includes('FSReqCallback');
  while (writing()) await new Promise((wake) => setImmediate(wake));
  closeSync(pty.fd);
});

test.run();
