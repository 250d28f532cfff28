// proof: 40
// crontab.md §2.1, §3.1, §3.2, §7: when jobs run, what a run does, and what it leaves behind.

import { WorkerRuns } from '@svc/plugin-crontab/api';
import { definePlugin, RpcError, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import {
  A,
  agents,
  B,
  type Crontab,
  crontab,
  EVERY_SECOND,
  NEVER,
  PLUGINS,
  worker,
} from './crontab-kit.ts';
import { readyAgent, rows } from './task-kit.ts';
import { eventually } from './token-kit.ts';

const HOUR = 3_600_000;
const EVERY_MINUTE = '0 * * * * *';

/** Script workers by name: what happens to a run of them. */
function fakeWorkers() {
  const orders: { worker: string; params: string }[] = [];
  const hanging: ((id: number) => void)[] = [];
  const plugin = definePlugin({
    name: 'fake-workers',
    version: '1.0.0',
    provides: [WorkerRuns],
    config: Type.Object({}),
    setup(kernel) {
      kernel.provide(WorkerRuns, {
        enqueueCron(order) {
          orders.push(order);
          if (order.worker === 'hangs') return new Promise((resolve) => hanging.push(resolve));
          if (order.worker === 'unknown') throw RpcError.notFound('js_worker not found\0');
          if (order.worker === 'broken') throw new Error('secret detail');
          return Promise.resolve(7_000 + orders.length);
        },
      });
    },
  });
  return { plugin, orders, hanging };
}

/** Jobs of one second. */
const JOBS = loop(250, 1_000);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab: runs (${dialect})`);
  const workers = fakeWorkers();
  let app: TestApp;
  let cron: Crontab;
  /** The fake time as it is without jumps. */
  let steady: () => number;
  test.before(async () => {
    app = await bootForTest(
      [...PLUGINS, 'kv', workers.plugin],
      { kv: { retention_interval_ms: 60_000 } },
      { dialect, clock: true },
    );
    cron = crontab(app, app.superToken);
    const { clock } = app;
    steady = clock.now.bind(clock);
    await clock.advance(1_000);
  });
  test.after(() => app.stop());
  test.after.each(async () => {
    for (const { name } of await cron.get()) await cron.remove(name);
    // A run may have begun to hang after its test was over; the stop would wait for it.
    for (const resolve of workers.hanging.splice(0)) resolve(1);
    await cron.erase();
  });

  const now = () => app.clock.now();
  /** The machine's clock is set: no timer runs early or late for it. */
  const jump = (ms: number) => {
    const before = app.clock.now;
    app.clock.now = () => before() + ms;
  };
  /** Moves to `rest` ms after the next whole second, or the next multiple of `unit`. */
  const toNext = (unit = 1_000, rest = 0) => app.clock.advance(unit - (now() % unit) + rest);
  const lastRun = async (name: string): Promise<number | null> =>
    (await cron.job(name)).last_run_time;
  /** Waits until the job has run at or after this time. */
  const ranSince = async (name: string, time: number): Promise<number> => {
    let last: number | null = null;
    await eventually(async () => {
      last = await lastRun(name);
      assert.ok(last !== null && last >= time, `last run ${last}, wanted ${time}`);
    });
    return last as unknown as number;
  };
  /** A job of a script worker, whose runs are counted. */
  const counted = async (expression: string, name = 'counted') => {
    await cron.create(name, expression, worker(name));
    return () => workers.orders.filter((order) => order.worker === name).length;
  };
  /** Everything that is due has been claimed: a job that is always due has run. */
  const settled = async () => {
    await cron.create('witness', EVERY_SECOND, agents([]));
    await toNext();
    await ranSince('witness', now() - 1_000);
    await cron.remove('witness');
  };
  test.before.each(() => {
    workers.orders.length = 0;
  });

  test('a run for an absent agent leaves a failure record and no task', async () => {
    await toNext(60_000, 1_000);
    const { id } = await cron.create('absent', EVERY_MINUTE, agents([A]));
    await toNext(60_000);
    const at = await ranSince('absent', now());
    assert.is(at, now());
    const [record] = await cron.records('absent', 1);
    assert.match(record.message, new RegExp(`${A}.*not connected`));
    assert.equal(record, {
      id: record.id,
      cron_id: id,
      cron_name: 'absent',
      relative_id: null,
      run_time: now(),
      success: false,
      message: record.message,
    });
    assert.equal(await rows(app), []);
  });

  test('a run hands each listed agent a task of its own, duplicates too', async () => {
    const agent = await readyAgent(app, A);
    await cron.create('edge latency', EVERY_MINUTE, agents([A, B, A], { ping: 'x' }));
    await toNext(60_000);
    const records = await cron.records('edge latency', 3);
    const items = await agent.received(2);
    const [absent, ...handed] = records.toSorted((a, b) => Number(a.success) - Number(b.success));
    assert.is(absent.relative_id, null);
    assert.match(absent.message, new RegExp(B));
    assert.equal(
      handed.map(({ relative_id }) => relative_id).sort(),
      items.map(({ task_id }) => task_id).sort(),
    );
    assert.ok(handed.every(({ success, message }) => success && message.includes(A)));
    assert.equal(
      handed.map(({ message, relative_id }) => message.includes(String(relative_id))),
      [true, true],
    );
    const ids = records.map(({ id }) => id);
    assert.equal(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    assert.ok(items.every(({ task_token }) => /^[A-Za-z0-9]{10}$/.test(task_token)));
    const stored = await rows(app, { cron_source: 'edge latency' });
    assert.equal(
      stored.map(({ uuid, task_event_type }) => [uuid, task_event_type]),
      [
        [A, { ping: 'x' }],
        [A, { ping: 'x' }],
      ],
    );
    const ofTask = await cron.query({ cron_name: 'edge latency' }, 'is_success', 'last');
    assert.ok(stored.some(({ task_id }) => task_id === ofTask[0].relative_id));
    agent.socket.close();
    await agent.socket.closed;
    await app.call('task_delete', [app.superToken, []]);
  });

  test('a run over an empty list leaves its time and no record', async () => {
    await cron.create('empty', EVERY_SECOND, agents([]));
    await toNext();
    await ranSince('empty', now());
    await settled();
    assert.equal(await cron.query({ cron_name: 'empty' }), []);
  });

  test('a worker run is enqueued with its parameters and recorded with the id of its result', async () => {
    await toNext(60_000, 1_000);
    await cron.create('nightly', EVERY_MINUTE, worker('report', { window: '24h', top: 10 }));
    await toNext(60_000);
    const [record] = await cron.records('nightly', 1);
    assert.equal(workers.orders[0], { worker: 'report', params: '{"window":"24h","top":10}' });
    assert.is(record.relative_id, 7_001);
    assert.is(record.success, true);
  });

  for (const [name, reason] of [
    ['unknown', 'Not found in database: js_worker not found\ufffd'],
    ['broken', 'internal error'],
  ] as const) {
    test(`a worker run that cannot be enqueued (${name}) is recorded with the reason`, async () => {
      // A run of the test before may leave its record late: the name is this one's own.
      await cron.create(`failing ${name}`, EVERY_SECOND, worker(name));
      await toNext();
      const [record] = await cron.records(`failing ${name}`, 1);
      assert.is(record.success, false);
      assert.is(record.relative_id, null);
      assert.ok(record.message.endsWith(reason), record.message);
    });
  }

  test('jobs run at their seconds, once each', async () => {
    await toNext(60_000, 500);
    const runs = await counted('10,20 * * * * *');
    const times: (number | null)[] = [];
    for (let second = 0; second < 24; second++) {
      await toNext();
      await settled();
      times.push(await lastRun('counted'));
    }
    const distinct = [...new Set(times)].map((time) => time && Math.floor(time / 1_000) % 60);
    assert.equal(distinct, [null, 10, 20]);
    await eventually(() => assert.is(runs(), 2));
  });

  test('a disabled job does not run', async () => {
    const runs = await counted(EVERY_SECOND);
    // The second of its creation itself counts.
    await eventually(() => assert.is(runs(), 1));
    await cron.enable('counted', false);
    for (let n = 0; n < 3; n++) await settled();
    assert.is(runs(), 1);
  });

  test('a clock set forward makes up for all missed times with one run', async () => {
    await toNext(60_000, 1_000);
    const runs = await counted(EVERY_MINUTE);
    await toNext(60_000);
    await ranSince('counted', now());
    await eventually(() => assert.is(runs(), 1));
    jump(10 * HOUR + 30_000);
    await app.clock.advance(5_000);
    await ranSince('counted', now() - 5_000);
    await settled();
    await eventually(() => assert.is(runs(), 2));
    await toNext(60_000);
    await ranSince('counted', now());
    await eventually(() => assert.is(runs(), 3));
  });

  test('a clock set back does not hold jobs up', async () => {
    for (const back of [-30_000, -HOUR, -400 * 24 * HOUR]) {
      const name = `back ${back}`;
      await toNext(60_000, 1_000);
      const runs = await counted(EVERY_MINUTE, name);
      await toNext(60_000);
      await ranSince(name, now());
      jump(back);
      await app.clock.advance(5_000);
      await toNext(60_000);
      await eventually(() => assert.is(runs(), 2));
      await eventually(async () => assert.is(await lastRun(name), now()));
      await cron.remove(name);
    }
  });

  test('a never-run job is due for every match since its creation', async () => {
    await toNext(60_000, 57_000);
    const runs = await counted('59 * * * * *');
    // Nothing looks at the second itself.
    jump(4_000);
    await app.clock.advance(5_000);
    await eventually(() => assert.is(runs(), 1));
  });

  test('after a downtime a job that had run runs once, right after the start; others wait', async () => {
    await toNext(60_000);
    const ran = await counted(EVERY_MINUTE, 'had run');
    await ranSince('had run', now() - 60_000);
    await toNext(60_000);
    await ranSince('had run', now());
    // At its creation too: that second itself counts.
    await eventually(() => assert.is(ran(), 2));
    await cron.create('never ran', '30 0 0 * * *', worker('never ran'));
    const before = ran();
    jump(30 * HOUR);
    await app.restart();
    assert.is(ran(), before);
    await app.clock.advance(1_000);
    await eventually(() => assert.is(ran(), before + 1));
    await settled();
    assert.is(ran(), before + 1);
    assert.is(await lastRun('never ran'), null);
  });

  test('a last run far in the future does not hold a job up for ever', async () => {
    const runs = await counted(EVERY_SECOND);
    await app.sql(`update crontab set last_run_time = ${now() + 9 * HOUR} where name = 'counted'`);
    await app.restart();
    const before = runs();
    // Jobs are planned after the start: time goes on until then.
    await eventually(async () => {
      await app.clock.advance(1_000);
      assert.ok(runs() > before);
    });
    assert.ok(((await lastRun('counted')) as number) <= now());
  });

  test('a job that is switched on again counts from now', async () => {
    await toNext(60_000, 1_000);
    const runs = await counted(EVERY_MINUTE);
    await toNext(60_000);
    await ranSince('counted', now());
    await cron.enable('counted', false);
    await app.clock.advance(HOUR + 30_000);
    await cron.enable('counted', true);
    // Switching on what is on already changes nothing.
    await cron.enable('counted', true);
    await settled();
    await eventually(() => assert.is(runs(), 1));
    await toNext(60_000);
    await ranSince('counted', now());
    await eventually(() => assert.is(runs(), 2));
  });

  test('a new expression counts from now; the same one leaves missed times due', async () => {
    await toNext(60_000, 1_000);
    const runs = await counted(EVERY_MINUTE);
    await toNext(60_000);
    await ranSince('counted', now());
    const last = await lastRun('counted');
    await cron.edit('counted', '0 0 0 1 1 *', worker('counted'));
    await app.clock.advance(30_000);
    await cron.edit('counted', '5 * * * * *', worker('counted'));
    await settled();
    await eventually(() => assert.is(runs(), 1));
    assert.is(await lastRun('counted'), last);
    // A look at the jobs that was on its way may run it before the edit: then the next time tells.
    let edits = 0;
    do {
      assert.ok(++edits < 5, 'a look came before each edit');
      jump(60_000);
      await cron.edit('counted', '5 * * * * *', worker('counted', edits));
      await eventually(() => assert.is(runs(), 1 + edits));
    } while (workers.orders.at(-1)?.params !== String(edits));
  });

  test('a run that hangs holds up neither its own job nor others, and is recorded after the job is gone', async () => {
    const { id } = await cron.create('slow', EVERY_SECOND, worker('hangs'));
    const runs = await counted(EVERY_SECOND);
    for (let n = 0; n < 3; n++) {
      await toNext();
      await ranSince('slow', now());
      await ranSince('counted', now());
    }
    await eventually(() => assert.ok(workers.hanging.length >= 3));
    await eventually(() => assert.ok(runs() >= 3));
    await cron.remove('slow');
    const made = await cron.create('slow', NEVER);
    for (const resolve of workers.hanging.splice(0)) resolve(99);
    const records = await cron.records('slow', 3);
    assert.ok(records.every((each) => each.cron_id === id && each.relative_id === 99));
    assert.ok(made.id > id);
  });

  test('many runs that hang at once hold up no other job, and what hangs is not piled up', async () => {
    for (let n = 0; n < 20; n++) await cron.create(`hung ${n}`, EVERY_SECOND, worker('hangs'));
    const runs = await counted(EVERY_SECOND);
    for (let n = 0; n < 4; n++) await settled();
    await eventually(() => assert.ok(runs() >= 2));
    for (let n = 1; n < 20; n++) await cron.remove(`hung ${n}`);
    const hung = () => workers.orders.filter((order) => order.worker === 'hangs').length;
    for (let n = 0; n < 110; n++) {
      const before = now();
      await toNext();
      await ranSince('hung 0', before);
    }
    await settled();
    const most = hung();
    for (let n = 0; n < 3; n++) await settled();
    assert.is(hung(), most);
    for (const resolve of workers.hanging.splice(0)) resolve(1);
    await eventually(async () => {
      await toNext();
      assert.ok(hung() > most);
    });
    await cron.remove('hung 0');
    for (const resolve of workers.hanging.splice(0)) resolve(1);
  });

  test('while the table is away nothing spins; then each job runs once for what it missed', async () => {
    const runs = await counted(EVERY_SECOND);
    await settled();
    await app.sql('alter table crontab rename to elsewhere');
    const before = runs();
    for (let n = 0; n < 5; n++) await toNext();
    await app.sql('alter table elsewhere rename to crontab');
    await eventually(async () => {
      await app.clock.advance(100);
      assert.ok(runs() > before);
    });
    await settled();
    const again = runs();
    const seconds = 5;
    for (let n = 0; n < seconds; n++) await settled();
    // Some runs of before may have been enqueued only now.
    assert.ok(runs() - again <= seconds + 3, `${runs() - again} runs in ${seconds} s`);
  });

  test('runs go on when records cannot be stored', async () => {
    const runs = await counted(EVERY_SECOND);
    await app.sql('alter table crontab_result rename to elsewhere');
    const before = runs();
    for (let n = 0; n < 3; n++) await settled();
    await app.sql('alter table elsewhere rename to crontab_result');
    await eventually(() => assert.ok(runs() >= before + 3));
    await toNext();
    await cron.records('counted', 1);
  });

  test('rows that another program wrote are found within ten seconds', async () => {
    const values = `'foreign', '${EVERY_SECOND}', '${JSON.stringify(agents([A]))}'`;
    await app.sql(`insert into crontab (name, cron_expression, cron_type) values (${values})`);
    await app.clock.advance(10_000);
    await eventually(async () => assert.ok(await cron.job('foreign')));
    await toNext();
    await cron.records('foreign', 1);
    await app.sql(`delete from crontab where name = 'foreign'`);
    await app.clock.advance(10_000);
    await eventually(async () => assert.is(await cron.job('foreign'), undefined));
  });

  test('records older than the stored limit are deleted', async () => {
    const key = ['global', 'database_limit_crontab_result', 120_000];
    await app.call('kv_create', [app.superToken, 'global']);
    await app.call('kv_set_value', [app.superToken, ...key]);
    const add = (time: number) =>
      app.sql(
        `insert into crontab_result (cron_id, cron_name, run_time) values (1, 'kept', ${time})`,
      );
    for (const age of [HOUR, 300_000, 30_000]) await add(now() - age);
    await app.clock.advance(60_000);
    await eventually(async () => {
      const left = await cron.query({ cron_name: 'kept' });
      assert.is(left.length, 1);
    });
    await app.call('kv_delete_key', [app.superToken, 'global', 'database_limit_crontab_result']);
  });

  test(`${JOBS} jobs that are due at the same second are all dispatched, once each`, async () => {
    await toNext(60_000, 2_000);
    // So many at once are answered in time on a busy machine too.
    for (let from = 0; from < JOBS; from += 250) {
      const made = Array.from({ length: 250 }, (_, n) =>
        cron.create(`many ${from + n}`, EVERY_MINUTE, agents([A])),
      );
      const refused = (await Promise.all(made)).filter((answer) => !(answer.id > 0));
      assert.equal(refused.slice(0, 3), []);
    }
    await toNext(60_000);
    await eventually(async () => {
      assert.is((await cron.query({ run_time_from: now() }, { limit: 10_000 })).length, JOBS);
    });
    const records = await cron.query({ run_time_from: now() }, { limit: 10_000 });
    assert.is(new Set(records.map(({ cron_name }: any) => cron_name)).size, JOBS);
    assert.ok((await cron.get()).every((job: any) => job.last_run_time === now()));
    assert.ok(steady() < now() + 500 * 24 * HOUR);
  });

  test.run();
}

const alone = suite('crontab: without script workers');
alone('a worker run is recorded as failed', async () => {
  const app = await bootForTest(PLUGINS, {}, { clock: true });
  try {
    const cron = crontab(app, app.superToken);
    await cron.create('nightly', EVERY_SECOND, worker('report'));
    await app.clock.advance(2_000);
    const [record] = await cron.records('nightly', 1);
    assert.is(record.success, false);
    assert.match(record.message, /report could not be run: this server runs no scripts/);
  } finally {
    await app.stop();
  }
});
alone.run();
