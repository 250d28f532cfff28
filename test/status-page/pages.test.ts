// What readers get at `/svc/status/<slug>`: states in words, bars, feeds, badges; nothing secret; one reading for all.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { SaxesParser } from 'saxes';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  agent,
  DAY,
  MINUTE,
  PLUGINS,
  PNG,
  probe,
  seedAgent,
  seedPings,
  TARGETS,
  uuidOf,
} from './kit.ts';

/** Nothing of a deleted token is served. */
const CONFIG = { token: { on_delete: 'suspend' } };
/** The text of a page, as somebody reads it. */
const wordsOf = (html: string) =>
  html
    .replace(/<(?:title|style)[\s\S]*?<\/(?:title|style)>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\s\u00a0]+/g, ' ');

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`status page: what readers see (${dialect})`);
  let app: TestApp;
  let now = 0;
  const call = (method: string, params: object, token = app.superToken) =>
    app.call(`status-page_${method}`, { token, ...params });
  const page = (slug: string, entries: object[], more: object = {}) =>
    call('create', { slug, page: { title: `Page ${slug}`, entries, ...more } });
  const get = (path: string, init?: RequestInit) => app.fetch(`/svc/status/${path}`, init);
  const html = async (path: string) => (await get(path)).text();

  test.before(async () => {
    app = await bootForTest(PLUGINS, CONFIG, { dialect, clock: true });
    now = app.clock.now();
    await seedAgent(app, { uuid: uuidOf(1) });
    await seedAgent(app, {
      uuid: uuidOf(2),
      goneSince: now - 37 * MINUTE,
      away: { 40: DAY / 2, 50: 8 * MINUTE },
    });
    await seedAgent(app, { uuid: uuidOf(3), first: 9, away: { 4: DAY / 4 } });
    await app.call('agent_report_dynamic_summary', [
      app.superToken,
      { uuid: uuidOf(4), time: now, cpu_usage: 1 },
    ]);
    const every = (lost: (n: number) => boolean) =>
      Array.from({ length: 250 }, (_, n) => [n * 5, lost(n) ? null : 10 + (n % 3)] as const);
    await seedPings(
      app,
      uuidOf(1),
      TARGETS[0],
      every((n) => n === 20),
    );
    await seedPings(
      app,
      uuidOf(1),
      TARGETS[1],
      every((n) => n < 6),
    );
    await seedPings(app, uuidOf(1), TARGETS[2], [
      ...every((n) => n % 2 === 0),
      [1, 10],
      [2, null],
      [3, null],
    ]);
  });
  test.after(() => app.stop());

  test('the state of each system and of all is said in words', async () => {
    const rows: [slug: string, entries: object[], state: string, said: RegExp][] = [
      ['empty', [], 'unknown', /No data yet/],
      [
        'fine',
        [agent(1, 'web-1'), probe(0, 'Uplink')],
        'up',
        /All systems operational.*web-1 Operational · 100%.*Uplink Reachable · 11 ms · 0\.4% lost/,
      ],
      [
        'down',
        [agent(1, 'web-1'), agent(2, 'db-1')],
        'down',
        /db-1 has been offline since .*db-1 Offline since [^·]* · 99\.4\d%/,
      ],
      [
        'new',
        [agent(1, 'web-1'), agent(4, 'new')],
        'up',
        /All systems operational.*new No data yet/,
      ],
      [
        'young',
        [agent(3, 'young')],
        'up',
        /All systems operational.*young Operational · 9[67]\.\d\d%/,
      ],
      ['silent', [probe(1, 'Far')], 'down', /Far has been unreachable since .*Unreachable since/],
      ['lossy', [probe(2, 'Lossy')], 'degraded', /Lossy : \d\d% of checks are failing/],
      [
        'both',
        [agent(2, 'db-1'), probe(1, 'Far'), agent(1, 'web-1')],
        'down',
        /2 of 3 systems are having problems db-1 has been offline since .* Far has been unreachable since/,
      ],
      [
        'none',
        [{ ...probe(0, 'Nowhere'), agent: uuidOf(3) }],
        'unknown',
        /Nowhere No data in the last 2 hours/,
      ],
    ];
    for (const [slug, entries, state, said] of rows) {
      await page(slug, entries);
      assert.match(wordsOf(await html(slug)), said, slug);
      const feed: any = await (await get(`${slug}/feed.json`)).json();
      assert.is(feed._status.state, state, slug);
    }
    const { _status }: any = await (await get('down/feed.json')).json();
    const [, db] = _status.systems;
    assert.equal([db.key, db.name, db.state], ['2', 'db-1', 'down']);
    assert.is(Date.parse(db.since), now - 37 * MINUTE);
    const lost = DAY / 2 + 8 * MINUTE;
    assert.ok(Math.abs(db.uptime_90_days - (1 - lost / (89 * DAY))) < 0.002, db.uptime_90_days);
  });

  test('ninety days are bars with a title for each time of trouble and a text for the whole', async () => {
    const shown = await html('down');
    const bar = [...shown.matchAll(/<svg[\s\S]*?<\/svg>/g)][1]![0];
    assert.match(
      bar,
      /aria-label="Last 90 days: 99\.4\d%, problems in [23] of the bars, most recently /,
    );
    const ago = (days: number) => {
      const [, date, month] = new Date(now - days * DAY).toUTCString().split(' ');
      return `${Number(date)} ${month}`;
    };
    assert.match(
      bar,
      new RegExp(`class=d d="M49 2h1"><title>${ago(40)}: 50\\.00%, offline for 12 h<`),
    );
    assert.match(
      bar,
      new RegExp(`class=p d="M39 2h1"><title>${ago(50)}: 99\\.44%, offline for 8 min<`),
    );
    assert.match(await html('young'), /class=n d="M0 2h80"><title>[^<]* – [^<]*: no data</);
  });

  test('incidents stand on the page, alone, and in both feeds, in the order of their time', async () => {
    const slug = 'notes';
    await page(slug, [agent(1, 'web-1')], { url: 'https://status.example.com/main/' });
    const add = (incident: object) => call('incident_add', { slug, incident });
    await add({
      title: 'Old',
      text: 'It is over.',
      begins_at: now - 3 * DAY,
      ends_at: now - 2 * DAY,
    });
    await add({ title: 'Planned', impact: 'maintenance', begins_at: now + DAY });
    const { id } = await add({
      title: 'Now',
      text: `${'long '.repeat(150)}\nend`,
      impact: 'down',
      begins_at: now - MINUTE,
    });
    const said = wordsOf(await html(slug));
    assert.match(
      said,
      /Ongoing incident: Now Current incidents Now Outage since .*Planned Maintenance starts .*Past incidents Old Notice/,
    );
    assert.match(
      wordsOf(await html(`${slug}/incident/${id}`)),
      /Incident Now Outage since .*end All systems/,
    );
    const feed: any = await (await get(`${slug}/feed.json`)).json();
    assert.equal(feed.items.map(({ title, url }: any) => [title, url]).slice(0, 1), [
      ['Now', `https://status.example.com/main/incident/${id}`],
    ]);
    const rss = await (await get(`${slug}/feed.xml`)).text();
    assert.match(
      rss,
      /<title>Outage: Now<\/title><link>https:\/\/status\.example\.com\/main\/incident\/\d+<\/link>/,
    );
    new SaxesParser().write(rss).close();
    assert.is((await get(`${slug}/incident/${id + 1000}`)).status, 404);
  });

  test('curves span a day, a week, a month or 90 days, by links that need no script', async () => {
    const pings = [
      [60, 10],
      [3 * 1440, 40],
      [20 * 1440, 400],
      [80 * 1440, 4_000],
    ] as const;
    await seedPings(app, uuidOf(2), TARGETS[0], pings);
    await page('curves', [agent(1, 'web-1'), { ...probe(0, 'Uplink'), agent: uuidOf(2) }]);
    const rows: [query: string, name: string, most: string][] = [
      ['', '24 hours', '10 ms'],
      ['range=7d', '7 days', '40 ms'],
      ['range=30d', '30 days', '400 ms'],
      ['range=90d', '90 days', '4000 ms'],
      ['range=1y', '24 hours', '10 ms'],
    ];
    for (const [query, name, most] of rows) {
      const shown = await html(`curves?${query}`);
      assert.match(shown, `<b aria-current="true">${name}</b>`);
      assert.match(shown, `<summary>Latency over the last ${name}</summary>`);
      assert.is(shown.includes(' open>'), name !== '24 hours', query);
      const [, source] = /<img [^>]*src="\/svc\/status\/([^"]+)"/.exec(shown)!;
      const svg = wordsOf(await html(source!.replaceAll('&amp;', '&')));
      assert.ok(svg.includes(`maximum ${most}`) && svg.includes(`${name} ago`), svg);
    }
    const month = await html('curves?lang=zh-CN&range=30d');
    assert.match(month, /延迟曲线: .*href="[^"]*\?lang=zh-CN&amp;range=7d#curves">7 天</);
    assert.match(month, '?lang=en&amp;range=30d"');
    assert.not.match(await html('fine'), /range=1y/);
  });

  test('neither addresses nor errors show a token, a UUID, a target or who owns the page', async () => {
    await page(
      'secret',
      [agent(1, 'web-1'), agent(2, 'db-1'), probe(0, 'Uplink'), probe(1, 'Far')],
      { logo: PNG },
    );
    const paths = [
      '',
      '/feed.xml',
      '/feed.json',
      '/badge.svg',
      '/badge/2.svg',
      '/latency/3.svg',
      '/latency/3.svg?range=90d',
      '?range=7d',
      '/logo',
      '/icon.svg',
      '/no',
      '/badge/9.svg',
      '/latency/1.svg',
      '/incident/1',
      `/${uuidOf(1)}`,
    ];
    const secrets = [
      uuidOf(1).slice(0, 13),
      uuidOf(2),
      ...TARGETS,
      ...app.superToken.split(':'),
      '127.0.0.1',
    ];
    for (const path of paths) {
      const answer = await get(`secret${path}`);
      const all = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
      for (const secret of secrets) assert.not(all.includes(secret), `${path}: ${secret}`);
    }
  });

  test('an entry goes with the right of the owner to see it, and the page with a suspended owner', async () => {
    const both = [1, 2].map((n) => ({
      scopes: [{ agent_uuid: uuidOf(n) }],
      permissions: [{ dynamic_monitoring_summary: 'read' }],
    }));
    const write = { scopes: [{ status_page: '*' }], permissions: [{ status_page: 'write' }] };
    const token = await app.token([...both, write]);
    const given = { title: 'Owned', entries: [agent(1, 'web-1'), agent(2, 'db-1')] };
    await call('create', { slug: 'owned', page: given }, token);
    assert.match(wordsOf(await html('owned')), /web-1 .* db-1 Offline/);
    const key = token.split(':')[0];
    await app.call('token_edit', {
      token: app.superToken,
      target_token: key,
      limit: [both[0], write],
    });
    await app.clock.advance(1_000);
    const left = wordsOf(await html('owned'));
    assert.match(left, /All systems operational.*web-1/);
    assert.not.match(left, /db-1/);
    assert.is((await get('owned/badge/2.svg')).status, 404);
    await app.call('token_delete', [app.superToken, key]);
    await app.clock.advance(1_000);
    assert.is((await get('owned')).status, 404);
  });

  test('what comes later is on the curve of a week, too', async () => {
    const entry = { ...probe(1, 'Later'), agent: uuidOf(2) };
    await page('later', [entry]);
    const says = async () => wordsOf(await html('later/latency/1.svg?range=7d'));
    assert.match(await says(), 'No response in the last 7 days');
    await seedPings(app, uuidOf(2), TARGETS[1], [[1, 70]]);
    await app.clock.advance(5 * MINUTE);
    assert.match(await says(), 'maximum 70 ms');
  });

  test.run();
}
