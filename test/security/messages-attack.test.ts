// Long messages against a server in its own process: its memory, and how long its event loop works without looking at others.
// alone
// proof only: 40
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import {
  makeSite,
  rpc,
  type ServerProcess,
  type Site,
  startServer,
  superToken,
} from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('messages-attack');
const MB = 1024 * 1024;
/** Longest turn of the event loop that one message may take, and that many at once may, in processor time of this machine when it is idle. */
const TURN_MS = 30;
const CROWD_MS = 100;
/** Turn that the log of a server warns of, on such a machine. */
const WARNED_MS = 50;
/** What the memory of the process may grow by. */
const MEMORY_MB = 150;
/** Processor time of parsing 10 MB of one text there; beside other work a core does less in the same time. */
const IDLE_PARSE_MS = 14;
const SOCKETS = 30;
const LENGTH = 10_400_000;
const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';

let site: Site;
let server: ServerProcess;
let token: string;
/** The largest result of `slowness` so far. */
let slowest = 1;

async function start(...more: string[]): Promise<void> {
  const turns = join(import.meta.dirname, 'turns-plugin.ts');
  const plugins = ['token', 'server-info', 'agent-uuid', 'kv', 'task', turns, ...more];
  site = await makeSite(
    'sqlite://{dir}/server.db?mode=rwc',
    `plugins = ${JSON.stringify(plugins)}`,
  );
  // The log is looked at in `stop`, by how fast the machine was.
  server = await startServer(site, { mayHold: true });
  token = superToken(server.output());
}

async function stop(): Promise<void> {
  await server?.end('SIGKILL');
  site?.remove();
  const warned = /a call held the server up .*\bcpu_ms=(\d+)/.exec(server?.output() ?? '');
  assert.ok(
    Number(warned?.[1] ?? 0) <= WARNED_MS * slowest,
    `${warned?.[0]}, ${slowest} times as slow`,
  );
}

test.after(stop);

/** A text of this many bytes. */
const text = (begin: string, unit: string, end: string, bytes = LENGTH): Buffer =>
  Buffer.from(
    begin + unit.repeat(Math.floor((bytes - begin.length - end.length) / unit.length)) + end,
  );

const registration = () =>
  text(
    '{"jsonrpc":"2.0","id":1,"method":"task_register_task","params":["bad:token","0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411",[{}',
    ',{}',
    ']]}',
  );

test('30 registrations of 10 MB of small objects with a wrong token neither fill the memory nor hold others up', async () => {
  await start();
  const message = registration();
  const before = rss();
  const slow = [slowness()];
  const turns: number[] = [];
  // The first attack also finds code that is not compiled yet.
  for (let times = 0; times < 2; times++) {
    const { most, longest_ms } = await attack(message);
    const more = (most - before) / MB;
    assert.ok(more <= MEMORY_MB, `${Math.round(more)} MB more`);
    turns.push(longest_ms);
    slow.push(slowness());
  }
  const most_ms = CROWD_MS * Math.max(...slow);
  assert.ok(Math.min(...turns) <= most_ms, `${turns.join()} ms of ${most_ms}`);
});

/** @returns the largest memory of the server, and its longest turn */
async function attack(message: Buffer): Promise<{ most: number; longest_ms: number }> {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, openSocket));
  const answers = sockets.map((socket) => answerOf(socket));
  for (const socket of sockets) {
    socket.write(header(message.length));
    socket.write(message.subarray(0, -1));
  }
  // Some are not read any further by now, so nothing tells when all have come.
  await new Promise((resolve) => setTimeout(resolve, 500));
  let most = rss();
  const watch = setInterval(() => {
    most = Math.max(most, rss());
  }, 10);
  await rpc(site.url, 'turns_begin', []);
  for (const socket of sockets) socket.write(message.subarray(-1));
  const ends = await Promise.all(answers);
  const { longest_ms } = (await rpc(site.url, 'turns_end', [])).result;
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  assert.ok(ends.every((answer) => /"code":102|closed/.test(answer)));
  assert.ok(ends.some((answer) => answer.includes('"code":102')));
  return { most, longest_ms };
}

const dense = (method: string, params: string, unit: string, end = '') =>
  text(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}`, unit, `${end}]}`);

const deep = (method: string, params: string) =>
  Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params},${'['.repeat(LENGTH / 2 - 200)}${']'.repeat(LENGTH / 2 - 200)}]}`,
  );

const value = () => `"${token}"`;
const stored = (begin: string, unit: string, end: string) =>
  dense('kv_set_value', `${value()},"big","key",${begin}`, unit, end);
const query = (begin: string, end: string, unit: string) =>
  dense('svc-server_exec_sql', `${value()},"${begin}`, unit, `${end}"`);
const dbQuery = (begin: string, end: string, unit: string) =>
  dense('db_exec_sql', `${value()},"data","${begin}`, unit, `${end}"`);
const run = (begin: string, unit: string, end: string) =>
  dense('js-worker_run', `${value()},"short","call",${begin}`, unit, end);
