import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, EARLY, service, Type, topic } from '@svc/plugin-sdk';
import { PluginError } from '@svc/plugin-sdk/kernel';
import type { Migration, MigrationDatabase } from '@svc/plugin-sdk/sql';

import { bootForTest, RpcFailure } from '@svc/plugin-sdk/testing';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { fakeClock } from '../../server/src/testing/fake-clock.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { textWith } from '../server/config-kit.ts';

const test = suite('plugin host');

interface Greeter {
  greet(name: string): string;
}
const Greeter = service<Greeter>('greeter');
const Greeted = topic('greeter.greeted', Type.Object({ name: Type.String() }), {
  local: true,
});

const greeter = definePlugin({
  name: 'greeter',
  version: '1.0.0',
  namespaces: ['greeter'],
  provides: [Greeter],
  config: Type.Object({ word: Type.String({ default: 'hello' }) }),
  setup(kernel) {
    kernel.provide(Greeter, {
      greet: (name) => {
        kernel.publish(Greeted, { name });
        return `${kernel.config.word} ${name}`;
      },
    });
  },
});

const guest = definePlugin({
  name: 'guest',
  version: '1.0.0',
  namespaces: ['guest'],
  requires: [Greeter],
  setup(kernel) {
    const heard: string[] = [];
    kernel.subscribe(Greeted, () => {
      throw new Error('one listener fails');
    });
    kernel.subscribe(Greeted, ({ name }) => {
      heard.push(name);
    });
    kernel.hooks.methods.tap((methods) => {
      methods.add('guest_enter', {
        summary: 'Greets.',
        params: { name: Type.String() },
        result: Type.String(),
        access: 'public',
        handle: ({ name }) => kernel.use(Greeter).greet(name),
      });
      methods.add('guest_heard', {
        summary: 'Names heard.',
        params: {},
        result: Type.Array(Type.String()),
        access: 'public',
        handle: () => heard,
      });
      methods.add('guest_secret', {
        summary: 'For callers with a right.',
        params: {},
        result: Type.String(),
        access: 'authenticated',
        handle: () => 'secret',
      });
      methods.add('guest_super', {
        summary: 'Super only.',
        params: {},
        result: Type.String(),
        access: 'super',
        handle: (_params, { caller }) => caller.id,
      });
    });
  },
});

const plain = (name: string, setup: Parameters<typeof definePlugin>[0]['setup'] = () => {}) =>
  definePlugin({ name, version: '1.0.0', namespaces: [name], setup });

test('plugins are set up in the order of what they require, whatever the list says', async () => {
  const app = await bootForTest([guest, greeter]);
  assert.is(await app.call('guest_enter', ['you']), 'hello you');
  await app.stop();
});

test('a plugin reads its own section, with defaults', async () => {
  const app = await bootForTest([greeter, guest], { greeter: { word: 'welcome' } });
  assert.is(await app.call('guest_enter', ['you']), 'welcome you');
  await app.stop();
});

test('an event reaches every listener, also past one that fails', async () => {
  const app = await bootForTest([greeter, guest]);
  await app.call('guest_enter', ['a']);
  assert.equal(await app.call('guest_heard'), ['a']);
  await app.stop();
});

test('without a plugin that authenticates, nothing but public methods answers', async () => {
  const app = await bootForTest([greeter, guest]);
  for (const [method, message] of [
    ['guest_secret', 'Permission denied: Invalid credentials'],
    ['guest_super', 'Permission denied: Permission Denied: Super token required'],
  ] as const) {
    const error = await app.call(method, ['key:secret']).catch((failure) => failure);
    assert.instance(error, RpcFailure);
    assert.is(error.code, 102);
    assert.is(error.message, message);
  }
  await app.stop();
});

test('the server itself may call any method in-process', async () => {
  const app = await bootForTest([greeter, guest]);
  const kernel = app.kernel as { call(method: string, params?: unknown): Promise<unknown> };
  assert.is(await kernel.call('guest_super'), 'system');
  await app.stop();
});

