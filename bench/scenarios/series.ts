import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { WebSocket } from 'ws';
import { report } from '../../test/process/reports.ts';
import { type Bench, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

/** A page holds 25 rows: with so many agents no two rows of one agent share a page, as with more. */
const agents = 40;
const calls = 12;
const hour = 3_600_000;
const day = 24 * hour;
const fields = [
  'cpu_usage',
  'used_memory',
  'load_one',
  'process_count',
  'receive_speed',
  'transmit_speed',
];

/** A day of reports, one a second, is put into the database; the server rolls it up by itself. */
export const series: Scenario = {
  name: 'series',
  about: `agent_query_series, 6 fields of one of ${agents} agents with a day of reports, on sqlite`,
  async run() {
    const bench = await startBench('sqlite');
    const socket = new WebSocket(bench.socketUrl);
    await once(socket, 'open');
    const call = caller(socket, bench.token);
    const uuids = Array.from({ length: agents }, () => randomUUID());
    for (const uuid of uuids) {
      await call('agent_report_dynamic_summary', { data: report('summary', uuid, Date.now()) });
    }
    const file = join(bench.place.site.dir, 'svc.db');
    const end = Math.floor((Date.now() - 120_000) / hour) * hour;
    fill(file, end - day);
    const before = await bench.probe('reset');
    const rolled_s = await rolledUp(bench, end);
    const rolling = await bench.probe();
    const perAgent_mb = lengthen(file);
    const figures: Figure[] = [];
    const range = { agents: [uuids[7]], fields, from: end - day, to: end, points: 720 };
    const year = { ...range, from: end - 365 * day, points: 1500 };
    const plain = plainSql(file, end - day, end);
    for (const [figure, params, goal] of [
      ['24 h over reports', { ...range, source: 'raw' }, 250],
      ['24 h over rollups', { ...range, source: 'minute' }, 20],
      ['a year', year, 40],
    ] as const) {
      const { cpu_ms: cpuBefore } = await bench.probe('reset');
      const times: number[] = [];
      const plainTimes: number[] = [];
      for (let n = 0; n < calls; n++) {
        times.push(await time(() => call('agent_query_series', params)));
        // In turns: the speed of a shared machine changes from one second to the next.
        plainTimes.push(await time(plain.run));
      }
      const { delay_max_ms, cpu_ms } = await bench.probe();
      const value = median(times);
      const yardstick = median(plainTimes);
      const most = (goal * yardstick) / 180;
      const note = `${((cpu_ms - cpuBefore) / calls).toFixed(1)} ms of server CPU, loop max ${delay_max_ms.toFixed(0)} ms; ${goal} ms where plain SQL takes 180: here ${yardstick.toFixed(0)}`;
      figures.push({ scenario: 'series', figure, value, unit: 'ms', goal: { most }, note });
    }
    plain.close();
    const cpu = ((rolling.cpu_ms - before.cpu_ms) / 1000).toFixed(0);
    const note = `${cpu} s of server CPU, loop p99 ${rolling.delay_p99_ms.toFixed(1)} ms`;
    const scenario = 'series';
    figures.push({ scenario, figure: 'rolling up', value: rolled_s, unit: 's', note });
    const kept = 'summaries: 60 days of minutes and two years of quarter-hours';
    figures.push({
      scenario,
      figure: 'room for an agent',
      value: perAgent_mb,
      unit: 'MB',
      note: kept,
    });
    socket.close();
    await bench.end();
    await bench.place.remove();
    return figures;
  },
};

function caller(socket: WebSocket, token: string) {
  return async (method: string, params: object): Promise<unknown> => {
    const answered = once(socket, 'message');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { token, ...params } }));
    const { result, error } = JSON.parse(String((await answered)[0]));
    if (error) throw new Error(JSON.stringify(error));
    return result;
  };
}

/** A report of each agent for each second of a day, in the order of arrival. */
function fill(file: string, from: number): void {
  const db = new Sqlite(file, { timeout: 60_000 });
  db.pragma('synchronous = off');
  db.exec(`with recursive s(n) as (select 0 union all select n + 1 from s where n < 86399)
    insert into dynamic_monitoring_summary (uuid_id, timestamp, storage_time, cpu_usage, used_memory, total_memory,
      available_memory, load_one, load_five, load_fifteen, uptime, boot_time, process_count, total_space, available_space,
      read_speed, write_speed, tcp_connections, udp_connections, total_received, total_transmitted, transmit_speed, receive_speed)
    select u.id, ${from} + s.n * 1000, ${from} + s.n * 1000, abs(random() % 1000), 8e9 + abs(random() % 1000000000), 16000000000,
      7e9 + abs(random() % 1000000000), abs(random() % 400), abs(random() % 400), abs(random() % 400), s.n, 1769337198,
      200 + abs(random() % 50), 322057531392, 91563786240 + s.n, abs(random() % 1000000), abs(random() % 1000000),
      abs(random() % 400), abs(random() % 100), s.n * 30000, s.n * 20000, abs(random() % 1000000), abs(random() % 4000000)
    from s cross join monitoring_uuid u`);
  checkpoint(db);
  db.close();
}

/** A log of a gigabyte, which no server has, would slow down every read. */
const checkpoint = (db: Sqlite.Database) => db.pragma('wal_checkpoint(truncate)');

/** Waits until the server has rolled up what arrived before this time. @returns seconds */
async function rolledUp(bench: Bench, end: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const sql = `select cast(value as integer) as n from series_state where name = 'summary'`;
    const [row] = await bench.place.read(sql);
    if (Number(row?.['n']) >= end) return (performance.now() - began) / 1000;
    if (performance.now() - began > 600_000) throw new Error('not rolled up within ten minutes');
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** Repeats the quarter-hours back over a year. @returns MB that rollups of one agent take in the end, keys included */
function lengthen(file: string): number {
  const db = new Sqlite(file, { timeout: 60_000 });
  const bytes = (step: number) =>
    db
      .prepare(
        `select sum(length(data) + 2 * length(series) + 40) / ${agents}.0 as n from series_rollup where step = ?`,
      )
      .pluck()
      .get(step) as number;
  const mb = (60 * bytes(1) + 730 * bytes(15)) / 1e6;
  db.exec(`with recursive k(n) as (select 1 union all select n + 1 from k where n < 91)
    insert or ignore into series_rollup (uuid_id, step, series, span, data)
    select uuid_id, step, series, span - n * ${4 * day}, data from series_rollup, k where step = 15`);
  checkpoint(db);
  db.close();
  return mb;
}

async function time(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Without the first two, which fill caches. */
const median = (times: readonly number[]): number =>
  times.slice(2).toSorted((a, b) => a - b)[Math.floor((times.length - 2) / 2)] as number;

/** The yardstick: min, avg and max of the same reports of one agent. */
function plainSql(file: string, from: number, to: number) {
  const db = new Sqlite(file, { readonly: true });
  const values = fields.map((name) => `min(${name}), avg(${name}), max(${name})`).join(', ');
  const statement =
    db.prepare(`select (timestamp - ?) / 120000, ${values} from dynamic_monitoring_summary
    where uuid_id = 8 and timestamp >= ? and timestamp < ? group by 1`);
  // A number would be a double, and no two reports would share a bucket.
  return { run: () => statement.all(BigInt(from), from, to), close: () => db.close() };
}
