/** The units of systemd for the agent program, judged by systemd itself. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const test = suite('agent program: units of systemd');
const folder = resolve(import.meta.dirname, '../agent/systemd');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;
if (!hasSystemd) process.stdout.write('  skipped: no program systemd-analyze on this machine\n');
const withSystemd = hasSystemd ? test : test.skip;

function analyze(...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--no-pager', ...args], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: dir },
    timeout: 30_000,
  });
  return { status, text: `${stdout}${stderr}` };
}

const VALUES: Record<string, string> = {
  NODE: process.execPath,
  AGENT: resolve(folder, '../bin/svc-agent.js'),
  CONFIG: '/etc/svc-agent/agent.toml',
  USER: 'daemon',
};

/** Fills in a template, as an installer does. */
function unit(template: string, drops = ''): string {
  const text = readFileSync(join(folder, template), 'utf8');
  const path = join(dir, template);
  writeFileSync(path, text.replace(/@([A-Z]+)@/g, (_, name: string) => VALUES[name]!) + drops);
  return path;
}

for (const template of ['svc-agent.service', 'svc-agent-user.service']) {
  withSystemd(`${template} is taken without a remark`, () => {
    const scope = template.includes('user') ? '--user' : '--system';
    const { status, text } = analyze(scope, '--man=no', 'verify', unit(template));
    const remarks = text.split('\n').filter((line) => line.includes('svc-agent'));
    assert.equal(remarks, []);
    assert.is(status, 0, text);
  });
}

withSystemd('the service exposes no more than its page says', () => {
  const path = unit('svc-agent.service');
  const page = readFileSync(join(folder, '../README.md'), 'utf8');
  const [, whole, tenths] = /gives the service (\d)\.(\d) of 10/.exec(page) ?? [];
  // In tenths, 0 to 100; systemd calls up to 2.0 "OK" and below 1.0 "SAFE".
  const threshold = `--threshold=${whole}${tenths}`;
  const { status, text } = analyze('security', '--offline=true', threshold, path);
  assert.is(status, 0, text);
});

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const keysOf = (name: string) => [...read(name).matchAll(/^(\w+)=/gm)].map(([, key]) => key!);

for (const name of ['svc-agent-tasks.conf', 'svc-agent-ping.conf']) {
  test(`${name} loosens only what the service has, and leaves new privileges impossible`, () => {
    const own = keysOf('svc-agent.service');
    const loosened = keysOf(name);
    assert.ok(loosened.length > 0);
    assert.equal(
      loosened.filter((key) => !own.includes(key)),
      [],
    );
    for (const key of ['NoNewPrivileges', 'User', 'RestrictSUIDSGID']) {
      assert.not(loosened.includes(key), key);
    }
  });
}

test('the one capability is that of ping, for machines that ping', () => {
  assert.match(read('svc-agent.service'), '\nCapabilityBoundingSet=\nAmbientCapabilities=\n');
  assert.not(keysOf('svc-agent-tasks.conf').some((key) => key.includes('Capabilit')));
  const values = [...read('svc-agent-ping.conf').matchAll(/^\w*Capabilit\w+=(.*)$/gm)];
  assert.equal(
    values.map(([, value]) => value),
    ['CAP_NET_RAW', 'CAP_NET_RAW'],
  );
});

test.run();
