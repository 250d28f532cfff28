// The hook `settled`: what observers learn of a call, the record of changes among them (`audit` of a method).
import { definePlugin, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('settled');

const seen: unknown[] = [];
const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  namespaces: ['shop'],
  setup({ hooks, call, request, system }) {
    hooks.methods.tap((methods) => {
      methods.add('shop_buy', {
        summary: 'Buys one thing.',
        params: { thing_name: Type.String(), count: Type.Integer() },
        result: Type.Integer(),
        audit: ({ thing_name, count }) => (count > 0 ? thing_name : undefined),
        prepare: ({ count }) => count,
        access: 'super',
        handle: (count) => count,
      });
      methods.add('shop_look', {
        summary: 'Changes nothing.',
        params: {},
        result: Type.Null(),
        access: 'public',
        handle: () => null,
      });
      methods.add('shop_relay', {
        summary: 'Buys from inside.',
        params: {},
        result: Type.Unknown(),
        access: 'public',
        handle: () => call('shop_buy', { thing_name: 'pear', count: 3 }, system),
      });
      methods.add('shop_script', {
        summary: 'Buys as a script does.',
        params: { credential: Type.String() },
        result: Type.Unknown(),
        access: 'public',
        handle: ({ credential: token }) =>
          request({
            jsonrpc: '2.0',
            id: 1,
            method: 'shop_buy',
            params: { token, thing_name: 'fig', count: 1 },
          }),
      });
    });
    hooks.settled.tap(({ target, caller, method, transport }, { error }) => {
      if (target) seen.push([method, target(), caller.id, transport, error?.code ?? 'ok']);
    });
  },
});

let app: TestApp;
test.before(async () => {
  app = await bootForTest(['token', shop]);
});
test.before.each(() => {
  seen.length = 0;
});
test.after(() => app?.stop());

const cases: [name: string, method: string, params: () => unknown, expected: unknown[]][] = [
  [
    'a change is named by its parameters, in any spelling',
    'shop_buy',
    () => ({ token: app.superToken, thingName: 'apple', count: 2 }),
    ['apple', 'ok'],
  ],
  ['a refused change is named, too', 'shop_buy', () => ['no:body', 'apple', 1], ['apple', 102]],
  [
    'a call may say that it changes nothing',
    'shop_buy',
    () => [app.superToken, 'apple', 0],
    [undefined, 'ok'],
  ],
  [
    'a call from inside has the caller it was made for',
    'shop_relay',
    () => [],
    ['pear', 'ok', 'system'],
  ],
  [
    'a script has the caller of its credential',
    'shop_script',
    () => [app.superToken],
    ['fig', 'ok', 'key'],
  ],
];

for (const [name, method, params, [target, outcome, who]] of cases) {
  test(name, async () => {
    await app.rpc({ jsonrpc: '2.0', id: 1, method, params: params() });
    const found = seen[0] as unknown[];
    assert.is(seen.length, 1);
    assert.equal([found[1], found[4]], [target, outcome]);
    if (who === 'system') assert.equal(found.slice(2, 4), ['system', 'internal']);
    if (who === 'key') assert.equal(found.slice(2, 4), [app.superToken.split(':')[0], 'internal']);
  });
}

test('a method without `audit`, and parameters that do not fit, name nothing', async () => {
  await app.call('shop_look', []);
  await app.rpc({ jsonrpc: '2.0', id: 1, method: 'shop_buy', params: [app.superToken, 7, 'x'] });
  assert.equal(seen, []);
});

test.run();
