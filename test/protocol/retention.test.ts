// Default retention: what a new server keeps, what an upgraded one keeps, and what explicit limits change (kv.md §6).
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeText } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { bytesOf, policyOf } from '../../plugins/retention/src/policy.ts';
import { suite } from '../runner/suite.ts';
import { A, B, dynamicReport, staticReport, summaryReport } from './agent-kit.ts';
import { eventually } from './token-kit.ts';

const PLUGINS = [
  'server-info',
  'token',
  'kv',
  'agent-uuid',
  'agent',
  'task',
  'crontab',
  'js-worker',
];
const ROUND_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From here on no row has an id yet. */
const FREE_ID = 1_000_000;

const rules = suite('retention: how much is kept');
const GB = 1e9;
/** [what holds, section, is the database new, bytes of the disk, days, bytes]. */
const policies: [
  string,
  object,
  boolean,
  (number | undefined)?,
  (number | undefined)?,
  (number | undefined)?,
][] = [
  ['a new database on a large disk', {}, true, 500 * GB, 14, 20 * GB],
  ['a new database on a small disk', {}, true, 40 * GB, 14, 8 * GB],
  ['a new database on a disk that is not seen', {}, true, undefined, 14, 20 * GB],
  ['an upgraded database', {}, false, 40 * GB, undefined, undefined],
  ['an upgraded database, days given', { keep_days: 30 }, false, 40 * GB, 30, undefined],
  ['an upgraded database, budget given', { budget: '5 GB' }, false, 9 * GB, undefined, 5 * GB],
  ['zero days mean for ever', { keep_days: 0 }, true, 500 * GB, undefined, 20 * GB],
  ['half a day', { keep_days: 0.5 }, true, 500 * GB, 0.5, 20 * GB],
  ['no budget', { budget: 'none' }, true, 500 * GB, 14, undefined],
  ['a budget beyond the disk is the operator’s', { budget: '90 GB' }, true, 40 * GB, 14, 90 * GB],
];
for (const [name, section, isNew, disk, days, budget] of policies) {
  rules(name, () => {
    const keep_ms = days === undefined ? undefined : days * DAY_MS;
    assert.equal(policyOf(section, isNew, disk), { keep_ms, budget });
  });
}

