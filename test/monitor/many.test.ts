// As many monitors as there may be: reading, listing and judging them holds no call up (the kit fails a server whose turns are longer than 50 ms).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, passes, SECOND } from './kit.ts';

const MANY = 5_000;
const COLUMNS = `kind, spec, secret, tags, interval_s, timeout_s, retries, retry_s, recover_after, places, upside_down, severity,
  enable, note, version, created_at, updated_at`;

/** Adds copies of the monitor 'm', one name each. */
const copies = {
  sqlite: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY - 1})
    insert into monitor (name, ${COLUMNS}) select 'm' || i, ${COLUMNS} from monitor, n where name = 'm'`,
  postgres: `insert into monitor (name, ${COLUMNS}) select 'm' || i, ${COLUMNS}
    from monitor, generate_series(1, ${MANY - 1}) as i where name = 'm'`,
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: many (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await boot(dialect);
  });
  test.after(() => app.stop());

  test('5,000 monitors are read, judged and listed in short turns', async () => {
    const spec = { period_s: 3_600 };
    await create(app, { name: 'm', kind: 'heartbeat', spec });
    await app.sql(copies[dialect]);
    // Any change has all read again.
    await call(app, 'monitor_update', { name: 'm', change: { note: 'x' } });
    const judged = async () => {
      const [row] = await app.sql('select count(*) as n from monitor_verdict');
      return Number(row.n) === MANY;
    };
    assert.ok(await passes(app, 60 * SECOND, judged));
    let [count, after] = [0, undefined as number | null | undefined];
    while (after !== null) {
      const page = await call(app, 'monitor_list', after === undefined ? {} : { after });
      count += page.monitors.length;
      after = page.next;
    }
    assert.is(count, MANY);
  });

  test.run();
}
