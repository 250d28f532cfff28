import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { makePlace, type Place } from '../../test/process/place.ts';
import { killAtExit, type ServerProcess, serverCommand } from '../../test/process/server.ts';
import { runLoad } from '../clients.ts';
import { ensurePostgres } from '../postgres.ts';
import { type Bench, end, probe, startBench, startProbed } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

/** MB of the database; on Postgres with its indexes. */
const wanted_mb = {
  sqlite: Number(process.env['SVC_BENCH_MB'] ?? 1000),
  postgres: Number(process.env['SVC_BENCH_MB'] ?? 500),
};
const agents = 1000;
const summaries = 'dynamic_monitoring_summary';
const TABLES = [summaries, 'dynamic_monitoring'];
const ALONE_MS = 10_000;

/** A large database is copied while a fleet reports, and restored to both databases. */
const backupScenario = (dialect: Dialect): Scenario => ({
  name: `backup-${dialect}`,
  about: `backup of ${wanted_mb[dialect]} MB on ${dialect} beside 1,000 agents, and its restore`,
  async run() {
    const bench = await startBench(dialect);
    await fill(bench);
    const { site } = bench.place;
    const server = await startProbed(bench.place);
    const mb = (await sizeOf(bench.place)) / 1e6;
    const file = join(site.dir, 'bench.tar');
    const measured = await besideLoad(bench, server, () =>
      command(['backup', file, '-c', site.config]),
    );
    const figures = figuresOf(measured, { dialect, mb, archive_mb: statSync(file).size / 1e6 });
    for (const to of ['sqlite', 'postgres'] as const)
      figures.push(await restored(file, site.config, { scenario: `backup-${dialect}`, to, mb }));
    await bench.place.remove();
    return figures;
  },
});

export const backupScenarios: Scenario[] = [backupScenario('sqlite'), backupScenario('postgres')];

/** Reports of both kinds, and then the same again earlier until the database has its size. The server has ended then. */
async function fill(bench: Bench): Promise<void> {
  const { place, socketUrl: url, token } = bench;
  for (const kind of ['summary', 'dynamic'])
    await runLoad('agentload', { url, token, agents: 100, inflight: 4, kind, duration: '3s' });
  await bench.end();
  const isSqlite = dialectOf(place) === 'sqlite';
  const wanted = wanted_mb[dialectOf(place)] * 1e6;
  for (let earlier_ms = 60_000; ; earlier_ms *= 2) {
    const bytes = await sizeOf(place);
    if (bytes >= 0.98 * wanted) return;
    const part = Math.min(1, (wanted - bytes) / bytes);
    for (const table of TABLES) {
      const [row] = await place.read(`select * from ${table} limit 1`);
      const names = Object.keys(row ?? {});
      // SQLite counts ids itself; on Postgres the time is part of the key.
      const own = { timestamp: `timestamp - ${earlier_ms}`, id: isSqlite ? 'null' : 'id' };
      const values = names.map((name) => own[name as keyof typeof own] ?? name);
      const [counted] = await place.read(`select count(*) as n from ${table}`);
      const most = Math.ceil(part * Number(counted?.['n']));
      const select = `select ${values.join(', ')} from ${table} limit ${most}`;
      await exec(place, `insert into ${table} (${names.join(', ')}) ${select}`);
    }
  }
}

const urlOf = ({ site }: Place): string =>
  /^database_url = "(.*)"$/m.exec(readFileSync(site.config, 'utf8'))?.[1] ?? '';
const dialectOf = (place: Place): Dialect =>
  urlOf(place).startsWith('postgres') ? 'postgres' : 'sqlite';

async function exec(place: Place, sql: string): Promise<void> {
  if (dialectOf(place) === 'sqlite') {
    const db = new Sqlite(join(place.site.dir, 'svc.db'));
    db.exec(sql);
    // A log of a gigabyte, which no server has, would slow down every read.
    db.pragma('wal_checkpoint(truncate)');
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: urlOf(place) });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function sizeOf(place: Place): Promise<number> {
  if (dialectOf(place) === 'sqlite') return statSync(join(place.site.dir, 'svc.db')).size;
  const [row] = await place.read('select pg_database_size(current_database()) as n');
  return Number(row?.['n']);
}

interface Ran {
  readonly seconds: number;
  /** Most that the process had. */
  readonly rss_mb: number;
}

