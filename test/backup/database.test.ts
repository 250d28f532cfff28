// proof only: 16
/** Backups of the main database while the server works, and their way into either database. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { rpc } from '../process/server.ts';
import { dynamicReport, staticReport, summaryReport } from '../protocol/agent-kit.ts';
import { crontab } from '../protocol/crontab-kit.ts';
import { A, simAgent } from '../protocol/task-kit.ts';
import { suite } from '../runner/suite.ts';
import {
  command,
  configOf,
  type EmptyTarget,
  emptyTarget,
  folder,
  PLUGINS,
  rowsIn,
} from './kit.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
/** Rows are only added to these while the load runs. */
const GROWING = ['dynamic_monitoring_summary', 'dynamic_monitoring'];
/** The server writes these by itself while agents report and answer. */
const MOVING = [
  'audit',
  'audit_chain',
  'task',
  'task_usage',
  'agent_presence',
  'agent_event',
  'agent_event_state',
  'agent_uptime',
  'token_place',
];
const ODD = 'ä\u{1f600} \\ \\N \t "quoted"\nend';

async function seed(app: TestApp): Promise<void> {
  const { superToken: token } = app;
  const put = (key: string, value: unknown) => app.call('kv_set_value', [token, 'odd', key, value]);
  await app.call('kv_create', [token, 'odd']);
  await put('text', ODD);
  await put('deep', { b: [1, 2.5, null, true, { c: ODD }], a: 9007199254740991 });
  await crontab(app, token).create('never');
  await app.token([], { username: 'gone', password: 'a password' });
  await app.call('agent_report_static', [token, staticReport({ uuid: A })]);
  const page = { title: 'Status', entries: [] };
  await app.call('status-page_create', { token, slug: 'main', page });
  const incident = { title: 'Outage', text: ODD, impact: 'down' };
  await app.call('status-page_incident_add', { token, slug: 'main', incident });
}

/** Reports and tasks until `end`, which gives the number of reports that were answered. */
function load(app: TestApp) {
  const { superToken: token } = app;
  let ends = false;
  let answered = 0;
  const work = (async () => {
    const agent = await simAgent(app);
    await agent.register();
    for (let n = 0; !ends; n++) {
      const time = 1_781_000_000_000 + n;
      await Promise.all([
        app.call('agent_report_dynamic_summary', [token, summaryReport({ time })]),
        app.call('agent_report_dynamic', [token, dynamicReport({ uuid: A, time })]),
      ]);
      answered++;
      if (n % 5 > 0) continue;
      await app.call('task_create_task', [token, A, 'ip']);
      const item = (await agent.received(n / 5 + 1)).at(-1);
      if (item) await agent.answer(item, { ip: ['198.51.100.23', null] });
    }
  })();
  return {
    answered: () => answered,
    async end() {
      ends = true;
      await work;
    },
  };
}

