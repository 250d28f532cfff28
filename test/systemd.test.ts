// proof only: 8
/** What the server tells systemd, and the unit in `deploy/systemd`. PID 1 of a test machine need not be systemd. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { has } from './documentation-kit.ts';
import { until } from './process/havoc.ts';
import { killAtExit, makeSite, rpc, startServer } from './process/server.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('systemd');

/** Prints each datagram with its time (Unix ms) as a line of JSON, after one that says that the socket is there. */
const RECEIVER = `
import json, socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('{"text":"there"}', flush=True)
while True:
    text = s.recv(65536).decode()
    print(json.dumps({"text": text, "at": time.time() * 1000}), flush=True)
`;

interface Message {
  readonly text: string;
  readonly at: number;
}

async function receive(path: string): Promise<{ child: ChildProcess; messages: Message[] }> {
  const child = spawn('python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAtExit(child);
  const messages: Message[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    messages.push(...lines.map((line) => JSON.parse(line)));
  });
  await until('the socket', () => messages.shift()?.text === 'there');
  return { child, messages };
}

const WATCHDOG_MS = 1_500;
/** Loaded into the server: at a signal its event loop stands still for as long as systemd would not wait. */
const STANDSTILL = `process.on('SIGUSR2', () => {
  const { writeSync } = process.getBuiltinModule('node:fs');
  writeSync(2, '\\nstands still from ' + Date.now());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${2 * WATCHDOG_MS});
  writeSync(2, ' to ' + Date.now() + '\\n');
});`;

const missing = ['python3', 'systemd-notify'].filter((program) => !has(program));
if (missing.length > 0) process.stdout.write(`  skipped: ${missing.join(', ')} not installed\n`);

(missing.length > 0 ? test.skip : test)(
  'systemd is told when the server listens, that its event loop turns, when it reloads and when it stops',
  async () => {
    // The list does not name the plugin.
    const site = await makeSite(
      'sqlite://{dir}/svc.db?mode=rwc',
      'plugins = ["server-info", "token"]',
    );
    const NOTIFY_SOCKET = join(site.dir, 'notify');
    const { child, messages } = await receive(NOTIFY_SOCKET);
    const env = { ...process.env, NOTIFY_SOCKET, WATCHDOG_USEC: `${WATCHDOG_MS * 1000}` };
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(STANDSTILL)}`];
    const server = await startServer(site, { env, nodeArgs });
    const count = (pattern: RegExp) => messages.filter(({ text }) => pattern.test(text)).length;
    try {
      await until('the first message', () => messages.length > 0);
      assert.is(messages[0]?.text, `READY=1\nSTATUS=Listening on ${site.url}`);
      await until('signs of life', () => count(/^WATCHDOG=1$/) >= 2);
      server.child.kill('SIGUSR2');
      const stood = () => /stands still from (\d+) to (\d+)/.exec(server.output());
      await until('the end of the standstill', () => stood() !== null);
      const [from, to] = stood()?.slice(1).map(Number) ?? [];
      await until('a sign of life', () => messages.some(({ at }) => at > Number(to)));
      // One may have been on its way.
      const silent = messages.filter(({ at }) => at > Number(from) && at < Number(to));
      assert.ok(silent.length <= 1, JSON.stringify(silent));
      appendFileSync(site.config, '\n[token]\non_delete = "suspend"\n');
      server.child.kill('SIGHUP');
      await until('a reload', () => count(/^READY=1$/) === 1);
      const reloading = messages.find(({ text }) => text.startsWith('RELOADING=1'))?.text ?? '';
      const [, at = ''] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/.exec(reloading) ?? [];
      const ago_s = Number(process.hrtime.bigint() / 1000n - BigInt(at)) / 1e6;
      assert.ok(ago_s >= 0 && ago_s < 60, `${ago_s} s ago`);
      assert.is((await server.end('SIGTERM')).code, 0);
      assert.is(count(/^STOPPING=1$/), 1);
    } finally {
      child.kill();
      await once(child, 'close');
      site.remove();
    }
  },
);

test('a watchdog that is meant for another process gets no signs of life', async () => {
  const { takeEnvironment } = await import('../plugins/systemd/src/notifier.ts');
  const env = { NOTIFY_SOCKET: '/x', WATCHDOG_USEC: '3000000', WATCHDOG_PID: '1', PATH: '/bin' };
  assert.equal(takeEnvironment(env), { socket: '/x', watchdog_ms: 0 });
  // Programs that the server starts do not speak for it.
  assert.equal(env as object, { PATH: '/bin' });
});

test('a server whose systemd cannot be told serves all the same, and says so', async () => {
  const site = await makeSite(
    'sqlite://{dir}/svc.db?mode=rwc',
    'plugins = ["server-info", "token"]',
  );
  const env = { ...process.env, NOTIFY_SOCKET: join(site.dir, 'nobody') };
  const server = await startServer(site, { env });
  try {
    assert.ok((await rpc(site.url, 'svc-server_hello', {})).result);
    await until('a warning', () => /systemd could not be told/.test(server.output()));
  } finally {
    await server.end('SIGTERM');
    site.remove();
  }
});

/** systemd-analyze rates what a unit leaves open: 0 (nothing) to 10. */
const [, promised] = /leaves open (\d\.\d) of 10/.exec(
  readFileSync(join(root, 'docs/guide/deployment.md'), 'utf8'),
) ?? [''];
const hasAnalyze = has('systemd-analyze');
if (!hasAnalyze) process.stdout.write('  skipped: systemd-analyze not installed\n');

(hasAnalyze ? test : test.skip)(
  'systemd finds nothing wrong with the unit, and no more open than the guide says',
  () => {
    const unit = join(root, 'deploy/systemd/svc-server.service');
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const verified = analyze('verify', unit);
    assert.is(verified.stdout + verified.stderr, '');
    assert.is(verified.status, 0);
    const rated = analyze('security', '--offline=yes', '--no-pager', unit);
    const [, exposure] =
      /exposure level for svc-server\.service: ([\d.]+)/.exec(rated.stdout) ?? [];
    assert.ok(Number(exposure) <= Number(promised), rated.stdout.split('\n').slice(-3).join('\n'));
  },
);

test.run();
