// What a machine takes from its server, and from one that has taken its place with everything but the key that signs.
// proof only: 120
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { freshBlock, keysOf } from '../../plugins/enrol/src/signing-key.ts';
import { until } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { digestOf, keysIn, manifestWith, standIn } from './attacker.ts';
import { Machine, shell } from './kit.ts';

const PLUGINS = ['token', 'server-info', 'agent-uuid', 'agent', 'task', 'kv', 'enrol'];
const bin = new URL('../../server/bin/svc-server.js', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync('agent/package.json', 'utf8'));
const LATER = version.replace(/\d+$/, (last: string) => `${Number(last) + 1}`);
const [MANIFEST, AGENT] = ['/svc/enrol/manifest', '/svc/enrol/agent'];

const test = suite('signed versions');
let app: TestApp;
let far: Awaited<ReturnType<typeof standIn>>;
let machine: Machine;
let good: string;
let uuid: string;

test.before(async () => {
  app = await bootForTest(undefined, { plugins: PLUGINS });
  far = await standIn(app, {});
  machine = await Machine.make();
});
test.after(async () => {
  await machine?.remove();
  far?.close();
  await app?.stop();
});

const command = (args: string) =>
  shell(`${process.execPath} ${bin} ${args} -c ${join(app.dir, 'config.toml')}`);
const fingerprint = async () => (await command('signing-key')).out.trim();
const trust = () => machine.file('trust');
const running = () => machine.file('state/svc-agent.mjs');
const entry = async () =>
  (await app.call('agent-uuid_list', { token: app.superToken })).find(
    (one: any) => one.uuid === uuid,
  );
const isReady = () => until('the registration', entry, (one: any) => one?.connected_for_tasks);
const isSettled = () =>
  until(
    'the end of the trial',
    async () => existsSync(join(machine.dir, 'state/trial')),
    (is) => !is,
  );
async function selfUpdate(tag: string): Promise<boolean> {
  await isReady();
  const params = [app.superToken, uuid, { self_update: tag }, 20_000];
  return (await app.call('task_create_task_blocking', params)).task_event_result.self_update;
}
/** The real agent, told apart by its last line. */
const another = (name: string) => `${good}\n// ${name}\n`;
const give = (agent: string, manifest: Omit<Parameters<typeof manifestWith>[1], 'agent'> = {}) => {
  far.changes[AGENT] = () => agent;
  far.changes[MANIFEST] = (body) => manifestWith(String(body), { agent, ...manifest });
};

test('the line names the key, the machine trusts it, and the key can be checked by hand', async () => {
  const { line, key } = await app.call('enrol_create', { token: app.superToken, url: far.url });
  assert.is(key, await fingerprint());
  assert.ok(line.endsWith(` --key ${key}`), line);
  const options = `--node ${process.execPath} --allow self_update`;
  const other = await machine.run(line.replace(/sha256\S+/, `sha256//${'A'.repeat(43)}=`), options);
  assert.is(other.code, 1);
  assert.match(other.err, `the server signs with the key ${key}, and the line names sha256//AAA`);
  assert.not.ok(machine.isThere);
  const { code, err } = await machine.run(line, options);
  assert.is(code, 0, err);
  assert.match(err, `It takes only what the key ${key} has signed.`);
  good = await running();
  uuid = /agent_uuid = "([^"]+)"/.exec(await machine.file('state/config.toml'))?.[1] ?? '';
  const [, held = ''] = /^key (\S+)\nnewest \S+ \d+ \w{64} /.exec(await trust()) ?? [];
  const pem = `-----BEGIN PUBLIC KEY-----\n${held}\n-----END PUBLIC KEY-----\n`;
  const der = execFileSync('openssl', ['pkey', '-pubin', '-outform', 'DER'], { input: pem });
  const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary'], { input: der });
  assert.is(`sha256//${digest.toString('base64')}`, key);
});

