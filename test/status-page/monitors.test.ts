// Monitors on status pages, as a stranger sees them (plugins/status-page/src/live/monitor-row.ts).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { monitorRow } from '../../plugins/status-page/src/live/monitor-row.ts';
import { uptimeOf } from '../../plugins/status-page/src/live/uptime.ts';
import {
  boot,
  create,
  failure,
  http,
  MINUTE,
  PLUGINS as MONITOR,
  passes,
  says,
  type Target,
  target,
} from '../monitor/kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { agent, DAY, PLUGINS, seedAgent, uuidOf } from './kit.ts';

const SECRET = 'internal-shop-database';
const all = [...new Set([...PLUGINS, ...MONITOR])];
const may = (scope: object, permissions: object[]) => ({ scopes: [scope], permissions });
const pages = may({ status_page: '*' }, [
  { status_page: 'read' },
  { status_page: 'write' },
  { status_page: 'delete' },
]);
const reads = may({ monitor: 'internal-*' }, [{ monitor: 'read' }]);

const bars = suite('status page: colours of bars');
// The day that goes on may be short: a share of it counts, too.
for (const [uptime, down_s, kind] of [
  [100, 0, 'fine'],
  [99.99, 1, 'part'],
  [71, 700, 'part'],
  [50, 900, 'part'],
  [49.99, 900, 'bad'],
  [0, 120, 'bad'],
  [94.21, 5_000, 'bad'],
  [null, 0, 'none'],
] as const)
  bars(`a day of a monitor with an uptime of ${uptime} % and ${down_s} s down is ${kind}`, () => {
    const span = { from: 0, uptime, down_s, degraded_s: 0, coverage: 1 };
    const past: any = { state: 'up', since: 0, all: span, days: [span] };
    const named = { id: 1, name: 'x', public_name: null };
    const entry = { key: '1', name: 'Shop', group: '', monitor: 1 };
    const { uptime: shown } = monitorRow(entry, named, { past, latency: undefined, today: 0 });
    assert.is(shown?.cells[0]?.kind, kind);
  });

for (const [here, kind] of [
  [60, 'fine'],
  [40, 'part'],
  [20, 'bad'],
  [0, 'bad'],
] as const)
  bars(
    `an hour after midnight a machine that was here for ${here} min has a bar that is ${kind}`,
    () => {
      const seen = { here: true, since: 0, firstDay: 0, days: new Map([[9, here * MINUTE]]) };
      const { cells } = uptimeOf(seen, 9 * DAY + 60 * MINUTE);
      assert.is(cells.at(-1)?.kind, kind);
    },
  );
