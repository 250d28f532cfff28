// The end of the chain outside of the database: what is removed from the database alone is seen.
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { suite } from '../runner/suite.ts';
import { rowsOf } from './audit-kit.ts';

/** What somebody does while the server is stopped: set up first, so it ends last. */
let whileStopped: () => Promise<unknown> = async () => {};
const absent = definePlugin({
  name: 'absent',
  version: '1.0.0',
  setup: (kernel) =>
    kernel.defer('what happens meanwhile', async () => {
      await whileStopped();
      whileStopped = async () => {};
    }),
});
const PLUGINS = [absent, 'audit', 'token', 'kv', 'server-info'];

const problemsOf = async (app: TestApp): Promise<string[]> => {
  const { ok, chains } = await app.call('audit_verify', [app.superToken]);
  const texts = chains.flatMap(({ problems }: any) => problems.map((one: any) => one.problem));
  assert.is(ok, texts.length === 0);
  return texts;
};
const endOf = async (app: TestApp) =>
  JSON.parse(await readFile(join(app.dir, 'audit.end'), 'utf8'));

/** The command as the program runs it. */
async function accept({ dir }: TestApp): Promise<string[]> {
  const lines: string[] = [];
  const tool = await start({ config: join(dir, 'config.toml'), mode: 'tool', console: () => {} });
  const found: Command[] = [];
  tool.hooks.commands.run(() => ({ add: (one) => found.push(one) }));
  const terminal = { print: (line: string) => void lines.push(line) } as never;
  await found
    .find(({ name }) => name === 'audit-accept')
    ?.run(tool.kernelOf('audit') as never, terminal, { words: [], values: {} });
  await tool.stop('done');
  return lines;
}

