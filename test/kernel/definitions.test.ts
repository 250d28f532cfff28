// What a plugin in plain JavaScript is told when a definition is wrong: the sentence says what to change.
import { type Logger, type Methods, needs, type Plugin, Type } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Registry } from '../../kernel/src/rpc/registry.ts';
import { suite } from '../runner/suite.ts';

const test = suite('definitions');

const sound = {
  summary: 'Greets.',
  params: { name: Type.String() },
  result: Type.String(),
  access: 'public',
  handle: () => 'hello',
};
const stream = {
  summary: 'Greets for ever.',
  unsubscribe: 'hello_unwatch',
  params: {},
  item: Type.String(),
  access: 'authenticated',
  open: () => () => {},
};
const without = (definition: object, ...members: string[]) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !members.includes(name)));

const log = { target: () => log } as unknown as Logger;
const hello = { name: 'hello', version: '1.0.0', namespaces: ['hello'] };
const register = (run: (methods: Methods) => void) =>
  run(new Registry((name) => name, log).for({ ...hello, setup: () => {} }));

function refusal(run: (methods: Methods) => void): string {
  try {
    register(run);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

const ACCESS =
  "say which right a call needs: 'public', 'authenticated', 'super', superOnly(…), needs(…), anyOf(…) or { custom }";

/** A definition, and what its author reads behind `plugin 'hello': method 'hello_greet'`. */
const methods: readonly (readonly [name: string, definition: unknown, sentence: string])[] = [
  ['no access', without(sound, 'access'), ` has no 'access': ${ACCESS}`],
  [
    'no params',
    without(sound, 'params'),
    " has no 'params': list the parameters in order, {} for none",
  ],
  [
    'no summary',
    without(sound, 'summary'),
    " has no 'summary': say in one sentence what the method does",
  ],
  [
    'no handle',
    without(sound, 'handle'),
    " has no 'handle': give the function that answers the call",
  ],
  [
    'no result',
    without(sound, 'result'),
    " has no 'result': give the schema of the result, Type.Unknown() for any",
  ],
  [
    'a misspelt handle',
    { ...without(sound, 'handle'), handler: () => 1 },
    " has no 'handle': 'handler' must be called so",
  ],
  ['a member too many', { ...sound, permision: 'x' }, ": there is no member 'permision'"],
  [
    'a misspelt optional member',
    { ...sound, prepares: () => 1 },
    ": there is no member 'prepares'; did you mean 'prepare'?",
  ],
  [
    'the former validate',
    { ...sound, validate() {} },
    ": 'validate' is called 'prepare' now; it returns what 'handle' gets",
  ],
  [
    'an unknown access word',
    { ...sound, access: 'publc' },
    ": 'access' is 'publc', which is no access word; did you mean 'public'?",
  ],
  [
    'an access word like no other',
    { ...sound, access: 'everybody' },
    ": 'access' is 'everybody', which is no access word (public, authenticated, super)",
  ],
  [
    'access that is a function',
    { ...sound, access: () => true },
    ": 'access' must be a word or one of superOnly(…), needs(…), anyOf(…), { custom }",
  ],
  [
    'two kinds of access',
    { ...sound, access: { super: 'no', custom() {} } },
    ": 'access' must be a word or one of superOnly(…), needs(…), anyOf(…), { custom }",
  ],
  [
    'needs that is no function',
    { ...sound, access: { needs: { scopes: [] } } },
    ": 'access': 'needs' must be a function",
  ],
  ['an empty summary', { ...sound, summary: '' }, ": 'summary' must be a text that is not empty"],
  [
    'params as a list',
    { ...sound, params: ['name'] },
    ": 'params' must be an object: parameter name → schema, {} for none",
  ],
  [
    'a schema that was not called',
    { ...sound, params: { name: Type.String } },
    ": 'params': 'name' is a function, no schema; call it, as Type.String()",
  ],
  [
    'a word for a schema',
    { ...sound, params: { name: 'string' } },
    ": 'params': 'name' is no schema; write Type.String() or another of Type's",
  ],
  [
    'an unknown type',
    { ...sound, params: { name: { type: 'strng' } } },
    ": 'params': 'name' has the unknown type 'strng'; did you mean 'string'?",
  ],
  [
    'a pattern that is none',
    { ...sound, params: { name: Type.String({ pattern: '(' }) } },
    ": 'params': 'name' has the pattern '(', which is no regular expression",
  ],
  [
    'a plain object of schemas',
    { ...sound, result: { text: Type.String() } },
    ": 'result' is a plain object, no schema; wrap its members in Type.Object({ … })",
  ],
  [
    'a fault deep inside',
    { ...sound, result: Type.Object({ a: Type.Array(Type.String as never) }) },
    ": 'result' is a function, no schema; call it, as Type.String()",
  ],
  ['handle that is a value', { ...sound, handle: 'hello' }, ": 'handle' must be a function"],
  ['secret that is a text', { ...sound, secret: 'yes' }, ": 'secret' must be true or false"],
  ['nothing at all', undefined, ": must be an object with 'summary', 'params', 'access' …"],
  ['a sound one', sound, 'accepted'],
  [
    'one with needs',
    { ...sound, access: needs(() => ({ scopes: [], permissions: [], denied: '' })) },
    'accepted',
  ],
  [
    'one with plain JSON Schema',
    { ...sound, params: { name: { type: 'string' } }, result: {} },
    'accepted',
  ],
];
for (const [name, definition, sentence] of methods) {
  test(`method: ${name}`, () => {
    const told = refusal((registry) => registry.add('hello_greet', definition as never));
    const head = "plugin 'hello': method 'hello_greet'";
    assert.is(told, sentence === 'accepted' ? sentence : head + sentence);
  });
}

const subscriptions: readonly (readonly [name: string, definition: unknown, sentence: string])[] = [
  [
    'no item',
    without(stream, 'item'),
    " has no 'item': give the schema of one item, Type.Unknown() for any",
  ],
  ['no open', without(stream, 'open'), " has no 'open': give the function that opens the stream"],
  [
    'no unsubscribe',
    without(stream, 'unsubscribe'),
    " has no 'unsubscribe': name the method that ends the subscription",
  ],
  [
    'custom access and nothing to live on',
    { ...stream, access: { custom: () => {} } },
    " has no 'livesOn': its access is custom, so return the rights without which the stream ends, as (input, call) => [right]",
  ],
  [
    'custom access and what it lives on',
    { ...stream, access: { custom: () => {} }, livesOn: () => [] },
    'accepted',
  ],
  ['a handle', { ...stream, handle: () => 1 }, ": there is no member 'handle'"],
  ['a sound one', stream, 'accepted'],
];
for (const [name, definition, sentence] of subscriptions) {
  test(`subscription: ${name}`, () => {
    const told = refusal((registry) =>
      registry.addSubscription('hello_watch', definition as never),
    );
    const head = "plugin 'hello': subscription 'hello_watch'";
    assert.is(told, sentence === 'accepted' ? sentence : head + sentence);
  });
}

const startOf = async (setup: (kernel: any) => void): Promise<string> => {
  const plugin = { name: 'hello', version: '1.0.0', namespaces: ['hello'], setup } as Plugin;
  try {
    const app = await bootForTest([plugin]);
    await app.stop();
    return 'started';
  } catch (error) {
    return (error as Error).message;
  }
};

const hooks: readonly (readonly [hook: string, sentence: string])[] = [
  ['method', "plugin 'hello': there is no hook 'method'; did you mean 'methods'?"],
  ['onStart', "plugin 'hello': there is no hook 'onStart'"],
  [
    'permissions',
    "plugin 'hello': there is no hook 'permissions': list them as 'permissions' of definePlugin",
  ],
];
for (const [hook, sentence] of hooks) {
  test(`a tap of the hook '${hook}' stops the start`, async () => {
    assert.is(await startOf((kernel) => kernel.hooks[hook].tap(() => {})), sentence);
  });
}

test('a faulty definition stops the start', async () => {
  const told = await startOf(({ hooks: { methods } }) =>
    methods.tap((registry: Methods) =>
      registry.add('hello_greet', without(sound, 'access') as never),
    ),
  );
  assert.is(told, `plugin 'hello': method 'hello_greet' has no 'access': ${ACCESS}`);
});

test.run();
