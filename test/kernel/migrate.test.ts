import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DatabaseHandle, MigrationDatabase, MigrationStep } from '@svc/plugin-sdk';
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
      guarded = other.guard?.({});
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
