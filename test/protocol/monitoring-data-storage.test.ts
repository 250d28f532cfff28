// monitoring-data.md §7: tables and columns as other programs see them.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, dynamicReport, KINDS, PLUGINS, SUMMARY_FIELDS } from './agent-kit.ts';

const head = ['id', 'uuid_id', 'timestamp', 'storage_time'];
const columns: Record<string, string[]> = {
  // The last two are not in the chapter.
  monitoring_uuid: ['id', 'uuid', 'soft_delete', 'deleted_at', 'first_seen'],
  static_monitoring: [
    ...head,
    ...['cpu_data', 'system_data', 'gpu_data', 'data_hash'],
    // Not in the chapter: when the content was reported for the first time.
    ...['first_timestamp', 'first_storage_time'],
  ],
  dynamic_monitoring: [
    ...head,
    ...['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'].map((name) => `${name}_data`),
  ],
  dynamic_monitoring_summary: [...head, ...SUMMARY_FIELDS],
};

/** Beyond what 16 bits can hold. */
const FAR_ID = 70_000;
const FAR_AGENT = 'aaaaaaaa-7a35-4d0e-9c1b-52d3a8e0f411';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitoring data: storage (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const uuidLiteral = (uuid: string) =>
    dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;

  for (const [table, names] of Object.entries(columns)) {
    test(`${table} has the columns of the chapter`, async () => {
      const found =
        dialect === 'sqlite'
          ? await app.sql(`select name from pragma_table_info('${table}')`)
          : await app.sql(
              `select column_name as name from information_schema.columns where table_name = '${table}'`,
            );
      assert.equal(found.map(({ name }) => name).sort(), [...names].sort());
    });
  }

  test('queries by agent, by time and by storage time find an index', async () => {
    const wanted = ['uuid_id, timestamp', 'timestamp', 'storage_time'];
    for (const { table } of KINDS) {
      const indexes = (await indexesOf(app, table)).map((names) => names.join(', '));
      for (const leading of wanted) {
        assert.ok(
          indexes.some((names) => names.startsWith(leading)),
          `${table} has no index on ${leading}: ${indexes.join(' | ')}`,
        );
      }
    }
    const unique = 'uuid_id, data_hash';
    const statics = (await indexesOf(app, 'static_monitoring')).map((names) => names.join(', '));
    assert.ok(statics.includes(unique), statics.join(' | '));
  });

  test('agents beyond id 65535 keep their own data', async () => {
    const near = FAR_ID - 65_536;
    await app.sql(
      `insert into monitoring_uuid (id, uuid) values (${FAR_ID}, ${uuidLiteral(FAR_AGENT)}), (${near}, ${uuidLiteral(A)})`,
    );
    for (const { report, query, multiLast, make } of KINDS) {
      await call(report, make(FAR_AGENT, 1));
      await call(report, make(A, 2));
      const condition = [{ uuid: FAR_AGENT }];
      const rows = await call(query, { fields: [], condition });
      assert.equal(
        rows.map((row: any) => row.timestamp),
        [1],
      );
      const newest = await call(multiLast, [FAR_AGENT, A], []);
      assert.equal(
        newest.map((row: any) => row.timestamp),
        [1, 2],
      );
    }
  });

  test('rows of an id that the registry does not know come without uuid', async () => {
    await app.sql(
      'insert into dynamic_monitoring_summary (id, uuid_id, timestamp, cpu_usage) values (1000001, 4711, 99, 5)',
    );
    const condition = [{ timestamp_from_to: [99, 99] }];
    const rows = await call('agent_query_dynamic_summary', { fields: ['cpu_usage'], condition });
    assert.equal(rows, [{ timestamp: 99, cpu_usage: 0.5 }]);
  });

  test('a row without storage_time matches no storage_time condition', async () => {
    const conditions = [
      { storage_time_from: 0 },
      { storage_time_to: 1e15 },
      { storage_time_from_to: [0, 1e15] },
    ];
    for (const condition of conditions) {
      const both = [{ timestamp_from_to: [99, 99] }, condition];
      const rows = await call('agent_query_dynamic_summary', { fields: [], condition: both });
      assert.equal(rows, []);
      const { deleted } = await call('agent_delete_dynamic_summary', both);
      assert.is(deleted, 0);
    }
  });

  test('stored JSON is what was reported', async () => {
    await call('agent_report_dynamic', dynamicReport({ time: 12345 }));
    const [row] = await app.sql('select * from dynamic_monitoring where timestamp = 12345');
    for (const name of ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu']) {
      const value = row[`${name}_data`];
      const parsed = typeof value === 'string' ? JSON.parse(value) : value;
      assert.equal(parsed, dynamicReport()[name], name);
    }
  });

  test.run();
}

/** Columns of each index of a table, the primary key included. */
async function indexesOf(app: TestApp, table: string): Promise<string[][]> {
  if (app.dialect === 'sqlite') {
    const names = await app.sql(`select name from pragma_index_list('${table}')`);
    return Promise.all(
      names.map(async ({ name }) => {
        const found = await app.sql(`select name from pragma_index_info('${name}') order by seqno`);
        return found.map((column) => column.name);
      }),
    );
  }
  const found = await app.sql(`select indexdef from pg_indexes where tablename = '${table}'`);
  return found.map(({ indexdef }) =>
    /\((.*)\)$/.exec(indexdef)![1]!.replaceAll('"', '').split(', '),
  );
}
