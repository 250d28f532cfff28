/** What the server tells systemd, and the unit in `deploy/systemd`. PID 1 of a test machine need not be systemd. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { has } from './documentation-kit.ts';
import { until } from './process/havoc.ts';
import { killAtExit, makeSite, rpc, startServer } from './process/server.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('systemd');

/** Prints each datagram as a line of JSON, after one that says that the socket is there. */
const RECEIVER = `
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('"there"', flush=True)
while True:
    print(json.dumps(s.recv(65536).decode()), flush=True)
`;

async function receive(path: string): Promise<{ child: ChildProcess; messages: string[] }> {
  const child = spawn('python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAtExit(child);
  const messages: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    messages.push(...lines.map((line) => JSON.parse(line)));
  });
  await until('the socket', () => messages.shift() === 'there');
  return { child, messages };
}

const missing = ['python3', 'systemd-notify'].filter((program) => !has(program));
if (missing.length > 0) process.stdout.write(`  skipped: ${missing.join(', ')} not installed\n`);

(missing.length > 0 ? test.skip : test)(
  'systemd is told when the server listens, that it lives, when it reloads and when it stops',
  async () => {
    // The list does not name the plugin.
    const site = await makeSite(
      'sqlite://{dir}/svc.db?mode=rwc',
      'plugins = ["server-info", "token"]',
    );
    const NOTIFY_SOCKET = join(site.dir, 'notify');
    const { child, messages } = await receive(NOTIFY_SOCKET);
    const env = { ...process.env, NOTIFY_SOCKET, WATCHDOG_USEC: '1500000' };
    const server = await startServer(site, { env });
    const count = (pattern: RegExp) => messages.filter((message) => pattern.test(message)).length;
    try {
      await until('the first message', () => messages.length > 0);
      assert.is(messages[0], `READY=1\nSTATUS=Listening on ${site.url}`);
      await until('signs of life', () => count(/^WATCHDOG=1$/) >= 2);
      appendFileSync(site.config, '\n[token]\non_delete = "suspend"\n');
      server.child.kill('SIGHUP');
      await until('a reload', () => count(/^READY=1$/) === 1);
      const [reloading = ''] = messages.filter((message) => message.startsWith('RELOADING=1'));
      const [, at = ''] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/.exec(reloading) ?? [];
      const ago_s = Number(process.hrtime.bigint() / 1000n - BigInt(at)) / 1e6;
      assert.ok(ago_s >= 0 && ago_s < 60, `${ago_s} s ago`);
      assert.is((await server.end('SIGTERM')).code, 0);
      assert.ok(messages.includes('STOPPING=1'), messages.join('; '));
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
const MOST_EXPOSURE = 1.5;
const hasAnalyze = has('systemd-analyze');
if (!hasAnalyze) process.stdout.write('  skipped: systemd-analyze not installed\n');

(hasAnalyze ? test : test.skip)(
  'systemd finds nothing wrong with the unit, and little open',
  () => {
    const unit = join(root, 'deploy/systemd/svc-server.service');
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const verified = analyze('verify', unit);
    assert.is(verified.stdout + verified.stderr, '');
    assert.is(verified.status, 0);
    const rated = analyze('security', '--offline=yes', '--no-pager', unit);
    const [, exposure] =
      /exposure level for svc-server\.service: ([\d.]+)/.exec(rated.stdout) ?? [];
    assert.ok(Number(exposure) <= MOST_EXPOSURE, rated.stdout.split('\n').slice(-3).join('\n'));
  },
);

test.run();
