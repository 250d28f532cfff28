import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { definePlugin, type Plugin } from '@svc/plugin-sdk';
import type {
  DatabaseHandle,
  Migration,
  MigrationDatabase,
  MigrationStep,
  Migrations,
} from '@svc/plugin-sdk/sql';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { migrate } from '../../kernel/src/db/migrate.ts';
import { suite } from '../runner/suite.ts';
import { emptyPlace, failure, memoryLog, openAt, withDatabase } from './database-kit.ts';
import { raceSteps } from './migrate-steps.ts';

const ledger = (db: DatabaseHandle) =>
  db.query('schema_migrations').select('plugin', 'name', 'breaking').orderBy(['plugin', 'name']);

/** A step that makes a table of its own. */
const step = (plugin: string, name: string, breaking = false): MigrationStep => ({
  plugin,
  migration: {
    name,
    ...(breaking ? { breaking } : {}),
    up: ({ query }) =>
      query.schema.createTable(`${plugin}_${name.slice(0, 4)}`, (table) => table.integer('id')),
  },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`migrate (${dialect})`);
  const on = (name: string, work: (db: DatabaseHandle, url: string) => Promise<void>) =>
    test(name, () => withDatabase(dialect, work));

  on('applies each step once, in order, and keeps a ledger', async (db) => {
    const order: string[] = [];
    const noted = (plugin: string, name: string): MigrationStep => ({
      plugin,
      migration: {
        name,
        up: async (on) => order.push(`${plugin} ${name} ${on.dialect}`),
      },
    });
    const steps = [noted('b', '0001-x'), noted('b', '0002-y'), noted('a', '0001-x')];
    const log = memoryLog();
    await migrate(db, steps, log);
    await migrate(db, steps, log);
    await migrate(db, [...steps, noted('b', '0003-z')], log);
    assert.equal(order, [
      `b 0001-x ${dialect}`,
      `b 0002-y ${dialect}`,
      `a 0001-x ${dialect}`,
      `b 0003-z ${dialect}`,
    ]);
    assert.equal(
      (await ledger(db)).map(({ plugin, name }) => `${plugin} ${name}`),
      ['a 0001-x', 'b 0001-x', 'b 0002-y', 'b 0003-z'],
    );
    assert.is(log.lines.filter(({ message }) => message === 'A migration was applied.').length, 4);
    const told = log.lines.filter((line) => line.level === 'info');
    assert.equal(
      told.map(({ message }) => message),
      ['the tables were made', 'the tables were migrated'],
      'a start says it in one line',
    );
    const row = await db.first<{ at: number }>(
      'select min(applied_at) as at from schema_migrations',
    );
    assert.ok(row && Math.abs(row.at - Date.now()) < 60_000);
  });

  on(
    'leaves nothing of a step that fails, keeps the ones before it, and tries again later',
    async (db) => {
      const bad: MigrationStep = {
        plugin: 'p',
        migration: {
          name: '0002-bad',
          async up({ query }) {
            await query.schema.createTable('half', (table) => table.integer('id'));
            await query('half').insert({ id: 1 });
            throw new Error('disk on fire');
          },
        },
      };
      const error = await failure(migrate(db, [step('p', '0001-a'), bad], memoryLog()));
      assert.is(error.message, "plugin 'p': migration '0002-bad' failed: disk on fire");
      assert.is((error.cause as Error).message, 'disk on fire');
      assert.not(await db.query.schema.hasTable('half'));
      assert.equal(
        (await ledger(db)).map((row) => row['name']),
        ['0001-a'],
      );
      await migrate(db, [step('p', '0001-a'), step('p', '0002-bad')], memoryLog());
      assert.equal(
        (await ledger(db)).map((row) => row['name']),
        ['0001-a', '0002-bad'],
      );
    },
  );

  on('refuses a database with a breaking step that this program does not know', async (db) => {
    await migrate(db, [step('kv', '0001-a'), step('kv', '0002-new-shape', true)], memoryLog());
    const old = [step('kv', '0001-a'), step('kv', '0003-other')];
    const error = await failure(migrate(db, old, memoryLog()));
    assert.is(error.name, 'UserError');
    assert.match(error.message, /'kv'/);
    assert.match(error.message, /'0002-new-shape'/);
    assert.is((await ledger(db)).length, 2, 'nothing was applied');
  });

  on('accepts unknown steps that do not break, and breaking ones that it knows', async (db) => {
    await migrate(
      db,
      [step('a', '0001-a'), step('a', '0002-b'), step('a', '0003-c', true)],
      memoryLog(),
    );
    await migrate(db, [step('a', '0001-a'), step('a', '0003-c', true)], memoryLog());
  });

  on('leaves the steps of a plugin that is not enabled alone, breaking ones too', async (db) => {
    await migrate(db, [step('a', '0001-a'), step('b', '0001-a', true)], memoryLog());
    await migrate(db, [step('a', '0001-a'), step('a', '0002-b')], memoryLog());
    assert.equal(
      (await ledger(db)).map(({ plugin, name, breaking }) => [plugin, name, breaking]),
      [
        ['a', '0001-a', 0],
        ['a', '0002-b', 0],
        ['b', '0001-a', 1],
      ],
    );
    assert.ok(await db.query.schema.hasTable('b_0001'));
  });

  const table = (name: string): Migration => ({
    name,
    up: ({ query }) => query.schema.createTable('late_table', (columns) => columns.integer('id')),
  });
  const startWith = (setup: Plugin['setup']) =>
    bootForTest([definePlugin({ name: 'late', version: '1.0.0', setup })], {}, { dialect });
  const started = async (setup: Plugin['setup']) => (await startWith(setup)).stop();

  test('refuses a step that a tap adds after the hook has run, instead of leaving it out', async () => {
    const error = await failure(
      started(({ hooks }) =>
        hooks.migrations.tap(async (steps) => {
          await Promise.resolve();
          steps.add(table('0001-late'));
        }),
      ),
    );
    assert.match(error.message, /plugin 'late': adds a migration after .*\(too late\)/);
  });

  test('refuses a step that is added through a kept registry', async () => {
    const error = await failure(
      started(({ hooks }) => {
        let kept: Migrations | undefined;
        hooks.migrations.tap((steps) => {
          kept = steps;
        });
        hooks.prepare.tap(() => kept?.add(table('0001-late')));
      }),
    );
    assert.match(error.message, /plugin 'late': adds a migration after .*\(too late\)/);
  });

  test('runs the steps that an async tap adds at once', async () => {
    const app = await startWith(({ hooks }) =>
      hooks.migrations.tap(async (steps) => {
        steps.add(table('0001-at-once'));
        await Promise.resolve();
      }),
    );
    assert.equal(await app.sql('select id from late_table'), []);
    await app.stop();
  });

  for (const [says, name] of [
    ['is empty', ''],
    ['is blank', '  '],
    ['the ledger has no room for', 'x'.repeat(129)],
    ['holds a character that Postgres does not store', '0001\0'],
  ] as const)
    test(`refuses a step with a name that ${says}`, async () => {
      const error = await failure(
        started(({ hooks }) => hooks.migrations.tap((steps) => steps.add(table(name)))),
      );
      assert.is(
        error.message,
        "plugin 'late': the name of a migration must have 1 to 128 characters, none of them a control character",
      );
    });

  test('takes a name of 128 characters, whatever their length in bytes', async () => {
    const name = '🦊'.repeat(128);
    const app = await startWith(({ hooks }) =>
      hooks.migrations.tap((steps) => steps.add(table(name))),
    );
    const rows = await app.sql("select name from schema_migrations where plugin = 'late'");
    await app.stop();
    assert.equal(
      rows.map((row) => row['name']),
      [name],
    );
  });

  test('lets three programs migrate one database at once: each step runs once', async () => {
    const place = await emptyPlace(dialect);
    const children = [1, 2, 3].map(() => start(place.url, '6'));
    const outputs = await Promise.all(children.map(output));
    const counts = outputs.map((text) => Number(/applied (\d+)/.exec(text)?.[1] ?? Number.NaN));
    assert.is(
      counts.reduce((sum, count) => sum + count, 0),
      6,
      JSON.stringify(outputs),
    );
    const db = await openAt(place.url);
    assert.is((await ledger(db)).length, 6);
    for (let at = 0; at < 6; at++) assert.equal(await db.query(`race_${at}`).pluck('id'), [at]);
    await db.close();
    await place.remove();
  });

  test('is not hindered by a program that was killed in the middle of a step', async () => {
    const place = await emptyPlace(dialect);
    const child = start(place.url, '2', 'hang');
    const [chunk] = await once(child.stdout!, 'data');
    assert.is(String(chunk), 'inside\n');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const db = await openAt(place.url);
    assert.equal(
      (await ledger(db)).map((row) => row['name']),
      ['0001-create'],
    );
    await migrate(db, raceSteps(2), memoryLog());
    assert.equal(await db.query('race_1').pluck('id'), [1]);
    await db.close();
    await place.remove();
  });

  test.run();
}

const rights = suite('rights of callers (postgres)');
rights('are given when a step of another server has ended, and hinder none', () =>
  withDatabase('postgres', async (db, url) => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const other = await openAt(url);
    await db.query.raw('create table report (id integer)');
    let guarded: Promise<unknown> | undefined;
    const up = async ({ query }: MigrationDatabase) => {
      await query.raw('alter table report add column more integer');
      guarded = other.guard?.({}, 'token');
      const end = Date.now() + 30_000;
      while (!(await db.first(waiting))) assert.ok(Date.now() < end, 'nothing waits for the step');
    };
    await migrate(db, [{ plugin: 'a', migration: { name: '0001-a', up } }], memoryLog());
    const call = (await guarded) as DatabaseHandle['execute'];
    const { rows } = await call('select more from report', [], { maxRows: 1, timeout_ms: 5_000 });
    assert.equal(rows, []);
    await other.close();
  }),
);
rights.run();

function start(...args: string[]): ChildProcess {
  const script = fileURLToPath(new URL('./migrate-child.ts', import.meta.url));
  return spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function output(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!) text += String(chunk);
  return text;
}
