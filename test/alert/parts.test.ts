// Alerts on parts of machines, from full reports to their end (plugins/alert/src/evaluate/judging.ts, presence/ends.ts).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { dynamicReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const SECOND = 1_000;
const RULE = 'Full disk';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: parts (${dialect})`);
  let app: TestApp;
  let rule_id: number;
  const call = (method: string, params: object = {}) =>
    app.call(method, { token: app.superToken, ...params });
  const disk = (mount_point: string, available_space = 1) => ({
    ...dynamicReport().disk[0],
    ...{ mount_point, available_space, total_space: 1_000, used_space: undefined },
    ...{ is_removable: false, is_read_only: false, file_system: 'ext4' },
  });
  const step = async (uuid: string, disks: object[]) => {
    const time = app.clock.now();
    await report(app, uuid);
    const full = dynamicReport({ uuid, time, disk: disks });
    await app.call('agent_report_dynamic', [app.superToken, full]);
    // Threads of the database take real time.
    await new Promise((resolve) => setTimeout(resolve, 10));
    await app.clock.advance(6 * SECOND);
  };
  const rowsOf = async (uuid: string) =>
    (await app.sql(
      `select part, state from alert where subject_id = '${uuid}' and rule_id = ${rule_id} and state > 0 order by part`,
    )) as { part: string; state: number }[];
  const goes = async (uuid: string, disks: object[], holds: () => Promise<boolean>) => {
    for (let n = 0; n < 250; n++) {
      if (await holds()) return n;
      await step(uuid, disks);
    }
    throw new Error('it never came');
  };
  const insert = (uuid: string, part: string, state: number) => {
    const opened = state > 1 ? app.clock.now() : null;
    return app.sql(`insert into alert
      (rule_id, subject_kind, subject_id, part, state, since, opened_at, true_ms, false_ms, detail, version, episode, flaps, updated_at)
      values (${rule_id}, 'agent', '${uuid}', '${part}', ${state}, 0, ${opened}, 0, 0, '{}', 1, ${state > 1 ? 1 : 0}, '[]', ${app.clock.now()})`);
  };

  test.before(async () => {
    app = await bootForTest(PLUGINS, { alert: { grace_s: 0 } }, { dialect, clock: true });
    const condition = 'disk.used_percent > 95';
    const rule = { name: RULE, source: 'part', scope: { all: true }, condition };
    await call('alert_rule_create', { rule });
    const [row] = await app.sql(`select id from alert_rule where name = '${RULE}'`);
    rule_id = Number(row?.['id']);
  });
  test.after(() => app.stop());

  test('a disk that is gone ends its alert after 15 minutes, whichever server opened it; one that stays does not', async () => {
    const A = randomUUID();
    const both = [disk('/'), disk('/backup')];
    await goes(A, both, async () => (await rowsOf(A)).length === 2);
    await insert(A, '/elsewhere', 2);
    const rounds = await goes(A, [disk('/')], async () => (await rowsOf(A)).length === 1);
    assert.ok(rounds >= 145, `${rounds}`);
    assert.equal(
      (await rowsOf(A)).map(({ part }) => part),
      ['/'],
    );
    const events = await call('alert_history', { agents: [A], rule: RULE });
    const ends = events.filter(({ kind }: any) => kind === 'expired');
    assert.equal(ends.map(({ part }: any) => part).toSorted(), ['/backup', '/elsewhere']);
    assert.ok(ends.every(({ detail }: any) => detail.note === 'is no longer there'));
    await goes(A, both, async () => (await rowsOf(A)).length === 2);
  });

  test('a hold of a machine that does not report any more is given up', async () => {
    const [A, silent] = [randomUUID(), randomUUID()];
    await step(silent, []);
    await insert(silent, '/', 1);
    await goes(A, [], async () => (await rowsOf(silent)).length === 0);
    const left = await app.sql(
      `select id from alert where subject_id = '${silent}' and part = '/'`,
    );
    assert.is(left.length, 0);
  });

  test('a hold of a rule that does not apply to the machine any more is given up', async () => {
    const [A, other] = [randomUUID(), randomUUID()];
    await step(A, []);
    await step(other, []);
    await insert(A, '/', 1);
    await call('alert_rule_update', { name: RULE, change: { scope: { agents: [other] } } });
    const rounds = await goes(other, [], async () => (await rowsOf(A)).length === 0);
    assert.ok(rounds <= 10, `${rounds}`);
  });

  test.run();
}
