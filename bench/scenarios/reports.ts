import { join } from 'node:path';
import { reportTable } from '../../test/process/reports.ts';
import { runLoad } from '../clients.ts';
import { rawInsert } from '../raw-insert.ts';
import { startBench } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

const seconds = Number(process.env['SVC_BENCH_SECONDS'] ?? 8);

const goals = {
  sqlite: { summary: 36_000, dynamic: 15_000 },
  postgres: { summary: 28_000, dynamic: 13_000 },
} as const;

type Kind = 'summary' | 'dynamic';

/** 100 agents with 4 reports in flight each; what is stored is counted after an orderly stop. */
const reportScenario = (kind: Kind, dialect: Dialect): Scenario => ({
  name: `${kind}-${dialect}`,
  about: `${kind} reports of 100 agents × 4 in flight on ${dialect}`,
  async run() {
    const bench = await startBench(dialect);
    const { socketUrl: url, token } = bench;
    const load = { url, token, agents: 100, inflight: 4, kind, cores: 8 };
    const before = await bench.probe('reset');
    const result = await runLoad('agentload', { ...load, duration: `${seconds}s` });
    const { rss_mb, delay_p99_ms, cpu_ms } = await bench.probe();
    await bench.end();
    const rows = await bench.place.read(`select count(*) as n from ${reportTable[kind]}`);
    const lost = Math.max(0, (result.acked ?? 0) - Number(rows[0]?.['n']));
    const scenario = `${kind}-${dialect}`;
    const cpu_us = ((cpu_ms - before.cpu_ms) * 1000) / (result.acked ?? 1);
    const background = `${cpu_us.toFixed(0)} µs of server CPU each, p50 ${result.p50_ms.toFixed(1)} ms, p99 ${result.p99_ms.toFixed(1)} ms, RSS ${rss_mb.toFixed(0)} MB, loop p99 ${delay_p99_ms.toFixed(1)} ms`;
    const figures: Figure[] = [
      {
        scenario,
        figure: 'stored',
        value: result.rate,
        unit: '/s',
        goal: { least: goals[dialect][kind] },
        note: background,
      },
      { scenario, figure: 'lost', value: lost, unit: 'rows', goal: { most: 0 } },
    ];
    if (dialect === 'sqlite') {
      const { rate: value } = rawInsert(join(bench.place.site.dir, 'svc.db'), reportTable[kind]);
      const note = 'yardstick: better-sqlite3, prepared, 500 rows a transaction, same rows';
      figures.push({ scenario, figure: 'raw insert', value, unit: '/s', note });
    }
    await bench.place.remove();
    return figures;
  },
});

export const reports: Scenario[] = (['sqlite', 'postgres'] as const).flatMap((dialect) =>
  (['summary', 'dynamic'] as const).map((kind) => reportScenario(kind, dialect)),
);