const table = (name: string) => ({
  name,
  up: ({ query }: MigrationDatabase) =>
    query.schema.createTable(name.replaceAll('-', '_'), (columns) => columns.integer('id')),
});

test('migrations come from the list and from taps, the list first, in the order of the start', async () => {
  const first = definePlugin({
    name: 'first',
    version: '1.0.0',
    provides: [Greeter],
    migrations: [table('first-0001')],
    setup({ hooks, provide }) {
      provide(Greeter, { greet: String });
      hooks.migrations.tap((steps) => steps.add(table('first-0003')));
      hooks.migrations.tap((steps) => steps.add(table('first-0002')), { stage: EARLY });
    },
  });
  const second = definePlugin({
    name: 'second',
    version: '1.0.0',
    requires: [Greeter],
    migrations: [table('second-0001')],
    setup({ hooks }) {
      hooks.migrations.tap((steps) => steps.add(table('second-0002')), { stage: EARLY });
    },
  });
  const app = await bootForTest([second, first]);
  const steps = 'select plugin, name from schema_migrations order by applied_at, rowid';
  const applied = (await app.sql(steps)).map(({ plugin, name }) => `${plugin} ${name}`);
  const names = ['first-0001', 'first-0002', 'first-0003', 'second-0001', 'second-0002'];
  assert.equal(
    applied,
    names.map((name) => `${name.split('-')[0]} ${name}`),
  );
  assert.equal(await app.sql('select id from second_0002'), []);
  await app.stop();
});

const failures: [
  name: string,
  plugins: () => unknown[],
  config: Record<string, unknown>,
  message: RegExp,
][] = [
  ['a missing service names who needs it', () => [guest], {}, /plugin 'guest' requires 'greeter'/],
  [
    'several missing services, and tells all of them',
    () => [
      guest,
      definePlugin({
        name: 'other',
        version: '1.0.0',
        requires: [service('kv.no-such'), { service: 'retention-limits' }],
        setup() {},
      }),
    ],
    {},
    /^plugin 'guest' requires 'greeter': no installed plugin provides it\nplugin 'other' requires 'kv.no-such': no .*\nplugin 'other' requires 'retention-limits': add "kv" to plugins/,
  ],
  [
    'a scope that two plugins compare in two ways',
    () => [
      'token',
      definePlugin({ name: 'one', version: '1.0.0', scopes: { shelf: 'exact' }, setup() {} }),
      definePlugin({ name: 'two', version: '1.0.0', scopes: { shelf: 'prefix' }, setup() {} }),
    ],
    {},
    /^the scope 'shelf' is compared by plugin 'one' as 'exact', plugin 'two' as 'prefix': rename one of them/,
  ],
  [
    'a migration that is there twice',
    () => [
      definePlugin({
        name: 'twice',
        version: '1.0.0',
        migrations: [table('twice-0001')],
        setup: ({ hooks }) => hooks.migrations.tap((steps) => steps.add(table('twice-0001'))),
      }),
    ],
    {},
    /plugin 'twice': has two migrations 'twice-0001'/,
  ],
  [
    'a migration that is none',
    () => [
      plain('bad', ({ hooks }) => hooks.migrations.tap((steps) => steps.add({} as Migration))),
    ],
    {},
    /plugin 'bad': a migration must have a 'name' and a function 'up'/,
  ],
  ['a name of two plugins', () => [greeter, { ...greeter }], {}, /'greeter' is listed twice/],
  [
    'two plugins that provide the same',
    () => [
      greeter,
      definePlugin({ name: 'other', version: '1.0.0', provides: [Greeter], setup() {} }),
    ],
    {},
    /'greeter' and 'other' both provide 'greeter'/,
  ],
  [
    'plugins that require each other',
    () => {
      const A = service<null>('a');
      const B = service<null>('b');
      return [
        definePlugin({ name: 'a', version: '1.0.0', provides: [A], requires: [B], setup() {} }),
        definePlugin({ name: 'b', version: '1.0.0', provides: [B], requires: [A], setup() {} }),
      ];
    },
    {},
    /circle: a → b → a/,
  ],
  [
    'an unknown name',
    () => ['no-such-plugin'],
    {},
    /plugin 'no-such-plugin': neither a built-in plugin/,
  ],
  ['a path that is not there', () => ['./no/such/plugin'], {}, /no such file or folder/],
  [
    'a setup that throws names the plugin',
    () => [
      plain('bad', () => {
        throw new Error('boom');
      }),
    ],
    {},
    /plugin 'bad': setup failed: boom/,
  ],
  [
    'a start that throws names the plugin',
    () => [
      plain('bad', (kernel) =>
        kernel.hooks.start.tap(() => {
          throw new Error('boom');
        }),
      ),
    ],
    {},
    /plugin 'bad': tap of 'start' failed: boom/,
  ],
  [
    'a method outside the namespaces',
    () => [
      plain('bad', (kernel) =>
        kernel.hooks.methods.tap((methods) => methods.add('worse_x', method)),
      ),
    ],
    {},
    /method 'worse_x' is outside its namespaces \(bad\)/,
  ],
  [
    'a method registered twice',
    () => [
      plain('bad', (kernel) =>
        kernel.hooks.methods.tap((methods) => {
          methods.add('bad_x', method);
          methods.add('bad_x', method);
        }),
      ),
    ],
    {},
    /method 'bad_x' is already registered by 'bad'/,
  ],
  [
    'a route registered twice',
    () => [
      plain('bad', (kernel) =>
        kernel.hooks.routes.tap((routes) => {
          routes.add({ path: '/x', handle() {} });
          routes.add({ path: '/x', handle() {} });
        }),
      ),
    ],
    {},
    /route '\/x' is already registered by 'bad'/,
  ],
  [
    'a service that was not announced',
    () => [plain('bad', (kernel) => kernel.provide(Greeter, { greet: String }))],
    {},
    /provides 'greeter' without listing it/,
  ],
  [
    'a claim on a key of the kernel',
    () => [
      definePlugin({
        name: 'bad',
        version: '1.0.0',
        rootConfig: Type.Object({ ws_listener: Type.String() }),
        setup() {},
      }),
    ],
    {},
    /'bad' claims the configuration key 'ws_listener', which belongs to the kernel/,
  ],
  [
    'two claims on one key',
    () =>
      ['one', 'two'].map((name) =>
        definePlugin({
          name,
          version: '1.0.0',
          rootConfig: Type.Object({ shared: Type.Optional(Type.String()) }),
          setup() {},
        }),
      ),
    {},
    /'two' claims the configuration key 'shared', which belongs to one/,
  ],
  [
    'a section that does not fit',
    () => [greeter, guest],
    { greeter: { word: 5 } },
    /\[greeter\] word: must be a text in quotes/,
  ],
];

