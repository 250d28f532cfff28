// Methods of the namespace monitor: what they take, whom they let in, what they never say (docs/protocol/monitor.md).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  boot,
  call,
  create,
  failure,
  get,
  http,
  MINUTE,
  passes,
  SECOND,
  says,
  type Target,
  target,
} from './kit.ts';

const SECRET = 'k9-never-shown';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: methods (${dialect})`);
  let app: TestApp;
  let web: Target;
  test.before(async () => {
    app = await boot(dialect, { token: { on_delete: 'suspend' } });
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });
  const list = async (token = app.superToken): Promise<any[]> =>
    (await call(app, 'monitor_list', {}, token)).monitors;
  test.after.each(async () => {
    for (const { name } of await list()) await call(app, 'monitor_delete', { name });
    web.got.length = 0;
    web.reply = 200;
  });
  const limits = (monitor: string, words: string[]) => [
    { scopes: [{ monitor }], permissions: words.map((word) => ({ monitor: word })) },
  ];

  test('a monitor is made with defaults, changed, and deleted', async () => {
    const made = await create(app, { name: 'shop', kind: 'http', spec: { url: web.url } });
    const { id, created_at, updated_at, verdict, ...rest } = made;
    assert.ok(id > 0 && created_at > 0 && updated_at >= created_at);
    assert.equal(rest, {
      ...{ name: 'shop', kind: 'http', spec: { url: web.url }, secret: {}, group: null, tags: [] },
      ...{ interval_s: 60, timeout_s: 10, retries: 2, retry_s: 20, recover_after: 1 },
      ...{ places: { server: true }, down_when: null, condition: null, upside_down: false },
      ...{ parent: null, severity: 'critical', public_name: null, enable: true, note: '' },
      ...{ owner: null, imported_from: null, problem: null, ping_url: null, push_url: null },
      paused_by: null,
    });
    const change = { name: 'shop 2', interval_s: 30, tags: ['a'], note: 'x' };
    const changed = await call(app, 'monitor_update', { name: 'shop', change });
    assert.equal(
      [changed.id, changed.name, changed.interval_s, changed.tags, changed.kind],
      [id, 'shop 2', 30, ['a'], 'http'],
    );
    const back = await call(app, 'monitor_update', {
      name: 'shop 2',
      change: { interval_s: null, tags: null },
    });
    assert.equal([back.interval_s, back.tags, back.note], [60, [], 'x']);
    assert.equal(await call(app, 'monitor_delete', { name: 'shop 2' }), { success: true });
    assert.is((await failure(get(app, 'shop 2'))).code, 105);
  });

  const bad: readonly [string, object, number, RegExp][] = [
    ['an unknown kind', { kind: 'smtp' }, -32602, /Invalid params/],
    ['a field of another kind', { spec: { host: 'a' } }, 108, /'host' is no field of http/],
    [
      'a secret field in the open',
      { spec: { url: 'http://a/', password: 'x' } },
      108,
      /into `secret`/,
    ],
    ['an open field among the secrets', { secret: { url: 'http://a/' } }, 108, /into `spec`/],
    ['no address', { spec: {} }, 108, /'url' \(URL\) is missing/],
    ['an address with a password', { spec: { url: 'http://u:p@a/' } }, 108, /without user/],
    [
      'a header without a colon',
      { spec: { url: 'http://a/', headers: ['x'] } },
      108,
      /Name: value/,
    ],
    ['too many redirects', { spec: { url: 'http://a/', follow: 9 } }, 108, /from 0 to 5/],
    [
      'a condition with an unknown name',
      { condition: 'statsu == 200' },
      108,
      /characters 0 to 6: .*status/,
    ],
    ['a condition that is no question', { condition: 'status' }, 108, /condition, characters/],
    ['an interval below the least', { interval_s: 5 }, 108, /at least 10 \(min_interval_s/],
    ['a time-out longer than the interval', { interval_s: 10, timeout_s: 20 }, 108, /timeout_s/],
    ['more places down than there are', { down_when: 2 }, 108, /at most 1/],
    ['no place', { places: { server: false } }, 108, /name server, agents or tags/],
    ['an unknown parent', { parent: 'nobody' }, 108, /no monitor 'nobody'/],
    ['a name with a space at its end', { name: 'x ' }, 108, /space/],
    ['an unknown member', { colour: 'red' }, -32602, /Invalid params/],
    ['a port that is none', { kind: 'tcp', spec: { host: 'a', port: 0 } }, 108, /from 1 to 65535/],
    ['a host with a path', { kind: 'ping', spec: { host: 'a/b' } }, 108, /'host' is a name/],
    ['a heartbeat without times', { kind: 'heartbeat', spec: {} }, 108, /'period_s' or 'cron'/],
    ['a cron line that is none', { kind: 'heartbeat', spec: { cron: '61 * * * *' } }, 108, /cron/],
    [
      'a zone that is none',
      { kind: 'heartbeat', spec: { cron: '0 5 * * *', zone: 'Mars/X' } },
      108,
      /zone/,
    ],
    [
      'a group of nobody',
      { kind: 'group', spec: { members: ['nobody'] } },
      108,
      /no monitor 'nobody'/,
    ],
    [
      'a group that counts nothing',
      { kind: 'group', spec: { members: ['a'], rule: 'count' } },
      108,
      /down/,
    ],
  ];
  for (const [what, over, code, message] of bad)
    test(`${what} is refused, and nothing is made`, async () => {
      const monitor = { name: 'x', kind: 'http', spec: { url: web.url }, ...over };
      const error = await failure(create(app, monitor));
      assert.is(error.code, code, error.message);
      assert.match(`${error.message} ${error.data ?? ''}`, message);
      assert.equal(await list(), []);
    });

  test('parents that go in a circle are refused', async () => {
    await create(app, http('a', web.url));
    await create(app, http('b', web.url, { parent: 'a' }));
    const error = await failure(
      call(app, 'monitor_update', { name: 'a', change: { parent: 'b' } }),
    );
    assert.match(error.message, /'b' lies below this monitor/);
    assert.is((await get(app, 'b')).parent, 'a');
  });

  test('a dry run answers what it would be, and makes nothing', async () => {
    const params = { monitor: http('dry', web.url), dry_run: true };
    assert.is((await call(app, 'monitor_create', params)).name, 'dry');
    assert.equal(await list(), []);
  });

  test('secrets are used and shown nowhere, and go when the host changes', async () => {
    const secret = { secret_headers: [`X-Key: ${SECRET}`], bearer: SECRET };
    const made = await create(app, http('s', web.url, { secret }));
    assert.equal(made.secret, { secret_headers: { set: true }, bearer: { set: true } });
    assert.ok(await says(app, 's', 'up'));
    assert.equal(
      [web.got[0]!['x-key'], web.got[0]!['authorization']],
      [SECRET, `Bearer ${SECRET}`],
    );
    const name = 's';
    const said = [made, await get(app, name), await list(), app.records()];
    for (const table of ['monitor', 'monitor_state', 'monitor_detail', 'audit_log'])
      said.push(await app.sql(`select * from ${table}`).catch(() => []));
    assert.not.match(JSON.stringify(said), new RegExp(SECRET));
    const same = await call(app, 'monitor_update', {
      name,
      change: { spec: { url: `${web.url}other` } },
    });
    assert.equal([same.emptied, Object.keys(same.secret).length], [[], 2]);
    const moved = await call(app, 'monitor_update', {
      name,
      change: { spec: { url: 'http://127.0.0.1:9/' } },
    });
    assert.equal(moved.emptied.sort(), ['bearer', 'secret_headers']);
    assert.equal(moved.secret, {});
  });

  test('a try tells what was measured, and stores nothing', async () => {
    web.body = '{"ok":true}';
    const monitor = http('t', web.url, { condition: 'json.ok == true' });
    const good = await call(app, 'monitor_try', { monitor });
    assert.equal([good.ok, good.code, good.detail, good.certificate], [true, 200, null, null]);
    assert.equal(
      [good.values.status, good.values.json, good.sample],
      [200, { ok: true }, web.body],
    );
    web.reply = 404;
    const failed = await call(app, 'monitor_try', { monitor: http('t', web.url) });
    assert.equal([failed.ok, failed.code], [false, 404]);
    assert.match(failed.detail, /^status 404$/);
    assert.equal(await list(), []);
    const both = await failure(call(app, 'monitor_try', { monitor, name: 't' }));
    assert.match(both.message, /either name or monitor/);
  });

  test('a token sees and changes what its scope names, and nothing else', async () => {
    await create(app, http('web-1', web.url));
    await create(app, http('db-1', web.url));
    const reader = await app.token(limits('web-*', ['read']));
    const writer = await app.token(limits('web-*', ['read', 'write']));
    assert.equal(
      (await list(reader)).map(({ name }) => name),
      ['web-1'],
    );
    const rights: readonly [string, object, string][] = [
      ['monitor_get', { name: 'db-1' }, reader],
      ['monitor_get', { name: 'nobody' }, reader],
      ['monitor_results', { name: 'db-1' }, reader],
      ['monitor_outages', { name: 'db-1' }, reader],
      ['monitor_query_uptime', { name: 'db-1' }, reader],
      ['monitor_query_series', { name: 'db-1' }, reader],
      ['monitor_create', { monitor: http('web-2', web.url) }, reader],
      ['monitor_create', { monitor: http('db-2', web.url) }, writer],
      ['monitor_update', { name: 'web-1', change: { name: 'db-3' } }, writer],
      ['monitor_update', { name: 'web-1', change: {} }, reader],
      ['monitor_set_enable', { name: 'web-1', enable: false }, reader],
      ['monitor_delete', { name: 'web-1' }, writer],
      ['monitor_try', { name: 'web-1' }, reader],
      ['monitor_check_now', { name: 'web-1' }, reader],
    ];
    for (const [method, params, token] of rights)
      assert.is((await failure(call(app, method, params, token))).code, 102, method);
    const parent = http('web-9', web.url, { parent: 'db-1' });
    assert.match((await failure(create(app, parent, writer))).message, /that you may read/);
    const group = { name: 'web-g', kind: 'group', spec: { members: ['db-1'] } };
    assert.match((await failure(create(app, group, writer))).message, /that you may read/);
  });

  test('a token reaches no private address, and the owner of a monitor alone sees what it measures', async () => {
    const writer = await app.token(limits('*', ['read', 'write', 'delete']));
    const tried = await call(app, 'monitor_try', { monitor: http('p', web.url) }, writer);
    assert.is(tried.ok, false);
    assert.match(tried.detail, /allow_private under \[monitor\]/);
    await create(app, http('p', web.url, { retries: 0 }), writer);
    const isTold = async () => /private address/.test((await get(app, 'p')).states[0]?.detail);
    assert.ok(await passes(app, MINUTE, isTold));
    assert.is((await get(app, 'p')).verdict.state, 'unknown', 'nobody is woken for it');
    assert.is(web.got.length, 0);
    await create(app, http('own', web.url));
    const other = await call(app, 'monitor_try', { name: 'own' }, writer);
    assert.equal([other.ok, other.values, other.sample], [true, {}, null]);
  });

  test('a monitor whose owner lost its right is paused, and says so', async () => {
    const writer = await app.token(limits('*', ['read', 'write']));
    await create(app, http('p', web.url, { retries: 0 }), writer);
    assert.ok(await passes(app, MINUTE, async () => (await get(app, 'p')).states.length > 0));
    const [key] = writer.split(':');
    await call(app, 'token_delete', { target_token: key });
    assert.ok(await says(app, 'p', 'paused', 2 * MINUTE));
    assert.match((await get(app, 'p')).problem, /may not write it any more/);
  });

  test('history: pages of results, uptime and times', async () => {
    await create(app, http('h', web.url));
    await says(app, 'h', 'up');
    await passes(app, MINUTE);
    const name = 'h';
    const first = await call(app, 'monitor_results', { name, limit: 3, place: 'server' });
    assert.equal(
      [first.results.length, first.results[0].place, first.results[0].ok],
      [3, 'server', true],
    );
    const rest = await call(app, 'monitor_results', { name, before: first.next });
    assert.ok(rest.results.length > 0 && rest.results[0].at < first.results[2].at);
    const uptime = await call(app, 'monitor_query_uptime', {
      name,
      days: 2,
      zone: 'Europe/Berlin',
    });
    assert.equal([uptime.spans.length, uptime.spans[0].uptime, uptime.days.length], [5, 100, 2]);
    const series = await call(app, 'monitor_query_series', { name });
    assert.ok(series.step > 0);
    const short = await call(app, 'monitor_query_series', { name, from: app.clock.now() - MINUTE });
    assert.ok(short.points.length > 0 && short.points.every(({ ms_p50 }: any) => ms_p50 !== null));
    const [row] = await list();
    assert.equal([row.uptime, row.ms !== null, row.recent.length > 3], [100, true, true]);
  });

  test('a list comes in pages', async () => {
    for (const name of ['a', 'b', 'c']) await create(app, http(name, web.url, { enable: false }));
    const first = await call(app, 'monitor_list', { limit: 2 });
    assert.equal(
      first.monitors.map(({ name }: any) => name),
      ['a', 'b'],
    );
    const second = await call(app, 'monitor_list', { limit: 2, after: first.next });
    assert.equal([second.monitors.map(({ name }: any) => name), second.next], [['c'], null]);
  });

  test('kinds describe the forms', async () => {
    const kinds: any[] = await call(app, 'monitor_kinds');
    assert.equal(
      kinds.map(({ kind }) => kind),
      ['http', 'tcp', 'ping', 'dns', 'tls', 'domain', 'heartbeat', 'group'],
    );
  });

  test.run();
}

const bounded = suite('monitors: how many a token may have');
bounded(
  'a token has a quarter, with the tokens that it created, and the Super Token room of its own',
  async () => {
    const app = await boot('sqlite', { monitor: { max_monitors: 8 } });
    try {
      const words = ['read', 'write'].map((word) => ({ monitor: word }));
      const token = await app.token([{ scopes: [{ monitor: '*' }], permissions: words }]);
      const off = (name: string) => ({ ...http(name, 'http://127.0.0.1:9/'), enable: false });
      for (const name of ['a', 'b']) await create(app, off(name), token);
      const error = await failure(create(app, off('c'), token));
      assert.is(error.code, 108);
      assert.match(error.message, /max_monitors under \[monitor\]/);
      for (const name of ['c', 'd', 'e']) await create(app, off(name));
    } finally {
      await app.stop();
    }
  },
);
bounded.run();

const without = suite('monitors: without the plugin notify');
without('secret fields are refused with words that say what to list', async () => {
  const app = await boot('sqlite', {}, ['token', 'egress', 'retention', 'monitor', 'server-info']);
  try {
    const secret = { bearer: SECRET };
    const error = await failure(create(app, http('s', 'http://127.0.0.1:9/', { secret })));
    assert.match(error.message, /list notify under plugins/);
    await create(app, http('s', 'http://127.0.0.1:9/', { retries: 0 }));
    assert.ok(await says(app, 's', 'down', 30 * SECOND));
  } finally {
    await app.stop();
  }
});
without.run();
