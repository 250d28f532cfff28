// A token that may write into one namespace cannot fill the disk with it.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';

const QUOTA = 100_000;
const CONFIG = { kv: { max_namespace_bytes: QUOTA } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`quotas: namespaces (${dialect})`);
  let app: TestApp;
  let writer: string;
  /** Keys for which there was room: which ones depends on how the sets were grouped into commits. */
  let kept: string[] = [];

  const set = (key: string, value: unknown, namespace = 'small'): Promise<string> =>
    app.call('kv_set_value', [writer, namespace, key, value]).then(
      () => 'stored',
      (error) => `${error.code} ${error.message}`,
    );
  const usage = () => app.sql('select owner, bytes from kv_usage order by owner');
  /** What the counters must say. */
  const counted = () =>
    app.sql(`select namespace as owner, sum(octet_length(key) + octet_length(cast(value as text)) + 64) as bytes
      from kv group by namespace order by namespace`);
  const same = async () => {
    const numbers = (rows: any[]) => rows.map(({ owner, bytes }) => [owner, Number(bytes)]);
    assert.equal(numbers(await usage()), numbers(await counted()));
  };

  test.before(async () => {
    app = await bootForTest(['token', 'kv'], CONFIG, { dialect });
    for (const name of ['small', 'other']) await app.call('kv_create', [app.superToken, name]);
    const limits = ['small', 'other'].map((kv_namespace) => ({ kv_namespace }));
    const permissions = [{ kv: { write: '*' } }, { kv: { delete: '*' } }];
    writer = await app.token([{ scopes: limits, permissions }]);
  });
  test.after(() => app?.stop());

  test('holds no more than its bytes, however many values are set at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) => set(`k${n}`, 'x'.repeat(1_000))),
    );
    kept = answers.flatMap((answer, n) => (answer === 'stored' ? [`k${n}`] : []));
    assert.ok(kept.length > 80 && kept.length < 100, `${kept.length} were stored`);
    assert.is(
      answers.find((answer) => answer !== 'stored'),
      `108 Invalid input: Namespace 'small' may hold ${QUOTA} bytes, which this value would exceed: delete keys of it, or have max_namespace_bytes under [kv] raised`,
    );
    const [, small] = await usage();
    assert.ok(Number(small.bytes) <= QUOTA, `${small.bytes} bytes`);
    await same();
  });

  test('another namespace has its own bytes, and a full one still takes what needs no more room', async () => {
    assert.is(await set('k', 'x'.repeat(50_000), 'other'), 'stored');
    const [key] = kept as [string];
    assert.is(await set(key, 'y'.repeat(1_000)), 'stored');
    assert.is(await set(key, 'z'), 'stored');
    assert.match(await set('more', 'x'.repeat(20_000)), /^108 /);
    await same();
  });

  test('has room again when keys were deleted, and when the limit was raised', async () => {
    for (const key of kept.slice(0, 30)) await app.call('kv_delete_key', [writer, 'small', key]);
    assert.is(await set('more', 'x'.repeat(20_000)), 'stored');
    await app.call('kv_delete_namespace', [writer, 'other']);
    await same();
    assert.match(await set('again', 'x'.repeat(20_000)), /^108 /);
  });

  test('empty values are not free, and what SQL writes counts too', async () => {
    await app.call('kv_create', [app.superToken, 'tiny']);
    await app.sql(
      `insert into kv (namespace, key, value) values ('tiny', 'a', '"${'x'.repeat(99_900)}"')`,
    );
    await app.sql(`update kv set value = '1' where namespace = 'tiny' and key = 'nothing'`);
    await same();
    const error = await app.call('kv_set_value', [app.superToken, 'tiny', 'b', '']).catch((e) => e);
    assert.is(error.code, 108);
    await app.sql(`delete from kv where namespace = 'tiny'`);
    await same();
  });

  test.run();
}

const test = suite('quotas: a namespace that several servers write (postgres)');

test('what each server adds counts for all of them, and none waits for another in a circle', async () => {
  const servers = await sharedServers(2, ['token', 'kv', 'bus', 'bus-postgres'], CONFIG);
  try {
    const { apps, superToken } = servers;
    const [one] = apps as [TestApp];
    for (const name of ['a', 'b']) await one.call('kv_create', [superToken, name]);
    const set = (app: TestApp, name: string, n: number) =>
      app
        .call('kv_set_value', [superToken, name, `k${n % 150}`, 'x'.repeat(1_000)])
        .then(() => 200)
        .catch((error) => error.code);
    const answers: number[] = [];
    for (let round = 0; round < 2; round++) {
      const works = Array.from({ length: 100 }, (_, n) => 100 * round + n).flatMap((n) =>
        apps.flatMap((app, at) => [set(app, 'a', 2 * n + at), set(app, 'b', 2 * n + at)]),
      );
      answers.push(...(await Promise.all(works)));
    }
    assert.equal([...new Set(answers)].sort(), [108, 200]);
    const rows = await one.sql('select bytes from kv_usage order by owner');
    const counted = await one.sql(
      'select sum(octet_length(key) + octet_length(cast(value as text)) + 64) as bytes from kv group by namespace order by namespace',
    );
    assert.equal(
      rows.map(({ bytes }) => Number(bytes)),
      counted.map(({ bytes }) => Number(bytes)),
    );
    // What one commit holds may come on top.
    for (const { bytes } of rows) assert.ok(Number(bytes) <= 4 * QUOTA, `${bytes} bytes`);
  } finally {
    await servers.stop();
  }
});

test.run();
