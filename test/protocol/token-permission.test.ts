// auth.md §10: {"token":"create"} creates tokens no wider than its own.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, keyOf, type TokenServer, tokenServer } from './token-kit.ts';

const DENIED = '102 Permission denied: Permission Denied: Only Super Token can create new tokens';
const B = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';
const create = { token: 'create' };
const listen = { task: 'listen' };
const entry = (scopes: unknown[], permissions: unknown[]) => ({ scopes, permissions });
const agent = (uuid: string) => ({ agent_uuid: uuid });
const kv = (read: string) => ({ kv: { read } });
const may = entry(['global'], [create]);

/** `[name, limits of the parent, limits of the child, created]`. */
// biome-ignore format: one case per line
const rights: [string, unknown[], unknown[], boolean][] = [
  ['nothing', [may], [], true],
  ['an entry that grants nothing', [may], [entry([], [listen]), entry(['global'], [])], true],
  ['without the permission, nothing', [entry(['global'], [listen])], [], false],
  ['with the permission in no scope, nothing', [entry([], [create])], [], false],
  ['with the permission for one agent, that agent', [entry([agent(A)], [create, listen])], [entry([agent(A)], [listen])], true],
  ['with the permission for one agent, no other agent', [entry([agent(A)], [create, listen])], [entry([agent(B)], [listen])], false],
  ['a named scope below global', [may, entry(['global'], [listen])], [entry([agent(A)], [listen])], true],
  ['global below a named scope', [may, entry([agent(A)], [listen])], [entry(['global'], [listen])], false],
  ['another permission', [may, entry(['global'], [listen])], [entry(['global'], [{ task: { read: 'ping' } }])], false],
  ['each pair from some entry', [may, entry([agent(A)], [listen]), entry([agent(B)], [listen])], [entry([agent(A), agent(B)], [listen])], true],
  ['one pair too many', [may, entry([agent(A)], [listen]), entry([agent(B)], [kv('*')])], [entry([agent(A), agent(B)], [listen])], false],
  ['a second entry too many', [may, entry(['global'], [listen])], [entry(['global'], [listen]), entry(['global'], [kv('a')])], false],
  ['a name below a pattern', [may, entry(['global'], [kv('ab*')])], [entry(['global'], [kv('abc')])], true],
  ['the same pattern', [may, entry(['global'], [kv('ab*')])], [entry(['global'], [kv('ab*')])], true],
  ['a narrower pattern', [may, entry(['global'], [kv('ab*')])], [entry(['global'], [kv('abc*')])], true],
  ['a wider pattern', [may, entry(['global'], [kv('ab*')])], [entry(['global'], [kv('a*')])], false],
  ['a pattern below a name', [may, entry(['global'], [kv('ab')])], [entry(['global'], [kv('ab*')])], false],
  ['everything below a pattern', [may, entry(['global'], [kv('ab*')])], [entry(['global'], [kv('*')])], false],
  ['a pattern that only looks covered as text', [may, entry(['global'], [kv('a**')])], [entry(['global'], [kv('a*')])], false],
  ['a bucket below a pattern', [may, entry([{ static_bucket: 'theme_*' }], [{ static_bucket: 'read' }])], [entry([{ static_bucket: 'theme_a' }], [{ static_bucket: 'read' }])], true],
  ['a wider bucket pattern', [may, entry([{ static_bucket: 'theme_*' }], [{ static_bucket: 'read' }])], [entry([{ static_bucket: 'theme*' }], [{ static_bucket: 'read' }])], false],
  ['a bucket pattern that only looks covered', [may, entry([{ db: 'a**' }], [{ db: 'read' }])], [entry([{ db: 'a*' }], [{ db: 'read' }])], false],
  ['a namespace whose name ends in a star', [may, entry([{ kv_namespace: 'a*' }], [kv('*')])], [entry([{ kv_namespace: 'a*' }], [kv('x')])], true],
  ['a namespace that a star would match', [may, entry([{ kv_namespace: 'a*' }], [kv('*')])], [entry([{ kv_namespace: 'ab' }], [kv('x')])], false],
  ['another spelling of the agent', [may, entry([agent(A)], [listen])], [entry([agent(A.toUpperCase())], [listen])], true],
  ['a field of its own', [may, entry(['global'], [{ static_monitoring: { read: 'cpu' } }])], [entry(['global'], [{ static_monitoring: { read: 'gpu' } }])], false],
  ['the permission itself', [may], [may], false],
  ['the permission in no scope', [may], [entry([], [create])], false],
  ['the permission behind a right of its own', [may, entry(['global'], [listen])], [entry(['global'], [listen, create])], false],
];

