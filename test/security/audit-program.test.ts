// proof only: 20
// The record of changes beside commands, kills and terminals of the program.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { readyAgent } from '../protocol/task-kit.ts';
import {
  agentQuery,
  shellSide,
  shellTask,
  side,
  T,
  PLUGINS as TERMINAL,
  userQuery,
} from '../protocol/terminal-kit.ts';
import { suite } from '../runner/suite.ts';
import { keyOf, rowsOf, until } from './audit-kit.ts';

const test = suite('audit: the program');

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A command of the server program in a process of its own, from source. */
function command(name: string, dir: string, input = '') {
  const run = `import('@svc/server').then(({ main }) => main(['${name}', '-c', process.argv[1]]))
    .then((code) => code === undefined || process.exit(code))`;
  const child = spawn(process.execPath, ['-e', run, join(dir, 'config.toml')], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
    });
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, output }));
  });
  return { child, ended, seen: () => output };
}

test('commands write to the chain of the running server, verify and export it', async () => {
  const plugins = ['audit', 'token'];
  const app = await bootForTest(undefined, { plugins });
  await app.token([]);
  await rowsOf(app);
  assert.is((await command('roll-super-token', app.dir, 'y\n').ended).code, 0);
  const verified = await command('audit-verify', app.dir).ended;
  assert.is(verified.code, 0, verified.output);
  assert.match(
    verified.output,
    /^chain \w{32} of server \S+ \(key \w{64}, of this server\): \d+ rows/m,
  );
  const { output } = await command('audit-export', app.dir).ended;
  const methods = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).method)
    .filter((method) => method !== undefined);
  assert.equal(
    methods.filter((method) => method !== 'login'),
    ['first start', 'start', 'token_create', 'roll-super-token'],
  );
  await app.sql('update audit set target = ? where seq = 3', ['x']);
  const broken = await command('audit-verify', app.dir).ended;
  assert.is(broken.code, 1);
  assert.match(broken.output, /row 3: the row was changed/);
  await app.stop();
});

test('a terminal that a user joins is recorded, and the task that opened it', async () => {
  const app = await bootForTest(['audit', ...TERMINAL], {}, { clock: true });
  const agent = await readyAgent(app);
  const shell = await shellSide(app, agentQuery(await shellTask(app, agent)));
  const user = await side(app, userQuery(app));
  shell.socket.send('prompt');
  await user.received(1);
  const rows = await rowsOf(app, { token: keyOf(app.superToken) });
  const opened = rows.filter(({ method }) => method === 'terminal' || method.startsWith('task_'));
  assert.equal(
    opened.map(({ method, transport, outcome }) => [method, transport, outcome]),
    [
      ['terminal', 'ws', 'ok'],
      ['task_create_task', 'http', 'ok'],
    ],
  );
  assert.is(opened[0]?.target, `${T} of ${agent.uuid}`);
  assert.match(opened[1]?.target as string, new RegExp(`^web_shell on ${agent.uuid}, task \\d+$`));
  for (const each of [user, shell]) each.socket.close();
  await app.stop();
});

test('what was written before a kill -9 verifies', async () => {
  const app = await bootForTest(undefined, { plugins: ['audit', 'token'] });
  const { dir, superToken } = app;
  const kernel = app.kernel as { stop(reason: string): Promise<void> };
  await kernel.stop('test');
  const { child, ended, seen } = command('serve', dir);
  await until(async () => /listening url=(\S+)/.test(seen()));
  const url = /listening url=(\S+)/.exec(seen())?.[1] as string;
  const create = {
    jsonrpc: '2.0',
    id: 1,
    method: 'token_create',
    params: [superToken, { token_limit: [] }],
  };
  const body = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ ...create, id })));
  const headers = { 'content-type': 'application/json' };
  const calls = [1, 2, 3].map(() => fetch(url, { method: 'POST', body, headers }).catch(() => {}));
  await calls[0];
  child.kill('SIGKILL');
  await Promise.all([ended, ...calls]);
  const { code, output } = await command('audit-verify', dir).ended;
  assert.is(code, 0, output);
  assert.ok(Number(/: (\d+) rows/.exec(output)?.[1]) > 100, output);
  await app.stop();
});

test('changes that cannot be recorded are counted, and a row tells of them', async () => {
  const app = await bootForTest(['audit', 'token', 'kv']);
  await app.call('kv_create', [app.superToken, 'global']);
  await rowsOf(app);
  await app.sql('alter table audit rename to hidden');
  const change = {
    jsonrpc: '2.0',
    method: 'kv_delete_key',
    params: [app.superToken, 'global', 'database_limit_task'],
  };
  for (const length of [9_000, 1_500])
    await app.rpc(Array.from({ length }, (_, id) => ({ ...change, id })));
  await app.sql('alter table hidden rename to audit');
  await until(async () => (await rowsOf(app, { method: 'lost' })).length > 0);
  const [lost] = await rowsOf(app, { method: 'lost' });
  assert.ok((lost?.count ?? 0) >= 500 && (lost?.count ?? 0) < 1_000, String(lost?.count));
  assert.ok(app.console.some((line) => /ERROR.*queue of the audit is full/.test(line)));
  assert.is((await app.call('audit_verify', [app.superToken])).ok, true);
  await app.stop();
});

test.run();
