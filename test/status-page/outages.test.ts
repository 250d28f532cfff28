// Incidents that outages of monitors make on status pages (plugins/status-page/src/outages).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { boot, create, http, MINUTE, PLUGINS as MONITOR, pause } from '../monitor/kit.ts';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';
import { PLUGINS } from './kit.ts';

const all = [...new Set([...PLUGINS, ...MONITOR])];
const AUTO = { as: 'publish', after_minutes: 2, reopen_minutes: 10, text: 'We look into it.' };

/** A page whose one entry makes incidents, and outages of its monitor, written where verdicts write them. */
async function pageOf(app: TestApp, slug: string, auto: object, over: object = {}) {
  const token = app.superToken;
  const monitor = http(`internal-${slug}`, 'http://127.0.0.1:9/', { enable: false });
  const { id } = await create(app, monitor);
  const entries = [{ monitor: id, name: 'Shop', auto_incident: { ...AUTO, ...auto } }];
  const page = { title: 'Page', language: 'en', entries, ...over };
  await app.call('status-page_create', { token, slug, page });
  return {
    id,
    incidents: async (): Promise<any[]> =>
      (await app.call('status-page_incident_list', { token, slug })) as any[],
    public: async (): Promise<any[]> =>
      ((await (await app.fetch(`/svc/status/${slug}/feed.json`)).json()) as any).items,
    begin: (ago = 0) =>
      app.sql(`insert into monitor_outage (monitor_id, from_at, cause, places, public)
        values (${id}, ${app.clock.now() - ago}, 'secret cause', '[]', 1)`),
    end: () =>
      app.sql(`update monitor_outage set to_at = ${app.clock.now()}
        where monitor_id = ${id} and to_at is null`),
    change: (incident: number, change: object) =>
      app.call('status-page_incident_update', { token, slug, id: incident, incident: change }),
    remove: (incident: number) =>
      app.call('status-page_incident_delete', { token, slug, id: incident }),
  };
}

