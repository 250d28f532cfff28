import { join } from 'node:path';
import { type Kind, reportTable } from '../../test/process/reports.ts';
import { type LoadResult, runLoad } from '../clients.ts';
import { type RawInsert, rawInsert } from '../raw-insert.ts';
import { rawInsertPostgres } from '../raw-insert-postgres.ts';
import { type Bench, startBench } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';
import { type Usage, usageOf, usageOfPostgres, usedBetween } from '../usage.ts';

const scenario = 'quiet';
/** Connections are made, code is compiled, and the reserve file of SQLite is written before the measurement. */
const WARM_S = Number(process.env['SVC_BENCH_WARM_S'] ?? 60);
const SECONDS = Number(process.env['SVC_BENCH_SECONDS'] ?? 30);
const listOf = <T extends string>(name: string, all: string): T[] =>
  (process.env[name] ?? all).split(',') as T[];
const AGENTS = listOf('SVC_BENCH_AGENTS', '0,30,300,1000').map(Number);
const DIALECTS = listOf<Dialect>('SVC_BENCH_DATABASES', 'sqlite,postgres');
const KINDS = listOf<'summary' | 'dynamic'>('SVC_BENCH_KINDS', 'summary,dynamic');
/** Path of another built `svc-server`: each case is measured with it first, and told as a ratio. */
const BEFORE = process.env['SVC_BENCH_BEFORE'];
const ROWS_OF_COMMITS = [1, 25] as const;

interface Case {
  readonly dialect: Dialect;
  readonly kind: 'summary' | 'dynamic';
  readonly agents: number;
}

/** Use of the measured seconds. */
interface Measured {
  readonly server: Usage;
  /** Bytes that the server and Postgres wrote. */
  readonly written: number;
  readonly postgres: Usage | undefined;
  readonly reports: number;
  readonly rss_mb: number;
  readonly delay_p99_ms: number;
  readonly load: LoadResult | undefined;
  readonly raw: readonly RawInsert[];
}

/** Rates say nothing about a fleet that sends a report a second: what counts is what a report costs, and what nothing costs. */
export const quiet: Scenario = {
  name: scenario,
  about:
    '0, 30, 300, 1,000 agents, a report a second each: processor time, bytes, context switches (SVC_BENCH_WARM_S, SVC_BENCH_SECONDS, SVC_BENCH_AGENTS, SVC_BENCH_KINDS, SVC_BENCH_DATABASES; SVC_BENCH_BEFORE=…/svc-server.js: ratios)',
  async run() {
    if (process.platform !== 'linux') return [];
    const figures: Figure[] = [];
    for (const dialect of DIALECTS)
      for (const agents of AGENTS)
        for (const kind of agents === 0 ? KINDS.slice(0, 1) : KINDS)
          figures.push(...(await compare({ dialect, kind, agents })));
    return figures;
  },
};

async function compare(one: Case): Promise<Figure[]> {
  const before = BEFORE ? await measure(one, BEFORE) : undefined;
  const now = await measure(one);
  return [
    ...(before ? figuresOf(one, before, 'before, ') : []),
    ...figuresOf(one, now),
    ...(before ? ratios(one, before, now) : []),
    ...yardsticks(one, now),
  ];
}

async function measure({ dialect, kind, agents }: Case, program?: string): Promise<Measured> {
  const bench = await startBench(dialect, '', program);
  const { socketUrl: url, token, pid } = bench;
  const { read } = bench.place;
  const duration = `${WARM_S + SECONDS + 1}s`;
  const options = { url, token, agents, kind, inflight: 4, cores: 8, interval: '1s', duration };
  const running = agents > 0 ? runLoad('agentload', { ...options, spread: 'true' }) : undefined;
  const postgres = () => (dialect === 'postgres' ? usageOfPostgres(read) : undefined);
  await pause(WARM_S * 1000);
  const [from, databaseBefore, before] = [Date.now(), await postgres(), usageOf(pid)];
  await pause(SECONDS * 1000);
  const [to, server, databaseAfter] = [Date.now(), usageOf(pid), await postgres()];
  const load = await running;
  const { rss_mb, delay_p99_ms } = await bench.probe();
  await bench.end();
  const [count] = await read(
    `select count(*) as n from ${reportTable[kind]} where storage_time >= ${from} and storage_time < ${to}`,
  );
  const raw = agents > 0 && !program ? await rawInserts(bench, dialect, kind) : [];
  await bench.place.remove();
  const used = usedBetween(before, server);
  const ofPostgres = databaseBefore && databaseAfter && usedBetween(databaseBefore, databaseAfter);
  return {
    ...{ server: used, postgres: ofPostgres, rss_mb, delay_p99_ms, load, raw },
    written: used.written + (ofPostgres?.written ?? 0),
    reports: Number(count?.['n']),
  };
}

