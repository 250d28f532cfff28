// proof only: 5
/** Kinds ping, tcp_ping, http_ping and ip of the agent program (clients.md §2.8, task.md §6). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { systemClock } from '../agent/src/clock.ts';
import type { TaskKind } from '../agent/src/task-kinds.ts';
import { parseTarget } from '../agent/src/tasks/tcp-ping.ts';
import { pingArguments, pingTimes } from '../checks/src/ping-program.ts';
import { startHttp } from './agent-program-http-server.ts';
import { FakeClock, soon } from './agent-program-kit.ts';
import { contextFor, failureOf, resultOf, runtimeFor } from './agent-program-task-kit.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: network tasks');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');
const hasPing = spawnSync('ping', ['-V']).error === undefined;

// [what printed it, the text, ms]
const PINGS: [string, string, number | undefined][] = [
  ['iputils', '64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.045 ms\n\n--- stats', 0.045],
  ['iputils, no fraction', '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=118 ms', 118],
  ['busybox', '64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.079 ms', 0.079],
  ['macOS', '64 bytes from 127.0.0.1: icmp_seq=0 ttl=64 time=0.061 ms', 0.061],
  ['macOS, IPv6', '16 bytes from ::1, icmp_seq=0 hlim=64 time=0.116 ms', 0.116],
  ['Windows', 'Reply from 127.0.0.1: bytes=32 time<1ms TTL=128', 1],
  ['Windows in German', 'Antwort von 10.0.0.1: Bytes=32 Zeit=12ms TTL=57', 12],
  ['a comma as decimal point', 'time=0,045 ms', 0.045],
  [
    'nobody who answered',
    '1 packets transmitted, 0 received, 100% packet loss, time 0ms',
    undefined,
  ],
  ['Windows without a route', 'Reply from 10.0.0.2: Destination host unreachable.', undefined],
  ['nothing', '', undefined],
];

for (const [who, text, ms] of PINGS) {
  test(`reads the time that ping prints: ${who}`, () => {
    assert.equal(pingTimes(text), ms === undefined ? [] : [ms]);
  });
}

// [address, platform, arguments]
const ARGUMENTS: [string, NodeJS.Platform, string[]][] = [
  ['10.0.0.1', 'linux', ['-n', '-c', '1', '-W', '2', '10.0.0.1']],
  ['::1', 'linux', ['-6', '-n', '-c', '1', '-W', '2', '::1']],
  ['10.0.0.1', 'darwin', ['-n', '-c', '1', '-W', '2000', '10.0.0.1']],
  ['10.0.0.1', 'win32', ['-n', '1', '-w', '2000', '10.0.0.1']],
];

for (const [address, platform, expected] of ARGUMENTS) {
  test(`asks ping for one echo of ${address} on ${platform}`, () => {
    assert.equal(pingArguments(address, { count: 1, platform }), expected);
  });
}

/** A program in place of `ping`. */
function program(script: string) {
  const path = join(dir, `ping-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { runtime: runtimeFor(systemClock, {}, { ping_program: path }) };
}

test('hands only addresses to ping, whatever the host is called', async () => {
  const record = join(dir, 'arguments');
  const fake = program(`printf '%s\\n' "$@" >> ${record}; echo time=1.5 ms`);
  assert.is(await resultOf('ping', '127.0.0.1', fake), 1.5);
  assert.is(await resultOf('ping', ' [::1] ', fake), 1.5);
  const addresses = ['127.0.0.1', '::1'];
  assert.is(await resultOf('ping', 'localhost', fake), 1.5);
  const lines = readFileSync(record, 'utf8').trim().split('\n');
  assert.ok(
    lines.every((line) => line.startsWith('-') || /^\d$/.test(line) || addresses.includes(line)),
  );
  for (const host of ['-f', '--help', '127.0.0.1; touch x', '$(id)', '', '  ']) {
    assert.not.match(await failureOf('ping', host, fake), 'accepted');
  }
  assert.is(readFileSync(record, 'utf8').trim().split('\n').length, lines.length);
});

// [what ping does, the script, words of the failure]
const FAILED_PINGS: [string, string, RegExp][] = [
  [
    'says why',
    'echo "ping: connect: Network is unreachable" >&2; exit 2',
    /^ping: connect: Network is unreachable$/,
  ],
  [
    'is stopped by a firewall',
    'echo "ping: sendmsg: Operation not permitted" >&2; exit 1',
    /^ping: sendmsg: Operation not permitted$/,
  ],
  [
    'may open no socket',
    'echo "ping: socket: Operation not permitted" >&2; exit 2',
    /^ping: socket: Operation not permitted: this agent may not ping; on the machine "sh .*install\.sh --update" gives/,
  ],
  [
    'may open no socket, in the words of a small system',
    'echo "ping: permission denied (are you root?)" >&2; exit 1',
    /\(are you root\?\): this agent may not ping/,
  ],
  [
    'gets no answer',
    'echo "100% packet loss, time 0ms"; exit 1',
    /^no answer from 127.0.0.1 within 2 s$/,
  ],
  ['prints no time', 'echo fine', /^no answer from 127.0.0.1/],
];

for (const [what, script, words] of FAILED_PINGS) {
  test(`fails when ping ${what}`, async () => {
    assert.match(await failureOf('ping', '127.0.0.1', program(script)), words);
  });
}

test('says what to do where the program ping may not start', async () => {
  const path = join(dir, 'ping-without-right');
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o644 });
  const runtime = runtimeFor(systemClock, {}, { ping_program: path });
  assert.match(
    await failureOf('ping', '127.0.0.1', { runtime }),
    /EACCES: this agent may not ping; .* net\.ipv4\.ping_group_range$/,
  );
});

test('says that ping is not installed', async () => {
  const runtime = runtimeFor(systemClock, {}, { ping_program: join(dir, 'no-such-ping') });
  assert.is(await failureOf('ping', '127.0.0.1', { runtime }), 'the program ping is not installed');
});

test('ends a ping that does not end by itself', async () => {
  const clock = new FakeClock();
  const { runtime } = program('exec sleep 60');
  const fake = { ...runtime, clock };
  const failed = failureOf('ping', '127.0.0.1', { runtime: fake });
  await clock.timer('ping');
  await clock.advance(4000);
  assert.is(await failed, 'ping took longer than 4 s');
});

(hasPing ? test : test.skip)('pings this machine with the real program', async () => {
  await quickly('ping', '127.0.0.1');
});
if (!hasPing) process.stdout.write('  skipped: no program ping on this machine\n');

async function listen(host = '127.0.0.1') {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()));
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** A connection takes less than a second, and is given up after one: where the machine is busy not at the first try. */
async function quickly(kind: TaskKind, target: string): Promise<void> {
  const seen: unknown[] = [];
  for (let tries = 0; tries < 10; tries += 1) {
    const ms = await resultOf(kind, target).catch((error: Error) => error.message);
    if (ms > 0 && ms < 1000) return;
    seen.push(ms);
  }
  assert.unreachable(`never in less than a second: ${seen}`);
}

test('measures a TCP connection', async () => {
  const server = await listen();
  try {
    for (const target of [`127.0.0.1:${server.port}`, `localhost:${server.port}`]) {
      await quickly('tcp_ping', target);
    }
  } finally {
    await server.stop();
  }
});

(hasIpv6 ? test : test.skip)('measures a TCP connection over IPv6', async () => {
  const server = await listen('::1');
  try {
    await quickly('tcp_ping', `[::1]:${server.port}`);
  } finally {
    await server.stop();
  }
});

test('fails for a closed port', async () => {
  assert.match(await failureOf('tcp_ping', `127.0.0.1:${await freePort()}`), 'ECONNREFUSED');
});

/** A program that listens, takes one or two connections into its queue and then stands still. */
async function stuckListener(): Promise<{ port: number; stop(): void }> {
  const script = `const s = require('net').createServer();
    s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await soon('the port', once(child.stdout, 'data'));
  child.kill('SIGSTOP');
  const sockets: Socket[] = [];
  // Two that get no answer: the first may only have been slow.
  for (let stuck = 0; stuck < 2; ) {
    const socket = connect(Number(line), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const late = new Promise((wake) => setTimeout(wake, 200, 'late'));
    await Promise.race([once(socket, 'connect'), late]);
    // Where this process was busy, the timer is told before the socket.
    await new Promise((wake) => setImmediate(wake));
    if (socket.connecting) stuck += 1;
  }
  return {
    port: Number(line),
    stop() {
      for (const socket of sockets) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}

(process.platform === 'linux' ? test : test.skip)(
  'gives up a TCP connection after 1 s',
  async () => {
    const clock = new FakeClock();
    const { port, stop } = await stuckListener();
    try {
      const failed = failureOf('tcp_ping', `127.0.0.1:${port}`, { runtime: runtimeFor(clock) });
      assert.is(await clock.timer('connection'), 1000);
      await clock.advance(1000);
      assert.is(await failed, 'connection took longer than 1 s');
      assert.equal(clock.labels(), []);
    } finally {
      stop();
    }
  },
);

const TARGETS: [string, { host: string; port: number } | undefined][] = [
  ['db1.example.net:5432', { host: 'db1.example.net', port: 5432 }],
  [' 10.0.0.1:1 ', { host: '10.0.0.1', port: 1 }],
  ['[2001:db8::1]:65535', { host: '2001:db8::1', port: 65535 }],
  ['db1.example.net', undefined],
  ['db1.example.net:', undefined],
  [':80', undefined],
  ['host:0', undefined],
  ['host:65536', undefined],
  ['host:80x', undefined],
  ['host:-1', undefined],
  ['2001:db8::1:80', undefined],
  ['[]:80', undefined],
  ['', undefined],
];

for (const [text, expected] of TARGETS) {
  test(`reads the tcp_ping target "${text}"`, () => {
    if (expected) assert.equal(parseTarget(text), expected);
    else assert.throws(() => parseTarget(text), /tcp_ping must be host:port/);
  });
}

test('measures an HTTP answer of any status, redirects included', async () => {
  const seen: string[] = [];
  const server = await startHttp(({ method, url }, answer) => {
    seen.push(`${method} ${url}`);
    if (url === '/away') answer.writeHead(302, { location: '/there' });
    else answer.writeHead(503);
    answer.end();
  });
  try {
    const ms = await resultOf('http_ping', `${server.url}away`);
    assert.ok(ms > 0 && ms < 5000, `${ms} ms`);
    assert.equal(seen, ['GET /away', 'GET /there']);
  } finally {
    await server.stop();
  }
});

test('does not wait for the body of an HTTP ping', async () => {
  const server = await startHttp();
  try {
    const result = resultOf('http_ping', server.url);
    const { answer } = await server.next();
    const closed = once(answer, 'close');
    answer.write('endless');
    assert.ok((await result) > 0);
    await closed;
  } finally {
    await server.stop();
  }
});

test('tells both public addresses, null for a family without an answer', async () => {
  const server = await startHttp(({ url }, answer) => {
    answer.end(url === '/trace' ? 'fl=1\nh=x\nip=198.51.100.23\nts=1\n' : '2001:db8::1');
  });
  const gone = `http://127.0.0.1:${await freePort()}/`;
  const answers = (...ip_provider_urls: string[]) =>
    resultOf('ip', null, { runtime: runtimeFor(systemClock, { ip_provider_urls }) });
  try {
    assert.equal(await answers(`${server.url}trace`, gone), ['198.51.100.23', null]);
    assert.equal(await answers(gone, gone), [null, null]);
    // An IPv4 connection cannot tell an IPv6 address, and the other way round.
    assert.equal(await answers(server.url, `${server.url}trace`), [null, null]);
  } finally {
    await server.stop();
  }
});

(hasIpv6 ? test : test.skip)('asks for the IPv6 address over IPv6', async () => {
  const server = await startHttp((_request, answer) => void answer.end('2001:db8::1\n'), '::1');
  try {
    const ip_provider_urls = [server.url, server.url];
    const runtime = runtimeFor(systemClock, { ip_provider_urls });
    assert.equal(await resultOf('ip', null, { runtime }), [null, '2001:db8::1']);
  } finally {
    await server.stop();
  }
});

test('waits 5 s for each address', async () => {
  const server = await startHttp();
  const clock = new FakeClock();
  try {
    const ip_provider_urls = [server.url, server.url];
    const result = resultOf('ip', null, { runtime: runtimeFor(clock, { ip_provider_urls }) });
    assert.is(await clock.timer('IPv4 provider'), 5000);
    await server.next();
    await clock.advance(5000);
    assert.equal(await result, [null, null]);
  } finally {
    await server.stop();
  }
});

// [kind, content that does not decode]
const MALFORMED: [TaskKind, unknown][] = [
  ['ping', null],
  ['ping', 5],
  ['tcp_ping', null],
  ['tcp_ping', {}],
  ['http_ping', null],
  ['http_ping', '/relative'],
  ['http_ping', 'ftp://127.0.0.1/'],
  ['http_ping', ['http://127.0.0.1/']],
  ['ip', {}],
  ['ip', 'x'],
  ['version', 1],
  ['self_update', null],
  ['self_update', { tag: 'v1' }],
];

for (const [kind, content] of MALFORMED) {
  test(`refuses ${kind} with ${JSON.stringify(content)}`, async () => {
    assert.match(await failureOf(kind, content), /^malformed task: /);
  });
}

test('tells its version in 13 strings', async () => {
  const version = await resultOf('version', null);
  assert.equal(Object.keys(version), [
    'binary_type',
    'build_time',
    'cargo_target_triple',
    'cargo_version',
    'git_branch',
    'git_commit_date',
    'git_commit_message',
    'git_commit_sha',
    'rustc_channel',
    'rustc_commit_date',
    'rustc_commit_hash',
    'rustc_llvm_version',
    'rustc_version',
  ]);
  assert.ok(Object.values(version).every((value) => typeof value === 'string' && value !== ''));
  assert.is(version.binary_type, 'Agent');
  assert.match(version.cargo_version, /^\d+\.\d+\.\d+$/);
});

test('answers a self_update with false: nothing was replaced', async () => {
  assert.is(await resultOf('self_update', 'v99.0.0'), false);
});

test('ends a task on the network when its signal aborts', async () => {
  const server = await startHttp();
  const stop = new AbortController();
  try {
    const failed = failureOf('http_ping', server.url, contextFor({ signal: stop.signal }));
    const { answer } = await server.next();
    const closed = once(answer, 'close');
    stop.abort(new Error('the agent stops'));
    assert.is(await failed, 'the agent stops');
    await closed;
  } finally {
    await server.stop();
  }
});

test.run();
