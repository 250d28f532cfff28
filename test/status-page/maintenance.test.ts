// Maintenance windows on a status page (plugins/alert/README.md, plugins/status-page/README.md).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { boot, create, PLUGINS as MONITOR } from '../monitor/kit.ts';
import { suite } from '../runner/suite.ts';
import { agent, PLUGINS, seedAgent, uuidOf } from './kit.ts';

const HOUR = 3_600_000;
const clock = (time: number) => new Date(time).toISOString().slice(11, 16);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`status page: maintenance windows (${dialect})`);
  let app: TestApp;
  let now = 0;
  test.before(async () => {
    const plugins = new Set([...PLUGINS, ...MONITOR, 'kv', 'egress', 'notify', 'alert']);
    app = await boot(dialect, {}, [...plugins]);
    now = app.clock.now();
    await seedAgent(app, { uuid: uuidOf(1) });
    const shown: object[] = [];
    for (const name of ['shop-a', 'shop-b', 'shop-c', 'mail']) {
      const tags = name === 'mail' ? ['night'] : [];
      const spec = { period_s: 86_400 };
      const { id } = await create(app, { name, kind: 'heartbeat', spec, tags });
      shown.push({ monitor: id, name: `<${name.toUpperCase()}>` });
    }
    for (const slug of ['shop', 'other']) {
      const page = { title: slug, entries: [agent(1, 'web'), ...shown] };
      await app.call('status-page_create', { token: app.superToken, slug, page });
    }
  });
  test.after(() => app.stop());
  const html = async (path: string) => (await app.fetch(`/svc/status/${path}`)).text();
  const text = async (path: string) => (await html(path)).replace(/<[^>]*>/g, '');
  const window = (name: string, from: number, to: number, more: object = {}) =>
    app.call('alert_window_create', {
      token: app.superToken,
      window: { name, scope: { tags: ['web'] }, once: { from, to }, public: ['shop'], ...more },
    });

  test('a page shows the window that holds, until when, and the next ones, in both languages', async () => {
    assert.match(await text('shop'), /All systems operational/);
    await window('New <disks>', now - HOUR, now + HOUR);
    await window('Move', now + 24 * HOUR, now + 25 * HOUR);
    await window('Secret', now - HOUR, now + HOUR, { public: [] });
    await window('Off', now - HOUR, now + HOUR, { enable: false });
    await window('Far', now + 400 * HOUR, now + 401 * HOUR);
    await app.clock.advance(60_000);
    const page = await html('shop');
    assert.match(
      page,
      /<p class="all maintenance" role="status">Maintenance: <bdi>New &lt;disks&gt;<\/bdi> until/,
    );
    const words = page.replace(/<[^>]*>/g, '');
    assert.ok(
      words.includes(`until ${clock(now + HOUR)} UTC`) || words.includes(clock(now + HOUR)),
    );
    assert.match(words, /Planned maintenance: Move, starts/);
    assert.not.match(words, /Secret|Off|Far/);
    assert.match(
      await text('shop?lang=zh-CN'),
      /维护中：New &lt;disks&gt;，至 .*计划维护：Move，/s,
    );
    const feed = (await (await app.fetch('/svc/status/shop/feed.json')).json()) as any;
    assert.is(feed._status.state, 'maintenance');
  });

  test('another page shows nothing of them, and this one nothing after the end', async () => {
    assert.not.match(await text('other'), /aintenance/);
    await app.clock.sleep(2 * HOUR);
    const words = await text('shop');
    assert.not.match(words, /New/);
    assert.match(words, /Move/);
  });

  test('a planned window says which entries it is about by their public names, and when it ends', async () => {
    const from = Math.ceil(app.clock.now() / HOUR) * HOUR + 30 * HOUR;
    for (const [name, scope, says] of [
      ['A', { agents: [uuidOf(1)] }, 'A (web), starts'],
      ['B', { monitors: ['shop*'] }, 'B (&lt;SHOP-A&gt;, &lt;SHOP-B&gt;, &lt;SHOP-C&gt;), starts'],
      ['C', { tags: ['night'], rules: ['Monitor down'] }, 'C (&lt;MAIL&gt;), starts'],
      ['D', { monitors: ['*'] }, '&lt;SHOP-C&gt; and 1 more), starts'],
      // A monitor that is not on the page is named nowhere, and a rule is no entry.
      ['E', { monitors: ['secret'] }, 'E, starts'],
      ['F', { rules: ['Monitor down'] }, 'F, starts'],
    ] as const)
      await window(name, from, from + 2 * HOUR, { scope }).then(async () => {
        await app.clock.advance(60_000);
        const words = await text('shop');
        assert.ok(words.includes(says), `${says}: ${words}`);
      });
    const words = await text('shop');
    assert.not.match(words, /secret|Monitor down/);
    const end = `${clock(from + 2 * HOUR)} UTC`;
    assert.match(words, new RegExp(`A \\(web\\), starts .* UTC, ends (?:\\d+ \\w+ \\d+, )?${end}`));
    assert.match(await text('shop?lang=zh-CN'), /计划维护：A（web），.* 开始，.* 结束/);
  });

  test.run();
}
