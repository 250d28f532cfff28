// Scenario 62: a server that reaches nothing any more says so once, and nothing of what it checks is down.

import * as assert from 'uvu/assert';
import { PLUGINS as ALERTING } from '../alert/kit.ts';
import { channelFor, typesOf } from '../alert/monitors-kit.ts';
import { suite } from '../runner/suite.ts';
import { boot, call, create, http, MINUTE, PLUGINS, passes, SECOND } from './kit.ts';
import { silentSites } from './silent-sites.ts';

const MONITORS = 12;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: a server that is cut off (${dialect})`);

  test('62: monitors of many hosts that fail at once are one problem of the server, and unknown', async () => {
    const app = await boot(dialect, {}, [...new Set([...ALERTING, ...PLUGINS])]);
    const hosts = Array.from({ length: MONITORS }, (_one, at) => `127.0.0.${at + 1}`);
    const sites = await silentSites(hosts);
    try {
      await channelFor(app);
      for (const [at, url] of sites.urls.entries()) await create(app, http(`m${at}`, url));
      const states = async (): Promise<string[]> =>
        (await call(app, 'monitor_list')).monitors.map(({ state }: any) => state);
      const areAll = (state: string) => async () => (await states()).every((one) => one === state);
      assert.ok(await passes(app, MINUTE, areAll('up')));
      await sites.silence();
      const alerts = async (): Promise<any[]> => (await call(app, 'alert_list')).alerts;
      assert.ok(await passes(app, 2 * MINUTE, async () => (await alerts()).length > 0));
      const [{ rule, subject }] = await alerts();
      assert.equal([rule, subject.kind], ['Server cut off', 'server']);
      await passes(app, 40 * SECOND);
      assert.equal((await alerts()).length, 1);
      assert.not((await states()).includes('down'));
      assert.equal(await typesOf(app, subject.name), ['opened']);
      sites.speak();
      assert.ok(await passes(app, 2 * MINUTE, areAll('up')));
      const isTold = async () => (await typesOf(app, subject.name)).length === 2;
      assert.ok(await passes(app, 3 * MINUTE, isTold));
      const rows = await app.sql('select count(*) as n from notify_outbox');
      assert.is(Number(rows[0].n), 2);
      const seen = await app.sql('select count(*) as n from monitor_outage');
      assert.is(Number(seen[0].n), 0);
    } finally {
      await app.stop();
      await sites.stop();
    }
  });

  test.run();
}