const stranger = keysOf([freshBlock()]);
/** [what the server in its place gives, the manifest's changes, why the machine refuses] */
const REFUSED: [what: string, give: () => Parameters<typeof give>[1], why: RegExp][] = [
  ['a changed agent with its right digest', () => ({}), /no good signature/],
  ['the same, as a later version', () => ({ version: LATER }), /no good signature/],
  [
    'a changed agent, signed by another key',
    () => ({ version: LATER, keys: stranger }),
    /is signed with the key sha256\S+, and this machine trusts sha256/,
  ],
  [
    'an older version that the server signed once',
    () => ({ version: '0.0.1', keys: keysIn(app) }),
    new RegExp(`version 0.0.1 of the server is older than ${version}, which ran here`),
  ],
  [
    'an earlier build of the same version',
    () => ({ made: 1_000, keys: keysIn(app) }),
    /is older than/,
  ],
];
for (const [what, changes, why] of REFUSED)
  test(`refused by the installer and by the agent: ${what}`, async () => {
    give(another('changed'), changes());
    const before = await trust();
    const { code, err } = await machine.manage('--update');
    assert.is(code, 1);
    assert.match(err, why);
    const { version: told = version } = changes() ?? {};
    assert.is(await selfUpdate(`v${told}`), false);
    assert.is(await selfUpdate(`v${version}`), false);
    assert.match(await machine.file('state/agent.log'), why);
    assert.is(await running(), good);
    assert.is(await trust(), before);
  });

test('a manifest without any signature, as servers before 0.9 have it, is refused', async () => {
  far.changes[MANIFEST] = (body) =>
    String(body)
      .split('\n')
      .filter((line) => /^(?:agent|runtime)/.test(line))
      .join('\n');
  const { code, err } = await machine.manage('--update');
  assert.is(code, 1);
  assert.match(err, /what the server gives is not signed/);
  assert.is(await selfUpdate(`v${version}`), false);
});

test('a later version of the server is taken by the agent itself, which then refuses the one before', async () => {
  give(another('later'), { version: LATER, keys: keysIn(app) });
  assert.is(await selfUpdate(`v${LATER}`), true);
  await isSettled();
  assert.match(await running(), /\/\/ later\n$/);
  await until(
    'its note',
    async () => existsSync(join(machine.dir, 'state/trust')),
    (is) => is,
  );
  give(good, { keys: keysIn(app) });
  assert.is(await selfUpdate(`v${version}`), false);
  const { code, err } = await machine.manage('--update');
  assert.is(code, 1);
  assert.match(err, `is older than ${LATER}`);
});

test('a signed version that does not connect is taken back, and what comes back is checked', async () => {
  const broken = "if (!process.argv.includes('-v')) process.exit(1);\n";
  give(broken, { version: LATER, keys: keysIn(app) });
  const before = await running();
  const failed = await machine.manage('--update');
  assert.is(failed.code, 1);
  assert.match(failed.err, /the one before is back/);
  assert.is(await running(), before);
  await isReady();
  // The same, with a version before that nobody signed.
  writeFileSync(join(machine.dir, 'state/svc-agent.mjs'), `${before}// by somebody\n`);
  const refused = await machine.manage('--update');
  assert.is(refused.code, 1);
  assert.match(
    refused.err,
    /the one before is not put back: the version before is not one that ran here/,
  );
  writeFileSync(join(machine.dir, 'state/trial'), '3\n');
  give(before, { version: LATER, keys: keysIn(app) });
  const mended = await machine.manage('--update');
  assert.is(mended.code, 0, mended.err);
});

test('a new key comes in a manifest that the old one has signed, and holds from then on', async () => {
  const old = keysIn(app);
  const made = await command('signing-key new');
  assert.is(made.code, 0, made.err);
  const fresh = keysIn(app);
  assert.is(fresh.length, 2);
  give(another('new key'), { version: LATER, keys: fresh });
  const { code, err } = await machine.manage('--update');
  assert.is(code, 0, err);
  assert.ok(
    (await trust()).startsWith(`key ${fresh[0]?.publicKey}\nbefore ${old[0]?.publicKey}\n`),
  );
  give(another('old key'), { version: LATER, keys: old });
  assert.match((await machine.manage('--update')).err, /is signed with the key/);
});

test('servers of one fleet share the file, which is never shown and never overwritten', async () => {
  const file = join(app.dir, 'carried.key');
  const out = await command(`signing-key export ${file}`);
  assert.is(out.code, 0, out.err);
  assert.not.match(`${out.out}${out.err}`, 'PRIVATE');
  assert.match((await command(`signing-key export ${file}`)).err, /is there already/);
  const known = await fingerprint();
  await command('signing-key new');
  const taken = await command(`signing-key import ${file}`);
  assert.is(taken.out.trim(), known);
  assert.is(await fingerprint(), known);
  assert.match((await command('signing-key import /dev/null')).err, /does not hold Ed25519 keys/);
  assert.match((await command('signing-key steal')).err, /use signing-key/);
});