async function rawInserts({ place }: Bench, dialect: Dialect, kind: Kind): Promise<RawInsert[]> {
  const table = reportTable[kind];
  const found: RawInsert[] = [];
  for (const rows of ROWS_OF_COMMITS)
    found.push(
      dialect === 'sqlite'
        ? rawInsert(join(place.site.dir, 'svc.db'), table, rows)
        : await rawInsertPostgres(place.read, table, rows),
    );
  return found;
}

const nameOf = ({ dialect, kind, agents }: Case): string =>
  agents === 0 ? `${dialect}, no agent` : `${dialect}, ${agents} agents, ${kind}`;

function figuresOf(one: Case, measured: Measured, mark = ''): Figure[] {
  const { server, postgres, written, reports, load, rss_mb } = measured;
  const figure = (what: string, value: number, unit: string, note = ''): Figure => ({
    ...{ scenario, figure: `${nameOf(one)}: ${mark}${what}`, value, unit, note },
  });
  const hours = SECONDS / 3600;
  const whole = [
    figure('context switches', server.switches / SECONDS, '/s', `RSS ${rss_mb.toFixed(0)} MB`),
    figure('processor time of an hour', server.cpu_ms / 1000 / hours, 's'),
    figure('bytes of an hour', written / hours / 1e6, 'MB'),
  ];
  if (!load) return whole;
  const answered = `${reports} reports, answered within p50 ${load.p50_ms.toFixed(0)} ms, p99 ${load.p99_ms.toFixed(0)} ms`;
  const beside = postgres
    ? `; Postgres itself ${((postgres.cpu_ms * 1000) / reports).toFixed(0)} µs`
    : '';
  return [
    figure('processor time', (server.cpu_ms * 1000) / reports, 'µs', answered + beside),
    figure('bytes', written / reports, 'B'),
    figure('context switches of a report', server.switches / reports, ''),
    ...whole,
  ];
}

/** Processor time and bytes, as parts of what they were. */
const goals: { readonly [one: string]: number } = {
  'sqlite 30': 0.5,
  'postgres 30': 0.5,
  'sqlite 1000': 0.6,
  'postgres 1000': 0.45,
};
const BYTES_GOAL = 0.7;

function ratios(one: Case, before: Measured, now: Measured): Figure[] {
  const per = (value: number, { reports }: Measured) => value / Math.max(1, reports);
  const ratio = (what: string, of: (measured: Measured) => number, most?: number): Figure => ({
    ...{ scenario, figure: `${nameOf(one)}: ${what}, of before`, unit: 'x' },
    value: per(of(now), now) / per(of(before), before),
    ...(most !== undefined && { goal: { most } }),
  });
  const isWritten = before.written > 0;
  const cpu = goals[`${one.dialect} ${one.agents}`];
  return [
    ratio('processor time', ({ server }) => server.cpu_ms, cpu),
    ...(isWritten
      ? [ratio('bytes', ({ written }) => written, one.agents === 30 ? BYTES_GOAL : undefined)]
      : []),
    ratio('context switches', ({ server }) => server.switches),
  ];
}

function yardsticks(one: Case, { raw }: Measured): Figure[] {
  return raw.map(({ cpu_us, written }, at) => ({
    ...{ scenario, value: cpu_us, unit: 'µs' },
    figure: `${nameOf(one)}: prepared insert, ${ROWS_OF_COMMITS[at]} a commit`,
    note: `yardstick; ${written.toFixed(0)} B a row`,
  }));
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
