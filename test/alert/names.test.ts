// Names in the history that need a right of their own, and counts of what a caller may not read.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { opened, PLUGINS } from './settings-kit.ts';

const A = '0b6f1c52-7a35-4d0e-9c1b-00000000a1a1';
const B = '0b6f1c52-7a35-4d0e-9c1b-00000000b2b2';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: names in the history (${dialect})`);
  let app: TestApp;
  let reader: string;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    reader = await app.token([{ scopes: [{ agent_uuid: A }], permissions: [{ alert: 'read' }] }]);
  });
  test.after(() => app?.stop());
  const call = (token: string, method: string, params: object): Promise<any> =>
    app.call(method, { token, ...params });
  const silenceOf = (agents: string[] | undefined) =>
    call(app.superToken, 'alert_silence_create', {
      silence: {
        scope: agents ? { agents } : { severity: 'critical' },
        reason: 'secret works',
        ends_at: app.clock.now() + 3_600_000,
      },
    });
  /** Adds a row of history with these facts to an alert. */
  const happened = async (id: number, kind: string, detail: object) => {
    const facts = JSON.stringify(detail);
    await app.sql(
      `insert into alert_event (alert_id, rule_id, subject_kind, subject_id, part, episode, at, kind, detail)
        select id, rule_id, subject_kind, subject_id, part, episode, 1, '${kind}', '${facts}'
        from alert where id = ${id}`,
    );
  };

  test('what suppressed an alert is named to those who may know of it', async () => {
    const { id } = await opened(app, A);
    const everywhere = await silenceOf(undefined);
    const own = await silenceOf([A]);
    for (const [key, name] of [
      [`machine:${B}`, 'router B'],
      [`machine:${A}`, 'machine A'],
      [`silence:${everywhere.id}`, 'secret works'],
      [`silence:${own.id}`, 'own works'],
      ['quiet', 'secret policy'],
      [undefined, 'of an earlier version'],
    ])
      await happened(id, 'suppressed', { by: 'x', name, ...(key && { key }) });
    const namesOf = (events: any[]) =>
      events
        .filter(({ kind }) => kind === 'suppressed')
        .map(({ detail }) => {
          assert.not('key' in detail);
          return detail.name;
        })
        .toSorted();
    const shown = ['', '', '', '', 'machine A', 'own works'];
    assert.equal(namesOf((await call(reader, 'alert_get', { id })).events), shown);
    assert.equal(namesOf(await call(reader, 'alert_history', {})), shown);
    const all = namesOf((await call(app.superToken, 'alert_get', { id })).events);
    assert.equal(all.filter((name: string) => name === '').length, 1);
  });

  test('a channel that got nothing is named to those who may read it', async () => {
    const { id } = await opened(app, A);
    await happened(id, 'reminded', { withheld: ['secret channel'] });
    const withheld = async (token: string) =>
      (await call(token, 'alert_get', { id })).events.find(({ kind }: any) => kind === 'reminded')
        .detail.withheld;
    assert.equal(await withheld(reader), ['another channel']);
    assert.equal(await withheld(app.superToken), ['secret channel']);
  });

  test('an alert counts below it what the caller may read', async () => {
    const gateway = await opened(app, A);
    const [row] = await app.sql(`select rule_id from alert where id = ${gateway.id}`);
    const key = `rule:${row.rule_id}:${JSON.stringify(['agent', A, ''])}`;
    const [ofA, ofB] = [await opened(app, A), await opened(app, B)];
    await app.sql(`update alert set suppressed_by = '${key}' where id in (${ofA.id}, ${ofB.id})`);
    await call(app.superToken, 'alert_policy_set', { policy: { name: 'touch', steps: [] } });
    const below = async (token: string) =>
      (await call(token, 'alert_get', { id: gateway.id })).alert.below;
    assert.equal([await below(app.superToken), await below(reader)], [2, 1]);
  });

  test('a policy repeats never, or after a minute at least', async () => {
    const set = (critical: number) =>
      call(app.superToken, 'alert_policy_set', {
        policy: { name: 'often', steps: [], repeat_s: { critical } },
      });
    for (const seconds of [0, 60]) await set(seconds);
    for (const seconds of [1, 59]) {
      const error: any = await set(seconds).then(
        () => undefined,
        (refused: unknown) => refused,
      );
      assert.match(error?.message ?? '', /repeat_s must be 0 \(never\) or at least 60/);
    }
  });

  test.run();
}
