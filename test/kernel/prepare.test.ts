// `prepare`: between validation and authentication, and its result is what access, check and handle get.
import {
  definePlugin,
  type Methods,
  needs,
  type Requirement,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('prepare');
const anyone = { scopes: ['global'], permissions: [], denied: 'no' } as const;

const seen: string[] = [];
const note = (step: string, input: unknown) => seen.push(`${step} ${JSON.stringify(input)}`);

const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  namespaces: ['shop'],
  setup({ hooks, call, system }) {
    hooks.methods.tap((methods) => {
      methods.add('shop_buy', {
        summary: 'Buys one thing.',
        params: { thing: Type.String(), count: Type.Integer() },
        result: Type.String(),
        prepare({ thing, count }) {
          note('prepare', { thing, count });
          if (count === 0) throw RpcError.invalid('count is zero');
          return { name: thing.trim(), total: count * 2 };
        },
        access: {
          needs(input) {
            note('access', input);
            return anyone;
          },
        },
        check(input) {
          note('check', input);
        },
        handle({ name, total }) {
          note('handle', { name, total });
          return `${total} ${name}`;
        },
      });
      methods.add('shop_relay', {
        summary: 'Buys from inside.',
        params: {},
        result: Type.Unknown(),
        access: 'public',
        handle: () => call('shop_buy', [' pear ', 3], system),
      });
      methods.addSubscription('shop_watch', {
        summary: 'Tells the prepared input once.',
        unsubscribe: 'shop_unwatch',
        params: { thing: Type.String() },
        item: Type.String(),
        prepare: ({ thing }) => thing.trim(),
        access: 'authenticated',
        open(name, _call, push) {
          push(name);
          return () => {};
        },
      });
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

const PREPARED = '{"name":"pear","total":6}';

test('access, check and handle get what prepare returned', async () => {
  const token = await app.token([{ scopes: ['global'], permissions: [] }]);
  assert.is(await app.call('shop_buy', [token, ' pear ', 3]), '6 pear');
  assert.equal(seen, [
    'prepare {"thing":" pear ","count":3}',
    `access ${PREPARED}`,
    `check ${PREPARED}`,
    `handle ${PREPARED}`,
  ]);
});

test('the same holds for calls in the process', async () => {
  assert.is(await app.call('shop_relay', []), '6 pear');
  assert.is(seen.at(-1), `handle ${PREPARED}`);
});

test('the same holds for a subscription', async () => {
  const socket = await app.connect();
  try {
    await socket.call('shop_watch', [app.superToken, ' plum ']);
    assert.is((await socket.next()).params.result, 'plum');
  } finally {
    socket.close();
  }
});

const order: readonly (readonly [
  name: string,
  params: unknown[],
  code: number,
  steps: string[],
])[] = [
  ['a bad parameter is reported before prepare runs', ['a:b', 'pear', 'x'], -32602, []],
  ['what prepare refuses is reported before the credential', ['a:b', 'pear', 0], 108, ['prepare']],
  ['a bad credential is reported after prepare', ['a:b', 'pear', 1], 102, ['prepare']],
];
for (const [name, params, code, steps] of order) {
  test(name, async () => {
    const failure = await app.call('shop_buy', params).catch((error) => error);
    assert.is(failure.code, code);
    assert.equal(
      seen.map((line) => line.split(' ')[0]),
      steps,
    );
  });
}

/** Compiled, never run: what TypeScript infers and what it refuses. */
export function types(methods: Methods): void {
  const base = { summary: 'Types.', params: { count: Type.Integer() }, result: Type.String() };
  const anyCaller = needs((): Requirement => anyone);

  methods.add('types_default', {
    ...base,
    access: { needs: ({ count }) => ({ ...anyone, denied: String(count satisfies number) }) },
    handle: ({ count }) => String(count satisfies number),
  });
  methods.add('types_prepared', {
    ...base,
    prepare: ({ count }) => ({ text: String(count satisfies number) }),
    access: { custom: ({ text }) => void (text satisfies string) },
    check: ({ text }) => void (text satisfies string),
    handle: ({ text }) => text satisfies string,
  });
  methods.add('types_parameters_are_gone', {
    ...base,
    prepare: ({ count }) => ({ text: String(count) }),
    access: anyCaller,
    // @ts-expect-error: handle gets what prepare returned, and that has no `count`.
    handle: ({ count }) => String(count),
  });
  methods.add('types_access_sees_the_input', {
    ...base,
    prepare: ({ count }) => ({ text: String(count) }),
    // @ts-expect-error: the rule wants a member that prepare does not give.
    access: needs(({ count }: { count: number }) => ({ ...anyone, denied: String(count) })),
    handle: ({ text }) => text,
  });
  methods.add('types_result', {
    ...base,
    access: anyCaller,
    // @ts-expect-error: the result's schema says string.
    handle: ({ count }) => count,
  });
  // @ts-expect-error: without `access` nothing is registered.
  methods.add('types_access', { ...base, handle: () => '' });
  methods.addSubscription('types_watch', {
    summary: 'Types.',
    unsubscribe: 'types_unwatch',
    params: { count: Type.Integer() },
    item: Type.String(),
    prepare: ({ count }) => [count] as const,
    access: anyCaller,
    open([count], _call, push) {
      push(String(count satisfies number));
      // @ts-expect-error: items are strings.
      push(count);
      return () => {};
    },
  });
}

test.run();
