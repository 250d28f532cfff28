// Calls whose work grew with the square of what they sent: processor time grows as the input does.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { agents, NEVER } from '../protocol/crontab-kit.ts';
import { basicOf, RIGHTS, ROOT, send } from '../protocol/webdav-kit.ts';
import { suite } from '../runner/suite.ts';

const uuid = (at: number) => `0b6f1c52-7a35-4d0e-9c1b-${at.toString(16).padStart(12, '0')}`;
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Processor time of all threads, ms: the client, which is one of them, grows as its message does. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
/** Four times the input may cost that much more; the square of it would be sixteen. */
const MOST_GROWTH = 9;
/** Less than this is not measured. */
const FLOOR_MS = 4;
const RUNS = 3;

type Work = () => Promise<unknown>;

/** The cheapest of some runs. */
async function costOf(work: Work): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const before = cpu();
    await work();
    least = Math.min(least, cpu() - before);
  }
  return Math.max(least, FLOOR_MS);
}

interface Case {
  readonly name: string;
  /** The smaller size. */
  readonly size: number;
  /** Makes ready what the call needs, and says what the answer must have in it. */
  readonly prepare: (app: TestApp, size: number) => Promise<{ call: Work; answer: RegExp }>;
}

const rpc = (app: TestApp, method: string, params: unknown) => () =>
  app.rpc({ jsonrpc: '2.0', id: 1, method, params });
const both = (size: number) => [
  ...many(size, (at) => ({ uuid: uuid(at) })),
  ...many(size, (at) => ({ type: `kind${at}` })),
];
/** As many entries as a token may have, of which the last one gives what is asked. */
const entriesOf = (permission: unknown) => [
  ...many(63, (at) => ({ scopes: [{ agent_uuid: uuid(at) }], permissions: [{ task: 'listen' }] })),
  { scopes: ['global'], permissions: [permission] },
];

