// Machines that came before it was kept which ones have connected: an upgrade takes nothing from them.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'task', 'kv', 'static-bucket', 'enrol'];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`places of machines from before an upgrade (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
  });
  test.after(() => app?.stop());

  test('a machine of which an older version does not know that it came keeps token, namespace and place', async () => {
    const { id, code } = await app.call('enrol_create', [app.superToken]);
    const exchange = () =>
      app.fetch('/svc/enrol/exchange', { method: 'POST', body: `code=${code}` });
    const text = await (await exchange()).text();
    const value = (key: string) => new RegExp(`^${key} = "([^"]+)"`, 'm').exec(text)?.[1] ?? '';
    const [uuid, key] = [value('agent_uuid'), value('token').split(':')[0]];
    const rows = () => app.sql(`select token_key from enrol_pending where agent = '${uuid}'`);
    assert.equal(
      (await rows()).map(({ token_key }: any) => token_key),
      [key],
    );
    // The table as the version before had it, with the row that it left.
    await app.sql('drop index "idx-enrol_pending-token_key"');
    await app.sql('alter table enrol_pending drop column given_at');
    await app.sql("delete from schema_migrations where plugin = 'enrol' and name = '0003-given'");
    await app.restart();

    await app.clock.advance(31_000);
    assert.is((await exchange()).status, 403, 'its place is its own');
    await app.sql(`update enrol_code set expires_at = 0 where id = ${id}`);
    for (let n = 0; n < 3; n++) await app.clock.advance(61_000);
    assert.equal(await rows(), []);
    const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
    assert.ok(tokens.some(({ token_key }: { token_key: string }) => token_key === key));
    assert.ok((await app.call('kv_list_all_namespace', [app.superToken])).includes(uuid));
    await app.call('agent_report_dynamic_summary', [value('token'), { uuid, time: 1 }]);
  });
  test.run();
}
