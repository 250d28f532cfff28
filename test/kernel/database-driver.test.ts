/** A driver that the kernel has never heard of (docs/guide/database-driver.md). */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type Plugin } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { openSqlite } from '../../plugins/database-sqlite/src/open.ts';
import { suite } from '../runner/suite.ts';
import { failure } from './database-kit.ts';

const test = suite('a third driver');
const order: string[] = [];

/** Keeps its data in a SQLite file, under another name. */
const driver = definePlugin({
  name: 'database-example',
  version: '1.0.0',
  drives: ['example'],
  setup({ hooks }) {
    order.push('driver');
    hooks.database.tap(async (request) => {
      if (!request.url.startsWith('example:')) return undefined;
      order.push(`opened for ${request.mode}`);
      const file = request.url.slice('example:'.length);
      return openSqlite({ file, create: true }, request);
    });
  },
});

const user = definePlugin({
  name: 'user',
  version: '1.0.0',
  migrations: [
    { name: '0001-create', up: ({ query }) => query.raw('create table word (text text)') },
  ],
  setup({ db, hooks }) {
    order.push('user');
    hooks.prepare.tap(async () => {
      await db.query('word').insert({ text: 'stored' });
    });
  },
});

const configuration = (database_url: string) => ({
  plugins: ['database-example'],
  database: { database_url },
});

test('opens the database before other plugins are set up, and they use it', async () => {
  const file = `example:${join(mkdtempSync(join(tmpdir(), 'svc-driver-')), 'test.db')}`;
  const plugins = [user, driver] as unknown as Plugin[];
  const app = await bootForTest(plugins, configuration(file));
  assert.equal(order, ['driver', 'opened for serve', 'user']);
  const rows = await app.sql('select text from word');
  assert.equal(
    rows.map(({ text }) => text),
    ['stored'],
  );
  await app.stop();
});

test('an address that no plugin drives stops the start', async () => {
  const plugins = [user, driver] as unknown as Plugin[];
  const error = await failure(bootForTest(plugins, configuration('other://x')));
  assert.is(error.name, 'UserError');
  assert.match(error.message, /database_url: 'other' is no known kind of database/);
});

test('the database cannot be used in the setup of a driver', async () => {
  const early = {
    ...driver,
    setup: ({ db }: { db: { dialect: string } }) => void db.dialect,
  } as unknown as Plugin;
  const error = await failure(bootForTest([early], configuration('example:x')));
  assert.match(error.message, /database-example.*not open while its driver is set up/);
});

test.run();
