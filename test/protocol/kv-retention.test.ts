// kv.md §6, monitoring-data.md §8, task.md §7: the keys `database_limit_*` and the built-in clean-up.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { LIMIT_KEYS } from '../../plugins/kv/src/limits.ts';
import { suite } from '../runner/suite.ts';
import { A, B, dynamicReport, staticReport, summaryReport } from './agent-kit.ts';
import { eventually } from './token-kit.ts';

const PLUGINS = ['server-info', 'token', 'kv', 'agent-uuid', 'agent', 'task'];
const INTERVAL_MS = 60_000;
const HOUR = 3_600_000;
/** Time of the newest report; far from now, because the window does not depend on it. */
const NEWEST = 1_700_000_000_000;
/** Ages of an agent's reports, ms before its newest. */
const AGES = [0, 1, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, 50 * HOUR];

/** [what holds, limits of the agent, limits of `global`, ages that stay]. */
const cases: [string, unknown, unknown, number[]][] = [
  ['no limit keeps everything', undefined, undefined, AGES],
  ['a limit keeps what is as old as it and no older', HOUR, undefined, AGES.slice(0, 4)],
  ['the limit of global holds for agents without one', undefined, HOUR, AGES.slice(0, 4)],
  ["the agent's own limit comes first, longer", 2 * HOUR, HOUR, AGES.slice(0, 6)],
  ["the agent's own limit comes first, shorter", 1, HOUR, AGES.slice(0, 2)],
  ['a text of digits is a number', String(HOUR), undefined, AGES.slice(0, 4)],
  ['a fraction is cut', HOUR + 0.9, undefined, AGES.slice(0, 4)],
  ['a limit beyond all time keeps everything', 1e300, undefined, AGES],
  ['zero of the agent means for ever, whatever global says', 0, HOUR, AGES],
  ['zero of global means for ever', undefined, 0, AGES],
  ['a negative number is passed over', -1, HOUR, AGES.slice(0, 4)],
  ['other texts are passed over', '1h', undefined, AGES],
  ['a blank text is passed over', '', HOUR, AGES.slice(0, 4)],
  ['null, lists and booleans are passed over', [null, true], undefined, AGES],
];

const FORM =
  /^108 Invalid input: 'database_limit_\w+' must be milliseconds, a number that is not negative or a text of digits: 604800000 for seven days, 0 for ever$/;
const KEYS =
  /^108 Invalid input: 'database_limit_\w*' is no limit of (?:namespace 'global'|an agent); there are database_limit_static_monitoring, /;

/** [namespace, key, value, what happens]. */
const settings: [string, string, unknown, 'stored' | RegExp][] = [
  ['global', 'database_limit_task', 86_400_000, 'stored'],
  ['global', 'database_limit_js_result', '86400000', 'stored'],
  ['global', 'database_limit_crontab_result', 0, 'stored'],
  [A, 'database_limit_static_monitoring', 0.5, 'stored'],
  ['global', 'database_limit_task', '7d', FORM],
  ['global', 'database_limit_task', -5, FORM],
  ['global', 'database_limit_task', '', FORM],
  ['global', 'database_limit_task', null, FORM],
  ['global', 'database_limit_task', [1], FORM],
  ['global', 'database_limit_task', '9'.repeat(200), FORM],
  [A, 'database_limit_task', true, FORM],
  ['global', 'database_limit_tasks', 1, KEYS],
  ['global', 'database_limit_', 1, KEYS],
  [A, 'database_limit_dynamic', 1, KEYS],
  [A, 'database_limit_js_result', 1, KEYS],
  ['global', 'database_limits', 'a name of its own', 'stored'],
  ['frontend_svc', 'database_limit_x', '7d', 'stored'],
];

