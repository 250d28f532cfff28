// Lists of many alerts: rights are looked at before anything is left out, and a short answer is a short work.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const MANY = 14_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: many alerts (${dialect})`);
  const [A, other] = [randomUUID(), randomUUID()];
  let app: TestApp;
  let reader: string;
  const call = (method: string, params: object = {}, token = app.superToken) =>
    app.call(method, { token, ...params });

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    for (const uuid of [A, other]) await report(app, uuid);
    const limit = { scopes: [{ agent_uuid: A }], permissions: [{ alert: 'read' }] };
    reader = await app.token([limit]);
    const now = app.clock.now();
    const numbers = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${MANY})`;
    const row = `1, 'agent', case when i = 0 then '${A}' else '${other}' end, 'p' || i`;
    // The oldest one is that of A.
    const at = `${now - 60_000 - MANY} + i`;
    await app.sql(`insert into alert (rule_id, subject_kind, subject_id, part, state, since, opened_at,
      true_ms, false_ms, value, detail, version, episode, flaps, updated_at)
      ${numbers} select ${row}, 2, ${at}, ${at}, 0, 0, 1, '{}', 1, 1, '[]', ${at} from n`);
    await app.sql(`insert into alert_event (alert_id, rule_id, subject_kind, subject_id, part, episode, at, kind, detail)
      ${numbers} select i + 1, ${row}, 1, ${at}, case when i % 2 = 0 then 'opened' else 'closed' end, '{}' from n`);
  });
  test.after(() => app.stop());

  test('who has rights on one machine sees its alerts and history, though they are older than all others', async () => {
    const { alerts, counts } = await call('alert_list', {}, reader);
    assert.equal(
      alerts.map(({ subject }: any) => subject.id),
      [A],
    );
    assert.is(counts.critical + counts.warning + counts.info, 1);
    const history = await call('alert_history', {}, reader);
    assert.equal(
      history.map(({ subject }: any) => subject.id),
      [A],
    );
    assert.equal(
      await call('alert_list', { agents: [other] }, reader).then((one) => one.alerts),
      [],
    );
    assert.equal(await call('alert_history', { agents: [other] }, reader), []);
  });

  test('counts are those of all open alerts, and the newest are shown', async () => {
    const { alerts, counts, last_closed_at } = await call('alert_list', { limit: 2 });
    assert.equal(
      alerts.map(({ part }: any) => part),
      [`p${MANY}`, `p${MANY - 1}`],
    );
    assert.is(counts.critical + counts.warning + counts.info, MANY + 1);
    assert.is(last_closed_at, alerts[1].opened_at);
    assert.is((await call('alert_list')).alerts.length, 10_000);
  });

  test('history goes on from slice to slice without a gap', async () => {
    const history = await call('alert_history', { limit: 3_500 });
    assert.equal(
      history.map(({ part }: any) => part),
      Array.from({ length: 3_500 }, (_, at) => `p${MANY - at}`),
    );
    const earlier = await call('alert_history', { to: history.at(-1).at, limit: 1 });
    assert.is(earlier[0].part, `p${MANY - 3_500}`);
  });

  test.run();
}
