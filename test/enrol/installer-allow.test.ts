// `install.sh --allow` on a machine that is enrolled already: tasks for the agent that is there.
// proof only: 25
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { TASK_KINDS } from '../../agent/src/task-kinds.ts';
import { until } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { Machine } from './kit.ts';

const PLUGINS = ['token', 'server-info', 'agent-uuid', 'agent', 'task', 'kv', 'enrol'];
const test = suite('the installer: tasks of an enrolled machine');
let app: TestApp;
let machine: Machine;

test.before(async () => {
  app = await bootForTest(PLUGINS);
  machine = await Machine.make();
});
test.after(async () => {
  await machine.remove();
  await app.stop();
});

const facts = async () => (await app.call('agent-uuid_list', { token: app.superToken }))[0];

test('without an agent it says so', async () => {
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  const noCode = line.replace(/ -- .*$/, ' --');
  const { code, err } = await machine.run(noCode, '--allow ping');
  assert.is(code, 1);
  assert.match(err, /there is no agent in .*, or a code to install one/);
});

test('one line allows more kinds, and the agent registers for tasks by it', async () => {
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  const installed = await machine.run(line, `--node ${process.execPath}`);
  assert.is(installed.code, 0, installed.err);
  const { uuid } = await until('a report', facts, (one) => one?.last_seen);
  assert.is((await facts()).connected_for_tasks, false);
  const dry = await machine.manage('--allow version --dry-run');
  assert.match(dry.err, 'would allow "version" in ');
  assert.match(await machine.file('state/config.toml'), 'allow_task = false\n');
  const first = await machine.manage('--allow version');
  assert.is(first.code, 0, first.err);
  assert.match(first.err, 'This machine takes these tasks from its server now: "version"');
  await until('the registration', facts, (one) => one.connected_for_tasks);
  const ask = ['task_create_task_blocking', [app.superToken, uuid, 'version', 60_000]] as const;
  assert.is((await app.call(...ask)).success, true);
  await machine.manage('--allow ping,version');
  const text = await machine.file('state/config.toml');
  assert.match(text, 'allow_task = true\nallow_task_type = ["version", "ping"]\n');
  assert.is(text.match(/allow_task/g)?.length, 2);
});

test('a kind that there is not is refused, since no agent starts with it', async () => {
  const { code, err } = await machine.manage('--allow ping,shell');
  assert.is(code, 1);
  assert.match(err, `there is no kind of task 'shell', only ${TASK_KINDS.join(' ')}`);
  assert.not.match(await machine.file('state/config.toml'), 'shell');
});

const DIGEST = 'A'.repeat(43);
for (const [what, option] of [
  ['too short', '--trust-key sha256//zzz'],
  ['too long', `--trust-key sha256//${DIGEST}A=`],
  ['in hexadecimal digits', `--trust-key sha256//${'a'.repeat(64)}`],
  ['without its end', `--trust-key sha256//${DIGEST}`],
  ['without its beginning', `--trust-key ${DIGEST}=`],
  ['with another character', `--trust-key sha256//${DIGEST.slice(1)}_=`],
  ['of two lines', `--trust-key "$(printf 'sha256//${DIGEST}=\\nA')"`],
  ['empty', `--trust-key ''`],
  ['too short, in a line of enrolment', '--key sha256//zzz abc'],
])
  test(`a fingerprint ${what} is told as none, before the server is asked`, async () => {
    const { code, err } = await machine.manage(option!);
    assert.is(code, 1);
    assert.match(err, /'[^']*' is no fingerprint of a key: take the 52 characters/);
  });

test.run();
