/** Answers that hold keys, or what pages and machines said, never stand in the log (svc-server.md §9.1). */
import type { App } from '@svc/kernel';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly patternProperties?: { readonly [pattern: string]: Schema };
}

/** Members whose text is a key, what a page or a job sent, or what a file holds. */
const TELLING = new Set([
  ...['secret', 'ping_url', 'push_url', 'last_answer', 'sample', 'body', 'body_base64'],
  ...['read_config', 'env', 'js_script_base64', 'rewritings'],
]);

/** Methods that have such a member, and hold nothing by it that must not be known. */
const HARMLESS: { readonly [method: string]: string } = {
  channel_create: 'secret: that it is set',
  channel_update: 'secret: that it is set',
  channel_get: 'secret: that it is set',
  channel_list: 'secret: that it is set',
  channel_kinds: 'secret: whether a field is one',
  monitor_kinds: 'secret: whether a field is one',
};

function tells(schema: Schema): boolean {
  const members = Object.entries(schema.properties ?? {});
  const inner = [
    ...members.map(([, member]) => member),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.anyOf ?? []),
    ...[schema.items ?? []].flat(),
  ];
  return members.some(([name]) => TELLING.has(name)) || inner.some(tells);
}

const test = suite('answers in the log');

test('a method whose answer has a key, a page or a file in it says that the answer is secret', async () => {
  const app = await bootForTest(undefined);
  try {
    const telling = [...(app.kernel as App).methods.values()].flatMap(({ name, definition }) =>
      'result' in definition && tells(definition.result as Schema) ? [{ name, definition }] : [],
    );
    const open = telling.filter(({ definition }) => definition.secret !== true);
    assert.equal(
      open.map(({ name }) => name).sort(),
      Object.keys(HARMLESS).sort(),
      'give them `secret: true`',
    );
    assert.ok(telling.length > 20, String(telling.length));
  } finally {
    await app.stop();
  }
});

for (const dialect of ['sqlite', 'postgres'] as const)
  test(`keys of heartbeats and what jobs sent stand in no record (${dialect})`, async () => {
    const plugins = ['token', 'egress', 'retention', 'notify', 'monitor', 'server-info'];
    const logging = { memory_log_filter: 'trace' };
    const app = await bootForTest(plugins, { logging }, { dialect });
    try {
      const call = (method: string, params: object): Promise<any> =>
        app.call(method, { token: app.superToken, ...params });
      const name = 'nightly';
      const made = await call('monitor_create', {
        monitor: { name, kind: 'heartbeat', spec: { period_s: 3_600 } },
      });
      await app.fetch(made.ping_url, { method: 'POST', body: 'dump of payroll' });
      await call('monitor_get', { name });
      await call('monitor_set_enable', { name, enable: false });
      const { ping_url } = await call('monitor_update', { name, change: { renew_key: true } });
      const [sent] = await call('monitor_pings', { name });
      assert.is(sent.body, 'dump of payroll');
      const log = JSON.stringify(app.records());
      assert.match(log, 'request completed');
      for (const url of [made.ping_url, ping_url, made.push_url])
        assert.not.match(log, new URL(url, 'http://a').pathname.split('/').at(-1) as string);
      assert.not.match(log, 'payroll');
    } finally {
      await app.stop();
    }
  });

test.run();