const cases: readonly Case[] = [
  {
    name: 'token_explain of agents and kinds of tasks, by a token that has expired',
    size: 120,
    async prepare(app, size) {
      const token = await app.token(entriesOf({ task: { read: '*' } }), { timestamp_to: 1 });
      const params = { task_data_query: { condition: both(size) } };
      return { call: rpc(app, 'token_explain', [token, 'task_query', params]), answer: /is over/ };
    },
  },
  {
    name: 'task_query of agents and kinds of tasks',
    size: 120,
    async prepare(app, size) {
      const token = await app.token(entriesOf({ task: { read: '*' } }));
      return {
        call: rpc(app, 'task_query', [token, { condition: both(size) }]),
        answer: /"result":\[\]/,
      };
    },
  },
  {
    name: 'token_create by a token that may create tokens',
    size: 1_200,
    async prepare(app, size) {
      const parent = await app.token([
        { scopes: ['global'], permissions: [{ token: 'create' }, { kv: { read: '*' } }] },
      ]);
      const token_limit = [
        {
          scopes: many(size, (at) => ({ kv_namespace: `n${at}` })),
          permissions: many(size, (at) => ({ kv: { read: `k${at}` } })),
        },
      ];
      return { call: rpc(app, 'token_create', [parent, { token_limit }]), answer: /"secret"/ };
    },
  },
  {
    name: 'kv_get_multi_value by a token with a pattern for each key',
    size: 2_000,
    async prepare(app, size) {
      const keys = many(size, (at) => `key${at}.`);
      const token = await app.token([
        {
          scopes: [{ kv_namespace: 'notes' }],
          permissions: keys.map((key) => ({ kv: { read: `${key}*` } })),
        },
      ]);
      const items = keys.map((key) => ({ namespace: 'notes', key: `${key}x` }));
      return { call: rpc(app, 'kv_get_multi_value', [token, items]), answer: /"key":"key7.x"/ };
    },
  },
  {
    name: 'kv_get_multi_value of long patterns',
    size: 500,
    async prepare(app, size) {
      const key = `${'ä'.repeat(size)}*`;
      const items = many(size, (at) => ({ namespace: 'notes', key: `${at}${key}` }));
      // The square of `size` is what is sent.
      return {
        call: rpc(app, 'kv_get_multi_value', [app.superToken, items.slice(0, 500)]),
        answer: /"result":\[\]/,
      };
    },
  },
  {
    name: 'crontab_create with one agent again and again',
    size: 2_500,
    async prepare(app, size) {
      const token = await app.token([
        {
          scopes: [{ agent_uuid: uuid(1) }],
          permissions: [{ crontab: 'write' }, { task: { create: 'ip' } }],
        },
      ]);
      let last = 0;
      return {
        call: () =>
          rpc(app, 'crontab_create', [
            token,
            `job ${size} ${last++}`,
            NEVER,
            agents(many(size, () => uuid(1))),
          ])(),
        answer: /"id":\d+\}/,
      };
    },
  },
  {
    name: "a status page's logo of comments",
    size: 20_000,
    async prepare(app, size) {
      const logo = Buffer.from(`${'<!---->'.repeat(size / 10)}x`).toString('base64');
      const page = { title: 'x', entries: [], logo };
      return {
        call: rpc(app, 'status-page_create', [app.superToken, 'mine', page]),
        answer: /108/,
      };
    },
  },
  {
    name: 'PROPPATCH of elements among many namespaces',
    size: 320,
    async prepare(app, size) {
      const name = `bucket${size}`;
      await app.call('static-bucket_create', [app.superToken, name, name, false, false]);
      const token = await app.token([{ scopes: [{ static_bucket: name }], permissions: RIGHTS }]);
      const spaces = many(size, (at) => ` xmlns:a${at.toString(36)}="u"`).join('');
      const body = `<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="q"${spaces}>${'<b/>'.repeat(5 * size)}</x></D:prop></D:set></D:propertyupdate>`;
      const headers = { authorization: basicOf(token), 'content-type': 'application/xml' };
      return {
        call: () => send(`${app.url}${ROOT}/${name}/`, 'PROPPATCH', headers, body),
        answer: /207|multistatus/,
      };
    },
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`work grows as its input (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(undefined, { kv: {} }, { dialect });
    await app.call('kv_create', [app.superToken, 'notes']);
  });
  test.after(() => app?.stop());

  for (const { name, size, prepare } of cases) {
    test(name, async () => {
      const costs: number[] = [];
      for (const one of [size, 4 * size]) {
        const { call, answer } = await prepare(app, one);
        assert.match(JSON.stringify(await call()), answer);
        costs.push(await costOf(call));
      }
      const [small = 0, large = 0] = costs;
      assert.ok(
        large < MOST_GROWTH * small,
        `${Math.round(small)} ms, then ${Math.round(large)} ms`,
      );
    });
  }

  const lists: readonly (readonly [
    method: string,
    query: (condition: unknown) => unknown,
    condition: (at: number) => unknown,
  ])[] = [
    ['js-result_query', (condition) => ({ condition }), (at: number) => ({ id: at })],
    ['js-result_delete', (condition) => ({ condition }), (at: number) => ({ run_type: `${at}` })],
    ['js-result_query', (condition) => ({ condition }), (at: number) => ({ start_time_from: at })],
    [
      'crontab-result_query',
      (condition) => ({ condition }),
      (at: number) => ({ cron_name: `${at}` }),
    ],
    ['task_query', (condition) => ({ condition }), (at: number) => ({ task_id: at })],
    [
      'agent_query_dynamic',
      (condition) => ({ fields: ['cpu'], condition }),
      (at: number) => ({ timestamp_from: at }),
    ],
    ['agent_delete_static', (condition) => condition, (at: number) => ({ timestamp_to: at })],
  ];
  for (const [method, query, condition] of lists)
    test(`${method} answers a list of as many conditions as it may have`, async () => {
      for (const all of [many(1_000, condition), many(1_000, () => condition(7))]) {
        const answer = await rpc(app, method, [app.superToken, query(all)])();
        assert.is(answer.error, undefined, JSON.stringify(answer.error));
      }
    });

  test('a pattern that is asked for thousands of times is looked up once, and answered as often', async () => {
    for (const key of ['a', 'b'])
      await app.call('kv_set_value', [app.superToken, 'notes', key, key]);
    const items = many(20_000, (at) => ({ namespace: 'notes', key: at % 3 === 0 ? 'b' : '*' }));
    const answer = await app.call('kv_get_multi_value', [app.superToken, items]);
    const all = await app.call('kv_get_multi_value', [app.superToken, [items[1]]]);
    const one = all.filter(({ key }: { key: string }) => key === 'b');
    assert.equal(
      answer,
      items.flatMap((_, at) => (at % 3 === 0 ? one : all)),
    );
  });

  test.run();
}
