// auth.md §4; clients.md §4.1; configuration.md §3: how the Super Token comes to be, and how it is replaced.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from '../process/place.ts';
import { suite } from '../runner/suite.ts';
import { eventually, tokenServer, WRONG } from './token-kit.ts';

const FIRST = /^Super Token: [A-Za-z0-9]{16}:[A-Za-z0-9]{32}\nRoot Password: [A-Za-z0-9]{32}\n$/;
/** A lock that no program takes. */
const HELD = 77_001;
const repository = resolve(import.meta.dirname, '../..');

/** What the console shows beside records: each on a line of its own. */
const plainLines = (lines: readonly string[]) =>
  lines
    .filter((line) => !/^\d{4}-/.test(line))
    .map((line) => `${line}\n`)
    .join('');

/** A command of the server program in a process of its own, from source. */
async function command(name: string, config: string, input: string) {
  const run = `import('@svc/server').then(({ main }) => main(['${name}', '-c', process.argv[1]])).then((code) => process.exit(code))`;
  const args = ['-e', run, config];
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += chunk));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, output };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: Super Token (${dialect})`);

  /** An empty database and a configuration that enables this plugin alone. */
  async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
    const place = await makePlace(dialect, {
      head: `plugins = ["token"]\nlogging.log_filter = "trace"`,
    });
    try {
      await work(place);
    } finally {
      await place.remove();
    }
  }
  const open = (place: Place, shown: string[] = []) =>
    start({ config: place.site.config, mode: 'tool', console: (line) => void shown.push(line) });

  test('a first start prints two lines that end in the values, and keeps them out of every log', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-log-'));
    const json_log_file = join(folder, 'log.json');
    const logging = { memory_log_filter: 'trace', json_log_filter: 'trace', json_log_file };
    const { app } = await tokenServer({ logging }, { dialect });
    try {
      const printed = plainLines(app.console);
      assert.match(printed, FIRST);
      const [token, password] = printed
        .trim()
        .split('\n')
        .map((line) => line.split(': ')[1]!);
      assert.equal([app.superToken, app.rootPassword], [token, password]);
      const records = JSON.stringify(app.records());
      const lost = `svc-server roll-super-token -c ${join(app.dir, 'config.toml')}`;
      const hints = () => app.records().filter(({ fields }) => fields['when_lost'] === lost);
      assert.match(
        hints()[0]?.message ?? '',
        /credential of root .* password of the user root .* printed once/,
      );
      for (const secret of [token!.slice(17), password!]) assert.not.match(records, secret);
      await app.restart();
      assert.is(plainLines(app.console), '');
      const skipped = app
        .records()
        .filter(({ message }) => message === 'Super Token already exists, skipped');
      assert.equal(
        skipped.map(({ level, target }) => `${level} ${target}`),
        ['INFO server'],
      );
      assert.equal(hints(), skipped);
      let file = '';
      // The file is written beside the work.
      await eventually(async () => {
        file = await readFile(json_log_file, 'utf8');
        assert.match(file, 'Super Token already exists, skipped');
      });
      for (const secret of [token!.slice(17), password!]) assert.not.match(file, secret);
    } finally {
      await app.stop();
      await rm(folder, { recursive: true });
    }
  });

  test('the record has id 1, the name root and no limits; the next record has id 2', async () => {
    const { app, table } = await tokenServer({}, { dialect });
    try {
      await app.token([]);
      const [top, next] = await table();
      assert.equal([Number(top.id), Number(next.id)], [1, 2]);
      assert.equal([top.username, Number(top.version)], ['root', 1]);
      assert.equal([top.time_stamp_from, top.time_stamp_to], [null, null]);
      assert.equal(
        typeof top.token_limit === 'string' ? JSON.parse(top.token_limit) : top.token_limit,
        [],
      );
      assert.is(top.token_key, app.superToken.slice(0, 16));
      assert.match(top.token_hash, /^[0-9a-f]{64}$/);
      assert.match(top.password_hash, /^[0-9a-f]{64}$/);
    } finally {
      await app.stop();
    }
  });

  test('of several first starts at once exactly one makes it', () =>
    withPlace(async (place) => {
      const shown: string[] = [];
      const started = await Promise.all([1, 2, 3].map(() => open(place, shown)));
      for (const app of started) await app.stop('test');
      assert.match(plainLines(shown), FIRST);
      const [counted] = await place.read('select count(*) as n from token');
      assert.is(Number(counted?.['n']), 1);
    }));

  if (dialect === 'postgres') {
    test('first starts that meet in the middle of the insert make one record, too', () =>
      withPlace(async (place) => {
        const { db, stop } = await open(place);
        const { query } = db;
        await query('token').where({ id: 1 }).delete();
        // Each start sees no record 1, and is then held by an index that is filled before the primary key's.
        await query.raw(`create function held(id int8) returns int8 immutable language plpgsql as
          $$ begin perform pg_advisory_xact_lock_shared(${HELD}); return id; end $$`);
        await query.raw('alter table token drop constraint token_pkey');
        await query.raw('create index held_index on token (held(id))');
        await query.raw('alter table token add primary key (id)');
        const shown: string[] = [];
        const started: ReturnType<typeof open>[] = [];
        await query.transaction(async (trx) => {
          await trx.raw('select pg_advisory_xact_lock(?)', [HELD]);
          for (let starts = 0; starts < 3; starts++) started.push(open(place, shown));
          await eventually(async () => {
            const [row] = await place.read(
              "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            );
            assert.is(Number(row?.['n']), 3);
          });
        });
        const outcomes = await Promise.allSettled(started);
        for (const one of outcomes) if (one.status === 'fulfilled') await one.value.stop('test');
        await stop('test');
        const faults = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        assert.equal(faults.map(String), []);
        assert.match(plainLines(shown), FIRST);
      }));
  }

  test('a lost record 1 comes back with the next start, and a stolen name stops it', () =>
    withPlace(async (place) => {
      const first = await open(place);
      await first.db.query('token').where({ id: 1 }).delete();
      await first.stop('test');
      const shown: string[] = [];
      const second = await open(place, shown);
      assert.match(plainLines(shown), FIRST);
      await second.db.query('token').where({ id: 1 }).update({ id: 50 });
      await second.stop('test');
      const refusal = await open(place).then(
        () => assert.unreachable('started'),
        (error) => error,
      );
      assert.is(refusal.name, 'UserError');
      assert.match(refusal.message, "another record named 'root'");
    }));

  test('roll-super-token replaces the record of a running server within about a second', async () => {
    const { app, whoami, outcome } = await tokenServer({ plugins: ['token'] }, { dialect });
    try {
      const config = join(app.dir, 'config.toml');
      const refused = await command('roll-super-token', config, 'perhaps\n');
      assert.is(refused.code, 0, refused.output);
      assert.not.match(refused.output, /Super Token: \w/);
      assert.is((await whoami(app.superToken)).super, true);

      const { code, output } = await command('roll-super-token', config, 'YES\n');
      const answered = Date.now();
      assert.is(code, 0, output);
      const token = /^Super Token: (\w{16}:\w{32})$/m.exec(output)?.[1] ?? '';
      const password = /^Root Password: (\w{32})$/m.exec(output)?.[1] ?? '';
      await eventually(async () => assert.is(await whoami(app.superToken), WRONG));
      // It is looked for every second; a busy machine gets thirty.
      assert.ok(Date.now() - answered < 30_000, 'the old one stops working soon');
      assert.is((await whoami(token)).super, true);
      assert.is((await whoami(`root|${password}`)).super, true);
      assert.is(await whoami(`root|${app.rootPassword}`), WRONG);
      const { tokens } = await outcome('token_list_all_tokens', [token]);
      assert.equal(
        tokens.map(({ username }: any) => username),
        ['root'],
      );
    } finally {
      await app.stop();
    }
  });

  test.run();
}
