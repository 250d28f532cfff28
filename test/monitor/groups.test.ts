// Groups: what they say names none of their members, whom their readers may not read (docs/protocol/monitor.md §2).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, get, http, MINUTE, PLUGINS, passes, says, target } from './kit.ts';

const WITH_ALERTS = [...PLUGINS, 'agent-uuid', 'agent', 'agent-events', 'alert'];
const HIDDEN = 'hidden-merger';
const TELLING = /hidden-merger|status 5|127\.0\.0\.1/;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: groups (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect, {}, WITH_ALERTS);
  });
  test.after(() => app.stop());

  test('a group says how many are down, and neither names nor failures of its members', async () => {
    const web = await target();
    const other = await target();
    await create(app, http(HIDDEN, web.url, { retries: 0 }));
    await create(app, http('other', other.url, { retries: 0 }));
    const spec = { members: [HIDDEN, 'other'] };
    const { id } = await create(app, { name: 'all', kind: 'group', spec });
    assert.ok(await says(app, 'all', 'up'));
    web.reply = 500;
    assert.ok(await says(app, 'all', 'down'));
    assert.is((await get(app, 'all')).verdict.detail, '1 of 2 is down');

    const reader = await app.token([
      { scopes: [{ monitor: 'all' }], permissions: [{ monitor: 'read' }] },
      { scopes: ['global'], permissions: [{ alert: 'read' }] },
    ]);
    const read = (method: string, params: object = {}): Promise<any> =>
      call(app, method, params, reader);
    const alertsOf = async () =>
      (await read('alert_list', {})).alerts.filter(({ subject }: any) => subject.id === 'all');
    assert.ok(await passes(app, 2 * MINUTE, async () => (await alertsOf()).length > 0));
    const [alert] = await alertsOf();
    const said = {
      get: await read('monitor_get', { name: 'all' }),
      list: await read('monitor_list'),
      overview: await read('monitor_overview', { ids: [id] }),
      outages: await read('monitor_outages', { name: 'all' }),
      results: await read('monitor_results', { name: 'all' }),
      alert,
      one: await read('alert_get', { id: alert.id }),
    };
    for (const [what, answer] of Object.entries(said))
      assert.not.match(JSON.stringify(answer), TELLING, what);
    assert.equal(said.get.spec.members, []);
    assert.is(said.outages[0].cause, '1 of 2 is down');
    assert.is(said.list.monitors[0].detail, '1 of 2 is down');
    for (const table of ['monitor_verdict', 'monitor_outage'])
      for (const row of await app.sql(`select * from ${table} where monitor_id = ${id}`))
        assert.not.match(JSON.stringify(row), TELLING, table);

    other.reply = 500;
    const told = async () => (await get(app, 'all')).verdict.detail === '2 of 2 are down';
    assert.ok(await passes(app, MINUTE, told));
    await web.stop();
    await other.stop();
  });

  test.run();
}