bars.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`status page: monitors (${dialect})`);
  let app: TestApp;
  let web: Target;
  let id = 0;
  test.before(async () => {
    app = await boot(dialect, { 'status-page': { refresh_s: 5 } }, all);
    web = await target();
    ({ id } = await create(app, http(SECRET, web.url, { retries: 0, public_name: 'Shop <1>' })));
    await seedAgent(app, { uuid: uuidOf(1) });
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });
  const call = (method: string, params: object, token = app.superToken): Promise<any> =>
    app.call(`status-page_${method}`, { token, ...params });
  const make = (slug: string, entries: object[], more: object = {}, token?: string) =>
    call('create', { slug, page: { title: 'Page', entries, ...more } }, token);
  const html = async (path: string) => (await app.fetch(`/svc/status/${path}`)).text();
  const feed = async (slug: string): Promise<any> =>
    (await app.fetch(`/svc/status/${slug}/feed.json`)).json();
  const shows = (path: string, text: string) =>
    passes(app, MINUTE, async () => (await html(path)).includes(text));

  test('a stranger reads the public name and the state, and never the name, target or failure', async () => {
    await make('shop', [
      { monitor: id },
      { monitor: id, name: 'Till', group: 'Sales', key: 'till' },
      agent(1, 'web-1'),
    ]);
    assert.ok(await says(app, SECRET, 'up'));
    assert.ok(await shows('shop', '<h3><bdi>Shop &lt;1&gt;</bdi></h3>'));
    assert.ok(await shows('shop', 'All systems operational'));
    web.reply = 503;
    assert.ok(await says(app, SECRET, 'down'));
    assert.ok(await shows('shop', 'Down since'));
    const paths = ['shop', 'shop?lang=zh-CN', 'shop/feed.json', 'shop/feed.xml', 'shop/badge.svg'];
    paths.push('shop/badge/till.svg', 'shop/latency/1.svg', 'shop/latency/1.svg?range=30d');
    for (const path of paths) {
      const text = await html(path);
      for (const hidden of [SECRET, web.url, '127.0.0.1', '503'])
        assert.not.ok(text.includes(hidden), `${path} ${hidden}`);
    }
    assert.match(await html('shop/badge/till.svg'), /Till: Down since/);
    const { _status } = await feed('shop');
    assert.is(_status.state, 'down');
    assert.equal(
      _status.systems.map(({ name, state }: any) => [name, state]),
      [
        ['Shop <1>', 'down'],
        ['Till', 'down'],
        ['web-1', 'up'],
      ],
    );
    web.reply = 200;
    assert.ok(await says(app, SECRET, 'up'));
    assert.ok(await shows('shop', 'All systems operational'));
  });

  test('the curve of the last hours is there from the first check on', async () => {
    await app.clock.advance(5 * MINUTE);
    const picture = await html('shop/latency/1.svg');
    assert.match(picture, /Median .* · 95% under/);
    assert.not.match(picture, /lost/);
    assert.match(
      await html('shop'),
      /<img loading="lazy" alt="Median [^"]*" src="[^"]*latency\/1.svg/,
    );
    assert.match(await html('shop/latency/1.svg?range=7d'), /<svg /);
  });

  test('days are those of the monitor, a share is never rounded up, and below half of the time there is none', async () => {
    const today = Math.floor(app.clock.now() / DAY);
    const rows: [
      name: string,
      days: [ago: number, up: number, down: number, unknown: number][],
      share: RegExp,
      bars: RegExp,
    ][] = [
      ['fine', [[1, 86_400, 0, 0]], /·? ?100%/, /^(?!.*class=[pd] )/s],
      [
        'short',
        [
          [1, 86_399, 1, 0],
          [2, 86_400, 0, 0],
        ],
        /99\.99%/,
        /class=p /,
      ],
      ['long', [[1, 81_400, 5_000, 0]], /94\.21%/, /class=d /],
      ['thin', [[1, 1_000, 0, 85_400]], / · –/, /^(?!.*class=[pd] )/s],
    ];
    for (const [name, days, share, bars] of rows) {
      const made = await create(app, http(name, web.url, { enable: false }));
      for (const [ago, up, down, unknown] of days)
        await app.sql(`insert into monitor_day (monitor_id, day, up_s, degraded_s, down_s, unknown_s, paused_s, n)
          values (${made.id}, ${today - ago}, ${up}, 0, ${down}, ${unknown}, 0, 0)`);
      await make(`days-${name}`, [{ monitor: made.id, name }]);
      const page = await html(`days-${name}`);
      const row = /<li class="a [\s\S]*?<\/li>/.exec(page)?.[0] ?? '';
      assert.match(row, share, name);
      assert.match(row, bars, name);
    }
  });

  test('the largest page of monitors fits into 30 kB', async () => {
    const { id: noisy } = await create(app, http('noisy', web.url, { enable: false }));
    const [today, hour] = [DAY, DAY / 24].map((unit) => Math.floor(app.clock.now() / unit));
    const days = Array.from({ length: 89 }, (_, at) => {
      const down = [1, 0, 5_000][at % 3] as number;
      return `(${noisy}, ${(today as number) - 1 - at}, ${86_400 - down}, 0, ${down}, 0, 0, 0)`;
    });
    await app.sql(`insert into monitor_day (monitor_id, day, up_s, degraded_s, down_s, unknown_s, paused_s, n)
      values ${days.join(', ')}`);
    const hours = Array.from(
      { length: 22 },
      (_, at) =>
        `(${noisy}, -1, ${(hour as number) - 2 - at}, 3600, 0, 0, 0, 0, 60, 1, 22.5, 30, 4000)`,
    );
    await app.sql(`insert into monitor_hour (monitor_id, place_id, hour, up_s, degraded_s, down_s, unknown_s, paused_s,
      n, ms_min, ms_p50, ms_p95, ms_max) values ${hours.join(', ')}`);
    const entries = Array.from({ length: 40 }, (_, at) => ({
      ...{ monitor: noisy, name: `${'&'.repeat(17)}${at}`, key: `long-key-of-row-${at}` },
    }));
    await make('large', entries);
    const page = await html('large?range=90d');
    assert.is(page.match(/<details/g)?.length, 40);
    assert.ok(Buffer.byteLength(page) <= 30_000, String(Buffer.byteLength(page)));
    assert.ok(Buffer.byteLength(await html('large')) <= 30_000);
  });

  test('days are those of the zone of the page', async () => {
    const made = await create(app, http('zoned', web.url, { enable: false }));
    for (const [slug, zone] of [
      ['utc', 'UTC'],
      ['kiribati', 'Pacific/Kiritimati'],
    ] as const) {
      await make(slug, [{ monitor: made.id, name: 'x' }], { zone });
      const label = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        day: 'numeric',
        month: 'short',
      });
      const day = label.format(app.clock.now()).replace('Sept', 'Sep');
      assert.match(await html(slug), new RegExp(` – ${day}: no data|>${day}: no data`), zone);
    }
  });

  test('a monitor that is paused shows maintenance', async () => {
    const made = await create(app, http('paused', web.url, { enable: false }));
    await make('calm', [{ monitor: made.id, name: 'Calm' }]);
    assert.ok(await shows('calm', '1 of 1 systems under maintenance'));
    assert.is((await feed('calm'))._status.state, 'maintenance');
  });

  test('a group of monitors is an entry, too', async () => {
    const group = { name: 'internal-group', kind: 'group', spec: { members: [SECRET] } };
    const made = await create(app, group);
    await make('grouped', [{ monitor: made.id, name: 'All of it' }]);
    assert.ok(await says(app, 'internal-group', 'up'));
    assert.ok(await shows('grouped', 'All systems operational'));
  });

  test('the writer needs the right to read the monitor, and a right that ends, ends', async () => {
    const blind = await app.token([pages]);
    const sees = await app.token([pages, reads]);
    const refused = await failure(make('mine', [{ monitor: id }], {}, blind));
    assert.is(refused.code, 102);
    assert.not.ok(refused.message.includes(SECRET));
    assert.is((await failure(make('mine', [{ monitor: 999_999 }], {}, blind))).code, 102);
    assert.is((await failure(make('mine', [{ monitor: 999_999, name: 'x' }]))).code, 105);
    await make('mine', [{ monitor: id }], {}, sees);
    assert.ok(await shows('mine', 'Shop &lt;1&gt;'));
    const shown = await call('get', { slug: 'mine' });
    assert.equal(shown.monitors, [{ key: '1', state: 'shown' }]);
    assert.equal((await call('update', { slug: 'mine', page: shown.page }, sees)).page, shown.page);
    await app.call('token_edit', {
      token: app.superToken,
      target_token: sees.split(':')[0],
      limit: [pages],
    });
    assert.ok(await passes(app, MINUTE, async () => !(await html('mine')).includes('Shop')));
    assert.is((await call('get', { slug: 'mine' })).monitors[0].state, 'denied');
    assert.is((await html('mine/badge/1.svg')).includes('Shop'), false);
  });

  test('a monitor that gets another name stays, and one that is deleted is left out', async () => {
    const change = { name: 'internal-renamed' };
    await app.call('monitor_update', { token: app.superToken, name: SECRET, change });
    assert.ok(await shows('shop', 'Shop &lt;1&gt;'));
    await app.call('monitor_delete', { token: app.superToken, name: 'internal-group' });
    assert.ok(await shows('grouped', 'No data yet'));
    assert.not.match(await html('grouped'), /All of it/);
    assert.equal((await call('get', { slug: 'grouped' })).monitors, [{ key: '1', state: 'gone' }]);
  });

  test.run();
}