/** `[parent from, parent to, child from, child to, created]`, as distances from now in seconds. */
// biome-ignore format: one case per line
const periods: [number | null, number | null, number | null, number | null, boolean][] = [
  [null, null, null, null, true], [null, null, -5, 5, true], [-10, 10, -10, 10, true], [-10, 10, -9, 9, true],
  [-10, 10, -11, 10, false], [-10, 10, -10, 11, false], [-10, null, null, null, false], [null, 10, null, null, false],
  [-10, null, -10, null, true], [null, 10, null, 10, true], [-10, 10, 20, 5, true], [-10, -5, -9, -6, false], [5, 10, 6, 7, false],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: creation permission (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer({}, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  for (const [name, limits, token_limit, created] of rights) {
    test(`${created ? 'creates' : 'refuses'} ${name}`, async () => {
      const parent = await server.app.token(limits);
      const before = await server.table();
      const found = await server.outcome('token_create', [parent, { token_limit }]);
      if (created) {
        assert.is((await server.whoami(`${found.key}:${found.secret}`)).id, found.key);
      } else {
        assert.is(found, DENIED);
        assert.equal(await server.table(), before);
      }
    });
  }

  for (const [from, to, childFrom, childTo, created] of periods) {
    const verb = created ? 'may create' : 'may not create';
    test(`a parent from ${from} to ${to} ${verb} a child from ${childFrom} to ${childTo}`, async () => {
      const at = (seconds: number | null) =>
        seconds === null ? null : server.app.clock.now() + seconds * 1000;
      const times = { timestamp_from: at(from), timestamp_to: at(to) };
      const parent = await server.app.token([may], times);
      const child = { token_limit: [], timestamp_from: at(childFrom), timestamp_to: at(childTo) };
      const found = await server.outcome('token_create', [parent, child]);
      assert.is(found.key?.length ?? found, created ? 16 : DENIED);
    });
  }

  test('the account form works too, and a pair that is not whole is refused after the rights', async () => {
    const parent = { username: 'maker', password: 'makers password' };
    await server.app.token([may], parent);
    const made = await server.outcome('token_create', [
      'maker|makers password',
      { token_limit: [] },
    ]);
    assert.is(made.key.length, 16);
    const half = { token_limit: [], username: 'x' };
    const both = '101 Parse error: Username and Password must be both provided or both absent';
    assert.is(await server.outcome('token_create', ['maker|makers password', half]), both);
    const wide = { token_limit: [entry(['global'], [listen])], username: 'x' };
    assert.is(await server.outcome('token_create', ['maker|makers password', wide]), DENIED);
  });

  test('everything else stays with the Super Token', async () => {
    const parent = await server.app.token([entry(['global'], [create, listen])]);
    const { key } = await server.outcome('token_create', [parent, { token_limit: [] }]);
    for (const [method, params] of [
      ['token_delete', [key]],
      ['token_edit', [key, []]],
      ['token_change_password', [key, 'a password']],
      ['token_roll_token_secret', [key]],
      ['token_list_all_tokens', []],
    ] as const) {
      const found = await server.outcome(method, [parent, ...params]);
      assert.match(found, /^102 Permission denied: Only SuperToken can /);
    }
    assert.is((await server.outcome('token_get', [parent])).token_key, keyOf(parent));
  });

  test('the server itself creates tokens in-process', async () => {
    const { system, call } = server.probe.kernel();
    const creation = { token_creation: { token_limit: [entry(['global'], [listen])] } };
    const made = (await call('token_create', creation, system)) as any;
    assert.is((await server.whoami(`${made.key}:${made.secret}`)).id, made.key);
  });

  test.run();
}
