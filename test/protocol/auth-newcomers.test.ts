/** What one server makes, another takes at once: nothing waits until servers have heard of each other (auth.md §8). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { authProbe } from './auth-probe.ts';
import { A, readyAgent } from './task-kit.ts';
import { agentQuery, PLUGINS, shellSide, shellTask, side, userQuery } from './terminal-kit.ts';
import { keyOf, WRONG } from './token-kit.ts';

const test = suite('auth: what another server has just made (postgres)');
const probe = authProbe();
const credentialOf = ({ key, secret }: { key: string; secret: string }) => `${key}:${secret}`;
const connect = [{ scopes: [{ agent_uuid: A }], permissions: [{ terminal: 'connect' }] }];
let here: TestApp;
/** A server that hears nothing: it has no bus, and its clock stands still, so that it never looks by itself. */
let deaf: TestApp;

test.before(async () => {
  const plugins = [...PLUGINS, probe.plugin];
  const config = { bus: { transport: 'local' } };
  here = await bootForTest(plugins, config, { dialect: 'postgres' });
  const text = await readFile(join(here.dir, 'config.toml'), 'utf8');
  const [, database_url] = /^database_url = "([^"]+)"/m.exec(text) ?? [];
  const same = { ...config, database: { database_url } };
  deaf = await bootForTest(plugins, same, { dialect: 'postgres', clock: true });
  // Only where it is made the kit knows it.
  Object.assign(deaf, { superToken: here.superToken });
});
test.after(async () => {
  await deaf?.stop();
  await here?.stop();
});

const asked = (token: string): Promise<unknown> =>
  deaf.call('probe_whoami', [token]).then(
    ({ id }) => id,
    ({ code, message }) => `${code} ${message}`,
  );

test('a token and a session of it are good at once', async () => {
  const token = await here.token([]);
  assert.is(await asked(token), keyOf(token));
  const session = credentialOf(await here.call('session_create', [token]));
  assert.is(await asked(session), keyOf(token));
  const another = await here.token([]);
  const first = credentialOf(await here.call('session_create', [another]));
  assert.is(await asked(first), keyOf(another), 'the session before its token');
  await deaf.clock.advance(1_000);
  const basic = await here.token([]);
  const [user, password] = basic.split(':');
  assert.is(await deaf.call('probe_basic', { user, password }), keyOf(basic));
});

test('a wrong secret of a new key, and a key that nobody has, are refused', async () => {
  await deaf.clock.advance(1_000);
  const token = await here.token([]);
  assert.is(await asked(`${keyOf(token)}:${'x'.repeat(32)}`), WRONG);
  assert.is(await asked(`${'x'.repeat(16)}:${'x'.repeat(32)}`), WRONG);
});

test('keys that somebody guesses by the thousand share reads, and hold up nobody else', async () => {
  const token = await here.token([]);
  const guess = (n: number) => asked(`${String(n).padStart(16, 'g')}:${'x'.repeat(32)}`);
  const guesses = Promise.all(Array.from({ length: 2_000 }, (_, n) => guess(n)));
  assert.is(await asked(token), keyOf(token));
  assert.equal([...new Set(await guesses)], [WRONG]);
});

for (const [says, maker] of [
  ['a new token', async () => here.token(connect)],
  [
    'a new session',
    async () => credentialOf(await here.call('session_create', [await here.token(connect)])),
  ],
  [
    'a token whose secret has just changed',
    async () => {
      const token = await here.token(connect);
      await deaf.clock.advance(1_000);
      assert.is(await asked(token), keyOf(token));
      const { key, secret } = await here.call('token_roll_token_secret', [
        here.superToken,
        keyOf(token),
      ]);
      return `${key}:${secret}`;
    },
  ],
] as [string, () => Promise<string>][])
  test(`a pass opens a terminal at once: of ${says}`, async () => {
    const agent = await readyAgent(deaf, A, here.superToken);
    const item = await shellTask(deaf, agent);
    const shell = await shellSide(deaf, agentQuery(item));
    shell.socket.send('prompt');
    const token = await maker();
    const pass = await here.call('terminal_pass', { token, agent_uuid: A });
    const person = await side(deaf, userQuery(deaf, { token: credentialOf(pass) }));
    assert.equal(await person.received(1), ['prompt']);
    person.socket.close();
    await shell.closed;
  });

test.run();
