// auth.md §5.1, §5.2, §6.1 to §6.3: what a limit entry covers.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { authProbe } from './auth-probe.ts';

const A = '0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11';
const B = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';
const agent = (uuid: string) => ({ agent_uuid: uuid });
const entry = (scopes: unknown[], permissions: unknown[]) => ({ scopes, permissions });
const yes = true;
const no = false;

/** Granted and wanted name of one scope tag, in the form `[tag, granted, wanted, covered]`. */
// biome-ignore format: one case per line
const scopeNames: [string, string, string, boolean][] = [
  ['agent_uuid', A, A, yes], ['agent_uuid', A, B, no], ['agent_uuid', A.toUpperCase(), A, yes], ['agent_uuid', A, A.toUpperCase(), yes],
  ['agent_uuid', `{${A}}`, A, yes], ['agent_uuid', `urn:uuid:${A}`, A, yes], ['agent_uuid', A.replaceAll('-', ''), A, yes],
  ['agent_uuid', A, `urn:uuid:${A}`, yes],
  ['kv_namespace', 'shop', 'shop', yes], ['kv_namespace', 'shop', 'Shop', no], ['kv_namespace', 'sh*', 'shop', no], ['kv_namespace', 'sh*', 'sh*', yes],
  ['kv_namespace', '*', 'shop', no], ['kv_namespace', '', '', yes],
  ['js_worker', 'w', 'w', yes], ['js_worker', 'w*', 'worker', yes], ['js_worker', 'w*', 'w', yes], ['js_worker', 'w*', 'W', no], ['js_worker', '*', '', yes],
  ['static_bucket', 'theme_*', 'theme_a', yes], ['static_bucket', 'theme_*', 'them', no], ['static_bucket', '*', 'x', yes], ['static_bucket', 'a*b', 'axb', no],
  ['db', 'main*', 'main_2', yes], ['db', 'main*', 'mai', no], ['db', '*', 'x', yes], ['db', 'main', 'main_2', no],
  ['town', 'Lu*', 'Lund', yes], ['town', 'Lu*', 'lund', no],
];

/** `[granted, wanted, covered]`, both in global scope. */
// biome-ignore format: one case per line
const permissions: [unknown, unknown, boolean][] = [
  [{ static_monitoring: { read: 'cpu' } }, { static_monitoring: { read: 'cpu' } }, yes],
  [{ static_monitoring: { read: 'cpu' } }, { static_monitoring: { read: 'gpu' } }, no],
  [{ static_monitoring: { read: 'cpu' } }, { dynamic_monitoring: { read: 'cpu' } }, no],
  [{ static_monitoring: 'write' }, { static_monitoring: { read: 'cpu' } }, no],
  [{ static_monitoring: 'write' }, { static_monitoring: 'delete' }, no],
  [{ dynamic_monitoring_summary: 'read' }, { dynamic_monitoring_summary: 'read' }, yes],
  [{ dynamic_monitoring_summary: 'read' }, { dynamic_monitoring_summary: 'write' }, no],
  [{ task: { read: 'ping' } }, { task: { read: 'ping' } }, yes],
  [{ task: { read: 'ping' } }, { task: { write: 'ping' } }, no],
  [{ task: { write: '*' } }, { task: { read: 'ping' } }, no],
  [{ task: { write: '*' } }, { task: 'listen' }, no],
  [{ task: { write: '*' } }, { task: { write: '' } }, yes],
  [{ task: { create: 'p*' } }, { task: { create: 'ping' } }, yes],
  [{ task: { create: 'p*' } }, { task: { create: 'tcp_ping' } }, no],
  [{ task: { create: 'P*' } }, { task: { create: 'ping' } }, no],
  [{ task: { delete: '*ping' } }, { task: { delete: 'tcp_ping' } }, no],
  [{ task: { delete: '*ping' } }, { task: { delete: '*ping' } }, yes],
  [{ task: { delete: 'a*b' } }, { task: { delete: 'axb' } }, no],
  [{ task: { delete: 'a*b' } }, { task: { delete: 'a*b' } }, yes],
  [{ kv: { read: 'ab*' } }, { kv: { read: 'ab_*' } }, yes],
  [{ kv: { read: '*' } }, { kv: { read: '*' } }, yes],
  [{ kv: { read: 'ab_*' } }, { kv: { read: 'ab*' } }, no],
  [{ kv: { delete: '*' } }, { kv: { write: 'k' } }, no],
  [{ kv: 'list_all_keys' }, { kv: 'list_all_keys' }, yes],
  [{ kv: 'list_all_keys' }, { kv: 'list_all_namespace' }, no],
  [{ crontab_result: { read: 'night*' } }, { crontab_result: { read: 'nightly' } }, yes],
  [{ crontab_result: { read: 'night*' } }, { crontab_result: { delete: 'nightly' } }, no],
  [{ js_result: { delete: 'w*' } }, { js_result: { delete: 'worker' } }, yes],
  [{ js_result: { delete: 'w*' } }, { js_result: { read: 'worker' } }, no],
  [{ crontab: 'write' }, { crontab: 'read' }, no],
  [{ static_bucket_file: 'list' }, { static_bucket_file: 'read' }, no],
  [{ static_bucket_file: 'list' }, { static_bucket: 'read' }, no],
  [{ svc: 'exec_sql' }, { svc: 'exec_sql' }, yes],
  [{ svc: 'exec_sql' }, { db: 'exec_sql' }, no],
  [{ weather: 'look' }, { weather: 'look' }, yes],
  [{ weather: { forecast: 'Lu*' } }, { weather: { forecast: 'Lund' } }, yes],
  [{ weather: 'look' }, { weather: { forecast: 'Lund' } }, no],
  [{ task: 'listen' }, {}, no],
  [{ task: 'listen' }, { task: {} }, no],
  [{ task: 'listen' }, { task: 'listen', kv: 'list_all_keys' }, no],
];

