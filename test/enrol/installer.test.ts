// The line of `enrol_create`, run by shells as people paste it: into the fleet, updated, rolled back, and out again.
// proof only: 60
import { execFileSync } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { pinOf } from '../../plugins/enrol/src/address.ts';
import { selfSigned } from '../agent-program-certificate.ts';
import { until } from '../agent-program-process.ts';
import { has, pathOf } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';
import { digestOf, keysIn, manifestWith, standIn } from './attacker.ts';
import { Machine, shell } from './kit.ts';

const PLUGINS = [
  'token',
  'server-info',
  'agent-uuid',
  'agent',
  'task',
  'terminal',
  'kv',
  'static-bucket',
  'enrol',
];
const PLATFORM = `${process.platform}-${process.arch}`;
const ADDON = `node_modules/@lydell/node-pty-${PLATFORM}/pty.node`;
const hasAddon = existsSync(ADDON);
if (!hasAddon)
  process.stdout.write('  skipped: the optional addon for terminals is not installed\n');

const test = suite('the installer');
let app: TestApp;
const machines: Machine[] = [];

const create = (params: object = {}, on = app) =>
  on.call('enrol_create', { token: on.superToken, url: on.url, ...params });
const machine = async () => {
  const made = await Machine.make();
  machines.push(made);
  return made;
};
const list = (on = app) => on.call('agent-uuid_list', { token: on.superToken });
const isSeen = (uuid: string, on = app) =>
  until(
    'a report',
    () => list(on),
    (all) => all.some((one: any) => one.uuid === uuid && one.last_seen !== null),
  );
const uuidOf = (text: string) => /agent_uuid = "([^"]+)"/.exec(text)?.[1] ?? '';

test.before(async () => {
  app = await bootForTest(PLUGINS);
});
test.after(async () => {
  for (const one of machines) await one.remove();
  await app.stop();
});

/** Command lines that name this folder. */
const programsOf = (dir: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // It has ended meanwhile.
      }
    })
    .filter((line) => line.includes(dir));

/** Machines after the first one take the Node of this test: it is the same, and need not be copied. */
const OWN_NODE = `--node ${process.execPath}`;

test('a dry run tells what would be done, does nothing, and leaves the code good', async () => {
  const { line } = await create();
  const one = await machine();
  const { code, err } = await one.run(line, '--dry-run --allow ping,dns');
  assert.is(code, 0, err);
  for (const said of [/platform +linux-/, /tasks +ping,dns/, /Nothing was done/])
    assert.match(err, said);
  assert.not.ok(one.isThere);
});

test('the line brings a machine into the fleet, by dash, with its name and a file of its own', async () => {
  const { line } = await create({ name: 'web-1', tags: ['web'] });
  const one = await machine();
  const { code, err } = await one.run(line, '--allow ping,tcp_ping', 'dash');
  assert.is(code, 0, err);
  const config = await one.file('state/config.toml');
  const all = await isSeen(uuidOf(config));
  assert.match(err, `This machine is in the fleet: ${uuidOf(config)}`);
  assert.equal(all.find((entry: any) => entry.uuid === uuidOf(config)).tags, ['web']);
  assert.is(statSync(join(one.dir, 'state/config.toml')).mode & 0o777, 0o600);
  assert.match(await one.file('start'), `exec '${one.dir}/node' svc-agent.mjs`);
  assert.match(config, 'allow_task = true\nallow_task_type = ["ping", "tcp_ping"]\n');

  const again = await one.run((await create()).line);
  assert.match(again.err, /there is an agent in/);

  const same = await one.manage('--update');
  assert.match(same.err, /that of the server already/);

  // An older version is replaced, and the new one goes on under the same identity.
  appendFileSync(join(one.dir, 'state/svc-agent.mjs'), '\n// a stale copy\n');
  const updated = await one.manage('--update');
  assert.is(updated.code, 0, updated.err);
  assert.match(updated.err, /was updated/);
  assert.not.match(await one.file('state/svc-agent.mjs'), /a stale copy/);
  assert.not.ok(existsSync(join(one.dir, 'state/svc-agent.old.mjs')));

  const pid = Number(await one.file('pid'));
  const gone = await one.manage('--uninstall');
  assert.is(gone.code, 0, gone.err);
  assert.not.ok(one.isThere);
  assert.throws(() => process.kill(pid, 0));
  assert.equal(programsOf(one.dir), []);
});