/** The program with these words. */
async function command(args: readonly string[]): Promise<Ran> {
  const began = performance.now();
  const child = spawn(process.execPath, [...serverCommand(), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  killAtExit(child);
  const ended = once(child, 'close');
  let rss_mb = 0;
  const look = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    rss_mb = Math.max(rss_mb, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000);
  }, 50);
  child.on('exit', () => clearInterval(look));
  const [code] = await ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { seconds: (performance.now() - began) / 1000, rss_mb };
}

interface Beside extends Ran {
  readonly alone: Load;
  readonly beside: Load;
  readonly lost: number;
}

interface Load {
  readonly cores: number;
  readonly delay_p99_ms: number;
  readonly delay_max_ms: number;
  readonly rss_mb: number;
}

/** Runs `work` while the fleet reports, and looks at the server before and meanwhile; the server has ended then. */
async function besideLoad(
  { place, socketUrl: url, token }: Bench,
  server: ServerProcess,
  work: () => Promise<Ran>,
): Promise<Beside> {
  const count = async () =>
    Number((await place.read(`select count(*) as n from ${summaries}`))[0]?.['n']);
  const before = await count();
  const load = { url, token, agents, inflight: 4, kind: 'summary', interval: '1s' };
  const ends = new AbortController();
  const running = runLoad('agentload', { ...load, duration: '20m' }, ends.signal);
  await pause(ALONE_MS);
  const look = await watch(server);
  await pause(ALONE_MS);
  const alone = await look();
  const lookAgain = await watch(server);
  const ran = await work();
  const beside = await lookAgain();
  ends.abort();
  const { acked = 0 } = await running;
  await end(server);
  return { ...ran, alone, beside, lost: Math.max(0, acked - ((await count()) - before)) };
}

async function watch({ child }: ServerProcess): Promise<() => Promise<Load>> {
  const began = performance.now();
  const { cpu_ms } = await probe(child, 'reset');
  return async () => {
    const seen = await probe(child, 'read');
    return { ...seen, cores: (seen.cpu_ms - cpu_ms) / (performance.now() - began) };
  };
}

function figuresOf(
  { seconds, rss_mb, alone, beside, lost }: Beside,
  { dialect, mb, archive_mb }: { dialect: Dialect; mb: number; archive_mb: number },
): Figure[] {
  const scenario = `backup-${dialect}`;
  const each = `${(mb / seconds).toFixed(0)} MB/s of ${mb.toFixed(0)} MB, archive ${archive_mb.toFixed(0)} MB, memory of the command ${rss_mb.toFixed(0)} MB`;
  const cores = `${alone.cores.toFixed(2)} before, RSS ${beside.rss_mb.toFixed(0)} MB`;
  const delay = `max ${beside.delay_max_ms.toFixed(0)} ms; before ${alone.delay_p99_ms.toFixed(1)} ms, max ${alone.delay_max_ms.toFixed(0)} ms`;
  return [
    { scenario, figure: 'backup', value: seconds, unit: 's', note: each },
    { scenario, figure: 'lost', value: lost, unit: 'rows', goal: { most: 0 } },
    { scenario, figure: 'server CPU meanwhile', value: beside.cores, unit: 'cores', note: cores },
    {
      scenario,
      figure: 'event-loop delay p99',
      value: beside.delay_p99_ms,
      unit: 'ms',
      goal: { most: 30 },
      note: delay,
    },
  ];
}

/** Into an empty database of this kind, with the machine to itself. */
async function restored(
  file: string,
  like: string,
  { scenario, to, mb }: { scenario: string; to: Dialect; mb: number },
): Promise<Figure> {
  if (to === 'postgres') await ensurePostgres();
  const target = await makePlace(to);
  const url = urlOf(target);
  const text = readFileSync(like, 'utf8').replace(
    /^database_url = .*$/m,
    `database_url = "${url}"`,
  );
  writeFileSync(target.site.config, text);
  const { seconds, rss_mb } = await command(['restore', file, '-c', target.site.config]);
  await target.remove();
  const note = `${(mb / seconds).toFixed(0)} MB/s, memory of the command ${rss_mb.toFixed(0)} MB`;
  return { scenario, figure: `restore to ${to}`, value: seconds, unit: 's', note };
}
