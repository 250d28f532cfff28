// agent.md §6.2, §9.1: the newest value of several agents.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, C, failure, KINDS, PLUGINS, summaryReport, UNKNOWN } from './agent-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: multi-last (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { remove, report, make } of KINDS) {
      for (const uuid of [A, B, C]) await call(report, make(uuid, 1));
      await call(remove, []);
    }
  });

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const times = (rows: any[]) => rows.map((row) => [row.uuid, row.timestamp]);

  for (const { kind, report, query, multiLast, remove, fields, make } of KINDS) {
    const newest = (uuids: unknown[], names: unknown[] = []) => call(multiLast, uuids, names);

    test(`${kind}: in the order of the request, agents without data left out`, async () => {
      await call(report, make(A, 10));
      await call(report, make(C, 30));
      assert.equal(times(await newest([C, B, A])), [
        [C, 30],
        [A, 10],
      ]);
      assert.equal(times(await newest([A, B, C])), [
        [A, 10],
        [C, 30],
      ]);
      assert.equal(await newest([B]), []);
    });

    test(`${kind}: one agent in several spellings is one agent`, async () => {
      await call(report, make(A, 10));
      await call(report, make(B, 20));
      const uuids = [A.toUpperCase(), B, A, `urn:uuid:${B}`, A.replaceAll('-', '')];
      assert.equal(times(await newest(uuids)), [
        [A, 10],
        [B, 20],
      ]);
    });

    test(`${kind}: a list that comes again is answered with what is there now`, async () => {
      await call(report, make(A, 10));
      await call(report, make(C, 30));
      const all = await newest([A, B, C]);
      assert.equal(await newest([A, B, C]), all);
      await call(report, make(B, 20));
      assert.equal(times(await newest([A, B, C])), [
        [A, 10],
        [B, 20],
        [C, 30],
      ]);
      assert.equal(times(await newest([A, A, C])), [
        [A, 10],
        [C, 30],
      ]);
      const [field = ''] = fields;
      const narrow = await newest([A, B, C], [field]);
      assert.equal(Object.keys(narrow[0]), ['uuid', 'timestamp', field]);
      await call(remove, [{ uuid: A }]);
      assert.equal(times(await newest([A, B, C], [field])), [
        [B, 20],
        [C, 30],
      ]);
    });

    test(`${kind}: the greatest timestamp wins, of equal ones the latest arrival`, async () => {
      for (const time of [20, 30, 10]) await call(report, make(A, time));
      assert.equal(times(await newest([A])), [[A, 30]]);
      await call(report, make(A, 25));
      assert.equal(times(await newest([A])), [[A, 30]], 'a late report does not replace it');
      await call(report, make(A, 40));
      assert.equal(times(await newest([A])), [[A, 40]]);
    });

    test(`${kind}: the same object as a query with last, for every field and none`, async () => {
      await call(report, make(A, 10));
      for (const names of [
        [],
        [...fields],
        [fields[0]],
        [fields[1], fields[0], fields[1]],
        [{ [fields[0]]: null }],
      ]) {
        const rows = await call(query, { fields: names, condition: [{ uuid: A }, 'last'] });
        assert.equal(await newest([A], names), rows, JSON.stringify(names));
        await app.restart();
        assert.equal(await newest([A], names), rows, 'read from the database');
      }
    });

    test(`${kind}: an unknown agent fails the whole call with 105`, async () => {
      await call(report, make(A, 10));
      const { code, message, data } = await failure(newest([A, UNKNOWN]));
      assert.equal(
        [code, message],
        [105, `Not found in database: Agent UUID not found in monitoring registry: ${UNKNOWN}`],
      );
      assert.equal(JSON.parse(data), { error_id: code, error_message: message });
    });

    test(`${kind}: an agent whose row another program inserted is known`, async () => {
      const uuid = `aaaaaaaa-0000-4000-8000-${kind.padEnd(12, '0').replace(/[^0-9a-f]/g, 'c')}`;
      const key = dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;
      await app.sql(`insert into monitoring_uuid (uuid) values (${key})`);
      assert.equal(await newest([uuid]), []);
    });

    test(`${kind}: a soft-deleted agent still has its last value`, async () => {
      await call(report, make(A, 10));
      assert.equal(times(await newest([A])), [[A, 10]]);
      await call('agent-uuid_delete', A);
      assert.equal(times(await newest([A])), [[A, 10]]);
      await call(report, make(A, 11));
    });

    test(`${kind}: a delete is seen at once`, async () => {
      for (const time of [10, 20, 30]) await call(report, make(A, time));
      await call(report, make(B, 5));
      await newest([A, B]);
      await call(remove, [{ uuid: A }, 'last']);
      assert.equal(times(await newest([A, B])), [
        [A, 20],
        [B, 5],
      ]);
      await call(remove, [{ timestamp_from: 15 }]);
      assert.equal(times(await newest([A, B])), [
        [A, 10],
        [B, 5],
      ]);
      await call(remove, [{ timestamp_to: 7 }]);
      assert.equal(times(await newest([A, B])), [[A, 10]]);
      await call(remove, []);
      assert.equal(await newest([A, B]), []);
      await call(report, make(A, 3));
      assert.equal(times(await newest([A, B])), [[A, 3]]);
    });

    test(`${kind}: reports, deletes and reads at the same time end in what the table holds`, async () => {
      const work: Promise<unknown>[] = [];
      for (let time = 100; time < 160; time++) {
        work.push(call(report, make(A, time)));
        if (time % 3 === 0) work.push(newest([A, B]));
        if (time % 7 === 0) work.push(call(remove, [{ uuid: A }, { limit: 3 }]));
      }
      await Promise.all(work);
      const rows = await call(query, { fields: [], condition: [{ uuid: A }, 'last'] });
      assert.equal(times(await newest([A])), times(rows));
    });
  }

  test('more agents than one statement takes, read from the database', async () => {
    const uuids = Array.from(
      { length: 700 },
      (_none, index) => `55555555-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    );
    const report = (uuid: string, index: number) =>
      call('agent_report_dynamic_summary', summaryReport({ uuid, time: index, uptime: index }));
    for (let at = 0; at < uuids.length; at += 50) {
      await Promise.all(uuids.slice(at, at + 50).map((uuid, index) => report(uuid, at + index)));
    }
    await app.restart();
    const asked = [...uuids].reverse();
    const rows = await call('agent_dynamic_summary_multi_last_query', asked, ['uptime']);
    const expected = asked.map((uuid, index) => {
      const value = uuids.length - 1 - index;
      return { uuid, timestamp: value, uptime: value };
    });
    assert.equal(rows, expected);
  });

  test('alternating lists of fields give their own fields each time', async () => {
    await call('agent_report_dynamic_summary', summaryReport({ time: 10 }));
    const newest = (names: string[]) =>
      call('agent_dynamic_summary_multi_last_query', [A], names).then(
        ([row]) => Object.keys(row).length,
      );
    for (let round = 0; round < 2; round++) {
      assert.is(await newest(['cpu_usage']), 3);
      assert.is(await newest([]), 25);
      assert.is(await newest(['uptime', 'cpu_usage']), 4);
      assert.is(await newest([...KINDS[2].fields]), 25);
    }
  });

  test('by name and by position, both spellings, malformed lists', async () => {
    const method = 'agent_static_data_multi_last_query';
    const token = app.superToken;
    assert.equal(await app.call(method, { token, uuids: [A], fields: [], more: 1 }), []);
    assert.equal(await app.call(method, [token, [A], [], 'surplus']), []);
    const bad = [
      [token],
      [token, [A]],
      [token, A, []],
      [token, [A], null],
      [token, ['x'], []],
      [token, [null], []],
      [token, [A], ['ram']],
    ];
    for (const params of bad) {
      assert.is((await failure(app.call(method, params))).code, -32602, JSON.stringify(params));
    }
  });

  test.run();
}
