// Long messages against a server in its own process: its memory, its event loop, and the answers that others get.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  makeSite,
  rpc,
  type ServerProcess,
  type Site,
  startServer,
  superToken,
} from '../process/server.ts';

const test = suite('messages-attack');
const MB = 1024 * 1024;
/** Longest time that one message may hold the event loop, and the 99th percentile of what others wait, on an idle machine. */
const TURN_MS = 30;
const WAIT_MS = 100;
/** Where many values stay: what the collector of memory adds. */
const COLLECTOR_MS = 30;
/** What the sockets hold of 300 MB that have come, and 150 MB. */
const MEMORY_MB = 600;
/** What parsing 10 MB of one text takes there; a busy machine takes longer for everything. */
const IDLE_PARSE_MS = 14;
const SOCKETS = 30;
const LENGTH = 10_400_000;

let site: Site;
let server: ServerProcess;
let token: string;

test.before(async () => {
  const turns = join(import.meta.dirname, 'turns-plugin.ts');
  const plugins = ['token', 'server-info', 'agent-uuid', 'kv', 'task', turns];
  site = await makeSite(
    'sqlite://{dir}/server.db?mode=rwc',
    `plugins = ${JSON.stringify(plugins)}`,
  );
  server = await startServer(site);
  token = superToken(server.output());
});
test.after(async () => {
  await server?.end('SIGKILL');
  site?.remove();
});

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
  const before = rss();
  const message = registration();
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, openSocket));
  const honest = new Caller();
  const answers = sockets.map((socket) => answerOf(socket));
  for (const socket of sockets) {
    socket.write(header(message.length));
    socket.write(message.subarray(0, -1));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  let most = rss();
  const watch = setInterval(() => {
    most = Math.max(most, rss());
  }, 10);
  for (const socket of sockets) socket.write(message.subarray(-1));
  const ends = await Promise.all(answers);
  const latency_ms = await honest.end();
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  assert.ok(
    ends.every((answer) => /"code":102|closed/.test(answer)),
    ends[0],
  );
  const more = (most - before) / MB;
  assert.ok(more <= MEMORY_MB, `${Math.round(more)} MB more`);
  assert.ok(latency_ms <= WAIT_MS * slowness(), `${latency_ms} ms`);
});

const dense = (method: string, params: string, unit: string, end = '') =>
  text(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}`, unit, `${end}]}`);

const deep = (method: string, params: string) =>
  Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params},${'['.repeat(LENGTH / 2 - 200)}${']'.repeat(LENGTH / 2 - 200)}]}`,
  );

const value = () => `"${token}"`;
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
    undefined,
  ],
  [
    'numbers with a valid credential',
    () => dense('turns_take', `${value()},[12345678901234567890`, ',1', ']'),
    undefined,
  ],
  [
    'escapes with a valid credential',
    () => dense('turns_take', `${value()},"\\ud83d\\ude00`, '\\n', '"'),
    undefined,
  ],
  [
    'an object of many names',
    () =>
      Buffer.from(
        `{"jsonrpc":"2.0","id":1,"method":"turns_take","params":[${value()},{${Array.from({ length: 600_000 }, (_, n) => `"n${n}":${n}`).join()}}]}`,
      ),
    undefined,
  ],
  ['surplus parameters', () => dense('turns_take', `${value()},1`, ',1'), undefined],
  ['a wrong type of many elements', () => dense('turns_list', `"${token}",[1`, ',1', ']'), -32602],
  ['one text', () => dense('turns_take', `${value()},"`, 'QUJDe123', '"'), undefined],
];

for (const [name, message, code] of messages) {
  test(`10 MB hold no turn of the event loop for long: ${name}`, async () => {
    const body = message();
    const turns: number[] = [];
    const slow = [slowness()];
    for (let times = 0; times < 3; times++) {
      await rpc(site.url, 'turns_begin', []);
      const answer = JSON.parse(await slowPost(body));
      turns.push((await rpc(site.url, 'turns_end', [])).result.longest_ms);
      assert.is(answer.error?.code, code, JSON.stringify(answer).slice(0, 200));
      slow.push(slowness());
    }
    // The first run compiles.
    const longest_ms = Math.min(...turns.slice(1));
    const most_ms =
      (code === -32602 || code === undefined ? TURN_MS + COLLECTOR_MS : TURN_MS) *
      Math.max(...slow);
    assert.ok(longest_ms <= most_ms, `${turns.join()} ms of ${most_ms}`);
  });
}

/** How many times longer this machine takes at the moment than an idle one. */
function slowness(): number {
  const long = JSON.stringify('QUJDe123'.repeat(LENGTH / 8));
  const begun = performance.now();
  for (let times = 0; times < 3; times++) JSON.parse(long);
  return Math.max(1, (performance.now() - begun) / 3 / IDLE_PARSE_MS);
}

const rss = (): number => {
  const [, kB] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8')) ?? [];
  return Number(kB) * 1024;
};

/** Others of the same address: hello every few milliseconds. */
class Caller {
  #isEnded = false;
  readonly #times: number[] = [];
  readonly #done = this.#run();

  async #run(): Promise<void> {
    while (!this.#isEnded) {
      const begun = performance.now();
      await rpc(site.url, 'svc-server_hello', []);
      this.#times.push(performance.now() - begun);
    }
  }

  /** @returns the 99th percentile, ms */
  async end(): Promise<number> {
    this.#isEnded = true;
    await this.#done;
    const sorted = this.#times.sort((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
  }
}

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
