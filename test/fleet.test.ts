/** Many agents that are new at the same moment, as after a roll-out or a fresh database. */
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { report } from './process/reports.ts';
import { suite } from './runner/suite.ts';

const fleet = 3000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`fleet (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', 'agent', 'agent-uuid'], {}, { dialect });
  });
  test.after(() => app?.stop());

  test(`${fleet} first reports at once are all stored, one agent each`, async () => {
    // One socket would hold most of them back: the kernel bounds the calls of a socket.
    const sockets = await Promise.all(Array.from({ length: 20 }, () => app.connect()));
    const outcomes = await Promise.allSettled(
      Array.from({ length: fleet }, (_, n) => {
        const uuid = randomUUID();
        const params = [app.superToken, report('summary', uuid, 1_781_000_000_000 + n)];
        return sockets[n % sockets.length]!.call('agent_report_dynamic_summary', params);
      }),
    );
    const failed = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(failed.slice(0, 3), [], `${failed.length} of ${fleet} failed`);
    const [{ agents }] = await app.sql('select count(*) as agents from monitoring_uuid');
    assert.is(Number(agents), fleet);
    const table = 'dynamic_monitoring_summary';
    const [{ reports }] = await app.sql(`select count(*) as reports from ${table}`);
    assert.is(Number(reports), fleet);
  });

  test.run();
}
