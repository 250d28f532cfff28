// token.md §7: one policy for passwords that are set or changed, and the protocol's own rule without it.
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type TokenServer, tokenServer } from './token-kit.ts';

const least = (count: number) =>
  new RegExp(`^108 Invalid input: (?:New password|Password) must be at least ${count} characters`);
const EMPTY = /^108 Invalid input: (?:New password|Password) cannot be empty$/;
const COMMON =
  /^108 Invalid input: (?:New password|Password) is one of the 10,000 most common ones/;
const OLD = 'an old password';

type Expected = RegExp | 'taken';
// biome-ignore format: one case per line
const strong: readonly (readonly [password: string, expected: Expected])[] = [
  ['', EMPTY],
  ['1234567', least(8)], ['äöüäöüä', least(8)], ['\u{1f600}\u{1f600}\u{1f600}\u{1f600}', least(8)],
  ['password', COMMON], ['PassWord', COMMON], ['12345678', COMMON], ['qwertyuiop', COMMON], ['trustno1', COMMON],
  ['x1 y2 z3', 'taken'], ['        ', 'taken'], ['äöüäöüäö', 'taken'], ['correct horse battery staple', 'taken'],
];
// biome-ignore format: one case per line
const changed: readonly (readonly [password: string, expected: Expected])[] = [
  ['', EMPTY],
  ['12345', least(6)], ['ää1', least(6)],
  ['123456', 'taken'], ['äöü', 'taken'], ['\u{1f600}xx', 'taken'], ['      ', 'taken'], ['password', 'taken'],
];
// biome-ignore format: one case per line
const created: typeof changed = [['', EMPTY], ['x', 'taken'], ['12345', 'taken'], ['password', 'taken']];

for (const dialect of ['sqlite', 'postgres'] as const)
  for (const policy of [undefined, 'off'] as const) {
    const test = suite(`token: passwords, policy ${policy ?? 'by default'} (${dialect})`);
    let server: TokenServer;
    test.before(async () => {
      const token = policy === undefined ? {} : { password_policy: policy };
      server = await tokenServer({ token: { password_kdf: 'sha256', ...token } }, { dialect });
    });
    test.after(() => server?.app.stop());

    let last = 0;
    const judged = (answer: any, expected: Expected) =>
      expected === 'taken' ? assert.type(answer, 'object') : assert.match(answer, expected);
    const logsIn = async (name: string, password: string) =>
      assert.type(await server.whoami(`${name}|${password}`), 'object');

    for (const [password, expected] of policy === 'off' ? created : strong)
      test(`token_create with '${password}': ${expected}`, async () => {
        const username = `new${++last}`;
        const answer = await server.asSuper('token_create', {
          token_limit: [],
          username,
          password,
        });
        judged(answer, expected);
        if (expected === 'taken') await logsIn(username, password);
        else {
          const gone = await server.asSuper('token_delete', username);
          assert.match(gone, /^105 /, 'nothing was made');
        }
      });

    for (const [password, expected] of policy === 'off' ? changed : strong)
      for (const method of ['token_change_password', 'token_change_own_password'])
        test(`${method} to '${password}': ${expected}`, async () => {
          const { name, token } = await server.account(OLD);
          const change = (target: string) =>
            method === 'token_change_password'
              ? server.asSuper(method, target, password)
              : server.outcome(method, { token, old_password: OLD, new_password: password });
          judged(await change(name), expected);
          await logsIn(name, expected === 'taken' ? password : OLD);
          if (expected !== 'taken') judged(await change('nobody'), expected);
        });
    test.run();
  }

const later = suite('token: passwords from before the policy');

later('they go on, and the policy changes with a reload', async () => {
  const server = await tokenServer({ token: { password_policy: 'off' } }, { dialect: 'sqlite' });
  try {
    const { name } = await server.account('x');
    const { readFile, writeFile } = await import('node:fs/promises');
    const file = `${server.app.dir}/config.toml`;
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('password_policy = "off"', 'password_policy = "strong"'));
    await server.app.reload();
    assert.type(await server.whoami(`${name}|x`), 'object');
    assert.match(await server.asSuper('token_change_password', name, 'sesame'), least(8));
  } finally {
    await server.app.stop();
  }
});

later.run();
