// agent-uuid.md §4, §6: the cap on agents, the hold-off after a deletion, rows of others.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, C, failure, KINDS, PLUGINS, summaryReport } from './agent-kit.ts';

const LIST = 'agent-uuid_list_all';
const HOLD_OFF_MS = 60_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent-uuid: settings (${dialect})`);
  let app: TestApp;

  const start = async (config: Record<string, unknown>, clock = false) => {
    app = await bootForTest(PLUGINS, { 'agent-uuid': config }, { dialect, clock });
  };
  test.after.each(() => app.stop());

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const report = (uuid: string, time = 1) =>
    call('agent_report_dynamic_summary', summaryReport({ uuid, time }));
  const key = (uuid: string) =>
    dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;

  test('max_agents refuses new agents beyond it, and nothing else', async () => {
    await start({ max_agents: 2 });
    await report(A);
    await report(B);
    const { code, message } = await failure(report(C));
    assert.is(code, 102);
    assert.match(message, /^Permission denied: .*max_agents/);
    await report(A, 2);
    assert.equal(await call(LIST), [A, B]);
    await call('agent-uuid_delete', A);
    await report(C);
    assert.equal(await call(LIST), [B, C]);
    assert.is((await failure(report(A))).code, 102, 'a deleted agent needs a free place, too');
    await call('agent-uuid_delete', C);
    await report(A);
    assert.equal(await call(LIST), [A, B]);
    const rows = await app.sql('select id from monitoring_uuid');
    assert.is(rows.length, 3);
  });

  test('max_agents holds for first reports at the same time', async () => {
    await start({ max_agents: 3 });
    const uuids = Array.from({ length: 12 }, (_none, index) =>
      A.replace('0b6f', `00${index + 10}`),
    );
    const outcomes = await Promise.allSettled(uuids.map((uuid) => report(uuid)));
    assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
    assert.is((await call(LIST)).length, 3);
  });

  test('hold-off: reports of a deleted agent are answered, not stored, and do not bring it back', async () => {
    await start({ deletion_hold_off_ms: HOLD_OFF_MS }, true);
    for (const { report: method, make } of KINDS) await call(method, make(A, 1));
    await call('agent-uuid_delete', A);
    const held = async (time: number) => {
      for (const { report: method, make } of KINDS) {
        assert.equal(await call(method, make(A, time)), { status: 'buffered' });
      }
      assert.equal(await call(LIST), []);
      for (const { multiLast, query } of KINDS) {
        const rows = await call(query, { fields: [], condition: [{ uuid: A }] });
        const newest = await call(multiLast, [A], []);
        assert.equal(
          [...rows, ...newest].map((row: any) => row.timestamp),
          [1, 1],
        );
      }
    };
    await held(2);
    await app.restart();
    await held(3);
    await app.clock.advance(HOLD_OFF_MS - 1);
    await held(4);
    await app.clock.advance(1);
    await report(A, 5);
    assert.equal(await call(LIST), [A]);
  });

  test('hold-off is of the deleted agent only, and off by default', async () => {
    await start({ deletion_hold_off_ms: HOLD_OFF_MS }, true);
    await report(A);
    await call('agent-uuid_delete', A);
    await report(B);
    assert.equal(await call(LIST), [B]);
    await app.stop();
    await start({});
    await report(A);
    await call('agent-uuid_delete', A);
    await report(A, 2);
    assert.equal(await call(LIST), [A]);
  });

  test('a row that another program inserted is found by its UUID, and listed after a reload', async () => {
    await start({});
    await app.sql(`insert into monitoring_uuid (uuid) values (${key(A)}), (${key(B)})`);
    const condition = [{ uuid: A }];
    assert.equal(await call('agent_query_dynamic', { fields: [], condition }), []);
    assert.equal(await call(LIST), [A]);
    assert.equal(await call('agent-uuid_delete', B), {
      success: true,
      message: 'Agent UUID soft-deleted',
    });
    await app.reload();
    assert.equal(await call('agent-uuid_list_all_with_agent_mode'), [
      { uuid: A, soft_delete: false },
      { uuid: B, soft_delete: true },
    ]);
    await report(B);
    assert.equal(await call(LIST), [A, B]);
    const rows = await app.sql('select id from monitoring_uuid');
    assert.is(rows.length, 2);
  });

  test('a row that another program removed is forgotten by a reload', async () => {
    await start({});
    await report(A);
    await app.sql('delete from monitoring_uuid');
    assert.equal(await call(LIST), [A]);
    await app.reload();
    assert.equal(await call(LIST), []);
    await report(A);
    assert.equal(await call(LIST), [A]);
  });

  for (const [name, config] of [
    ['a negative cap', { max_agents: -1 }],
    ['a fraction', { max_agents: 1.5 }],
    ['a negative hold-off', { deletion_hold_off_ms: -1 }],
  ] as const) {
    test(`${name} stops the start and names the key`, async () => {
      await start({});
      const { message } = await bootForTest(PLUGINS, { 'agent-uuid': config }, { dialect }).then(
        async (started) => {
          await started.stop();
          throw new Error('started');
        },
        (error: Error) => error,
      );
      assert.match(message, Object.keys(config)[0] as string);
    });
  }

  test.run();
}
