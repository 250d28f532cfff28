/** An import of Beszel finds machines by the names that the dashboard shows. */
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { staticReport } from '../../protocol/agent-kit.ts';
import { suite } from '../../runner/suite.ts';
import { boot, call, PLUGINS } from '../kit.ts';
import { beszel, database } from './fixtures.ts';

const ALL = [...PLUGINS, 'agent-uuid', 'agent', 'agent-events', 'alert', 'kv'];
const [BARE, NAMED, OTHER] = [randomUUID(), randomUUID(), randomUUID()];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import of Beszel (${dialect})`);
  let app: TestApp;
  const report = async (uuid: string, host: string) => {
    const { system, ...rest } = staticReport({ uuid, time: app.clock.now() });
    const made = { ...rest, system: { ...system, system_host_name: host } };
    await app.call('agent_report_static', [app.superToken, made]);
  };
  const machineOf = async (system: string): Promise<unknown> => {
    const file = { name: `${system}.db`, base64: database(beszel(system)).toString('base64') };
    const { source } = await call(app, 'monitor_import_apply', { file });
    const rules: any[] = await call(app, 'alert_rule_list');
    const found = rules.filter(({ shipped, name }) => shipped === null && /^CPU/.test(name));
    await call(app, 'monitor_import_undo', { source });
    return found[0]?.scope.agents;
  };
  test.before(async () => {
    app = await boot(dialect, {}, ALL);
    await report(BARE, 'vm');
    await report(NAMED, 'host-of-named');
    await report(OTHER, 'web');
    for (const [uuid, name] of [
      [NAMED, 'web'],
      [OTHER, 'db'],
    ]) {
      await call(app, 'kv_create', { namespace: uuid });
      await call(app, 'kv_set_value', { namespace: uuid, key: 'metadata_name', value: name });
    }
  });
  test.after(() => app.stop());

  test('a machine without a name of its own is found by its host name', async () => {
    assert.equal(await machineOf('vm'), [BARE]);
  });

  test('a name that somebody set wins over the host name of another machine, and replaces its own', async () => {
    assert.equal(await machineOf('web'), [NAMED]);
    assert.equal(await machineOf('db'), [OTHER]);
    assert.is(await machineOf('host-of-named'), undefined);
  });

  test.run();
}