/** Programs that a machine has in the place of real ones: name → what they do. */
function tools(one: Machine, programs: Readonly<Record<string, string>>): string {
  const folder = join(one.home, 'tools');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

const MUSL = 'echo "musl libc (x86_64)" >&2; exit 1';
const GLIBC = 'echo "ldd (Debian GLIBC 2.36-9) 2.36"';
const OLD_NODE = 'exit 1';
const WITHOUT_NODE = /has no Node for linux-\w+-musl, and this machine has none .*: install one/;

const libraries: [what: string, tools: Record<string, string>, code: number, says: RegExp][] = [
  ['musl and no Node is told to bring its own', { ldd: MUSL, node: OLD_NODE }, 1, WITHOUT_NODE],
  ['musl and a Node of its own keeps it', { ldd: MUSL }, 0, /Node +\/\S+\/node\n/],
  ['glibc gets that of the server', { ldd: GLIBC, node: OLD_NODE }, 0, /Node +of the server/],
];
for (const [what, programs, expected, says] of libraries)
  test(`a machine with ${what}`, async () => {
    const { line } = await create();
    const one = await machine();
    const env = { PATH: tools(one, programs), HOME: one.home };
    const { code, err } = await shell(`${line} --dry-run --no-service`, { env });
    assert.is(code, expected, err);
    assert.match(err, says);
  });

const busybox = pathOf('busybox');
if (!busybox) process.stdout.write('  skipped: busybox not installed\n');
(busybox ? test : test.skip)(
  'a machine that has nothing but BusyBox comes, is updated, and goes',
  async () => {
    const { wget_line } = await create();
    const one = await machine();
    const folder = join(one.home, 'applets');
    mkdirSync(folder);
    const programs = execFileSync(busybox ?? '', ['--list'], { encoding: 'utf8' }).split('\n');
    for (const name of programs) if (name !== '') symlinkSync(busybox ?? '', join(folder, name));
    const env = { PATH: folder, HOME: one.home };
    const run = (line: string) => shell(`${line} --prefix ${one.dir}`, { env });
    const { code, err } = await run(wget_line);
    assert.is(code, 0, err);
    assert.match(err, 'is in the fleet');
    await isSeen(uuidOf(await one.file('state/config.toml')));
    appendFileSync(join(one.dir, 'state/svc-agent.mjs'), '\n// a stale copy\n');
    const updated = await run(`sh ${one.dir}/install.sh --update`);
    assert.match(updated.err, /was updated/);
    const gone = await run(`sh ${one.dir}/install.sh --uninstall`);
    assert.is(gone.code, 0, gone.err);
    assert.not.ok(one.isThere);
    assert.equal(programsOf(one.dir), []);
  },
);

/** In place of systemd: it notes what it is told, and runs what the unit says. */
const SYSTEMCTL = `echo "$@" >>"$HOME/told"
case $2 in
  restart) $(sed -n 's/^ExecStart=//p' "$HOME/.config/systemd/user/svc-agent.service") >/dev/null 2>&1 & echo $! >"$HOME/pid" ;;
  stop) kill "$(cat "$HOME/pid")" ;;
esac`;

test('a user without root gets a service of the user, in folders of the user', async () => {
  const { line } = await create();
  const one = await machine();
  const id = 'if [ "$1" = -u ]; then echo 1000; else echo somebody; fi';
  const PATH = tools(one, { id, systemctl: SYSTEMCTL, loginctl: 'exit 1' });
  const env = { PATH, HOME: one.home, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' };
  const { code, err } = await shell(`${line} ${OWN_NODE}`, { env });
  assert.is(code, 0, err);
  assert.match(err, /is in the fleet/);
  assert.match(err, 'loginctl enable-linger somebody');
  const folder = join(one.home, '.local/share/svc-agent');
  const unit = join(one.home, '.config/systemd/user/svc-agent.service');
  assert.match(readFileSync(unit, 'utf8'), `ExecStart=${folder}/start\n`);
  const gone = await shell(`sh ${folder}/install.sh --uninstall`, { env });
  assert.is(gone.code, 0, gone.err);
  assert.not.ok(existsSync(folder) || existsSync(unit));
  const told = readFileSync(join(one.home, 'told'), 'utf8');
  for (const word of ['enable', 'restart', 'stop', 'disable'])
    assert.match(told, `--user ${word} svc-agent\n`);
});

test('a fleet comes with one code, each machine by the address under which it reaches the server', async () => {
  const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
  const ways = await Promise.all(hosts.map(wayTo));
  const { line } = await create({ uses: hosts.length, tags: ['fleet'] });
  const came = ways.map(async ({ url }) => {
    const one = await machine();
    const { code, err } = await one.run(line.replace(app.url, url), OWN_NODE);
    assert.is(code, 0, err);
    const config = await one.file('state/config.toml');
    assert.match(config, `ws_url = "${url.replace('http', 'ws')}/svc/rpc"`);
    await isSeen(uuidOf(config));
    return { one, uuid: uuidOf(config) };
  });
  const fleet = await Promise.all(came);
  assert.is(new Set(fleet.map(({ uuid }) => uuid)).size, hosts.length);
  const known = (await list()).filter(({ tags }: any) => tags?.includes('fleet'));
  assert.equal(known.map(({ uuid }: any) => uuid).sort(), fleet.map(({ uuid }) => uuid).sort());
  const enrolled = app.records().filter(({ message }) => message === 'machine enrolled');
  const addresses = enrolled.map(({ fields }) => fields['address']);
  assert.equal(
    hosts.filter((host) => !addresses.includes(host)),
    [],
  );
  await Promise.all(fleet.map(({ one }) => one.manage('--uninstall')));
  for (const { close } of ways) close();
});

/** The server under another address of this machine, from which the connections seem to come, too. */
async function wayTo(host: string) {
  const { port } = new URL(app.url);
  const server = createTcpServer((near) => {
    const far = connect({ port: Number(port), host: '127.0.0.1', localAddress: host });
    for (const socket of [near, far]) socket.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://${host}:${own}`, close: () => server.close() };
}

test('over TLS with a self-signed certificate curl and wget check its key, and so does the agent', async () => {
  const { key, cert } = selfSigned('fleet');
  const pin = pinOf(new X509Certificate(cert));
  const files = { tls_cert: join(app.dir, 'cert.pem'), tls_key: join(app.dir, 'key.pem') };
  writeFileSync(files.tls_cert, cert);
  writeFileSync(files.tls_key, key);
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  const safe = await bootForTest(PLUGINS, files);
  try {
    const { line, wget_line } = await create({ uses: 2 }, safe);
    assert.match(line, `-fsSk --pinnedpubkey '${pin}' https://`);
    const [one, two] = [await machine(), await machine()];
    const outcomes = await Promise.all([one.run(line, OWN_NODE), two.run(wget_line, OWN_NODE)]);
    for (const { code, err } of outcomes) assert.is(code, 0, err);
    for (const each of [one, two]) {
      const config = await each.file('state/config.toml');
      assert.match(config, `cert_pin = "${pin}"`);
      await isSeen(uuidOf(config), safe);
    }
    const other = pinOf(new X509Certificate(selfSigned('fleet').cert));
    const fooled = await shell(line.replace(pin, other));
    assert.match(fooled.err, /public key/);
    for (const each of [one, two]) await each.manage('--uninstall');
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    await safe.stop();
  }
});

test('a download with a wrong digest stops the installation, and the code stays good', async () => {
  const { line, code, id } = await create();
  const proxy = await standIn(app, { '/svc/enrol/agent': (body) => `${body};` });
  const one = await machine();
  const outcome = await one.run(line.replace(app.url, proxy.url));
  proxy.close();
  assert.is(outcome.code, 1);
  assert.match(outcome.err, /the digest of the agent is wrong/);
  assert.not.ok(one.isThere);
  const config = await one.run(line, '--print-config');
  assert.match(config.out, /^token = "/m, 'an agent of another make gets its configuration');
  assert.not.ok(one.isThere);
  await app.call('enrol_revoke', { token: app.superToken, id });
  const used = await one.run(`curl -fsS ${app.url}/svc/enrol/install | sh -s -- ${code}`);
  assert.is(used.code, 1);
  assert.match(used.err, /used, revoked or has expired/);
  assert.not.ok(one.isThere);
});

test('an update that does not connect is taken back, and self_update brings the version of the server', async () => {
  const { line } = await create();
  const one = await machine();
  assert.is((await one.run(line, `${OWN_NODE} --allow self_update`)).code, 0);
  const uuid = uuidOf(await one.file('state/config.toml'));
  const good = await one.file('state/svc-agent.mjs');
  const addon = hasAddon ? await one.file(ADDON) : '';

  const broken = "if (!process.argv.includes('-v')) process.exit(1);\n";
  const digest = digestOf(broken);
  const proxy = await standIn(app, {
    '/svc/enrol/agent': () => broken,
    [`/svc/enrol/terminal/${PLATFORM}`]: () => broken,
    '/svc/enrol/manifest': (body) =>
      manifestWith(String(body).replace(/^(terminal \S+) \S+/gm, `$1 ${digest}`), {
        agent: broken,
        keys: keysIn(app),
      }),
  });
  const script = await one.file('install.sh');
  writeFileSync(join(one.dir, 'install.sh'), script.replace(app.url, proxy.url));
  const failed = await one.manage('--update');
  proxy.close();
  assert.is(failed.code, 1);
  assert.match(failed.err, /the one before is back/);
  assert.is(await one.file('state/svc-agent.mjs'), good);
  if (hasAddon) assert.is(await one.file(ADDON), addon);
  writeFileSync(join(one.dir, 'install.sh'), script);

  // A download that is not what the manifest says is not put in place, and the agent is not stopped for it.
  appendFileSync(join(one.dir, 'state/svc-agent.mjs'), '\n// a stale copy\n');
  const changed = await standIn(app, { '/svc/enrol/agent': (body) => `${body};` });
  writeFileSync(join(one.dir, 'install.sh'), script.replace(app.url, changed.url));
  const pid = await one.file('pid');
  const refused = await one.manage('--update');
  changed.close();
  assert.match(refused.err, /the digest of the agent is wrong/);
  assert.match(await one.file('state/svc-agent.mjs'), /a stale copy/);
  assert.is(await one.file('pid'), pid);
  writeFileSync(join(one.dir, 'install.sh'), script);

  const ask = (tag: string) =>
    app.call('task_create_task_blocking', [app.superToken, uuid, { self_update: tag }, 20_000]);
  const isReady = (all: any[]) => all.find((each) => each.uuid === uuid)?.connected_for_tasks;
  await until('the registration', () => list(), isReady);
  const { version } = JSON.parse(readFileSync('agent/package.json', 'utf8'));
  assert.is((await ask('v0.0.1')).task_event_result.self_update, false);
  assert.is((await ask(`v${version}`)).task_event_result.self_update, true);
  assert.is(await one.file('state/svc-agent.mjs'), good);
  await until(
    'the new version',
    async () => existsSync(join(one.dir, 'state/trial')),
    (is) => !is,
  );
  await until('its registration', () => list(), isReady);
  assert.is((await ask(`v${version}`)).task_event_result.self_update, false);
});

const loadedBy = (file: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/maps`, 'utf8').includes(file);
    } catch {
      return false; // It has ended meanwhile.
    }
  });

(hasAddon ? test : test.skip)(
  'a machine whose file allows terminals has one, whose addon is loaded by the first session',
  async () => {
    const { line } = await create();
    const one = await machine();
    const { code, err } = await one.run(line, `${OWN_NODE} --allow web_shell`);
    assert.is(code, 0, err);
    const addon = join(one.dir, ADDON);
    assert.is(statSync(addon).mode & 0o777, 0o644);
    assert.is(statSync(join(one.dir, 'node_modules/@lydell')).mode & 0o777, 0o755);
    assert.match(
      await one.file('state/svc-agent.mjs'),
      readFileSync('node_modules/@lydell/node-pty/LICENSE', 'utf8'),
    );
    const uuid = uuidOf(await one.file('state/config.toml'));
    const isReady = (all: any[]) => all.find((each) => each.uuid === uuid)?.connected_for_tasks;
    await until('the registration', () => list(), isReady);
    assert.not.ok(loadedBy(addon));
    const [address, terminal_id] = [app.url.replace('http', 'ws'), randomUUID()];
    const task = { web_shell: { url: `${address}/auto_gen`, terminal_id } };
    await app.call('task_create_task', [app.superToken, uuid, task]);
    const query = new URLSearchParams({ agent_uuid: uuid, terminal_id, token: app.superToken });
    const user = new WebSocket(`${address}/terminal?${query}`);
    let seen = '';
    user.on('message', (data) => {
      seen += data;
    });
    await once(user, 'open');
    user.send('echo sum-$((40+2))\r');
    await until(
      'the answer of the shell',
      async () => seen,
      (text) => text.includes('sum-42'),
    );
    assert.ok(loadedBy(addon));
    user.terminate();
  },
);

const UNITS: [what: string, manager: string, allow: string][] = [
  ['the service of a machine that only reports', 'system', ''],
  ['the service of a machine that takes tasks', 'system', 'execute'],
  ['the service of a user', 'user', ''],
];
const analyze = has('systemd-analyze');
for (const [what, manager, allow] of UNITS)
  (analyze ? test : test.skip)(`systemd takes ${what}`, async () => {
    const one = await machine();
    const folder = join(one.home, 'units');
    const script = await (await app.fetch('/svc/enrol/install')).text();
    // The real functions, told that systemd is there.
    const steps = `options --prefix ${one.home} --allow '${allow}'; platform; layout; manager=${manager}
NAME=root; unit=${folder}/svc-agent.service; write_start ${one.home}/start; write_unit`;
    const written = await shell(script.replace(/^main "\$@"$/m, `node=/bin/sh; ${steps}`));
    assert.is(written.code, 0, written.err);
    const unit = readFileSync(join(folder, 'svc-agent.service'), 'utf8');
    assert.match(unit, `ExecStart=${one.home}/start`);
    assert.not.match(unit, /@[A-Z]+@/);
    assert.is(existsSync(join(folder, 'svc-agent.service.d/tasks.conf')), allow !== '');
    if (manager === 'system')
      assert.match(unit, `ProtectSystem=strict\nReadWritePaths=${one.home}/state`);
    const kind = manager === 'user' ? '--user ' : '';
    const { code, err } = await shell(`systemd-analyze ${kind}verify ${folder}/svc-agent.service`, {
      env: { XDG_RUNTIME_DIR: one.home },
    });
    assert.is(code, 0, err);
    await rm(join(one.dir, 'install.sh'), { force: true });
  });

test.run();