for (const dialect of DIALECTS) {
  const test = suite(`backup of the database (${dialect})`);
  const place = folder();
  const file = join(place.dir, 'one.tar');
  let app: TestApp;
  let answered = 0;
  let source: Map<string, string[]>;
  let targets: EmptyTarget[] = [];

  test.before(async () => {
    app = await bootForTest(undefined, { plugins: PLUGINS }, { dialect, empty: true });
    await seed(app);
    const running = load(app);
    while (running.answered() < 20) await new Promise((next) => setImmediate(next));
    answered = running.answered();
    const { lines } = await command(configOf(app), 'backup', [file]);
    assert.match(lines[0] ?? '', /one\.tar: \d+ rows of \d+ tables, \d+ files, \d+ bytes/);
    await running.end();
    source = await rowsIn(configOf(app));
    targets = await Promise.all(DIALECTS.map((to) => emptyTarget(to, configOf(app))));
  });
  test.after(async () => {
    for (const target of targets) await target.remove();
    await app?.stop();
    place.clean();
  });

  test('what was answered before it began is in it, and is restored to both databases row by row', async () => {
    for (const target of targets) await command(target.config, 'restore', [file]);
    const [one, other] = await Promise.all(targets.map(({ config }) => rowsIn(config)));
    for (const [table, rows] of source) {
      const [restored = [], twin] = [one?.get(table), other?.get(table)];
      assert.equal(restored, twin, table);
      if (MOVING.includes(table)) continue;
      const known = new Set(rows);
      assert.equal(
        restored.filter((row) => !known.has(row)),
        [],
        table,
      );
      if (GROWING.includes(table)) assert.ok(restored.length >= answered, table);
      else assert.is(restored.length, rows.length, table);
    }
    assert.ok((one?.get('task')?.length ?? 0) > 0);
  });

  const refusal = async (config: string): Promise<string> => {
    const { message } = await command(config, 'restore', [file]).catch((error) => error);
    return message;
  };

  test('a server goes on with it on the other database, and a restore over a server or its rows is refused', async () => {
    const { config } = targets.find((target) => target.dialect !== dialect) as EmptyTarget;
    const shown: string[] = [];
    const server = await start({ config, console: (line) => shown.push(line) });
    const call = async (method: string, ...params: unknown[]) =>
      (await rpc(server.url, method, [app.superToken, ...params])).result;
    try {
      assert.is(await call('kv_get_value', 'odd', 'text'), ODD);
      await call('kv_set_value', 'odd', 'new', 1);
      assert.is(await call('kv_get_value', 'odd', 'new'), 1);
      const buffered = await call('agent_report_dynamic_summary', summaryReport({ time: 1 }));
      assert.equal(buffered, { status: 'buffered' });
      assert.not.match(shown.join('\n'), /Super Token: |\b(?:WARN|ERROR)\b/);
      for (const living of [config, configOf(app)])
        assert.match(await refusal(living), /server is running on .*; stop it/);
    } finally {
      await server.stop('test');
    }
    assert.match(await refusal(config), /is not empty/);
  });

  if (dialect === 'postgres')
    test('rows of several servers that have one id all come to SQLite', async () => {
      const table = 'dynamic_monitoring_summary';
      const config = configOf(app);
      const tool = await start({ config, mode: 'tool', bare: () => true, console: () => {} });
      await tool.db.query.raw(`update ${table} set id = 7 where timestamp % 3 = 0`);
      await tool.stop('done');
      const target = await emptyTarget('sqlite', config);
      const rows = async (at: string) =>
        (await rowsIn(at))
          .get(table)
          ?.map((row) => row.replace(/\["id","?\d+"?\],/, ''))
          .sort();
      try {
        const shared = join(place.dir, 'shared.tar');
        await command(config, 'backup', [shared]);
        await command(target.config, 'restore', [shared]);
        assert.equal(await rows(target.config), await rows(config));
      } finally {
        await target.remove();
      }
    });

  if (dialect === 'postgres')
    test('an empty database on which a server runs is refused until the server has stopped', async () => {
      const target = await emptyTarget('postgres', configOf(app));
      try {
        const server = await start({
          config: target.config,
          listen: '127.0.0.1:0',
          console: () => {},
        });
        const schema = 'drop schema public cascade; create schema public';
        await server.db.query.raw(schema);
        assert.match(
          await refusal(target.config),
          /a server is running on this database, from .*; stop it/,
        );
        await server.stop('test');
        await command(target.config, 'restore', [file]);
      } finally {
        await target.remove();
      }
    });

  test.run();
}

const older = suite('backup of an older version');
for (const to of DIALECTS)
  older(
    `a database of 0.6.0 that no server has touched since is restored to ${to}, then migrated`,
    async () => {
      const target = await emptyTarget(to, join(import.meta.dirname, '../../config/minimal.toml'));
      try {
        const old = join(target.dir, 'old.toml');
        const data = readFileSync(join(import.meta.dirname, '../upgrade/0.6.0/svc.db.gz'));
        writeFileSync(join(target.dir, 'old.db'), gunzipSync(data));
        const text = readFileSync(target.config, 'utf8');
        const url = `sqlite://${join(target.dir, 'old.db')}`;
        writeFileSync(old, text.replace(/database_url = .*/, `database_url = "${url}"`));
        const before = await rowsIn(old);
        await command(old, 'backup', [join(target.dir, 'old.tar')]);
        // On another machine nothing is there yet, the folder neither.
        const given = readFileSync(target.config, 'utf8');
        const elsewhere = given.replace(/(sqlite:\/\/.*)\/([^/?]+)\?/, '$1/not/there/$2?');
        writeFileSync(target.config, elsewhere);
        assert.equal(await rowsIn(old), before);
        await command(target.config, 'restore', [join(target.dir, 'old.tar')]);
        const restored = await rowsIn(target.config);
        for (const [table, rows] of before) assert.equal(restored.get(table), rows, table);
        const server = await start({
          config: target.config,
          listen: '127.0.0.1:0',
          console: () => {},
        });
        await server.stop('test');
        const steps = (await rowsIn(target.config)).get('schema_migrations') ?? [];
        assert.ok(steps.length > (before.get('schema_migrations')?.length ?? 0));
      } finally {
        await target.remove();
      }
    },
  );
older.run();
