// token.md §11: why a call is allowed or denied, naming the missing entry. An addition.
import { definePlugin, RpcError, Type } from '@svc/plugin-sdk';
import { JsonText } from '@svc/plugin-sdk/schemas';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, keyOf, PARAMS, WRONG } from './token-kit.ts';

const B = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';
const DENIED = '102 Permission denied: Only SuperToken can explain the rights of another token';
const agents = (...uuids: string[]) => uuids.map((agent_uuid) => ({ agent_uuid }));
const read = (key: string) => ({ kv: { read: key } });
const entry = (scopes: unknown[], permissions: unknown[]) => ({ scopes, permissions });

/** Methods whose handlers say what a caller must not learn here. */
const ruled = definePlugin({
  name: 'ruled',
  version: '1.0.0',
  namespaces: ['ruled'],
  setup(kernel) {
    const handle = (): null => {
      throw new Error('the method ran');
    };
    const result = Type.Null();
    kernel.hooks.methods.tap((methods) => {
      const summary = 'Not to be run.';
      methods.add('ruled_open', { summary, params: {}, result, access: 'public', handle });
      methods.add('ruled_any', { summary, params: {}, result, access: 'authenticated', handle });
      const params = { value: Type.Number() };
      methods.add('ruled_super', { summary, params, result, access: 'super', handle });
      const right = { words: 'a key to the safe' };
      const custom = () => assert.unreachable('the rule looked');
      methods.add('ruled_custom', {
        summary,
        params: {},
        result,
        right,
        access: { custom },
        handle,
      });
      methods.add('ruled_needs', {
        summary,
        params: { agents: Type.Array(Type.String()), value: Type.Optional(JsonText) },
        result,
        prepare({ agents: uuids, value }) {
          if (value?.text === '13') throw RpcError.invalid('13 is no value');
          return uuids;
        },
        access: {
          needs: (uuids) => ({
            scopes: agents(...uuids),
            permissions: [{ task: 'listen' }],
            denied: '',
          }),
        },
        handle,
      });
      methods.add('ruled_either', {
        summary,
        params: { key: Type.String() },
        result,
        access: {
          anyOf: ({ key }) => [
            { scopes: ['global'], permissions: [{ kv: 'list_all_keys' }], denied: '' },
            { scopes: [{ kv_namespace: 'n' }], permissions: [read(key)], denied: '' },
          ],
        },
        handle,
      });
    });
  },
});

const onA = entry(agents(A), [{ task: 'listen' }]);
const onN = entry([{ kv_namespace: 'n' }], [read('a*')]);
const lacks = (...entries: unknown[]) =>
  `Denied: the limit of the token lacks ${entries.map((one) => JSON.stringify(one)).join(' and ')}.`;