/** What somebody does who has the database and not the files of the server. `later`: rows that were copied before. */
const wipes: readonly (readonly [name: string, texts: readonly string[], found: RegExp])[] = [
  [
    'every table emptied',
    ['delete from audit', 'delete from audit_checkpoint', 'delete from audit_chain'],
    /gone/,
  ],
  ['the rows alone', ['delete from audit'], /missing|gone/],
  ['the newest rows', ['delete from audit where seq > 3'], /missing|gone/],
  [
    'an older database put back',
    [
      'delete from audit where seq > (select max(seq) from older)',
      'delete from audit_checkpoint',
      'delete from audit_chain',
      'insert into audit_chain select * from older_chain',
    ],
    /put back|gone/,
  ],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`the end of the audit outside of the database (${dialect})`);

  /** A server with some rows, and a copy of its tables from before the last ones. */
  const server = async (): Promise<TestApp> => {
    const app = await bootForTest(PLUGINS, {}, { dialect });
    await app.token([]);
    await rowsOf(app);
    await app.sql('create table older as select * from audit');
    await app.sql('create table older_chain as select * from audit_chain');
    for (let times = 0; times < 3; times++) await app.token([]);
    await rowsOf(app);
    return app;
  };

  test('the file names the last row, once that row counts', async () => {
    const app = await bootForTest(PLUGINS, {}, { dialect });
    for (let times = 0; times < 3; times++) {
      await app.token([]);
      const [last] = await rowsOf(app);
      const { chain, end, breaks } = await endOf(app);
      assert.equal([chain, end.seq, breaks], [last?.chain, last?.seq, []]);
    }
    const { mode, size } = await stat(join(app.dir, 'audit.end'));
    assert.is(mode & 0o777, 0o600);
    assert.ok(size < 1_000);
    await app.restart();
    assert.equal(await problemsOf(app), []);
    await app.stop();
  });

  for (const [name, texts, found] of wipes) {
    test(`is seen while the server runs, goes on and starts again: ${name}`, async () => {
      const app = await server();
      for (const sql of texts) await app.sql(sql);
      assert.match((await problemsOf(app)).join(), found);
      for (let times = 0; times < 3; times++) {
        await app.token([]);
        await rowsOf(app);
        assert.match((await problemsOf(app)).join(), found, `after ${times} more rows`);
      }
      await app.restart();
      assert.match((await problemsOf(app)).join(), found);
      await app.stop();
    });

    test(`is seen by the next start: ${name}`, async () => {
      const app = await server();
      whileStopped = async () => {
        for (const sql of texts) await app.sql(sql);
      };
      await app.restart();
      assert.match((await problemsOf(app)).join(), found);
      assert.ok(app.records().some(({ message }) => /audit.*(gone|behind the back)/.test(message)));
      await app.stop();
    });
  }

  test('a file that is lost is said, by its own server, until it is accepted', async () => {
    const app = await server();
    await rm(join(app.dir, 'audit.end'));
    assert.match((await problemsOf(app)).join(), /is missing/);
    await app.token([]);
    await rowsOf(app);
    assert.equal(await problemsOf(app), [], 'the running server knows the end');
    whileStopped = () => rm(join(app.dir, 'audit.end'));
    await app.restart();
    assert.match((await problemsOf(app)).join(), /was missing at the start/);
    await app.restart();
    assert.match((await problemsOf(app)).join(), /was missing at the start/);
    const lost = (await rowsOf(app, { method: 'audit end' })).map(({ target }) => target);
    assert.equal(lost, ['the file with the end of the chain was missing']);
    await app.stop();
  });

  for (const [what, text] of [
    ['no JSON', 'x'],
    ['another end', JSON.stringify({ chain: 'x', end: { seq: 1 }, breaks: [], lost_at: 0 })],
  ] as const) {
    test(`a file that holds ${what} counts as lost`, async () => {
      const app = await server();
      whileStopped = () => writeFile(join(app.dir, 'audit.end'), text);
      await app.restart();
      assert.match((await problemsOf(app)).join(), /was missing at the start/);
      await app.stop();
    });
  }

  test('a server that begins another chain does not forget what the one before misses', async () => {
    const app = await server();
    whileStopped = async () => {
      for (const table of ['audit', 'audit_checkpoint', 'audit_chain'])
        await app.sql(`delete from ${table}`);
    };
    await app.restart();
    assert.match((await problemsOf(app)).join(), /gone/);
    const { breaks, chain } = await endOf(app);
    whileStopped = () => rm(join(app.dir, 'audit.key'));
    await app.restart();
    assert.match((await problemsOf(app)).join(), /gone/);
    const now = await endOf(app);
    assert.is.not(now.chain, chain);
    assert.equal(now.breaks, breaks);
    await app.stop();
  });

  test('a forged end is none', async () => {
    const app = await server();
    whileStopped = async () => {
      const kept = await endOf(app);
      kept.end.seq -= 2;
      await writeFile(join(app.dir, 'audit.end'), JSON.stringify(kept));
    };
    await app.restart();
    assert.match((await problemsOf(app)).join(), /was missing at the start/);
    await app.stop();
  });

  test('a chain of an earlier version, which knew no file, gets one without an alarm', async () => {
    const app = await server();
    whileStopped = async () => {
      await rm(join(app.dir, 'audit.end'));
      await app.sql('update audit_chain set outside = 0');
    };
    await app.restart();
    await rowsOf(app);
    assert.equal(await problemsOf(app), []);
    assert.ok((await endOf(app)).end.seq > 3);
    await app.stop();
  });

  test('a file that cannot be written is told, and the record goes on', async () => {
    const app = await server();
    const file = join(app.dir, 'audit.end');
    await copyFile(file, `${file}.kept`);
    await rm(file);
    await mkdir(file);
    await app.token([]);
    const [last] = await rowsOf(app);
    assert.is(last?.method, 'token_create');
    assert.ok(
      app.records().some(({ message }) => /end of the audit cannot be written/.test(message)),
    );
    const { warnings } = await app.call('svc-server_config_warnings', [app.superToken]);
    assert.ok(warnings.some(({ message }: any) => /end_file/.test(message)));
    assert.ok((await problemsOf(app)).length > 0);
    await rm(file, { recursive: true });
    await copyFile(`${file}.kept`, file);
    await app.token([]);
    await rowsOf(app);
    assert.equal(await problemsOf(app), []);
    await app.stop();
  });

  test('the file may lie elsewhere', async () => {
    const elsewhere = await bootForTest(PLUGINS, {}, { dialect });
    const end_file = join(elsewhere.dir, 'elsewhere.json');
    const app = await bootForTest(PLUGINS, { audit: { end_file } }, { dialect });
    await rowsOf(app);
    assert.ok(JSON.parse(await readFile(end_file, 'utf8')).end.seq > 0);
    await app.stop();
    await elsewhere.stop();
  });

  test('what is gone is accepted by a command, which the audit records', async () => {
    const app = await bootForTest(undefined, { plugins: ['audit', 'token'] }, { dialect });
    for (let times = 0; times < 4; times++) await app.token([]);
    await rowsOf(app);
    await app.sql('delete from audit');
    await app.sql('delete from audit_chain');
    await app.token([]);
    await rowsOf(app);
    assert.match((await problemsOf(app)).join(), /rows 1 to \d+ are gone/);
    assert.match((await accept(app)).join(), /accepted: rows 1 to \d+ are gone/);
    assert.equal(await problemsOf(app), []);
    const [row] = await rowsOf(app, { method: 'audit-accept' });
    assert.match(row?.target ?? '', /rows 1 to \d+ are gone/);
    assert.equal(await accept(app), ['Nothing is missing by the file beside audit.key.']);
    await app.restart();
    assert.equal(await problemsOf(app), []);
    await app.stop();
  });

  test('what retention removes is not missed', async () => {
    const app = await bootForTest(
      PLUGINS,
      { audit: { keep_days: 0.001 } },
      { dialect, clock: true },
    );
    for (let round = 0; round < 4; round++) {
      await app.token([]);
      await rowsOf(app);
      await app.clock.advance(360_000);
      await rowsOf(app);
    }
    assert.equal(await problemsOf(app), []);
    await app.restart();
    assert.equal(await problemsOf(app), []);
    await app.stop();
  });

  test.run();
}