const listen = { task: 'listen' };
const write = { static_monitoring: 'write' };

/** `[name, limits, scopes, permissions, allowed]`. */
// biome-ignore format: one case per line
const checks: [string, unknown[], unknown[], unknown[], boolean][] = [
  ['a global entry covers any scope', [entry(['global'], [listen])], [agent(A), 'global', { kv_namespace: 'x' }], [listen], yes],
  ['a named scope never covers a global request', [entry([agent(A)], [listen])], ['global'], [listen], no],
  ['a wildcard scope never covers a global request', [entry([{ db: '*' }], [listen])], ['global'], [listen], no],
  ['one tag does not stand for another', [entry([{ db: 'x' }], [listen])], [{ js_worker: 'x' }], [listen], no],
  ['several scopes of one entry', [entry([agent(A), agent(B)], [listen])], [agent(A), agent(B)], [listen], yes],
  ['different pairs may be covered by different entries', [entry([agent(A)], [listen]), entry([agent(B)], [listen])], [agent(A), agent(B)], [listen], yes],
  ['every pair must be covered', [entry([agent(A)], [listen, write]), entry([agent(B)], [listen])], [agent(A), agent(B)], [listen, write], no],
  ['scope and permission must come from one entry', [entry([agent(A)], [listen]), entry([agent(B)], [write])], [agent(A)], [write], no],
  ['no scope grants nothing', [entry([], [listen])], [agent(A)], [listen], no],
  ['no permission grants nothing', [entry(['global'], [])], [agent(A)], [listen], no],
  ['no entry grants nothing', [], [agent(A)], [listen], no],
  ['no scope asked for is allowed', [], [], [listen], yes],
  ['no permission asked for is allowed', [], [agent(A)], [], yes],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth: matching (${dialect})`);
  const probe = authProbe();
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(['token', probe.plugin], {}, { dialect });
  });
  test.after(() => app.stop());

  const allows = async (limits: unknown[], scopes: unknown, wanted: unknown): Promise<boolean> => {
    const token = await app.token(limits);
    try {
      return (await app.call('probe_need', [token, scopes, wanted])) === 'allowed';
    } catch (error: any) {
      assert.is(`${error.code} ${error.message}`, '102 Permission denied: probe');
      return false;
    }
  };

  for (const [tag, granted, wanted, covered] of scopeNames) {
    test(`scope ${tag} '${granted}' ${covered ? 'covers' : 'does not cover'} '${wanted}'`, async () => {
      const limits = [entry([{ [tag]: granted }], [listen])];
      assert.is(await allows(limits, [{ [tag]: wanted }], [listen]), covered);
    });
  }
  for (const [granted, wanted, covered] of permissions) {
    const verb = covered ? 'covers' : 'does not cover';
    test(`permission ${JSON.stringify(granted)} ${verb} ${JSON.stringify(wanted)}`, async () => {
      assert.is(await allows([entry(['global'], [granted])], ['global'], [wanted]), covered);
    });
  }
  for (const [name, limits, scopes, wanted, allowed] of checks) {
    test(name, async () => assert.is(await allows(limits, scopes, wanted), allowed));
  }

  test('the Super Token is allowed whatever is asked', async () => {
    const asked = [app.superToken, ['global', { nonsense: 'x' }], [{ nonsense: 'y' }]];
    assert.is(await app.call('probe_need', asked), 'allowed');
    const root = `root|${app.rootPassword}`;
    assert.is(await app.call('probe_need', [root, ['global'], [{ x: 'y' }]]), 'allowed');
  });

  test('a pattern covers exactly the names that start with it, any other name exactly itself', async () => {
    const name = fc.stringMatching(/^[ab*]{0,4}$/);
    const pairs = fc.array(fc.tuple(name, name), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pairs, async (cases) => {
        for (const [granted, wanted] of cases) {
          const expected = granted.endsWith('*')
            ? wanted.slice(0, granted.length - 1) === granted.slice(0, -1)
            : wanted === granted;
          const limits = [entry(['global'], [{ kv: { read: granted } }])];
          const found = await allows(limits, [{ kv_namespace: 'n' }], [{ kv: { read: wanted } }]);
          assert.is(found, expected, `'${granted}' for '${wanted}'`);
        }
      }),
      { numRuns: 8 },
    );
  });

  test('every granted permission and scope covers itself', async () => {
    const text = fc.string({ maxLength: 8 });
    const permission = fc.oneof(
      text.map((key) => ({ kv: { write: key } })),
      text.map((type) => ({ task: { create: type } })),
      fc.constantFrom<unknown>({ task: 'listen' }, { dynamic_monitoring: { read: 'disk' } }),
    );
    const scope = fc.oneof(
      fc.constant('global' as unknown),
      fc.uuid().map((uuid) => ({ agent_uuid: uuid })),
      text.map((name) => ({ kv_namespace: name })),
      text.map((name) => ({ db: name })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(scope), fc.array(permission), async (scopes, wanted) => {
        assert.ok(await allows([entry(scopes, wanted)], scopes, wanted));
      }),
      { numRuns: 60 },
    );
  });

  test.run();
}
