// The line of `enrol_create`, run by shells as people paste it: into the fleet, updated, rolled back, and out again.
import { createHash, X509Certificate } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pinOf } from '../../plugins/enrol/src/address.ts';
import { selfSigned } from '../agent-program-certificate.ts';
import { until } from '../agent-program-process.ts';
import { has } from '../documentation-kit.ts';
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
/** What the issue promises. */
const IN_THE_FLEET_MS = 10_000;

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

/** A proxy that changes what the server answers for these paths. */
async function tampering(changes: { readonly [path: string]: (body: Buffer) => string | Buffer }) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const forwarded = request(`${app.url}${url}`, { method, headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      const body = Buffer.concat(parts);
      outgoing.writeHead(response.statusCode ?? 500);
      outgoing.end(changes[url]?.(body) ?? body);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

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

test('the line brings a machine into the fleet within ten seconds, by dash, with its name and a file of its own', async () => {
  const { line } = await create({ name: 'web-1', tags: ['web'] });
  const one = await machine();
  const begun = Date.now();
  const { code, err } = await one.run(line, '--allow ping,tcp_ping', 'dash');
  assert.is(code, 0, err);
  const config = await one.file('state/config.toml');
  const all = await isSeen(uuidOf(config));
  const took_ms = Date.now() - begun;
  assert.ok(took_ms < IN_THE_FLEET_MS, `${took_ms} ms`);
  assert.match(err, `This machine is in the fleet: ${uuidOf(config)}`);
  assert.equal(all.find((entry: any) => entry.uuid === uuidOf(config)).tags, ['web']);
  assert.is(statSync(join(one.dir, 'state/config.toml')).mode & 0o777, 0o600);
  assert.match(config, 'allow_task = true\nallow_task_type = ["ping","tcp_ping"]\n');

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
  const { line, code } = await create();
  const proxy = await tampering({ '/svc/enrol/agent': (body) => `${body};` });
  const one = await machine();
  const outcome = await one.run(line.replace(app.url, proxy.url));
  proxy.close();
  assert.is(outcome.code, 1);
  assert.match(outcome.err, /the digest of the agent is wrong/);
  assert.not.ok(one.isThere);
  const config = await one.run(line, '--print-config');
  assert.match(config.out, /^token = "/m, 'an agent of another make gets its configuration');
  assert.not.ok(one.isThere);
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

  const broken = "if (!process.argv.includes('-v')) process.exit(1);\n";
  const digest = createHash('sha256').update(broken).digest('hex');
  const proxy = await tampering({
    '/svc/enrol/agent': () => broken,
    '/svc/enrol/manifest': (body) => String(body).replace(/^(agent \S+) \S+/m, `$1 ${digest}`),
  });
  const script = await one.file('install.sh');
  writeFileSync(join(one.dir, 'install.sh'), script.replace(app.url, proxy.url));
  const failed = await one.manage('--update');
  proxy.close();
  assert.is(failed.code, 1);
  assert.match(failed.err, /the one before is back/);
  assert.is(await one.file('state/svc-agent.mjs'), good);
  writeFileSync(join(one.dir, 'install.sh'), script);

  appendFileSync(join(one.dir, 'state/svc-agent.mjs'), '\n// a stale copy\n');
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
    const steps = `options --prefix ${one.home} --allow '${allow}'; layout; manager=${manager}
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