const method = {
  summary: 'Nothing.',
  params: {},
  result: Type.Null(),
  access: 'public',
  handle: () => null,
} as const;

for (const [name, plugins, config, message] of failures) {
  test(`the start stops at ${name}`, async () => {
    const error = await bootForTest(plugins() as never, config).catch((failure) => failure);
    assert.instance(error, Error);
    assert.match(error.message, message);
  });
}

for (const hook of ['setup', 'prepare', 'start', 'ready'] as const) {
  test(`a plugin that hangs in ${hook} is named, and the start ends`, async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const hangs = () => {
      enter();
      return new Promise<void>(() => {});
    };
    const plugin = plain('sleeper', (kernel) => {
      if (hook === 'setup') return hangs();
      kernel.hooks[hook].tap(hangs);
    });
    const clock = fakeClock();
    const dir = await mkdtemp(join(tmpdir(), 'svc-hang-'));
    const config = join(dir, 'server.toml');
    const database_url = `database_url = "sqlite://${dir}/svc.db?mode=rwc"`;
    const ws_listener = 'ws_listener = "127.0.0.1:0"';
    await writeFile(config, textWith({ '': [ws_listener], database: [database_url] }));
    const error = start({ config, plugins: [plugin], clock, console: 'none' }).catch(
      (failure) => failure,
    );
    await entered;
    await clock.advance(120_000);
    const [problem, file] = (await error).message.split('\n');
    assert.is(problem, `${hook} of 'sleeper' took longer than 120000 ms`);
    assert.is(file, `(configuration: ${config})`);
    await rm(dir, { recursive: true });
  });
}