test('a lost key is mended by one command on the machine', async () => {
  for (const path of Object.keys(far.changes)) delete far.changes[path];
  renameSync(join(app.dir, 'signing.key'), join(app.dir, 'lost.key'));
  const refused = await machine.manage('--update');
  assert.is(refused.code, 1);
  assert.match(refused.err, /lost: sh \S+install.sh --trust-key KEY/);
  const wrong = await machine.manage(`--trust-key sha256//${'A'.repeat(43)}=`);
  assert.match(wrong.err, /the server signs with the key sha256\S+, not with/);
  const mended = await machine.manage(`--trust-key ${await fingerprint()}`);
  assert.is(mended.code, 0, mended.err);
  const updated = await machine.manage('--update');
  assert.is(updated.code, 0, updated.err);
  assert.is(digestOf(await running()), digestOf(good));
});

test('an agent from before signatures takes the key of its server once, and says so', async () => {
  await machine.manage(`--trust-key ${await fingerprint()}`);
  for (const name of ['trust', 'state/trust', 'state/svc-agent.signed'])
    rmSync(join(machine.dir, name), { force: true });
  const again = async () => {
    writeFileSync(join(machine.dir, 'state/agent.log'), '');
    const { pid } = await entryOfProcess();
    process.kill(pid, 'SIGTERM');
    await isReady();
    return until(
      'its start',
      () => machine.file('state/agent.log'),
      (text) => text.includes('connected'),
    );
  };
  await again();
  const line = await until(
    'the line',
    () => machine.file('state/agent.log'),
    (text) => text.includes('only what this key'),
  );
  assert.match(line, await fingerprint());
  assert.not.match(await again(), 'only what this key');
  give(another('changed'), { version: LATER, keys: stranger });
  assert.is(await selfUpdate(`v${LATER}`), false);
});

/** The agent of the machine: what its script has started. */
async function entryOfProcess(): Promise<{ pid: number }> {
  const listed = execFileSync('pgrep', ['-f', 'svc-agent.mjs -c config.toml'], {
    encoding: 'utf8',
  });
  const mine = listed
    .split('\n')
    .filter(Boolean)
    .map(Number)
    .find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(
          `${machine.dir}/state/svc-agent.mjs`,
        );
      } catch {
        return false; // It has ended meanwhile.
      }
    });
  assert.ok(mine, 'the agent runs');
  return { pid: mine ?? 0 };
}

test('installers and agents before 0.9 find in the manifest what they looked for', async () => {
  const text = await (await app.fetch(MANIFEST)).text();
  const agent = await (await app.fetch(AGENT)).text();
  for (const kind of ['agent', 'runtime', 'terminal']) {
    const { out } = await shell(
      `printf '%s' "$TEXT" | sed -n 's/^${kind} [^ ]* \\([0-9a-f]\\{64\\}\\) [0-9]*$/\\1/p'`,
      { env: { TEXT: text } },
    );
    if (kind === 'agent') assert.is(out.trim(), digestOf(agent));
    assert.ok(out.trim().split('\n').length <= 1 || kind !== 'agent', out);
  }
  assert.is(/^agent (\S+) ([0-9a-f]{64}) \d+$/m.exec(text)?.[1], version);
});

test('an installer before 0.9, which writes the new one over itself while it runs, ends well', async () => {
  // As long as those were with a short and a long address, and between them, and ending as they did.
  for (const size of [22_600, 23_457, 26_000, 29_200, 30_001]) {
    const path = join(app.dir, `old-${size}.sh`);
    const line = `set -u; work=x; main() { curl -fsS -o ${path} ${app.url}/svc/enrol/install; }\n`;
    const last = 'main "$@"\n';
    for (const program of ['sh', 'bash']) {
      writeFileSync(path, `${line + '#'.repeat(size - line.length - last.length - 1)}\n${last}`);
      assert.equal(
        await shell(`${program} ${path}`),
        { code: 0, out: '', err: '' },
        `${program}, ${size}`,
      );
    }
  }
});

test('over plain http the command and the installer warn of who is on the way', async () => {
  const { err } = await command('enrol --url http://192.0.2.7:2211');
  assert.match(err, /WARNING: the line goes over plain http:\/\//);
  assert.not.match((await command('enrol --url https://fleet.example.net')).err, 'WARNING');
  const { out: script } = await shell(
    `curl -fsS -H 'host: fleet.example.net' ${app.url}/svc/enrol/install`,
  );
  const { err: told } = await shell(
    `printf '%s' "$SCRIPT" | sh -s -- --dry-run --no-service ${'A'.repeat(24)}`,
    { env: { SCRIPT: script } },
  );
  assert.match(told, /WARNING: http:\/\/fleet\.example\.net\S+ is plain http:\/\//);
});

test.run();
