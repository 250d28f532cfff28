// Reports of agents judged by rules: from the wire to the change of an alert (plugins/alert/src/evaluate).

import { randomUUID } from 'node:crypto';
import { definePlugin, type Kernel } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { FullStored, ReportBuckets, SummaryStored } from '../../plugins/agent/src/api.ts';
import { AgentRegistry } from '../../plugins/agent-uuid/src/api.ts';
import { Costs } from '../../plugins/alert/src/evaluate/costs.ts';
import { Evaluator } from '../../plugins/alert/src/evaluate/evaluator.ts';
import { migrations } from '../../plugins/alert/src/migrations/index.ts';
import { type Alert, CLEARING, CLOSED, OPEN, PENDING } from '../../plugins/alert/src/types.ts';
import { dynamicReport, PLUGINS, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { loadedRule, MemoryAlerts, MemoryRules, machines } from './kit-evaluate.ts';

const SECOND = 1_000;

/** Takes so much of the processor, ms. @returns false */
function burn(ms: number): boolean {
  for (let cpu = 0, begin = process.cpuUsage(); cpu < ms; ) {
    const { user, system } = process.cpuUsage(begin);
    cpu = (user + system) / 1_000;
  }
  return false;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: evaluator (${dialect})`);
  let app: TestApp;
  let A: string;
  let rules: MemoryRules;
  let alerts: MemoryAlerts;
  let evaluator: Evaluator;
  let kernel: Kernel;
  let complaints: string[];

  const plugin = definePlugin({
    name: 'alert-test',
    requires: [SummaryStored, FullStored, ReportBuckets, AgentRegistry],
    migrations,
    setup(given) {
      kernel = given;
    },
  });

  const make = () =>
    new Evaluator({
      kernel: { ...kernel, every: () => undefined },
      rules,
      transitions: alerts,
      machines,
      registry: kernel.use(AgentRegistry),
      stored: kernel.use(SummaryStored),
      full: kernel.use(FullStored),
      buckets: kernel.use(ReportBuckets),
      onSlow: (rule) => void complaints.push(`slow: ${rule.condition}`),
      onError: (rule, _subject, message) => void complaints.push(`${rule.condition}: ${message}`),
    });

  test.before(async () => {
    app = await bootForTest([...PLUGINS, plugin], {}, { dialect, clock: true });
  });
  test.before.each(() => {
    A = randomUUID();
    rules = new MemoryRules();
    alerts = new MemoryAlerts(() => app.clock.now());
    complaints = [];
    evaluator = make();
    evaluator.start();
  });
  test.after.each(() => evaluator.stop());
  test.after(() => app.stop());

  const settled = async () => {
    await new Promise(setImmediate);
    await evaluator.settled();
  };
  const report = async (over: object = {}, uuid = A) => {
    const time = app.clock.now();
    await app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid, time, ...over }),
    ]);
    await settled();
  };
  /** Reports one a second with this CPU usage. */
  const reports = async (seconds: number, cpu: number) => {
    for (let n = 0; n < seconds; n++) {
      await report({ cpu_usage: cpu * 10 });
      await app.clock.advance(SECOND);
    }
  };

  test('a rule without holds opens and closes with the reports of its agent', async () => {
    rules.set(loadedRule('cpu_usage > 90'));
    await reports(1, 89);
    assert.is(alerts.rows.size, 0);
    const at = app.clock.now();
    await reports(2, 95);
    assert.equal(alerts.told, ['opened']);
    const { state, since, value, detail, subject_id, part } = alerts.only;
    assert.equal([state, since, value, subject_id, part], [OPEN, at, 95, A, '']);
    assert.equal(detail, {
      name: 'web-1',
      tags: ['web'],
      values: { cpu_usage: 95 },
      threshold: '> 90 %',
      meaning: 1,
    });
    await reports(1, 50);
    assert.equal(alerts.told, ['opened', 'closed']);
    assert.is(alerts.only.state, CLOSED);
    await reports(1, 95);
    assert.is(alerts.only.episode, 2);
  });

  test('a rule with a hold opens after it, and a restart in between costs no more than ten seconds', async () => {
    rules.set(loadedRule('cpu_usage > 90', { for_s: 60 }));
    const first = app.clock.now();
    for (let n = 0; n < 5; n++) {
      await reports(10, 95);
      await evaluator.tick();
    }
    await settled();
    assert.is(alerts.only.state, PENDING);
    await evaluator.stop();
    await app.clock.advance(5 * SECOND);
    evaluator = make();
    evaluator.start();
    await reports(1, 95);
    assert.is(alerts.only.state, PENDING);
    await reports(20, 95);
    assert.equal(alerts.told, ['opened']);
    assert.is(alerts.only.since, first);
  });

  test('an open alert stays open over a restart, and closes later', async () => {
    rules.set(loadedRule('cpu_usage > 90', { clear: 'cpu_usage < 80', clear_for_s: 5 }));
    await reports(2, 95);
    await evaluator.stop();
    await app.clock.advance(100 * SECOND);
    evaluator = make();
    evaluator.start();
    await reports(3, 85);
    assert.equal(alerts.told, ['opened']);
    await reports(7, 70);
    assert.equal(alerts.told, ['opened', 'closed']);
  });

  test('two servers that hear an agent in turn open its alert once', async () => {
    rules.set(loadedRule('cpu_usage > 90', { for_s: 20 }));
    const other = make();
    other.start();
    await reports(30, 95);
    await other.settled();
    assert.equal(alerts.told, ['opened']);
    await reports(2, 50);
    await other.stop();
    assert.equal(alerts.told, ['opened', 'closed']);
  });

  test('values of the past are not judged: an hour of kept reports opens nothing', async () => {
    rules.set(loadedRule('cpu_usage > 90'));
    await reports(3, 50);
    for (let minute = 60; minute > 3; minute--) {
      await report({ cpu_usage: 990, time: app.clock.now() - minute * 60_000 });
    }
    assert.equal(alerts.told, []);
    assert.is(evaluator.counts.late, 57);
    await reports(1, 99);
    assert.equal(alerts.told, ['opened']);
  });

  test('an agent whose clock is two hours ahead is judged after a minute, and after a restart at once', async () => {
    rules.set(loadedRule('cpu_usage > 90 && clock_offset_s > 7000'));
    const ahead = async (seconds: number) => {
      for (let n = 0; n < seconds; n++) {
        await report({ cpu_usage: 950, time: app.clock.now() + 7_200_000 });
        await app.clock.advance(SECOND);
      }
    };
    await ahead(59);
    assert.equal(alerts.told, []);
    await ahead(3);
    assert.equal(alerts.told, ['opened']);
    await evaluator.tick();
    const [row] = await app.sql('select offset_ms from alert_clock order by uuid_id desc limit 1');
    assert.ok(Math.abs(Number(row.offset_ms) + 7_200_000) < 10_000, String(row.offset_ms));
    await evaluator.stop();
    alerts.rows.clear();
    evaluator = make();
    evaluator.start();
    await ahead(1);
    assert.equal(alerts.told, ['opened', 'opened']);
  });

  test('a rule on a field that the agent does not report is not applicable, and others are judged', async () => {
    rules.set(
      loadedRule('gpu_usage > 90'),
      loadedRule('cpu_usage > 90 || gpu_usage > 90'),
      loadedRule('cpu_usage > 90'),
    );
    await reports(3, 95);
    assert.equal(alerts.told, ['opened']);
    assert.equal(complaints, []);
  });

  test('derived variables and facts of the machine are there', async () => {
    rules.set(
      loadedRule('memory_used_percent == 25 && uptime_s > 100000 && load_one == 0.3'),
      loadedRule('name == "web-1" && "web" in tags && region == "eu"'),
      loadedRule('swap_used_percent == 0'),
    );
    await report({ total_swap: 0, used_swap: 0 });
    assert.is(alerts.told.length, 3);
  });

  test('a condition that fails tells so once an hour, and opens nothing', async () => {
    rules.set(loadedRule('tags[5] == "web" && cpu_usage > 90'));
    await reports(3, 95);
    assert.is(complaints.length, 1);
    assert.match(complaints[0]!, /out of bounds/);
    await app.clock.advance(3_600 * SECOND);
    await reports(1, 95);
    assert.is(complaints.length, 2);
    assert.equal(alerts.told, []);
  });

  test('what cannot be stored is judged again with the next report', async () => {
    rules.set(loadedRule('cpu_usage > 90'));
    await reports(1, 50);
    alerts.fails = true;
    await reports(2, 95);
    assert.equal(alerts.told, []);
    alerts.fails = false;
    await reports(1, 95);
    assert.equal(alerts.told, ['opened']);
  });

  test('a rule whose meaning changed begins its hold anew, and leaves what is open', async () => {
    const old = loadedRule('cpu_usage > 80', { for_s: 10 });
    rules.set(old);
    await reports(8, 95);
    rules.set(loadedRule('cpu_usage > 90', { id: old.rule.id, for_s: 10, meaning: 2 }));
    await reports(8, 95);
    assert.equal(alerts.told, []);
    await reports(5, 95);
    assert.equal(alerts.told, ['opened']);
    rules.set(loadedRule('cpu_usage > 91', { id: old.rule.id, for_s: 10, meaning: 3 }));
    await reports(2, 95);
    assert.equal(alerts.told, ['opened']);
    rules.set(loadedRule('cpu_usage > 96', { id: old.rule.id, meaning: 4 }));
    await reports(1, 95);
    assert.equal(alerts.told, ['opened', 'closed']);
  });

  test('an open alert keeps what it opened with until it is over; its end tells the value then', async () => {
    rules.set(loadedRule('cpu_usage > 90', { clear_for_s: 5 }));
    await reports(1, 95);
    await reports(2, 50);
    await evaluator.tick();
    assert.equal([alerts.only.state, alerts.only.value], [CLEARING, 95]);
    await reports(3, 99);
    assert.equal([alerts.only.state, alerts.only.value], [OPEN, 95]);
    assert.equal(alerts.only.detail.values, { cpu_usage: 95 });
    await reports(7, 40);
    assert.equal([alerts.only.state, alerts.only.value], [CLOSED, 40]);
  });

  test('a window has its average from the minutes that arrive, and after a start from stored ones', async () => {
    rules.set(loadedRule('avg("cpu_usage", "5m") > 90'));
    // Two reports that lie in two minutes would be three minutes.
    await app.clock.advance(60 * SECOND - (app.clock.now() % (60 * SECOND)));
    for (let minute = 0; minute < 2; minute++) {
      await reports(2, 95);
      await app.clock.advance(58 * SECOND);
    }
    assert.equal(alerts.told, []);
    await reports(2, 95);
    assert.equal(alerts.told, ['opened']);
    await evaluator.stop();
    alerts.rows.clear();
    evaluator = make();
    evaluator.start();
    await reports(2, 95);
    assert.equal(alerts.told, ['opened', 'opened']);
  });

  test('each disk has its own alert, removable and read-only ones have none, and one that vanishes ends', async () => {
    rules.set(loadedRule('disk.used_percent > 90', { source: 'part' }));
    const [disk] = dynamicReport().disk;
    const full = {
      ...disk,
      total_space: 100,
      available_space: 5,
      used_space: 95,
      is_removable: false,
      is_read_only: false,
    };
    const send = async (disks: object[]) => {
      const time = app.clock.now();
      await app.call('agent_report_dynamic', [
        app.superToken,
        dynamicReport({ uuid: A, time, disk: disks }),
      ]);
      await settled();
      await app.clock.advance(6 * SECOND);
    };
    const disks = [
      { ...full, mount_point: '/' },
      { ...full, mount_point: '/usb', is_removable: true },
      { ...full, mount_point: '/cd', is_read_only: true },
      { ...full, mount_point: '/snap/x', file_system: 'squashfs' },
      { ...full, mount_point: '/data' },
      { ...full, mount_point: '/empty', available_space: 95, used_space: 5 },
    ];
    await send(disks);
    assert.equal(alerts.told, ['opened /', 'opened /data']);
    const root = { ...disks[0], available_space: 60, used_space: 40 };
    await send([root]);
    assert.equal(alerts.told, ['opened /', 'opened /data', 'closed /']);
    // Without full reports nothing is known: the time does not count.
    await app.clock.advance(3_600 * SECOND);
    for (let n = 0; n < 145; n++) await send([root]);
    assert.is(alerts.told.length, 3);
    for (let n = 0; n < 10; n++) await send([root]);
    assert.is(alerts.told[3], 'closed /data');
    const row = [...alerts.rows.values()].find(({ part }) => part === '/data');
    assert.is(row?.detail.note, 'is no longer there');
  });

  test('an agent that reports other parts each time has few alerts, and they end', async () => {
    const [busy, slow] = [{ for_s: 0 }, { for_s: 600 }].map((over) =>
      loadedRule('disk.used_percent > 90', { source: 'part', ...over }),
    );
    const disk = { ...dynamicReport().disk[0], is_removable: false, is_read_only: false };
    const send = async (mounts: string[]) => {
      const full = { ...disk, total_space: 100, available_space: 5, used_space: 95 };
      const parts = mounts.map((mount_point) => ({ ...full, mount_point }));
      const time = app.clock.now();
      const body = dynamicReport({ uuid: A, time, disk: parts });
      await app.call('agent_report_dynamic', [app.superToken, body]);
      await settled();
      await app.clock.advance(6 * SECOND);
      await evaluator.tick();
    };
    const active = () => [...alerts.rows.values()].filter(({ state }) => state !== CLOSED).length;
    for (const rule of [slow, busy]) {
      rules.set(rule!);
      for (let n = 0; n < 5; n++)
        await send(Array.from({ length: 64 }, (_, at) => `/${rule === busy}/${n}-${at}`));
      assert.is(active(), 64);
      assert.is(evaluator.changes.leftOut > 0, true);
      for (let n = 0; n < 155; n++) await send([]);
      assert.is(active(), 0);
    }
    assert.is(alerts.told.filter((text) => text.startsWith('opened')).length, 64);
    rules.set(busy!);
    await send(['/new']);
    assert.is(active(), 1);
  });

  test('cores are counted from full reports', async () => {
    rules.set(loadedRule('load_one > cores * 2'));
    await report({ load_one: 10_000 });
    assert.equal(alerts.told, []);
    const time = app.clock.now();
    await app.call('agent_report_dynamic', [app.superToken, dynamicReport({ uuid: A, time })]);
    await settled();
    await report({ load_one: 10_000 });
    assert.equal(alerts.told, ['opened']);
  });

  test('a slow rule is told of', () => {
    const costs = new Costs({ onSlow: (rule) => void complaints.push(rule.name) }, () => 1);
    const [quick, slow] = [loadedRule('cpu_usage > 1').rule, loadedRule('cpu_usage > 2').rule];
    for (let n = 0; n < 64; n++) {
      costs.add(quick, 0.1);
      costs.add(slow, n === 0 ? 100 : 0.5);
    }
    assert.equal(complaints, [slow.name]);
  });

  test('a rule is told of at its third evaluation of more than 20 ms within ten minutes', () => {
    const costs = new Costs({ onSlow: (rule) => void complaints.push(rule.name) }, () => 1);
    const { rule } = loadedRule('cpu_usage > 1');
    const evaluate = (ms: number) => {
      const measuring = costs.begin();
      const began = performance.now();
      const { user, system } = process.cpuUsage();
      for (let cpu = 0; cpu < ms; ) {
        const now = process.cpuUsage();
        cpu = (now.user + now.system - user - system) / 1_000;
      }
      if (measuring) costs.end(rule, measuring);
      costs.judged(performance.now() - began);
    };
    // The first one is noticed by the time of the whole report.
    for (let n = 0; n < 3; n++) evaluate(22);
    assert.equal(complaints, []);
    for (let n = 0; n < 10; n++) evaluate(0);
    evaluate(22);
    assert.equal(complaints, [rule.name]);
    for (const at of [0, 1, 700_000, 700_001]) costs.strike(rule, at);
    assert.equal(complaints, [rule.name]);
    costs.strike(rule, 700_002);
    assert.equal(complaints, [rule.name, rule.name]);
  });

  test('a condition of the end that takes too long is told of, too', async () => {
    const rule = loadedRule('cpu_usage > 90', { clear: 'cpu_usage < 80' });
    const isOver = { ...rule.condition, evaluate: () => burn(25) };
    rules.set({ ...rule, clear: isOver });
    await reports(1, 95);
    assert.equal(complaints, []);
    for (let n = 0; n < 5; n++) await reports(1, 50);
    assert.equal(complaints, ['slow: cpu_usage > 90']);
  });

  test('a change by a person is taken over within a minute, and a hold goes on over it', async () => {
    rules.set(loadedRule('cpu_usage > 90'));
    await reports(1, 95);
    const [[key, row]] = [...alerts.rows] as [[string, Alert]];
    alerts.rows.set(key, { ...row, acked_by: 'somebody', version: row.version + 1 });
    await app.clock.advance(61 * SECOND);
    await reports(1, 95);
    await settled();
    await reports(1, 50);
    assert.equal(alerts.told, ['opened', 'closed']);
    assert.is(alerts.loads, 2);
  });

  test('agents without rules cost nothing: their alerts are not even read', async () => {
    await reports(2, 95);
    assert.is(alerts.loads, 0);
    assert.is(evaluator.counts.reports, 0);
  });

  test.run();
}