test('the log shows the start as a tree with the time of each step', async () => {
  const app = await bootForTest([plain('one', (kernel) => kernel.hooks.start.tap(() => {}))]);
  const record = app.records().find(({ message }) => message === 'start');
  assert.is(record?.level, 'DEBUG');
  const steps = String(record?.fields['steps']);
  for (const line of [/^setup \d/m, /^ {2}setup of 'one' \d+\.\d ms$/m, /^ {2}start of 'one' \d/m])
    assert.match(steps, line);
  await app.stop();
});

test('a hook tapped after setup is refused', async () => {
  let late: unknown;
  const app = await bootForTest([
    plain('late', (kernel) =>
      kernel.hooks.start.tap(() => {
        try {
          kernel.hooks.stop.tap(() => {});
        } catch (error) {
          late = error;
        }
      }),
    ),
  ]);
  assert.instance(late, PluginError);
  await app.stop();
});

test('what a plugin opened ends in reverse order at stop, and the stop hook comes first', async () => {
  const order: string[] = [];
  const app = await bootForTest([
    plain('one', (kernel) => {
      kernel.defer('first', () => void order.push('first'));
      kernel.defer('second', () => void order.push('second'));
      kernel.hooks.stop.tap(() => void order.push('stop'));
      kernel.signal.addEventListener('abort', () => order.push('signal'));
    }),
  ]);
  await app.stop();
  assert.equal(order, ['signal', 'stop', 'second', 'first']);
});

test('a plugin that hangs at the end is named after 5 s, is cut at its deadline, and keeps no other from its end', async () => {
  const order: string[] = [];
  const never = new Promise<void>(() => {});
  const hangs = Promise.withResolvers<void>();
  const app = await bootForTest(
    [
      plain('fails', (kernel) =>
        kernel.hooks.stop.tap(() => {
          throw new Error('boom');
        }),
      ),
      plain('sleeper', (kernel) => {
        kernel.hooks.stop.tap(() => {
          hangs.resolve();
          return never;
        });
        kernel.defer('close it', () => {
          order.push('undo');
          return never;
        });
      }),
      plain('last', (kernel) => kernel.hooks.stop.tap(() => void order.push('stop'))),
    ],
    {},
    { clock: true },
  );
  const told = (message: string) =>
    app
      .records()
      .filter((record) => record.message === message)
      .map(({ fields }) => `${fields['plugin']}: ${fields['what']}`);
  const stopped = app.stop();
  await hangs.promise;
  await app.clock.advance(5_000);
  assert.equal(told('a plugin takes long to end'), ['sleeper: stop']);
  assert.equal(order, []);
  await app.clock.advance(15_000);
  await eventually(() => assert.equal(order, ['stop', 'undo']));
  await app.clock.advance(20_000);
  assert.equal(told('a plugin failed to end'), [
    'fails: stop',
    'sleeper: stop',
    "sleeper: undo 'close it'",
  ]);
  await stopped;
});

test('an undo that fails does not keep the others from running', async () => {
  const order: string[] = [];
  const app = await bootForTest([
    plain('one', (kernel) => {
      kernel.defer('last', () => void order.push('last'));
      kernel.defer('bad', () => {
        throw new Error('boom');
      });
    }),
  ]);
  await app.stop();
  assert.equal(order, ['last']);
});

test('a repeated task never overlaps itself, and a failure does not end it', async () => {
  let runs = 0;
  let release: (() => void) | undefined;
  const app = await bootForTest(
    [
      plain('every', (kernel) =>
        kernel.every('task', 1000, async () => {
          runs++;
          if (runs === 1) throw new Error('boom');
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }),
      ),
    ],
    {},
    { clock: true },
  );
  await app.clock.advance(1000);
  await app.clock.advance(3000);
  assert.is(runs, 2);
  release?.();
  await app.clock.advance(1000);
  assert.is(runs, 3);
  release?.();
  await app.stop();
});

