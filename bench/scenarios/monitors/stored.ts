import { randomUUID } from 'node:crypto';
import { bootForTest } from '@svc/plugin-sdk/testing';
import Sqlite from 'better-sqlite3';
import { UptimeStore } from '../../../plugins/monitor/src/store/uptime.ts';
import { DAY, HOUR, result, SECOND, Stores, T0 } from '../../../test/monitor/store-kit.ts';
import { report } from '../../../test/process/reports.ts';
import type { Figure } from '../../types.ts';
import { figure } from './figure.ts';

const COUNT = 1_000;
const DAYS = 90;
/** Agents of one call. */
const MOST_AGENTS = 100;
const ROUNDS = 5;
const PACKED_MONITORS = 40;
const PACKED_HOURS = 6;
const INTERVAL = 20 * SECOND;

/** Bytes of a check as a row, and packed, in the pages of SQLite. */
export async function packed(): Promise<Figure[]> {
  const stores = await Stores.open('sqlite');
  for (let n = 0; n < PACKED_MONITORS; n++) {
    const id = await stores.monitor();
    await stores.verdict(id, 0, T0);
    await stores.results.add(checksOf(id, 15 + n));
  }
  const checks = await stores.count('monitor_result');
  const bytes = async (table: string) => {
    const sql = `select sum(pgsize) as n from dbstat where name = '${table}'`;
    return Number((await stores.app.sql(sql))[0].n) / checks;
  };
  const raw = await bytes('monitor_result');
  stores.now = T0 + (PACKED_HOURS + 1) * HOUR;
  await stores.pack();
  if ((await stores.count('monitor_result')) > 0) throw new Error('something was not packed');
  const chunk = await bytes('monitor_chunk');
  await stores.app.stop();
  return [
    figure('a check as a row', raw, 'B'),
    figure('a check packed', chunk, 'B', { note: `${checks.toLocaleString('en-US')} checks` }),
    figure('packed: ratio', chunk / raw, '', { goal: { most: 0.06 } }),
  ];
}

/** Times that scatter as those of a web server do, and a failure now and then. */
function checksOf(id: number, usual_ms: number) {
  const all = [];
  for (let at = T0 + id * 7; at < T0 + PACKED_HOURS * HOUR; at += INTERVAL) {
    const isFailed = Math.random() < 0.001;
    const ms = usual_ms * Math.exp(gauss() * 0.25);
    all.push(result(id, at, { ms, ok: !isFailed, code: isFailed ? 503 : 200 }));
  }
  return all;
}

const gauss = (): number =>
  Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

/** Uptime of monitors as a list or a page reads it, and that of agents by its method, each a thousand over 90 days, in turns. */
export async function uptime(): Promise<Figure[]> {
  const app = await bootForTest(undefined);
  const uuids = Array.from({ length: COUNT }, () => randomUUID());
  for (const uuid of uuids) {
    const data = report('summary', uuid, Date.now());
    await app.call('agent_report_dynamic_summary', [app.superToken, data]);
  }
  for (let n = 0; n < COUNT; n++) {
    const monitor = { name: `m${n}`, kind: 'http', spec: { url: 'http://127.0.0.1:1/' } };
    const off = { ...monitor, enable: false };
    await app.call('monitor_create', [app.superToken, off]);
  }
  const now = Date.now();
  const [{ file }] = await app.sql("select file from pragma_database_list where name = 'main'");
  fill(file, now);
  const { db, clock } = (app.kernel as any).kernelOf('monitor');
  const store = new UptimeStore({ db, clock, coverEnd: () => 'always' });
  const ids = (await app.sql('select id from monitor')).map(({ id }: { id: number }) => Number(id));
  const span = { from: now - DAYS * DAY, to: now };
  const today = Math.floor(now / DAY) * DAY;
  const days = Array.from({ length: DAYS }, (_one, n) => {
    const from = today - (DAYS - 1 - n) * DAY;
    return { from, to: Math.min(now, from + DAY) };
  });
  const least = { agents: Infinity, one: Infinity, days: Infinity };
  const take = async (name: keyof typeof least, work: () => Promise<unknown>) => {
    const began = process.hrtime.bigint();
    await work();
    least[name] = Math.min(least[name], Number(process.hrtime.bigint() - began) / 1e6);
  };
  for (let n = 0; n < ROUNDS; n++) {
    await take('agents', async () => {
      for (let at = 0; at < COUNT; at += MOST_AGENTS)
        await app.call('agent_query_uptime', {
          ...{ token: app.superToken, agents: uuids.slice(at, at + MOST_AGENTS), ...span },
        });
    });
    await take('one', () => store.of(ids, span));
    await take('days', () => store.inSpans(ids, days));
  }
  await app.stop();
  return [
    figure('uptime of 1,000 agents, 90 days', least.agents, 'ms'),
    figure('of 1,000 monitors, one span: ratio', least.one / least.agents, '', {
      ...{ goal: { most: 1.5 }, note: `${least.one.toFixed(0)} ms` },
    }),
    figure('of 1,000 monitors, each of 90 days: ratio', least.days / least.agents, '', {
      note: `${least.days.toFixed(0)} ms; no page asks this of so many`,
    }),
  ];
}

/** Days of monitors and agents, and the hours of the last days of monitors. */
function fill(file: string, now: number): void {
  const db = new Sqlite(file);
  const today = Math.floor(now / DAY);
  const fields = 'up_s, degraded_s, down_s, unknown_s, paused_s, n';
  const numbers = (from: number, to: number) =>
    `with recursive t (t) as (select ${from} union all select t + 1 from t where t < ${to})`;
  db.pragma('busy_timeout = 10000');
  db.exec(`update monitor set created_at = ${now - 2 * DAYS * DAY};
    insert into monitor_day (monitor_id, day, ${fields}) ${numbers(today - DAYS - 1, today - 1)}
      select m.id, t, 86000, 0, 400, 0, 0, 4320 from monitor m, t;
    insert into monitor_hour (monitor_id, place_id, hour, ${fields})
      ${numbers((today - DAYS - 1) * 24, Math.floor(now / HOUR) - 1)}
      select m.id, -1, t, 3600, 0, 0, 0, 0, 180 from monitor m, t;
    insert or replace into agent_uptime (uuid_id, day, ms) ${numbers(today - DAYS, today)}
      select u.id, t, 86000000 from monitoring_uuid u, t;`);
  db.close();
}
