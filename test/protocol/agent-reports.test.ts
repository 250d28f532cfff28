// agent.md §1.1, §5, §8: reports.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  A,
  B,
  dynamicReport,
  failure,
  KINDS,
  PLUGINS,
  staticReport,
  summaryReport,
} from './agent-kit.ts';

const BUFFERED = { status: 'buffered' };

/** A configuration of the buffer, and the key that the error names. */
// biome-ignore format: one case per line
const badBuffers: [name: string, buffer: Record<string, unknown>, key: string][] = [
  ['flush_interval_ms 0', { flush_interval_ms: 0 }, 'flush_interval_ms'],
  ['max_batch_size 0', { max_batch_size: 0 }, 'max_batch_size'],
  ['channel_capacity 0', { channel_capacity: 0 }, 'channel_capacity'],
  ['a negative capacity', { channel_capacity: -1 }, 'channel_capacity'],
  ['a fraction', { max_batch_size: 1.5 }, 'max_batch_size'],
  ['a text', { flush_interval_ms: '500' }, 'flush_interval_ms'],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: reports (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    // The ring holds the commits, and not the calls beside them.
    const logging = { memory_log_filter: 'warn,db=debug' };
    app = await bootForTest(PLUGINS, { logging }, { dialect });
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { remove } of KINDS) await app.call(remove, [app.superToken, []]);
  });

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const count = async (table: string) => {
    const [row] = await app.sql(`select count(*) as n from ${table}`);
    return Number(row.n);
  };

  for (const { kind, report, reportParam, query, multiLast, table, make } of KINDS) {
    test(`${kind}: stored when answered, and the latest at once`, async () => {
      assert.equal(await call(report, make(A, 1)), BUFFERED);
      assert.is(await count(table), 1);
      const rows = await call(query, { fields: [], condition: [{ uuid: A }] });
      const newest = await call(multiLast, [A], []);
      assert.equal([rows[0].timestamp, newest[0].timestamp], [1, 1]);
    });

    test(`${kind}: by position, by name, in lowerCamelCase; surplus is ignored`, async () => {
      const camel = reportParam.replace(/_(.)/g, (_all, letter) => letter.toUpperCase());
      const token = app.superToken;
      assert.equal(await app.call(report, [token, make(A, 1), 'surplus', {}]), BUFFERED);
      const named = { token, [reportParam]: make(A, 2), unknown: 1 };
      assert.equal(await app.call(report, named), BUFFERED);
      assert.equal(await app.call(report, { token, [camel]: make(A, 3) }), BUFFERED);
      assert.is(await count(table), 3);
    });

    test(`${kind}: missing, null and double parameters are -32602`, async () => {
      const token = app.superToken;
      const camel = reportParam.replace(/_(.)/g, (_all, letter) => letter.toUpperCase());
      const bad: unknown[] = [
        [],
        [token],
        [token, null],
        [token, [make(A, 1)]],
        [null, make(A, 1)],
        { token },
        { [reportParam]: make(A, 1) },
        'text',
      ];
      if (camel !== reportParam)
        bad.push({ token, [reportParam]: make(A, 1), [camel]: make(A, 1) });
      for (const params of bad) {
        const { code, message, data } = await failure(app.call(report, params));
        assert.equal([code, message, typeof data], [-32602, 'Invalid params', 'string']);
      }
      assert.is(await count(table), 0);
    });

    test(`${kind}: a notification is not executed`, async () => {
      const socket = await app.connect();
      const params = [app.superToken, make(A, 1)];
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: report, params }));
      await socket.call('agent-uuid_list_all', [app.superToken]);
      assert.is(await count(table), 0);
      socket.close();
    });

    test(`${kind}: a row that cannot be stored is 103 and leaves the latest value alone`, async () => {
      await call(report, make(A, 1));
      await call(multiLast, [A], []);
      await app.sql(`alter table ${table} rename to away`);
      try {
        const { code, message, data } = await failure(call(report, make(A, 2)));
        assert.is(code, 103);
        assert.match(message, /^Database error: /);
        assert.is(data, undefined);
      } finally {
        await app.sql(`alter table away rename to ${table}`);
      }
      const newest = await call(multiLast, [A], []);
      assert.equal(
        newest.map((row: any) => row.timestamp),
        [1],
      );
      assert.equal(await call(report, make(A, 3)), BUFFERED);
      assert.is(await count(table), 2);
    });
  }

  test('equal ids in flight are answered one by one', async () => {
    const socket = await app.connect();
    const params = (time: number) => [app.superToken, summaryReport({ time })];
    const method = 'agent_report_dynamic_summary';
    for (let time = 1; time <= 20; time++) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params(time) }));
    }
    for (let time = 1; time <= 20; time++) {
      assert.equal(await socket.next(), { jsonrpc: '2.0', id: 1, result: BUFFERED });
    }
    assert.is(await count('dynamic_monitoring_summary'), 20);
    socket.close();
  });

  test('simultaneous first reports of a new agent all succeed, and register it once', async () => {
    const uuid = '12121212-7a35-4d0e-9c1b-52d3a8e0f411';
    const spellings = [uuid, uuid.toUpperCase(), uuid.replaceAll('-', '')];
    const answers = await Promise.all(
      spellings.flatMap((spelling) =>
        KINDS.flatMap(({ report, make }) =>
          [1, 2, 3].map((time) => call(report, { ...make(uuid, time), uuid: spelling })),
        ),
      ),
    );
    assert.is(answers.filter(({ status }) => status === 'buffered').length, 21);
    const listed = await call('agent-uuid_list_all');
    assert.is(listed.filter((one: string) => one === uuid).length, 1);
    assert.is(await count('dynamic_monitoring_summary'), 9);
    assert.is(await count('static_monitoring'), 3);
  });

  test('a batch stores each report', async () => {
    const entries = [1, 2, 3].map((time) => ({
      jsonrpc: '2.0',
      id: time,
      method: 'agent_report_dynamic_summary',
      params: [app.superToken, summaryReport({ time })],
    }));
    const answers = await app.rpc(entries);
    assert.equal(
      answers,
      [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: BUFFERED })),
    );
    assert.is(await count('dynamic_monitoring_summary'), 3);
  });

  const entry = (id: number, method: string, ...params: unknown[]) => ({
    ...{ jsonrpc: '2.0', id, method },
    params: [app.superToken, ...params],
  });
  const commits = () =>
    app.records().flatMap(({ message, fields }) => (message === 'rows stored' ? [fields] : []));

  test('reports of one array share commits, and are answered in its order', async () => {
    await call('agent_report_dynamic_summary', summaryReport({ time: 0 }));
    const before = commits().length;
    const entries = Array.from({ length: 1_000 }, (_, id) =>
      id % 2 === 0
        ? entry(id, 'agent_report_dynamic_summary', summaryReport({ time: id }))
        : entry(id, 'agent_report_dynamic', dynamicReport({ uuid: A, time: id })),
    );
    const answers = await app.rpc(entries);
    assert.equal(
      answers,
      entries.map(({ id }) => ({ jsonrpc: '2.0', id, result: BUFFERED })),
    );
    assert.is(await count('dynamic_monitoring_summary'), 501);
    assert.is(await count('dynamic_monitoring'), 500);
    const shared = commits().slice(before);
    assert.ok(shared.length <= 1_000 / 32, `${shared.length} commits`);
    const together = shared.filter((fields) => String(fields?.['table']).includes(', '));
    assert.ok(together.length > 0, 'both kinds are in one commit');
  });

  test('rows of equal time that come in one array are in its order, first reports of a new agent too', async () => {
    const uuid = '34343434-7a35-4d0e-9c1b-52d3a8e0f411';
    const entries = Array.from({ length: 20 }, (_, id) =>
      entry(id, 'agent_report_dynamic_summary', summaryReport({ uuid, time: 7, uptime: id })),
    );
    await app.rpc(entries);
    const condition = [{ uuid }, { limit: 20 }];
    const rows = await call('agent_query_dynamic_summary', { fields: ['uptime'], condition });
    assert.equal(
      rows.map(({ uptime }: any) => uptime),
      entries.map(({ id }) => id).reverse(),
    );
  });

  test('an entry that is no report waits for the reports before it; a static report does not', async () => {
    const condition = [{ uuid: A }];
    const entries = [1, 2, 3].flatMap((time) => [
      entry(3 * time, 'agent_report_dynamic_summary', summaryReport({ time })),
      entry(3 * time + 1, 'agent_report_static', staticReport({ uuid: A, time })),
      entry(3 * time + 2, 'agent_query_dynamic_summary', { fields: ['uptime'], condition }),
    ]);
    const answers = (await app.rpc(entries)) as any[];
    assert.equal(
      answers.map(({ id, result }) => [id, Array.isArray(result) ? result.length : result.status]),
      [
        [3, 'buffered'],
        [4, 'buffered'],
        [5, 1],
        [6, 'buffered'],
        [7, 'skipped'],
        [8, 2],
        [9, 'buffered'],
        [10, 'skipped'],
        [11, 3],
      ],
    );
  });

  test('a report of an array that is refused is told in its place and costs no other one', async () => {
    const answers = (await app.rpc([
      entry(1, 'agent_report_dynamic_summary', summaryReport({ time: 1 })),
      entry(2, 'agent_report_dynamic_summary', { uuid: A }),
      { ...entry(3, 'agent_report_dynamic_summary'), params: ['wrong', summaryReport()] },
      entry(4, 'agent_report_dynamic_summary', summaryReport({ time: 2 })),
      7,
      { jsonrpc: '2.0', method: 'agent_report_dynamic_summary', params: [] },
      entry(5, 'no_such_method'),
    ])) as any[];
    assert.equal(
      answers.map(({ id, result, error }) => [id, result?.status ?? error.code]),
      [
        [1, 'buffered'],
        [2, -32602],
        [3, 101],
        [4, 'buffered'],
        [null, -32600],
        [5, -32601],
      ],
    );
    assert.is(await count('dynamic_monitoring_summary'), 2);
  });

  test('one report that cannot be stored costs no other one', async () => {
    const before = await count('dynamic_monitoring_summary');
    const good = (time: number) => call('agent_report_dynamic_summary', summaryReport({ time }));
    const bad = () =>
      failure(call('agent_report_dynamic_summary', { ...summaryReport(), time: -1 }));
    await Promise.all([1, 2, 3, 4].flatMap((time) => [good(time), bad()]));
    assert.is(await count('dynamic_monitoring_summary'), before + 4);
  });

  test('what was answered is there after a restart, the latest value too', async () => {
    for (const { report, make } of KINDS) {
      for (const time of [5, 9, 7]) await call(report, make(A, time));
      await call(report, make(B, 4));
    }
    await app.restart();
    for (const { table, multiLast } of KINDS) {
      assert.is(await count(table), 4);
      const newest = await call(multiLast, [B, A], []);
      assert.equal(
        newest.map((row: any) => [row.uuid, row.timestamp]),
        [
          [B, 4],
          [A, 9],
        ],
      );
    }
  });

  test('a reload of the configuration loses no report and keeps the latest values', async () => {
    await call('agent_report_dynamic_summary', summaryReport({ time: 1 }));
    await call('agent_dynamic_summary_multi_last_query', [A], []);
    const reports = [2, 3, 4, 5].map((time) =>
      call('agent_report_dynamic_summary', summaryReport({ time })),
    );
    await app.reload();
    const answers = await Promise.allSettled(reports);
    const stored = answers.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(await call('agent_report_dynamic_summary', summaryReport({ time: 6 })), BUFFERED);
    assert.is(await count('dynamic_monitoring_summary'), stored + 2);
    const [newest] = await call('agent_dynamic_summary_multi_last_query', [A], []);
    assert.is(newest.timestamp, 6);
  });

  test.run();
}

const test = suite('agent: [monitoring_buffer]');

for (const [name, buffer, key] of badBuffers) {
  test(`${name} stops the start and names the key`, async () => {
    const { message } = await bootForTest(PLUGINS, { monitoring_buffer: buffer }).then(
      async (app) => {
        await app.stop();
        throw new Error('started');
      },
      (error: Error) => error,
    );
    assert.match(message, key);
  });
}

test('the smallest values work, and so does every key alone', async () => {
  const smallest = { flush_interval_ms: 1, max_batch_size: 1, channel_capacity: 1 };
  for (const monitoring_buffer of [smallest, {}, { max_batch_size: 2 }]) {
    const app = await bootForTest(PLUGINS, { monitoring_buffer });
    const times = Array.from({ length: 30 }, (_none, index) => index);
    const answers = await Promise.all(
      times.map((time) =>
        app.call('agent_report_dynamic_summary', [app.superToken, summaryReport({ time })]),
      ),
    );
    assert.equal(
      answers,
      times.map(() => BUFFERED),
    );
    const [row] = await app.sql('select count(*) as n from dynamic_monitoring_summary');
    assert.is(Number(row.n), 30);
    await app.stop();
  }
});

test.run();