const test = suite('status page: monitors (several servers)');
test('a server without the plugin keeps the entry asleep: the editor learns it, strangers do not see it', async () => {
  const servers = await sharedServers(1, [...all, 'bus', 'bus-postgres']);
  const bare = all.filter((name) => name !== 'monitor');
  try {
    const [first] = servers.apps as [TestApp];
    const { id } = await create(first, http(SECRET, 'http://127.0.0.1:9/', { enable: false }));
    const page = { title: 'Page', entries: [{ monitor: id, name: 'Shop' }] };
    const token = first.superToken;
    await first.call('status-page_create', { token, slug: 'shop', page });
    const second = await servers.join([...bare, 'bus', 'bus-postgres']);
    const got = (await second.call('status-page_get', { token, slug: 'shop' })) as any;
    assert.equal(got.monitors, [{ key: '1', state: 'asleep' }]);
    const change = { title: 'Other', entries: got.page.entries };
    await second.call('status-page_update', { token, slug: 'shop', page: change });
    assert.not.match(await (await second.fetch('/svc/status/shop')).text(), /Shop/);
    const more = { entries: [{ monitor: id + 1, name: 'x' }] };
    const refused = await failure(
      second.call('status-page_update', { token, slug: 'shop', page: more }),
    );
    assert.is(refused.code, 108);
    assert.match(refused.message, /no plugin `monitor`/);
  } finally {
    await servers.stop();
  }
});
test.run();
