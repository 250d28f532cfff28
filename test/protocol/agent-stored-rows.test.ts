// Committed reports that other plugins hear of (`SummaryStored`, `FullStored` in plugins/agent/src/api.ts).

import { type Clock, definePlugin, type Logger } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import {
  FULL_COLUMNS,
  FullStored,
  type StoredReports,
  SUMMARY_COLUMNS,
  SummaryStored,
} from '../../plugins/agent/src/api.ts';
import { columnsOf, DYNAMIC, SUMMARY } from '../../plugins/agent/src/kinds.ts';
import { StoredRows } from '../../plugins/agent/src/stored-rows.ts';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { dynamicReport, PLUGINS, summaryReport } from './agent-kit.ts';

type Rows = readonly (readonly unknown[])[];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: stored rows (${dialect})`);
  let app: TestApp;
  let stored: StoredReports;
  let full: StoredReports;

  const plugin = definePlugin({
    name: 'listener',
    requires: [SummaryStored, FullStored],
    setup(kernel) {
      stored = kernel.use(SummaryStored);
      full = kernel.use(FullStored);
    },
  });

  test.before(async () => {
    app = await bootForTest([...PLUGINS, plugin], {}, { dialect });
  });
  test.after(() => app.stop());

  const send = (over: Record<string, unknown>) =>
    app.call('agent_report_dynamic_summary', [app.superToken, summaryReport(over)]);

  test('a listener hears of summaries that are in the database, those of one commit together', async () => {
    const heard: Rows[] = [];
    const remove = stored.listen((rows) => void heard.push(rows));
    const times = Array.from({ length: 20 }, (_none, n) => 1_790_000_000_000 + n);
    await Promise.all(times.map((time) => send({ time, cpu_usage: 955 })));
    await until('all rows', () => heard.flat().length >= times.length);
    remove();
    assert.equal(
      heard
        .flat()
        .map((row) => Number(row[SUMMARY_COLUMNS.timestamp]))
        .sort(),
      times,
    );
    assert.ok(heard.length < times.length, `${heard.length} calls`);
    const [row] = heard.flat();
    assert.is(row?.[SUMMARY_COLUMNS.cpu_usage], 955);
    assert.is(row?.[SUMMARY_COLUMNS.gpu_usage], null);
    const [{ n }] = await app.sql('select count(*) as n from dynamic_monitoring_summary');
    assert.is(Number(n), times.length);
    await send({ time: times[0]! + 100 });
    await new Promise(setImmediate);
    assert.is(heard.flat().length, times.length);
  });

  test('a listener that throws costs the sender and the other listeners nothing', async () => {
    const heard: Rows[] = [];
    const removes = [
      stored.listen(() => {
        throw new Error('a listener');
      }),
      stored.listen((rows) => void heard.push(rows)),
    ];
    const before = stored.failed;
    assert.equal(await send({ time: 1_790_000_100_000 }), { status: 'buffered' });
    assert.equal(await send({ time: 1_790_000_100_001 }), { status: 'buffered' });
    await until('both rows', () => heard.flat().length === 2);
    for (const remove of removes) remove();
    assert.ok(stored.failed > before);
    const logged = app.records().filter(({ message }) => /listener to stored/.test(message));
    assert.is(logged.length, 1);
  });

  test('full reports come with the JSON texts of their parts', async () => {
    const heard: Rows[] = [];
    const remove = full.listen((rows) => void heard.push(rows));
    await app.call('agent_report_dynamic', [
      app.superToken,
      dynamicReport({ time: 1_790_000_000_000 }),
    ]);
    await until('the row', () => heard.length === 1);
    remove();
    const disks = JSON.parse(String(heard[0]![0]![FULL_COLUMNS.disk]));
    assert.ok(disks[0].mount_point.startsWith('/'));
  });

  test('the places of columns are those of the rows', () => {
    assert.equal(Object.keys(SUMMARY_COLUMNS), columnsOf(SUMMARY));
    const names = columnsOf(DYNAMIC).map((column) => column.replace('_data', ''));
    assert.equal(Object.keys(FULL_COLUMNS), names);
  });

  test.run();
}

const bound = suite('agent: stored rows, beyond the bound');

bound('rows beyond four thousand of a turn are left out and counted', async () => {
  const clock = { monotonic: () => 0 } as Clock;
  const rows = new StoredRows({ clock, log: {} as Logger });
  let heard = 0;
  rows.add([1]);
  rows.listen((some) => {
    heard += some.length;
  });
  for (let n = 0; n < 4_500; n++) rows.add([n]);
  await new Promise(setImmediate);
  assert.equal([heard, rows.left], [4_000, 500]);
  rows.add([1]);
  await new Promise(setImmediate);
  assert.is(heard, 4_001);
});

bound.run();