/** Messages of 10 MB, the code of their answer, and how long they may hold a turn of the event loop, ms. */
const messages: [name: string, message: () => Buffer, code: number | undefined][] = [
  [
    'nesting after a long integer',
    () => dense('svc-server_hello', '12345678901234567890,', '[', ''),
    -32700,
  ],
  ['closed nesting', () => deep('svc-server_hello', '12345678901234567890'), -32600],
  [
    'nesting with a valid credential',
    () => deep('turns_take', `${value()},12345678901234567890`),
    -32602,
  ],
  [
    'empty objects with a valid credential',
    () => dense('turns_take', `${value()},[{}`, ',{}', ']'),
    -32602,
  ],
  [
    'empty objects that are kept as text',
    () => dense('turns_text', `${value()},[{}`, ',{}', ']'),
    undefined,
  ],
  ['numbers', () => dense('turns_text', `${value()},[1`, ',1.5,12345678901234567', ']'), undefined],
  ['surplus parameters', () => dense('turns_text', `${value()},1,{}`, ',{}'), -32602],
  ['a stored text of escapes', () => stored('"\\ud83d\\ude00', '\\n', '"'), undefined],
  [
    'an object of many names',
    () =>
      Buffer.from(
        `{"jsonrpc":"2.0","id":1,"method":"turns_text","params":[${value()},{${Array.from({ length: 600_000 }, (_, n) => `"n${n}":${n}`).join()}}]}`,
      ),
    undefined,
  ],
  ['a wrong type of many elements', () => dense('turns_list', `"${token}",[1`, ',1', ']'), -32602],
  ['a stored value of many values', () => stored('[1', ',1.0,12345678901234567', ']'), undefined],
  ['a stored text', () => stored('"', 'QUJDe123', '"'), undefined],
  ['SQL', () => query("select length('e12345", "') as x", 'QUJDe123'), undefined],
  ['SQL of many statements', () => query('select 1', '', ';select 1'), 999],
  ['SQL of a database', () => dbQuery("select length('e12345", "') as x", 'QUJDe123'), undefined],
  [
    'SQL parameters of escapes',
    () => dense('svc-server_exec_sql', `${value()},"select length(?) as x",["`, '\\n', '"]'),
    undefined,
  ],
  ['parameters of a script', () => run('"', 'QUJDe123', '"'), undefined],
  ['parameters of a script, all escapes', () => run('"', '\\n', '"'), undefined],
  [
    'an uploaded file',
    () => dense('static-bucket-file_upload', `${value()},"files","a",null,"`, 'QUJD', '"'),
    undefined,
  ],
  ['a task', () => dense('task_create_task', `${value()},"${AGENT}",{"ping":"`, 'QUJD', '"}'), 108],
  ['a script', () => dense('js-worker_create', `${value()},"long",null,"`, 'ICAg', '"'), 108],
];

test('another server takes more kinds of messages', async () => {
  await stop();
  await start('db', 'js-worker', 'static-bucket', 'static-bucket-file');
  const script = Buffer.from('export default { onCall: (p) => p.length }').toString('base64');
  for (const [method, ...params] of [
    ['kv_create', 'big'],
    ['db_create', 'data'],
    ['static-bucket_create', 'files', 'files', false, false],
    ['js-worker_create', 'short', null, script],
  ] as const) {
    const { error } = await rpc(site.url, method, [token, ...params]);
    assert.is(error, undefined, method);
  }
});

for (const [name, message, code] of messages) {
  test(`10 MB hold no turn of the event loop for long: ${name}`, async () => {
    const body = message();
    const turns: number[] = [];
    const slow = [slowness()];
    for (let times = 0; times < 2; times++) {
      await rpc(site.url, 'turns_begin', []);
      const answer = JSON.parse(await slowPost(body));
      turns.push((await rpc(site.url, 'turns_end', [])).result.longest_ms);
      assert.is(answer.error?.code, code, JSON.stringify(answer).slice(0, 200));
      slow.push(slowness());
    }
    // The first run compiles.
    const longest_ms = Math.min(...turns);
    const most_ms = TURN_MS * Math.max(...slow);
    assert.ok(longest_ms <= most_ms, `${turns.join()} ms of ${most_ms}`);
  });
}

/** How many times as much processor time this machine takes at the moment as an idle one. */
function slowness(): number {
  const long = JSON.stringify('QUJDe123'.repeat(LENGTH / 8));
  const begun = process.cpuUsage();
  for (let times = 0; times < 3; times++) JSON.parse(long);
  const { user, system } = process.cpuUsage(begun);
  const slow = Math.max(1, (user + system) / 1_000 / 3 / IDLE_PARSE_MS);
  slowest = Math.max(slowest, slow);
  return slow;
}

const rss = (): number => {
  const [, kB] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8')) ?? [];
  return Number(kB) * 1024;
};

async function openSocket(): Promise<Socket> {
  const { port } = new URL(site.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

/** Of one masked text frame; the mask is zero, so the payload is sent as it is and all sockets share it. */
function header(bytes: number): Buffer {
  const made = Buffer.alloc(14);
  made.writeUInt8(0x81, 0);
  made.writeUInt8(0x80 | 127, 1);
  made.writeBigUInt64BE(BigInt(bytes), 2);
  return made;
}

const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.on('data', (data) => resolve(data.toString()));
    socket.on('close', () => resolve('closed'));
  });

/** Posts a body in chunks as a network brings them. */
async function slowPost(body: Buffer): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = request(`${site.url}/svc/rpc`, { method: 'POST', headers });
  for (let at = 0; at < body.length; at += 256 * 1024)
    if (!sent.write(body.subarray(at, at + 256 * 1024))) await once(sent, 'drain');
  sent.end();
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test.run();