for (const [text, bytes, shown] of [
  ['20 GB', 20e9, '20.0 GB'],
  ['512 MiB', 536_870_912, '537 MB'],
  ['1.5TB', 1.5e12, '1.5 TB'],
  ['100 kB', 100_000, '100 kB'],
  ['7 B', 7, '7 B'],
] as const) {
  rules(`${text} are ${bytes} bytes`, () => {
    assert.is(bytesOf(text), bytes);
    assert.is(sizeText(bytes), shown);
  });
}
rules.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`retention (${dialect})`);
  let app: TestApp;
  test.after.each(() => app.stop());

  const boot = async (config: object = {}) => {
    app = await bootForTest(PLUGINS, config as never, { dialect, clock: true });
  };
  const call = (method: string, ...rest: unknown[]) => app.call(method, [app.superToken, ...rest]);
  /** What `svc-server_config_warnings` says of retention. */
  const advice = async (): Promise<any[]> => {
    const { warnings } = await call('svc-server_config_warnings');
    return warnings
      .filter(({ key }: { key?: string }) => key?.startsWith('retention.'))
      .map(({ message }: { message: string }) => message);
  };
  const literal = (uuid: string) =>
    dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'::uuid`;
  const now = () => Math.floor(app.clock.now());
  const round = () => app.clock.advance(ROUND_MS);
  const yes = () => (dialect === 'sqlite' ? '1' : 'true');

  /** One row of every table that arrived so many days ago; the reports were made at another time. */
  const store = async (days: number, uuid = A) => {
    const at = now() - days * DAY_MS;
    const time = now() - 1_000;
    const data_hash = Array(16).fill(days % 256);
    await call('agent_report_static', staticReport({ uuid, time, data_hash }));
    await call('agent_report_dynamic', dynamicReport({ uuid, time }));
    await call('agent_report_dynamic_summary', summaryReport({ uuid, time }));
    for (const table of ['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'])
      await app.sql(
        `update ${table} set storage_time = ${at} where storage_time > ${now() - 1_000}`,
      );
    await app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, type_name, created_at)
      values (${literal(uuid)}, 't', 1, ${yes()}, '"ip"', 'ip', ${at})`);
    await app.sql(
      `insert into crontab_result (cron_id, cron_name, run_time, success) values (1, 'c', ${at}, ${yes()})`,
    );
    await app.sql(`insert into js_result (js_worker_id, js_worker_name, run_type, start_time, finish_time)
      values (1, 'w', 'call', ${at}, ${at})`);
  };
  const ARRIVAL = {
    static_monitoring: 'storage_time',
    dynamic_monitoring: 'storage_time',
    dynamic_monitoring_summary: 'storage_time',
    task: 'created_at',
    crontab_result: 'run_time',
    js_result: 'start_time',
  };
  /** Days ago at which the rows of each table arrived. */
  const ages = async () => {
    const found: Record<string, number[]> = {};
    for (const [table, column] of Object.entries(ARRIVAL)) {
      const rows = await app.sql(`select ${column} as at from ${table} order by 1`);
      found[table] = rows.map(({ at }) => Math.round((now() - Number(at)) / DAY_MS));
    }
    return found;
  };
  const all = (days: number[]) =>
    Object.fromEntries(Object.keys(ARRIVAL).map((table) => [table, days]));
  const settled = (expected: object) =>
    eventually(async () => assert.equal(await ages(), expected));
  /** The round that runs has ended, and nothing more is deleted. */
  const over = () =>
    eventually(async () => {
      const [{ until }] = await app.sql(`select until from retention where name = 'turn'`);
      assert.is(Number(until), 0, 'the turn is over');
    });
  const limit = async (namespace: string, kind: string, value: number) => {
    await call('kv_create', namespace).catch(() => 'it may be there already');
    await call('kv_set_value', namespace, `database_limit_${kind}`, value);
  };
  /** As an earlier version leaves a database. */
  const makeOlder = async () => {
    await app.sql('drop table retention');
    await app.sql(`delete from schema_migrations where plugin = 'retention'`);
    await app.restart();
  };

  test('a new server keeps 14 days by the time of arrival, running tasks for longer', async () => {
    await boot();
    for (const days of [30, 16, 13, 0]) await store(days);
    const at = now() - 40 * DAY_MS;
    await app.sql(`insert into task (uuid, token, task_event_type, type_name, created_at)
      values (${literal(A)}, 't', '"web_shell"', 'web_shell', ${at})`);
    await round();
    await settled({ ...all([13, 0]), task: [40, 13, 0] });
  });

  test('last values of a silent agent go with its rows, those of others stay', async () => {
    await boot();
    await store(16, B);
    await store(1, A);
    // The cache still has the true times.
    await app.restart();
    assert.is((await call('agent_dynamic_summary_multi_last_query', [A, B], [])).length, 2);
    await round();
    await settled(all([1]));
    await eventually(async () => {
      const last = await call('agent_dynamic_summary_multi_last_query', [A, B], []);
      assert.equal(
        last.map(({ uuid }: { uuid: string }) => uuid),
        [A],
      );
    });
  });

  test('keep_days is the operator’s to choose, also while the server runs', async () => {
    await boot({ retention: { keep_days: 20 } });
    for (const days of [30, 16, 4]) await store(days);
    await round();
    await settled(all([16, 4]));
    const file = join(app.dir, 'config.toml');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('keep_days = 20', 'keep_days = 5'),
    );
    await app.reload();
    await round();
    await settled(all([4]));
  });

  test('an explicit limit wins, whether it is longer, shorter or for ever', async () => {
    await boot();
    for (const days of [300, 16, 1, 0]) await store(days);
    await limit('global', 'task', 0);
    await limit('global', 'crontab_result', 100 * DAY_MS);
    await limit('global', 'js_result', DAY_MS / 2);
    await limit('global', 'dynamic_monitoring', 0);
    await round();
    await settled({
      ...all([1, 0]),
      task: [300, 16, 1, 0],
      crontab_result: [16, 1, 0],
      js_result: [0],
      dynamic_monitoring: [300, 16, 1, 0],
    });
  });

  test('an explicit limit of one agent wins for this agent only', async () => {
    await boot({ retention: { keep_days: 5, budget: '1 B' } });
    await store(9, A);
    await store(8, B);
    for (const kind of [
      'task',
      'static_monitoring',
      'dynamic_monitoring',
      'dynamic_monitoring_summary',
    ])
      await limit(A, kind, 0);
    await round();
    await settled({ ...all([9]), crontab_result: [], js_result: [] });
  });

  test('limits of the section [agent] are explicit too', async () => {
    await boot({ agent: { database_limit_dynamic_monitoring: 900 * DAY_MS } });
    for (const days of [16, 1]) await store(days);
    await round();
    await settled({ ...all([1]), dynamic_monitoring: [16, 1] });
  });

  test('an upgraded database keeps everything until its operator opts in; the log says once what that costs', async () => {
    await boot();
    for (const days of [900, 16, 1]) await store(days);
    await makeOlder();
    const said = () => app.console.filter((line) => line.includes('keeps its history for ever'));
    await round();
    await new Promise((resolve) => setImmediate(resolve));
    const body = 'x'.repeat(100_000);
    for (let n = 0; n < 10; n++) {
      await app.sql(`insert into crontab_result (cron_id, cron_name, run_time, success, message)
        values (1, 'c', ${now()}, ${yes()}, '${body.replace(/x/g, () => Math.random().toString(36)[2] ?? 'x')}')`);
    }
    for (let rounds = 0; rounds < 4; rounds++) {
      await round();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await eventually(() => assert.is(said().length, 1));
    assert.match(said().join(), /each_day="?\d+(\.\d)? [kMG]B/);
    assert.match(said().join(), /keep_days/);
    assert.match((await advice())[0], /^this database keeps its history for ever.*keep_days = 14/);
    const { crontab_result: _, ...others } = await ages();
    for (const [table, found] of Object.entries(others)) assert.equal(found, [900, 16, 1], table);

    const file = join(app.dir, 'config.toml');
    await writeFile(file, `${await readFile(file, 'utf8')}\n[retention]\nkeep_days = 14\n`);
    await app.reload();
    await round();
    await eventually(async () => assert.equal((await ages())['task'], [1]));
  });

  test('a budget takes the oldest rows of all tables, and no more than it must', async () => {
    await boot();
    const size = () => statSync(join(app.dir, 'test.db')).size;
    const empty = dialect === 'sqlite' ? size() : 0;
    await call('agent_report_dynamic_summary', summaryReport({ time: now() }));
    const [{ id }] = await app.sql('select uuid_id as id from dynamic_monitoring_summary');
    const rows = 40_000;
    const age = `n * ${(10 * DAY_MS) / rows}`;
    await app.sql(`insert into dynamic_monitoring_summary (id, uuid_id, timestamp, storage_time, uptime)
      ${numbers(dialect, rows)} select ${FREE_ID} + n, ${id}, ${now()} - ${age}, ${now()} - ${age}, 1 from numbers`);
    await store(9);
    await store(0);
    const used = () => (app.kernel as any).db.space.used(Object.keys(ARRIVAL), 1);
    const before = await used();
    const budget = Math.round(before * 0.6);
    await configure(app, `[retention]\nbudget = "${budget} B"\n`);
    await round();
    await eventually(async () =>
      assert.ok((await used()) <= budget, `${await used()} > ${budget}`),
    );
    await eventually(async () => {
      const { dynamic_monitoring_summary: _, ...others } = await ages();
      assert.equal(others, Object.fromEntries(Object.keys(others).map((table) => [table, [0]])));
    });
    const [{ n, oldest }] = await app.sql(
      'select count(*) as n, min(storage_time) as oldest from dynamic_monitoring_summary',
    );
    const kept = Number(n) / rows;
    assert.ok(kept > 0.3 && kept < 0.65, `${kept} of the rows stay`);
    const span = (now() - Number(oldest)) / (10 * DAY_MS);
    assert.ok(Math.abs(span - kept) < 0.03, `the youngest ${kept} reach back ${span}`);
    if (dialect === 'sqlite') {
      const grown = () => size() - empty;
      await eventually(() => assert.ok(grown() < budget * 1.05, `the file has ${grown()} bytes`));
    }
  });

  test('what other tables hold does not count', async () => {
    await boot({ retention: { budget: '2 MB' } });
    await store(3);
    await call('kv_create', 'files');
    for (let n = 0; n < 4; n++) await call('kv_set_value', 'files', `${n}`, 'x'.repeat(1_000_000));
    // Something that goes tells that the round is over.
    await store(16);
    await round();
    await settled(all([3]));
    await over();
    assert.equal(await ages(), all([3]));
    assert.equal(await advice(), []);
  });

  test('what is an hour old stays, however small the budget, and the log says that it is exceeded', async () => {
    await boot({ retention: { budget: '1 B' } });
    await store(3);
    await store(0);
    await round();
    await settled(all([0]));
    await eventually(() => {
      assert.is(app.console.filter((line) => line.includes('exceeds its budget')).length, 1);
    });
    assert.match((await advice())[0], /^the history exceeds its budget: .* of 1 B are in use/);
  });

  test('reports are stored while history is deleted', async () => {
    await boot();
    await store(16);
    const [{ id }] = await app.sql('select uuid_id as id from dynamic_monitoring_summary');
    const at = now() - 20 * DAY_MS;
    await app.sql(`insert into dynamic_monitoring_summary (id, uuid_id, timestamp, storage_time, uptime)
      ${numbers(dialect, 5_000)} select ${FREE_ID} + n, ${id}, ${at} + n, ${at} + n, 1 from numbers`);
    const rounds = round();
    for (let n = 0; n < 50; n++) {
      await call('agent_report_dynamic_summary', summaryReport({ time: now() + n }));
    }
    await rounds;
    await eventually(async () => {
      const [{ n }] = await app.sql('select count(*) as n from dynamic_monitoring_summary');
      assert.is(Number(n), 50);
    });
  });

  if (dialect === 'postgres') {
    test('one of several servers deletes at a time; the turn of a dead one ends by itself', async () => {
      await boot();
      await store(16);
      await store(1);
      const turn = (until: number) =>
        app.sql(
          `update retention set value = 'another server', until = ${until} where name = 'turn'`,
        );
      await turn(Date.now() + HOUR_MS);
      await round();
      await app.sql('select pg_sleep(0.2)');
      assert.equal(await ages(), all([16, 1]));
      await turn(Date.now() - 1);
      await round();
      await settled(all([1]));
      await over();
    });
  }

  test.run();
}

/** A table `numbers` with a column `n`. */
const numbers = (dialect: string, count: number) =>
  dialect === 'sqlite'
    ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`
    : `with numbers (n) as (select generate_series(1, ${count}))`;

async function configure(app: TestApp, table: string): Promise<void> {
  const file = join(app.dir, 'config.toml');
  await writeFile(file, `${await readFile(file, 'utf8')}\n${table}`);
  await app.reload();
}
