// `status-page_*`: who may make, change and read pages, and what they take (docs/protocol/status-page.md).
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { A, B, failure, UNKNOWN } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { PLUGINS, PNG, seedAgent } from './kit.ts';

const on = (slug: string, ...words: string[]) => ({
  scopes: [{ status_page: slug }],
  permissions: words.map((word) => ({ status_page: word })),
});
const reads = (uuid: string, permission: object = { dynamic_monitoring_summary: 'read' }) => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [permission],
});
const entry = (agent: string, name = 'web-1') => ({ name, agent });
const probe = (agent: string) => ({
  name: 'Uplink',
  agent,
  probe: { type: 'ping', target: '192.0.2.1' },
});
const keyOf = (token: string) => token.split(':')[0];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`status page: methods (${dialect})`);
  let app: TestApp;
  const call = (method: string, params: object, token = app.superToken) =>
    app.call(`status-page_${method}`, { token, ...params });
  const code = async (method: string, params: object, token?: string) =>
    (await failure(call(method, params, token))).code;

  test.before(async () => {
    app = await bootForTest(PLUGINS, { 'status-page': { max_pages: 4 } }, { dialect, clock: true });
    for (const uuid of [A, B]) await seedAgent(app, { uuid });
  });
  test.after(() => app.stop());

  test('a page is made, changed member by member, listed and deleted', async () => {
    const given = { title: 'Ours', entries: [entry(A), probe(B)], logo: PNG, accent: '#0a7d5a' };
    const made = await call('create', { slug: 'ours', page: given });
    const page = {
      title: 'Ours',
      description: '',
      language: 'auto',
      url: null,
      accent: '#0a7d5a',
      banner: null,
      entries: [
        { key: '1', name: 'web-1', group: '', agent: A },
        { key: '2', group: '', ...probe(B) },
      ],
      logo: PNG,
    };
    assert.equal(made, { slug: 'ours', page, updated_at: app.clock.now() });
    const change = { title: 'Theirs', accent: null, language: 'zh-CN' };
    const changed = await call('update', { slug: 'ours', page: change });
    assert.equal(changed.page, { ...page, ...change });
    assert.equal((await call('update', { slug: 'ours', page: changed.page })).page, changed.page);
    assert.equal((await call('get', { slug: 'ours' })).page, changed.page);
    const row = { slug: 'ours', title: 'Theirs', entries: 2, updated_at: app.clock.now() };
    assert.equal(await call('list', {}), [row]);
    assert.is(await code('create', { slug: 'ours', page: given }), 108);
    assert.equal(await call('delete', { slug: 'ours' }), { success: true });
    for (const method of ['get', 'delete'])
      assert.is(await code(method, { slug: 'ours' }), 105, method);
    assert.is(await code('update', { slug: 'ours', page: {} }), 105);
  });

  test('what cannot be shown well or safely is refused, and the message says what to change', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const svg = (inside: string) =>
      base64(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);
    const rows: [what: object, code: number][] = [
      [{ title: ' ' }, 108],
      [{ title: 'a\u0000b' }, 108],
      [{ title: 'a\nb' }, 108],
      [{ accent: 'red' }, -32602],
      [{ accent: '#12345' }, -32602],
      [{ colour: '#123456' }, -32602],
      [{ url: 'javascript:alert(1)' }, 108],
      [{ url: 'https://user:secret@example.com/' }, 108],
      [{ logo: 'no base64!' }, 108],
      [{ logo: base64('GIF89a') }, 108],
      // With a look back for each comment this would not end.
      [{ logo: base64(`${'<!---->'.repeat(7_000)}x`) }, 108],
      [{ logo: svg('<script>1</script>') }, 108],
      [{ logo: svg('<g onload="x"/>') }, 108],
      [{ logo: svg('<foreignObject/>') }, 108],
      [{ logo: base64('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>') }, 108],
      [
        {
          logo: Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(65_536)]).toString(
            'base64',
          ),
        },
        -32602,
      ],
      [{ entries: Array.from({ length: 41 }, () => entry(A)) }, -32602],
      [{ entries: Array.from({ length: 40 }, () => entry(A, '&'.repeat(80))) }, 108],
      [{ entries: [entry(A, 'x'.repeat(81))] }, -32602],
      [
        {
          entries: [
            { ...entry(A), key: 'a' },
            { ...entry(B), key: 'a' },
          ],
        },
        108,
      ],
      [{ entries: [{ ...entry(A), key: '../x' }] }, -32602],
      [{ entries: [entry(UNKNOWN)] }, 106],
      [{ entries: [{ name: 'nothing' }] }, 108],
      [{ entries: [{ agent: A }] }, 108],
      [{ entries: [{ ...entry(A), auto_incident: { as: 'draft' } }] }, 108],
      [{ entries: [{ ...entry(A), monitor: 1 }] }, 108],
      [{ entries: [{ name: 'm', monitor: 1 }] }, 108],
      [{ zone: 'Mars/Olympus' }, 108],
    ];
    for (const [what, expected] of rows) {
      const page = { title: 'Page', entries: [], ...what };
      assert.is(
        await code('create', { slug: 'odd', page }),
        expected,
        JSON.stringify(what).slice(0, 90),
      );
    }
    for (const slug of ['', '_', 'A', '-a', 'a-', 'a/b', 'a'.repeat(41)])
      assert.is(await code('create', { slug, page: { title: 'x', entries: [] } }), -32602, slug);
    assert.equal(await call('list', {}), []);
    await call('create', { slug: 'odd', page: { title: 'x', entries: [], logo: svg('<path/>') } });
    const commented = base64('<?xml version="1.0"?>\n<!-- a --> <!-- b -->\n<svg></svg>');
    await call('update', { slug: 'odd', page: { logo: commented } });
    await call('delete', { slug: 'odd' });
  });

  test('there are no more pages than max_pages', async () => {
    const page = { title: 'x', entries: [] };
    const made = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6].map((n) => call('create', { slug: `p${n}`, page })),
    );
    assert.is(made.filter(({ status }) => status === 'fulfilled').length, 4);
    for (const { slug } of await call('list', {})) await call('delete', { slug });
  });

  test('rights hold for pages by their slug, and for what the page shows', async () => {
    const page = { title: 'Team', entries: [entry(A), probe(A)] };
    const ping = reads(A, { task: { read: 'ping' } });
    const tokens = {
      none: await app.token([]),
      page: await app.token([on('team-*', 'write')]),
      half: await app.token([on('team-*', 'write'), reads(A)]),
      all: await app.token([on('team-*', 'read', 'write'), reads(A), ping]),
      reader: await app.token([on('team-*', 'read')]),
    };
    for (const name of ['none', 'page', 'half'] as const)
      assert.is(await code('create', { slug: 'team-a', page }, tokens[name]), 102, name);
    assert.is(await code('create', { slug: 'other', page }, tokens.all), 102);
    const made = await call('create', { slug: 'team-a', page }, tokens.all);
    assert.is(made.owner, keyOf(tokens.all));
    // What stays on a page counts for its new owner, too.
    assert.is(await code('update', { slug: 'team-a', page: { title: 'Mine' } }, tokens.page), 102);
    for (const method of ['update', 'delete'])
      assert.is(await code(method, { slug: 'team-a', page: {} }, tokens.reader), 102, method);
    assert.is((await call('get', { slug: 'team-a' }, tokens.reader)).slug, 'team-a');
    assert.is(await code('get', { slug: 'team-a' }, tokens.page), 102);
    await call('create', { slug: 'other', page: { title: 'x', entries: [] } });
    const seen = async (token: string) =>
      (await call('list', {}, token)).map(({ slug }: { slug: string }) => slug);
    assert.equal(await seen(tokens.reader), ['team-a']);
    assert.equal(await seen(tokens.none), []);
    assert.equal(await seen(app.superToken), ['other', 'team-a']);
    const hanging = await app.call('token_dependents', [app.superToken, keyOf(tokens.all)]);
    assert.match(JSON.stringify(hanging), /"status-page"[^}]*"team-a"/);
    for (const slug of ['other', 'team-a']) await call('delete', { slug });
  });

  test('incidents are added, changed, listed and deleted, and the owner of the page stays', async () => {
    const owner = await app.token([on('*', 'read', 'write', 'delete')]);
    const slug = 'notes';
    await call('create', { slug, page: { title: 'x', entries: [] } }, owner);
    const incident = { title: 'Slow', text: 'a\r\nb', impact: 'degraded' };
    const made = await call('incident_add', { slug, incident });
    const now = app.clock.now();
    const times = { begins_at: now, ends_at: null, updated_at: now };
    assert.equal(made, {
      ...{ id: made.id, title: 'Slow', text: 'a\nb', impact: 'degraded', ...times },
    });
    const { id } = made;
    const over = await call('incident_update', { slug, id, incident: { ends_at: now + 5 } });
    assert.equal(over, { ...made, ends_at: now + 5 });
    const change = { ends_at: null, text: null };
    assert.equal(await call('incident_update', { slug, id, incident: change }), {
      ...made,
      text: '',
    });
    assert.is((await call('get', { slug })).owner, keyOf(owner));
    const rows: [method: string, params: object, code: number][] = [
      ['incident_add', { incident: { title: '' } }, -32602],
      ['incident_add', { incident: { title: 'x', ends_at: 5 } }, 108],
      ['incident_add', { incident: { title: 'x', text: 'a\u0007' } }, 108],
      ['incident_add', { incident: { title: 'x', text: '&'.repeat(900) } }, 108],
      ['incident_update', { id: id + 1, incident: {} }, 105],
      ['incident_delete', { id: id + 1 }, 105],
      ['incident_add', { slug: 'gone', incident: { title: 'x' } }, 105],
      ['incident_list', { slug: 'gone' }, 105],
    ];
    for (const [method, params, expected] of rows)
      assert.is(
        await code(method, { slug, ...params }),
        expected,
        JSON.stringify(params).slice(0, 80),
      );
    for (let n = 0; n < 100; n++)
      await call('incident_add', { slug, incident: { title: `n${n}`, begins_at: now + n } });
    const listed = await call('incident_list', { slug });
    assert.equal([listed.length, listed[0].title, listed[99].title], [100, 'n99', 'n0']);
    assert.equal(await call('incident_delete', { slug, id: listed[0].id }), { success: true });
    await call('delete', { slug });
    assert.equal(await app.sql('select id from status_page_incident'), []);
  });

  test.run();
}

const fleet = suite('status page: several servers (postgres)');
fleet('a page that one server changes is another one on all of them', async () => {
  const servers = await sharedServers(2, PLUGINS);
  try {
    const [one, two] = servers.apps as [TestApp, TestApp];
    const call = (method: string, params: object) =>
      one.call(`status-page_${method}`, { token: servers.superToken, slug: 'main', ...params });
    const shows = (word: string) =>
      until(word, async () => (await (await two.fetch('/svc/status/main')).text()).includes(word));
    await call('create', { page: { title: 'First', entries: [] } });
    await shows('First');
    await call('update', { page: { title: 'Second' } });
    await shows('Second');
    await call('incident_add', { incident: { title: 'Third' } });
    await shows('Third');
    await call('delete', {});
    await until('gone', async () => (await two.fetch('/svc/status/main')).status === 404);
  } finally {
    await servers.stop();
  }
});
fleet.run();