/** `[name, limits, method, params, allowed, reason, entries of the pairs]` */
// biome-ignore format: one case per line
const cases: [string, unknown[], string, object | undefined, boolean | null, string, (number | null)[][]][] = [
  ['a public method', [], 'ruled_open', undefined, true, 'Allowed: anyone may call it.', []],
  ['a method for any credential', [], 'ruled_any', undefined, true, 'Allowed: any valid credential may call it.', []],
  ['a method of the Super Token', [onA], 'ruled_super', { value: 1 }, false, 'Denied: only the Super Token may call it.', []],
  ['a rule that looks at no parameters', [onA], 'ruled_super', undefined, false, 'Denied: only the Super Token may call it.', []],
  ['a rule that looks further', [onA], 'ruled_custom', {}, null, 'The call itself decides: it asks for a key to the safe.', []],
  ['a right that the second entry gives', [onN, onA], 'ruled_needs', { agents: [A] }, true, 'Allowed: the limit of the token gives it with entry 1.', [[1]]],
  ['a right that is given for one of two agents', [onA], 'ruled_needs', { agents: [A, B] }, false, lacks(entry(agents(B), [{ task: 'listen' }])), [[0, null]]],
  ['no agents at all', [], 'ruled_needs', { agents: [] }, true, 'Allowed: the call asks for no right.', [[]]],
  ['the second of two rights', [onA, onN], 'ruled_either', { key: 'abc' }, true, 'Allowed: the limit of the token gives it with entry 1.', [[null], [1]]],
  ['a task of a kind that the token may start', [entry(agents(A), [{ task: { create: 'p*' } }])], 'task_create_task', { target_uuid: A, task_type: { ping: '192.0.2.1' } }, true, 'Allowed: the limit of the token gives it with entry 0.', [[0]]],
  ['a task of another kind', [entry(agents(A), [{ task: { create: 'p*' } }])], 'task_create_task', { target_uuid: A, task_type: 'version' }, false, lacks(entry(agents(A), [{ task: { create: 'version' } }])), [[null]]],
  ['neither of two rights', [onN], 'ruled_either', { key: 'b' }, false, `Denied: the limit of the token lacks ${JSON.stringify(entry(['global'], [{ kv: 'list_all_keys' }]))}; or ${JSON.stringify(entry([{ kv_namespace: 'n' }], [read('b')]))}.`, [[null], [null]]],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token_explain (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(['token', 'agent-uuid', 'task', ruled], {}, { dialect, clock: true });
  });
  test.after(() => app.stop());

  const explain = (token: string, method: string, params?: object, target_token?: string) =>
    app
      .call('token_explain', { token, method, params, target_token })
      .catch(({ code, message }: any) => `${code} ${message}`) as Promise<any>;

  for (const [name, limits, method, params, allowed, reason, entries] of cases) {
    test(`explains ${name} to the caller, and to the Super Token about it`, async () => {
      const token = await app.token(limits);
      const found = await explain(token, method, params);
      assert.equal([found.allowed, found.reason], [allowed, reason]);
      assert.equal([found.method, found.token_key], [method, keyOf(token)]);
      const pairs = found.requirements.map((one: any) => one.pairs.map((pair: any) => pair.entry));
      assert.equal(pairs, entries);
      assert.equal(await explain(app.superToken, method, params, keyOf(token)), found);
      assert.equal(await explain(token, method, params, keyOf(token)), found);
    });
  }

  test('an entry that is named as missing opens the call once it is added', async () => {
    const token = await app.token([]);
    const { requirements } = await explain(token, 'ruled_needs', { agents: [A, B] });
    const limit = requirements[0].missing;
    assert.is(limit.length, 2);
    await app.call('token_edit', [app.superToken, keyOf(token), limit]);
    assert.is((await explain(token, 'ruled_needs', { agents: [A, B] })).allowed, true);
  });

  test('the Super Token may do everything', async () => {
    const found = await explain(app.superToken, 'ruled_super');
    assert.equal([found.allowed, found.requirements], [true, []]);
  });

  test('another token is told nothing, whether there is such a one or not', async () => {
    const [token, other] = [await app.token([onA]), await app.token([])];
    for (const target of [keyOf(other), 'stranger', 'root'])
      assert.is(await explain(token, 'ruled_any', {}, target), DENIED);
    assert.match(await explain(app.superToken, 'ruled_any', {}, 'stranger'), /^105 /);
    assert.is(await explain('x:y', 'ruled_any'), WRONG);
  });

  test('a token outside its validity reads why it is denied', async () => {
    const now = app.clock.now();
    const creation = { token_limit: [onA], timestamp_to: now + 1_000 };
    const { key, secret } = await app.call('token_create', [app.superToken, creation]);
    const token = `${key}:${secret}`;
    await app.clock.advance(2_000);
    for (const method of ['ruled_any', 'ruled_needs']) {
      const found = await explain(token, method, method === 'ruled_needs' ? { agents: [A] } : {});
      assert.equal(
        [found.allowed, found.reason],
        [false, 'Denied: the validity of the token is over.'],
      );
    }
  });

  test('what the method would refuse before it looks at rights is refused here', async () => {
    const token = await app.token([onA]);
    for (const params of [undefined, { agents: 5 }, { agents: [A], more: 1 }])
      assert.is(await explain(token, 'ruled_needs', params), PARAMS);
    const odd = { agents: [A], value: 13 };
    assert.is(await explain(token, 'ruled_needs', odd), '108 Invalid input: 13 is no value');
    assert.match(await explain(token, 'ruled_nothing'), /^108 .*no method 'ruled_nothing'/);
  });

  test.run();
}