test('a command beside a server repeats no task, however long it takes', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-command-'));
  const config = join(dir, 'server.toml');
  const database_url = `database_url = "sqlite://${dir}/svc.db?mode=rwc"`;
  await writeFile(config, textWith({ database: [database_url] }));
  let runs = 0;
  const plugin = plain('every', (kernel) => kernel.every('task', 1000, () => void runs++));
  for (const mode of ['tool', 'look'] as const) {
    const clock = fakeClock();
    const plugins = ['database-sqlite', plugin];
    const app = await start({ config, plugins, clock, mode, console: 'none' });
    await clock.advance(5000);
    assert.is(runs, 0, mode);
    await app.stop('test');
  }
  await rm(dir, { recursive: true });
});

test('settled sees every outcome', async () => {
  const seen: string[] = [];
  const app = await bootForTest([
    greeter,
    guest,
    plain('audit', (kernel) => {
      kernel.hooks.settled.tap((call, { error }) =>
        seen.push(`${call.method} ${error?.code ?? 'ok'}`),
      );
    }),
  ]);
  await app.call('guest_enter', ['a']);
  await app.call('guest_enter', [1]).catch(() => {});
  assert.equal(seen, ['guest_enter ok', 'guest_enter -32602']);
  await app.stop();
});

test('a message that does not fit its topic is refused in tests, with plugin, topic and place', async () => {
  const Counted = topic('counter.counted', Type.Object({ count: Type.Integer() }));
  let refused: Error | undefined;
  const app = await bootForTest([
    plain('counter', (kernel) => {
      for (const payload of [{ count: 1 }, { count: 'one' as never }]) {
        try {
          kernel.publish(Counted, payload);
        } catch (error) {
          refused = error as Error;
        }
      }
    }),
  ]);
  assert.match(refused?.message ?? '', /'counter'/);
  assert.match(
    refused?.message ?? '',
    /message 'counter.counted' does not fit its topic: \/count must be integer/,
  );
  await app.stop();
});

test('a listener that fails is logged with its plugin, and the others hear the message', async () => {
  const Said = topic('speaker.said', Type.String(), { local: true });
  const heard: string[] = [];
  const app = await bootForTest([
    plain('early', (kernel) => {
      kernel.subscribe(Said, () => {
        throw new Error('at once');
      });
      kernel.subscribe(Said, async () => {
        throw new Error('later');
      });
    }),
    plain('speaker', (kernel) => {
      kernel.subscribe(Said, (word) => void heard.push(word));
      kernel.publish(Said, 'word');
    }),
  ]);
  assert.equal(heard, ['word']);
  const lines = app.console.filter((line) => /bus listener failed/.test(line));
  assert.is(lines.length, 2);
  for (const line of lines) assert.match(line, /plugin="?early"?/);
  await app.stop();
});

test('two kernels in one process do not see each other', async () => {
  const one = await bootForTest([greeter, guest], { greeter: { word: 'one' } });
  const two = await bootForTest([greeter, guest], { greeter: { word: 'two' } });
  assert.is(await one.call('guest_enter', ['x']), 'one x');
  assert.is(await two.call('guest_enter', ['x']), 'two x');
  await one.stop();
  assert.is(await two.call('guest_enter', ['x']), 'two x');
  await two.stop();
});

test('brand: names and routes are registered under the configured word', async () => {
  const branded = definePlugin({
    name: 'branded',
    version: '1.0.0',
    namespaces: ['svc-server'],
    setup(kernel) {
      kernel.hooks.methods.tap((methods) => methods.add('svc-server_test', method));
      kernel.hooks.routes.tap((routes) =>
        routes.add({ path: '/svc/test', handle: (exchange) => exchange.text(200, 'here') }),
      );
    },
  });
  const app = await bootForTest([branded], { brand: { word: 'acme' } });
  assert.is(await app.call('acme-server_test'), null);
  assert.is((await app.call('svc-server_test').catch((failure) => failure)).code, -32601);
  assert.is(await (await app.fetch('/acme/test')).text(), 'here');
  assert.is((await app.fetch('/svc/test')).status, 405);
  await app.stop();
});

test.run();