/** A text that makes a uuid literal of either database. */
const literal = (dialect: string, uuid: string) =>
  dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'::uuid`;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`kv: retention (${dialect})`);
  let app: TestApp;

  const boot = (kv: object) =>
    bootForTest(
      PLUGINS,
      { kv: { retention_interval_ms: INTERVAL_MS, ...kv } },
      { dialect, clock: true },
    );
  const call = (method: string, ...rest: unknown[]) => app.call(method, [app.superToken, ...rest]);
  const limit = async (namespace: string, kind: string, value: unknown) => {
    if (value === undefined) return;
    await call('kv_create', namespace).catch(() => 'it may be there already');
    const key = `database_limit_${kind}`;
    const refused = await call('kv_set_value', namespace, key, value).catch((error) => error);
    if (refused.success) return;
    assert.match(refused.message, /must be milliseconds/);
    // An earlier version may have stored it.
    const type = dialect === 'sqlite' ? 'text' : 'jsonb';
    await app.sql(
      `insert into kv (namespace, key, value) values ('${namespace}', '${key}', cast('${JSON.stringify(value)}' as ${type}))`,
    );
  };
  const summaries = async (uuid: string): Promise<number[]> => {
    const query = { fields: ['uptime'], condition: [{ uuid }] };
    const rows = await call('agent_query_dynamic_summary', query);
    return rows.map(({ timestamp }: { timestamp: number }) => NEWEST - timestamp).reverse();
  };
  const deletions = (kind: string) =>
    app.console.filter((line) => line.includes('old rows were deleted') && line.includes(kind))
      .length;
  /** One round, which deletes rows of this kind, to its end: one that still ran would clean what the next case stores. */
  const round = async (kind = 'dynamic_monitoring_summary') => {
    const before = deletions(kind);
    await app.clock.advance(INTERVAL_MS);
    await eventually(() => assert.is(deletions(kind), before + 1));
  };
  const report = (uuid: string) =>
    Promise.all(
      AGES.map((age) =>
        call('agent_report_dynamic_summary', summaryReport({ uuid, time: NEWEST - age })),
      ),
    );

  test.before(async () => {
    app = await boot({});
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const namespace of await call('kv_list_all_namespace')) {
      await call('kv_delete_namespace', namespace);
    }
    for (const kind of ['static', 'dynamic', 'dynamic_summary']) {
      await call(`agent_delete_${kind}`, [{ timestamp_to: NEWEST + HOUR }]);
    }
  });

  for (const [name, own, global, stays] of cases) {
    test(name, async () => {
      await report(A);
      await limit(A, 'dynamic_monitoring_summary', own);
      await limit('global', 'dynamic_monitoring_summary', global);
      // Of a second agent something is always deleted, which says when the round is over.
      await report(B);
      await limit(B, 'dynamic_monitoring_summary', 1);
      await round();
      assert.equal(await summaries(B), AGES.slice(0, 2));
      assert.equal(await summaries(A), stays);
    });
  }

  test('the window of an agent whose clock was ahead ends with its report of now, not with those of tomorrow', async () => {
    const now = app.clock.now();
    for (const ahead of [50 * HOUR, -2 * HOUR, -1_000, 0]) {
      const time = now + ahead;
      await call('agent_report_dynamic_summary', summaryReport({ uuid: A, time }));
    }
    await limit(A, 'dynamic_monitoring_summary', HOUR);
    await report(B);
    await limit(B, 'dynamic_monitoring_summary', 1);
    await round();
    const query = { fields: ['uptime'], condition: [{ uuid: A }] };
    const rows: { timestamp: number }[] = await call('agent_query_dynamic_summary', query);
    assert.equal(
      rows.map(({ timestamp }) => timestamp - now),
      [-1_000, 0, 50 * HOUR],
    );
    await call('agent_delete_dynamic_summary', [{ uuid: A }]);
  });

  test('limits are found by an index of their own, however many other keys there are', async () => {
    const [json, explain] =
      dialect === 'sqlite' ? ['text', 'explain query plan'] : ['jsonb', 'explain'];
    await app.sql(`insert into kv (namespace, key, value)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
      select 'many', concat('key ', i), cast('1' as ${json}) from n`);
    await app.sql('analyze kv');
    const plan = await app.sql(`${explain} select namespace, value from kv where ${LIMIT_KEYS}`);
    assert.match(JSON.stringify(plan), /idx-kv-limits/);
  });

  for (const [namespace, key, value, answer] of settings) {
    test(`${namespace}, ${key}, ${JSON.stringify(value)}: ${answer}`, async () => {
      await call('kv_create', namespace).catch(() => 'it may be there already');
      const outcome = call('kv_set_value', namespace, key, value);
      const found = await outcome.catch(({ code, message }) => `${code} ${message}`);
      if (answer === 'stored') assert.equal(found, { success: true });
      else assert.match(found, answer);
      const stored = await call('kv_get_value', namespace, key);
      assert.equal(stored, answer === 'stored' ? value : null);
    });
  }

  test('config_warnings say that global must be created first, and which stored limits have no effect', async () => {
    const advice = async () => {
      const { warnings } = await call('svc-server_config_warnings');
      return warnings
        .filter(({ key }: { key?: string }) => key !== 'allowed_hosts')
        .map(({ message }: { message: string }) => message);
    };
    const [missing, ...others] = await advice();
    assert.match(missing, /namespace 'global' does not exist yet.*kv_create/);
    assert.equal(others, []);
    await limit('global', 'task', HOUR);
    assert.equal(await advice(), []);
    await limit(A, 'task', '7d');
    const [stored, ...more] = await advice();
    assert.match(stored, `kv: ${A}: database_limit_task has no effect`);
    assert.equal(more, []);
  });

  test('each kind has its own limit, and every table of agents is cleaned', async () => {
    for (const [n, age] of [0, HOUR].entries()) {
      const time = NEWEST - age;
      await call('agent_report_static', staticReport({ time, data_hash: Array(16).fill(n) }));
      await call('agent_report_dynamic', dynamicReport({ time }));
      await call('agent_report_dynamic_summary', summaryReport({ time }));
    }
    await app.sql('delete from task');
    for (const timestamp of [NEWEST, NEWEST - HOUR, null]) {
      await app.sql(
        `insert into task (uuid, token, timestamp, success, task_event_type, type_name, created_at)
         values (${literal(dialect, A)}, 't', ${timestamp ?? 'null'}, ${timestamp ? 'true' : 'null'}, '"ip"', 'ip', ${app.clock.now()})`,
      );
    }
    const counts = async () => {
      const tables = [
        'static_monitoring',
        'dynamic_monitoring',
        'dynamic_monitoring_summary',
        'task',
      ];
      const found: number[] = [];
      for (const table of tables) {
        const [row] = await app.sql(`select count(*) as n from ${table}`);
        found.push(Number(row.n));
      }
      return found;
    };
    const kinds = ['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary', 'task'];
    const expected = [2, 2, 2, 3];
    assert.equal(await counts(), expected);
    for (const [at, kind] of kinds.entries()) {
      await limit('global', kind, HOUR - 1);
      await round(kind);
      expected[at] = (expected[at] ?? 0) - 1;
      assert.equal(await counts(), expected, kind);
    }
    const [newest] = await call('agent_query_dynamic', {
      fields: ['cpu'],
      condition: [{ uuid: A }],
    });
    assert.is(newest.timestamp, NEWEST);
    const [running] = await app.sql('select count(*) as n from task where timestamp is null');
    assert.is(Number(running.n), 1, 'a running task stays');
    await app.sql('delete from task');
  });

  test('a deleted agent is cleaned too, and last values stay', async () => {
    await report(A);
    await call('agent-uuid_delete', A);
    await limit('global', 'dynamic_monitoring_summary', 1);
    await round();
    assert.equal(await summaries(A), [0, 1]);
  });

  test('many rows go in many small statements', async () => {
    const times = Array.from({ length: 1_300 }, (_, n) => NEWEST - n * 1_000);
    const socket = await app.connect();
    for (let at = 0; at < times.length; at += 130) {
      const some = times.slice(at, at + 130).map((time) => summaryReport({ time }));
      await Promise.all(
        some.map((each) => socket.call('agent_report_dynamic_summary', [app.superToken, each])),
      );
    }
    socket.close();
    await limit('global', 'dynamic_monitoring_summary', 9_500);
    await round();
    assert.is((await summaries(A)).length, 10);
  });

  test('switched off, nothing is deleted', async () => {
    const other = await boot({ retention: false });
    const before = app;
    app = other;
    try {
      await report(A);
      await limit('global', 'dynamic_monitoring_summary', 1);
      await app.clock.advance(INTERVAL_MS * 3);
      await call('kv_get_all_keys', 'global');
      assert.equal(await summaries(A), AGES);
    } finally {
      app = before;
      await other.stop();
    }
  });

  test.run();
}
