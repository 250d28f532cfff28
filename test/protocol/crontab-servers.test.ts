// crontab.md §2.1, decisions: several servers on one database run each job once, and see each other's changes.
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, agents, type Crontab, crontab, EVERY_SECOND, PLUGINS } from './crontab-kit.ts';
import { eventually } from './token-kit.ts';

const test = suite('crontab: two servers (postgres)');
const OPTIONS = { crontab: { refresh_interval_ms: 1_000 } };
let app: TestApp;
let second: App;
let here: Crontab;
let there: Crontab;

test.before(async () => {
  app = await bootForTest(PLUGINS, OPTIONS, { dialect: 'postgres' });
  const text = await readFile(join(app.dir, 'config.toml'), 'utf8');
  const config = join(app.dir, 'second.toml');
  await writeFile(config, text.replace(/server_uuid = ".*"/, `server_uuid = "${randomUUID()}"`));
  second = await start({ config, plugins: PLUGINS, console: () => {} });
  here = crontab(app, app.superToken);
  const call = async (method: string, params: unknown) => {
    const response = await fetch(second.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as any;
    if (error) throw error;
    return result;
  };
  there = crontab({ call }, app.superToken);
});
test.after(async () => {
  await second.stop('test');
  await app.stop();
});
test.after.each(async () => {
  for (const { name } of await here.get()) await here.remove(name);
  await eventually(async () => assert.equal(await there.get(), []));
  await here.erase();
});

/** Notes every claim of a run; records carry the time at which they were made, which may lie in the next second. */
const AUDIT = `
  create table audit_claim (job text, at bigint);
  create function audit_claims() returns trigger language plpgsql as $$ begin
    insert into audit_claim values (new.name, new.last_run_time); return new; end $$;
  create trigger audit_claim after update on crontab for each row
    when (new.last_run_time is distinct from old.last_run_time) execute function audit_claims();`;

test('each of 20 jobs runs once in every second, whichever server runs it', async () => {
  await second.db.query.raw(AUDIT);
  const names = Array.from({ length: 20 }, (_, n) => `job ${n}`);
  await Promise.all(names.map((name) => here.create(name, EVERY_SECOND, agents([A]))));
  await eventually(async () => assert.is((await there.get()).length, 20));
  const records = () => here.query({ limit: 10_000 });
  const deadline = Date.now() + 60_000;
  while ((await records()).length < 60 && Date.now() < deadline) await pause(50);
  await Promise.all(names.map((name) => here.enable(name, false)));
  const claims = await second.db.all<{ job: string; second: number }>(
    'select job, at / 1000 as second from audit_claim',
  );
  assert.ok(claims.length >= 60);
  assert.is(new Set(claims.map(({ job, second }) => `${job} ${second}`)).size, claims.length);
  await eventually(async () => assert.is((await records()).length, claims.length));
});

test('when one server stops looking, the other runs its jobs on', async () => {
  await there.create('shared', EVERY_SECOND, agents([A]));
  await eventually(async () => assert.ok(await here.job('shared')));
  await here.records('shared', 2);
  await second.stop('test');
  const since = Date.now();
  await eventually(async () => {
    assert.ok((await here.query({ cron_name: 'shared' }, { run_time_from: since })).length >= 2);
  });
  const config = join(app.dir, 'second.toml');
  second = await start({ config, plugins: PLUGINS, console: () => {} });
});

test('a job that the other server changed runs as it was changed, even before that was heard of', async () => {
  await here.create('moved', '0 0 0 1 1 * 2100', agents([A], { ping: 'old' }));
  await eventually(async () => assert.ok(await there.job('moved')));
  await there.edit('moved', EVERY_SECOND, agents([], { ping: 'new' }));
  await eventually(async () => {
    assert.ok((await here.job('moved')).last_run_time !== null);
  });
  assert.equal((await here.job('moved')).cron_type, agents([], { ping: 'new' }));
  // No run of either server was for the agent that stood in the list before.
  assert.equal(await here.query({ cron_name: 'moved' }), []);
});

test('names are looked up in the database: the other server sees a change at once', async () => {
  const { id } = await here.create('fresh');
  assert.match(await there.create('fresh'), /^108 /);
  assert.equal(await there.edit('fresh'), { id, success: true });
  assert.equal(await there.enable('fresh', false), { success: true, enabled: false });
  assert.equal(await there.remove('fresh'), { success: true });
  assert.match(await here.enable('fresh', true), /^105 /);
  await eventually(async () => assert.equal(await here.get(), []));
});

test.run();
