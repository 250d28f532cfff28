// Where the installer puts things: folders of one's own, the lines that it prints, and machines without room for it.
// proof only: 20
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { Machine, shell } from './kit.ts';

const PLUGINS = [
  'token',
  'server-info',
  'agent-uuid',
  'agent',
  'task',
  'kv',
  'static-bucket',
  'enrol',
];
const OWN_NODE = `--node ${process.execPath}`;

const test = suite('places of the installer');
let app: TestApp;
const machines: Machine[] = [];

const create = () => app.call('enrol_create', { token: app.superToken, url: app.url });
const machine = async () => {
  const made = await Machine.make();
  machines.push(made);
  return made;
};

test.before(async () => {
  app = await bootForTest(PLUGINS);
});
test.after(async () => {
  for (const one of machines) await one.remove();
  await app.stop();
});

const printed = (err: string, what: string) =>
  new RegExp(`^${what} it: (sh .*)$`, 'm').exec(err)?.[1] ?? '';

test('with --prefix the lines at its end update and remove the agent as they are printed', async () => {
  const one = await machine();
  const env = { HOME: one.home };
  const installed = await one.run((await create()).line, OWN_NODE);
  assert.is(installed.code, 0, installed.err);
  const updated = await shell(printed(installed.err, 'Update'), { env });
  assert.is(updated.code, 0, updated.err);
  assert.match(updated.err, 'The agent is that of the server already.');
  const removed = await shell(printed(installed.err, 'Remove'), { env });
  assert.is(removed.code, 0, removed.err);
  assert.not.ok(one.isThere);
});

test('beside the script, and from the address without a folder, --uninstall finds the agent or says what to give', async () => {
  const one = await machine();
  const env = { HOME: one.home };
  const installed = await one.run((await create()).line, OWN_NODE);
  assert.is(installed.code, 0, installed.err);
  const address = `curl -fsS ${app.url}/svc/enrol/install | sh -s -- --no-service --uninstall`;
  const elsewhere = await shell(`cd '${one.home}' && ${address} --prefix nowhere`, { env });
  assert.is(elsewhere.code, 1);
  assert.match(elsewhere.err, 'there is no agent in /');
  assert.match(elsewhere.err, 'give its folder with --prefix');
  const beside = await shell(`cd '${one.dir}' && env -u HOME sh install.sh --uninstall`, { env });
  assert.is(beside.code, 0, beside.err);
  assert.not.ok(one.isThere);
});

test('--sensors and --containers allow the documents in the file of the machine', async () => {
  const one = await machine();
  const { line } = await create();
  const options = `${OWN_NODE} --sensors --containers --allow ping`;
  const told = await one.run(line, `${options} --dry-run`);
  assert.match(told.err, /^documents +sensors containers$/m);
  const { code, err } = await one.run(line, options);
  assert.is(code, 0, err);
  assert.ok(err.includes('is in the fleet'), err);
  const config = await one.file('state/config.toml');
  for (const key of ['allow_task', 'allow_sensors', 'allow_containers'])
    assert.match(config, new RegExp(`^${key} = true$`, 'm'));
});

test('the service of a machine with containers is in the group of their socket', async () => {
  const one = await machine();
  const script = await (await app.fetch('/svc/enrol/install')).text();
  const folder = join(one.home, 'units');
  // The real functions, told that systemd is there.
  const steps = `options --prefix ${one.home} --containers; platform; layout; manager=system
socket_group=docker; unit=${folder}/svc-agent.service; write_unit`;
  const written = await shell(script.replace(/^main "\$@"$/m, `node=/bin/sh; ${steps}`));
  assert.is(written.code, 0, written.err);
  const more = readFileSync(join(folder, 'svc-agent.service.d/containers.conf'), 'utf8');
  assert.is(more, '[Service]\nSupplementaryGroups=docker\n');
});

/** A mount namespace of its own: nothing of the machine is changed. */
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
if (!canMount) process.stdout.write('  skipped: this user may not mount\n');
const tight: [what: string, options: string, says: RegExp][] = [
  [
    'from which no program may be started',
    'noexec',
    /no program may be started from \S+ \(noexec\)/,
  ],
  ['that is full', 'size=128k', /svc-agent: \S+ is full: make room, or set TMPDIR/],
];
for (const [what, options, says] of tight)
  (canMount ? test : test.skip)(
    `a folder for temporary files ${what} is told as that, and the code stays good`,
    async () => {
      const one = await machine();
      const { line } = await create();
      const place = join(one.home, 'tmp');
      mkdirSync(place);
      const typed = `mount -t tmpfs -o ${options} tmpfs ${place} && export TMPDIR=${place} && ${line} --prefix ${one.dir} --no-service`;
      const env = { HOME: one.home, TYPED: typed };
      const { code, err } = await shell('unshare -m sh -c "$TYPED"', { env });
      assert.is(code, 1, err);
      assert.ok(says.test(err), err);
      assert.not.ok(one.isThere);
      assert.match((await one.run(line, '--print-config')).out, /^token = "/m);
    },
  );

test('the help names every option', () => {
  const printed = execFileSync('sh', ['plugins/enrol/install.sh', '--help'], { encoding: 'utf8' });
  const script = readFileSync('plugins/enrol/install.sh', 'utf8');
  const cases = script.slice(script.indexOf('\noptions() {'), script.indexOf('unknown option'));
  const known = [...cases.matchAll(/--[a-z-]+(?=[ |)])/g)].map(([option]) => option);
  assert.ok(known.length > 8);
  assert.equal(
    known.filter((option) => option !== '--help' && !printed.includes(`  ${option}`)),
    [],
  );
});

test.run();
