// crontab.md §2.1: a run that a killed server claimed and did not dispatch is dispatched by another, once; no other run is.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Tasks } from '@svc/plugin-task/api';
import * as assert from 'uvu/assert';
import { Jobs } from '../../plugins/crontab/src/jobs.ts';
import { MissedRuns } from '../../plugins/crontab/src/missed-runs.ts';
import { Scheduler } from '../../plugins/crontab/src/scheduler.ts';
import { ClaimStore } from '../../plugins/crontab/src/store/claims.ts';
import { JobStore } from '../../plugins/crontab/src/store/jobs.ts';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';
import {
  A,
  agents,
  type Crontab,
  crontab,
  EVERY_SECOND,
  NEVER,
  PLUGINS,
  worker,
} from './crontab-kit.ts';
import { eventually } from './token-kit.ts';

const SECOND = 1_000;

/** As if a server had claimed a run so long ago and had been killed. */
const claimed = (app: TestApp, name: string, age_ms: number, by = "'dead'") =>
  app.sql(
    `update crontab set claimed_by = ${by}, last_run_time = ${Date.now() - age_ms} where name = '${name}'`,
  );

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab: runs of killed servers (${dialect})`);
  let app: TestApp;
  let jobs: Crontab;
  /** A scheduler looks a second after its server's start, and a start may take its time. */
  const recorded = (name: string) =>
    until(`a record of ${name}`, async () => (await jobs.query({ cron_name: name })).length > 0);
  test.before(async () => {
    // What a test writes behind its back is its own.
    const config = { crontab: { refresh_interval_ms: 600_000 } };
    app = await bootForTest(PLUGINS, config, { dialect });
    jobs = crontab(app, app.superToken);
  });
  test.after(() => app?.stop());

  test('the next start dispatches a run that left nothing, and no other', async () => {
    for (const name of ['recorded', 'old', 'released', 'never']) {
      await jobs.create(name, NEVER, agents([A]));
    }
    for (const name of ['script', 'begun script']) await jobs.create(name, NEVER, worker('w'));
    // Looked at last: when it has run, all others have been decided about.
    await jobs.create('lost', NEVER, agents([A]));
    // First of all: the server that runs now may look at any time, too.
    const [{ id }] = await app.sql(`select id from crontab where name = 'recorded'`);
    await app.sql(
      `insert into crontab_result (cron_id, cron_name, run_time, success, message)
        values (${id}, 'recorded', ${Date.now()}, false, 'made before')`,
    );
    await claimed(app, 'lost', 5 * SECOND);
    await claimed(app, 'recorded', 5 * SECOND);
    await claimed(app, 'script', 5 * SECOND);
    await claimed(app, 'begun script', 5 * SECOND, 'null');
    await claimed(app, 'old', 61 * SECOND);
    await claimed(app, 'released', 5 * SECOND, 'null');
    await app.restart();
    for (const name of ['script', 'lost']) await recorded(name);
    const names = (await jobs.query()).map((record: any) => record.cron_name);
    assert.equal(names.sort(), ['lost', 'recorded', 'script']);
  });

  test('no server makes up for a script’s run from before it is enqueued', async () => {
    await jobs.create('enqueued', EVERY_SECOND, worker('w'));
    await recorded('enqueued');
    await jobs.enable('enqueued', false);
    await eventually(async () => {
      const [row] = await app.sql(`select claimed_by from crontab where name = 'enqueued'`);
      assert.is(row.claimed_by, null);
    });
  });

  test('tasks that are stored prove that a run was dispatched', async () => {
    await jobs.create('stored', NEVER, agents([A]));
    await jobs.create('missing', NEVER, agents([A]));
    await claimed(app, 'stored', 5 * SECOND);
    await claimed(app, 'missing', 5 * SECOND);
    const uuid = dialect === 'sqlite' ? `x'${A.replaceAll('-', '')}'` : `'${A}'`;
    await app.sql(
      `insert into task (uuid, token, cron_source, task_event_type, type_name, created_at)
        values (${uuid}, 'tttttttttt', 'stored', '"ip"', 'ip', ${Date.now() - 5 * SECOND})`,
    );
    await app.restart();
    await recorded('missing');
    assert.equal(await jobs.query({ cron_name: 'stored' }), []);
  });

  test('a look for such runs that the database refused is repeated', async () => {
    await jobs.create('refused', NEVER, agents([A]));
    await claimed(app, 'refused', 5 * SECOND);
    const when = `before update on crontab for each row when (new.name = 'refused')`;
    if (dialect === 'sqlite') {
      await app.sql(`create trigger refuse ${when} begin select raise(abort, 'not now'); end`);
    } else {
      await app.sql(
        `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`,
      );
      await app.sql(`create trigger refuse ${when} execute function refuse()`);
    }
    await app.restart();
    await until('a refusal', () =>
      app.console.some((line) => /could not be looked for/.test(line)),
    );
    assert.equal(await jobs.query({ cron_name: 'refused' }), []);
    await app.sql(`drop trigger refuse${dialect === 'sqlite' ? '' : ' on crontab'}`);
    await recorded('refused');
  });

  test('a run that another server took over since the row was read is not replaced by the next claim', async () => {
    const { db, clock } = (app.kernel as any).kernelOf('crontab');
    const [mine, others] = [new JobStore(db, 'me'), new ClaimStore(db, 'survivor')];
    await jobs.create('taken over', NEVER, agents([A]));
    await claimed(app, 'taken over', 5 * SECOND);
    const read = await mine.byName('taken over');
    const { id, name, last_run_time } = read!;
    const claim = { id, name, last_run_time: last_run_time!, claimed_by: 'dead' };
    assert.is(await others.takeOver(claim), true);
    assert.is((await mine.claim([read!], clock.now())).size, 0);
    const reread = await mine.byName('taken over');
    assert.equal([...(await mine.claim([reread!], clock.now()))], [id]);
    assert.is(await others.takeOver(claim), false);
    await jobs.remove('taken over');
  });

  test('tasks and records prove their run although they were made after the next one was claimed', async () => {
    const { db, bus, clock, log, use } = (app.kernel as any).kernelOf('crontab');
    const run = Date.now() - 5 * SECOND;
    const late = run + 4 * SECOND;
    const names = ['slow task', 'slow record', 'slow nothing'];
    for (const name of names) {
      await jobs.create(name, NEVER, agents([A]));
      await claimed(app, name, Date.now() - run);
    }
    const uuid = dialect === 'sqlite' ? `x'${A.replaceAll('-', '')}'` : `'${A}'`;
    await app.sql(
      `insert into task (uuid, token, cron_source, cron_run, task_event_type, type_name, created_at)
        values (${uuid}, 'tttttttttt', 'slow task', ${run}, '"ip"', 'ip', ${late}),
          (${uuid}, 'uuuuuuuuuu', 'slow nothing', ${late}, '"ip"', 'ip', ${late})`,
    );
    await app.sql(
      `insert into crontab_result (cron_id, cron_name, claimed_at, run_time, success, message)
        select id, name, case when name = 'slow record' then ${run} else ${late} end, ${late}, false, 'made late'
          from crontab where name in ('slow record', 'slow nothing')`,
    );
    const store = new JobStore(db, 'me');
    const all = new Jobs({ store, now: () => clock.now(), unreadable: () => {} });
    await all.reload();
    const runs: unknown[] = [];
    const missed = new MissedRuns({
      ...{ bus, clock, log, jobs: all, claims: new ClaimStore(db, 'me'), tasks: use(Tasks) },
      run: ({ name }, at) => runs.push([name, Number(at)]),
    });
    for (const job of [...all.values()].filter(({ name }) => names.includes(name))) {
      missed.replaced({ ...job, last_run_time: run });
    }
    await app.sql(`update crontab set claimed_by = null where name like 'slow %'`);
    await missed.search();
    assert.equal(runs, [['slow nothing', run]]);
  });

  test('a claim of which only the answer was lost is run, once', async () => {
    const { db, clock, log } = (app.kernel as any).kernelOf('crontab');
    const store = new JobStore(db, 'me');
    const all = new Jobs({ store, now: () => clock.now(), unreadable: () => {} });
    const row = await store.insert({
      name: 'unheard',
      cron_expression: '0 0 0 1 1 *',
      cron_type: JSON.stringify(agents([A])),
      // Its time has come since then.
      start_time: Date.now() - 400 * 86_400 * SECOND,
      owner: null,
    });
    await all.reload();
    const runs: (readonly [name: string, at: number])[] = [];
    const stopping = new AbortController();
    const failures = [new Error('the connection is lost')];
    const scheduler = new Scheduler({
      clock,
      jobs: all,
      store: {
        async claim(due, now) {
          const claimed = await store.claim(due, now);
          const failure = failures.pop();
          if (failure) throw failure;
          return claimed;
        },
      },
      run: ({ name }, at) => runs.push([name, at]),
      server: 'me',
      log,
      stopping: stopping.signal,
    });
    await app.sql(`update crontab set last_run_time = 1 where id = ${row!.id}`);
    await all.reload();
    scheduler.begin();
    await until('the run', () => runs.length > 0);
    stopping.abort();
    await scheduler.settled();
    const [stored] = await app.sql(`select last_run_time from crontab where id = ${row!.id}`);
    assert.equal(runs, [['unheard', Number(stored.last_run_time)]]);
    await app.sql(`delete from crontab where id = ${row!.id}`);
  });

  test.run();
}

const test = suite('crontab: runs of killed servers, two servers (postgres)');
let servers: SharedServers;
test.before(async () => {
  servers = await sharedServers(2, PLUGINS);
});
test.after(() => servers?.stop());

test('a missed run is dispatched although the next one has been claimed since', async () => {
  const [one] = servers.apps as [TestApp];
  const jobs = crontab(one, servers.superToken);
  await jobs.create('busy', EVERY_SECOND, agents([A]));
  // Both servers have looked for missed runs at their start by then.
  await jobs.records('busy', 3);
  // After the record of the run before: one that came later would count for this one.
  await eventually(async () => {
    const now = Date.now();
    const recorded = `(select max(run_time) from crontab_result where run_time < ${now})`;
    const rows = await one.sql(
      `update crontab set claimed_by = 'dead', last_run_time = ${now}
        where name = 'busy' and last_run_time <= ${recorded} returning id`,
    );
    assert.is(rows.length, 1);
  });
  // Claimed again, by one of the two.
  await eventually(async () => {
    const [row] = await one.sql(`select claimed_by from crontab where name = 'busy'`);
    assert.is.not(row.claimed_by, 'dead');
  });
  await jobs.enable('busy', false);
  const warnings = () =>
    servers.apps.flatMap(({ console }) => console).filter((line) => /is dispatched now/.test(line));
  assert.equal(warnings(), []);
  // The servers learn of the death of another one.
  const three = await servers.join();
  servers.apps.pop();
  await three.stop();
  await eventually(() => assert.is(warnings().length, 1));
});

test('a claim that was answered late is run only if no other server has dispatched it meanwhile', async () => {
  const [one] = servers.apps as [TestApp];
  const jobs = crontab(one, servers.superToken);
  // Slow, and for one of the two as if another server had taken the run over before the answer came.
  await one.sql(`create function delay() returns trigger language plpgsql as $$ begin
    perform pg_sleep(1.1);
    if new.name = 'late, taken over' then new.claimed_by := 'survivor'; end if;
    return new; end $$`);
  await one.sql(`create trigger delay before update on crontab for each row
    when (new.name like 'late%' and new.last_run_time is distinct from old.last_run_time) execute function delay()`);
  const soon = new Date(Date.now() + 8 * SECOND).getUTCSeconds();
  for (const name of ['late, taken over', 'late']) {
    await jobs.create(name, `${soon} * * * * *`, agents([A]));
  }
  assert.is((await jobs.records('late', 1)).length, 1);
  assert.equal(await jobs.query({ cron_name: 'late, taken over' }), []);
});

test.run();
