// As many checked monitors as there may be, all enabled: a change of one costs what changed (plugins/monitor/src/engine/known.ts).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, passes, SECOND, type Target, target } from './kit.ts';

const ADDED = 5;
/** All that the Super Token may have, with those that are added. */
const MANY = 5_000 - ADDED;
const MOST_MS = 50;
const CHECKS = 100;
const COLUMNS = `kind, spec, secret, tags, interval_s, timeout_s, retries, retry_s, recover_after, places, upside_down, severity,
  enable, note, version, created_at, updated_at, group_name, condition`;
/** Copies of the monitor 'm', with names and conditions of their own. */
const OWN = COLUMNS.replace('condition', `'status == 200 && ms < ' || (1000 + i) || '.0'`);
const copies = {
  sqlite: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY - 1})
    insert into monitor (name, ${COLUMNS}) select 'm' || i, ${OWN} from monitor, n where name = 'm'`,
  postgres: `insert into monitor (name, ${COLUMNS}) select 'm' || i, ${OWN}
    from monitor, generate_series(1, ${MANY - 1}) as i where name = 'm'`,
};

/** Watches the processor time of the main thread by rounds of the event loop, whoever works in them. @returns ends it, and tells the longest, ms */
function watchRounds(): () => number {
  const machine = process as NodeJS.Process & { threadCpuUsage(): NodeJS.CpuUsage };
  const cpu_us = () => {
    const { user, system } = machine.threadCpuUsage();
    return user + system;
  };
  let [last, longest, isOver] = [cpu_us(), 0, false];
  const look = () => {
    const now = cpu_us();
    longest = Math.max(longest, (now - last) / 1_000);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return longest;
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: many that are checked (${dialect})`);
  let app: TestApp;
  let site: Target;
  test.before(async () => {
    app = await boot(dialect);
    site = await target();
  });
  test.after(async () => {
    await app.stop();
    await site.stop();
  });

  test('among 5,000 checked monitors some are made, changed, switched off and deleted in short turns', async () => {
    const monitor = {
      ...{ kind: 'http', spec: { url: site.url }, interval_s: 86_400, timeout_s: 10 },
      ...{ tags: ['web', 'shop'], group: 'sites' },
    };
    const names = Array.from({ length: ADDED }, (_one, n) => `new ${n}`);
    const count = async (table: string) =>
      Number((await app.sql(`select count(*) as n from ${table}`))[0].n);
    await create(app, { ...monitor, name: 'm' });
    await app.sql(copies[dialect]);
    const longest = watchRounds();
    for (const name of names) {
      await create(app, { ...monitor, name });
      await call(app, 'monitor_update', { name, change: { note: 'x' } });
    }
    const isJudged = async () => (await count('monitor_verdict')) === MANY + ADDED;
    assert.ok(await passes(app, 60 * SECOND, isJudged));
    assert.ok(await passes(app, 60 * SECOND, async () => (await count('monitor_state')) > CHECKS));
    for (const name of names) {
      await call(app, 'monitor_set_enable', { name, enable: false });
      await call(app, 'monitor_delete', { name });
    }
    await passes(app, 5 * SECOND);
    assert.is(await count('monitor'), MANY);
    const ms = longest();
    assert.ok(ms < MOST_MS, `${ms} ms`);
  });

  test.run();
}