/** Moves time round by round, at most so far, until something holds. */
async function passes(
  app: TestApp,
  most_ms: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  for (let passed = 0; passed < most_ms; passed += 10_000) {
    if (await holds()) return true;
    await app.clock.advance(10_000);
    await pause(12);
  }
  // A busy machine needs longer for a round than the time that passed here.
  for (let more = 0; more < 20 && !(await holds()); more++) {
    await pause(100);
    await app.clock.advance(1_000);
  }
  return holds();
}
async function pass(app: TestApp, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await app.clock.advance(10_000);
    await pause(20);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`status page: incidents of outages (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, { 'status-page': { refresh_s: 5 } }, all);
  });
  test.after(() => app.stop());

  test('an outage that lasts is published with the text of the operator, and ends with the outage', async () => {
    const page = await pageOf(app, 'shop', {});
    await page.begin();
    await pass(app, MINUTE);
    assert.equal(await page.incidents(), []);
    assert.ok(await passes(app, 2 * MINUTE, async () => (await page.public()).length === 1));
    const [incident] = await page.incidents();
    assert.is(incident.title, 'Shop is down');
    assert.is(incident.text, 'We look into it.');
    assert.is(incident.impact, 'down');
    assert.equal([incident.draft, incident.auto, incident.ends_at], [undefined, true, null]);
    await page.end();
    const ended = app.clock.now();
    assert.ok(await passes(app, MINUTE, async () => (await page.incidents())[0].ends_at === ended));
    await pass(app, MINUTE);
    assert.is((await page.incidents()).length, 1);
  });

  test('an outage that is over before makes none, nor does an entry without auto_incident', async () => {
    const short = await pageOf(app, 'short', {});
    await short.begin();
    await pass(app, MINUTE);
    await short.end();
    const off = await pageOf(app, 'off', {}, { entries: [] });
    const entries = [{ monitor: off.id, name: 'Shop' }];
    const change = { token: app.superToken, slug: 'off', page: { entries } };
    await app.call('status-page_update', change);
    await off.begin(5 * MINUTE);
    await pass(app, 2 * MINUTE);
    assert.equal(await short.incidents(), []);
    assert.equal(await off.incidents(), []);
  });

  test('a draft shows to the editor only, until it is published', async () => {
    const page = await pageOf(app, 'draft', { as: 'draft', title: 'Trouble' });
    await page.begin(5 * MINUTE);
    assert.ok(await passes(app, MINUTE, async () => (await page.incidents()).length === 1));
    const [{ id, draft, title }] = (await page.incidents()) as [any];
    assert.equal([draft, title], [true, 'Trouble']);
    assert.equal(await page.public(), []);
    for (const path of ['', '/feed.xml', '/feed.json', `/incident/${id}`])
      assert.not.match(await (await app.fetch(`/svc/status/draft${path}`)).text(), /Trouble/, path);
    await page.change(id, { draft: false });
    assert.is((await page.public())[0].title, 'Trouble');
  });

  test('what the operator takes away does not come back with the same outage', async () => {
    for (const as of ['draft', 'publish']) {
      const page = await pageOf(app, `away-${as}`, { as, reopen_minutes: 0 });
      await page.begin(5 * MINUTE);
      assert.ok(await passes(app, MINUTE, async () => (await page.incidents()).length === 1));
      await page.remove((await page.incidents())[0].id);
      await pass(app, MINUTE);
      assert.equal(await page.incidents(), [], as);
      await page.end();
      await pass(app, 2 * MINUTE);
      await page.begin(MINUTE);
      assert.ok(await passes(app, 3 * MINUTE, async () => (await page.incidents()).length === 1));
    }
  });

  test('an incident that the operator ended stays so while the outage goes on', async () => {
    const page = await pageOf(app, 'ended', {});
    await page.begin(5 * MINUTE);
    assert.ok(await passes(app, MINUTE, async () => (await page.incidents()).length === 1));
    const [{ id }] = (await page.incidents()) as [any];
    const ends_at = app.clock.now();
    await page.change(id, { ends_at, text: 'Mine.' });
    await pass(app, MINUTE);
    await page.end();
    await pass(app, MINUTE);
    const [kept, ...more] = await page.incidents();
    assert.equal([kept.ends_at, kept.text, more], [ends_at, 'Mine.', []]);
  });

  test('a monitor that comes and goes adds to its incident, and makes another one only later', async () => {
    const page = await pageOf(app, 'flaps', {});
    for (let turn = 0; turn < 4; turn++) {
      await page.begin();
      const goesOn = async () => (await page.incidents())[0]?.ends_at === null;
      assert.ok(await passes(app, 4 * MINUTE, goesOn), String(turn));
      await page.end();
      assert.ok(await passes(app, MINUTE, async () => !(await goesOn())), String(turn));
    }
    const [one, ...more] = await page.incidents();
    assert.equal(more, []);
    assert.is(one.text.match(/Down again: \d+ \w+ \d{4}, \d\d:\d\d UTC/g)?.length, 3);
    assert.match(one.text, /^We look into it\.\n/);
    await app.clock.advance(11 * MINUTE);
    await page.begin();
    assert.ok(await passes(app, 4 * MINUTE, async () => (await page.incidents()).length === 2));
  });

  test('a page keeps a hundred drafts, and the one of an outage that goes on among them', async () => {
    const page = await pageOf(app, 'many', { as: 'draft' });
    await page.begin(5 * MINUTE);
    assert.ok(await passes(app, MINUTE, async () => (await page.incidents()).length === 1));
    const token = app.superToken;
    const incident = { title: 'x', begins_at: app.clock.now() + 1, draft: true };
    for (let n = 0; n < 102; n++)
      await app.call('status-page_incident_add', { token, slug: 'many', incident });
    const list = await page.incidents();
    assert.is(list.length, 100);
    assert.ok(list.some(({ auto }) => auto));
  });

  test('an incident ends when its monitor is deleted', async () => {
    const page = await pageOf(app, 'gone', {});
    await page.begin(5 * MINUTE);
    assert.ok(await passes(app, MINUTE, async () => (await page.incidents()).length === 1));
    await app.call('monitor_delete', { token: app.superToken, name: 'internal-gone' });
    const isOver = async () => (await page.incidents())[0].ends_at !== null;
    assert.ok(await passes(app, 2 * MINUTE, isOver));
  });

  test.run();
}

const test = suite('status page: incidents of outages (several servers)');
test('three servers make one incident of one outage, end it once, and go on after a restart', async () => {
  let servers: SharedServers | undefined;
  try {
    servers = await sharedServers(3, [...all, 'bus', 'bus-postgres'], {}, { clock: true });
    const { apps } = servers;
    const [first, second] = apps as [TestApp, TestApp];
    const rounds = async (minutes: number) => {
      for (let passed = 0; passed < minutes * MINUTE; passed += 10_000) {
        await Promise.all(apps.map((app) => app.clock.advance(10_000)));
        await pause(15);
      }
    };
    const page = await pageOf(first, 'shop', { after_minutes: 0 });
    await rounds(1);
    for (let outage = 1; outage <= 3; outage++) {
      await page.begin();
      await rounds(1);
      const list = await page.incidents();
      assert.equal([list.length, list[0].ends_at], [1, null], `outage ${outage}`);
      assert.is((list[0].text.match(/Down again/g) ?? []).length, outage - 1);
      if (outage === 2) await second.restart();
      await page.end();
      await rounds(1);
      assert.is.not((await page.incidents())[0].ends_at, null);
    }
    const [{ n }] = (await first.sql('select count(*) as n from status_page_incident')) as any[];
    assert.is(Number(n), 1);
  } finally {
    await servers?.stop();
  }
});
test.run();
