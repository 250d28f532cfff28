import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { report, reportMethod } from '../../test/process/reports.ts';
import { runLoad } from '../clients.ts';
import { type Bench, startBench } from '../server.ts';
import type { Dialect, Scenario } from '../types.ts';

const base = 1_781_000_000_000;
const sevenFields = [
  'cpu_usage',
  'used_memory',
  'total_memory',
  'load_one',
  'uptime',
  'receive_speed',
  'transmit_speed',
];

interface Query {
  readonly name: string;
  readonly about: string;
  readonly least: number;
  /** Reports to store first: so many agents, so many reports each. */
  readonly agents: number;
  readonly each: number;
  readonly kind: 'summary' | 'dynamic';
  readonly method: string;
  readonly conns: number;
  /** Rows that one answer must hold. */
  readonly rows: number;
  params(token: string, uuids: readonly string[]): unknown;
}

/** `rows` rows in the middle of one agent's stored reports, a second apart. */
const range = (rows: number) => ({
  timestamp_from_to: [base + 500_000, base + 499_000 + rows * 1000],
});

const queries: Query[] = [
  {
    name: 'multi-last',
    about: 'agent_dynamic_summary_multi_last_query, 100 agents × 7 fields, 4 connections',
    least: 4500,
    agents: 100,
    each: 2,
    kind: 'summary',
    method: 'agent_dynamic_summary_multi_last_query',
    conns: 4,
    rows: 100,
    params: (token, uuids) => ({ token, uuids, fields: sevenFields }),
  },
  {
    name: 'summary-range',
    about: 'agent_query_dynamic_summary, 1,000 rows × 7 fields, 4 connections',
    least: 500,
    agents: 4,
    each: 3000,
    kind: 'summary',
    method: 'agent_query_dynamic_summary',
    conns: 4,
    rows: 1000,
    params: (token, [uuid]) => ({
      token,
      query: { fields: sevenFields, condition: [{ uuid }, range(1000)] },
    }),
  },
  {
    name: 'dynamic-range',
    about: 'agent_query_dynamic, 50 rows (cpu, ram), 4 connections',
    least: 2200,
    agents: 4,
    each: 3000,
    kind: 'dynamic',
    method: 'agent_query_dynamic',
    conns: 4,
    rows: 50,
    params: (token, [uuid]) => ({
      token,
      dynamic_data_query: { fields: ['cpu', 'ram'], condition: [{ uuid }, range(50)] },
    }),
  },
];

const queryScenario = (query: Query, dialect: Dialect): Scenario => {
  const name = dialect === 'sqlite' ? query.name : `${query.name}-${dialect}`;
  return {
    name,
    about: `${query.about}, on ${dialect}`,
    async run() {
      const bench = await startBench(dialect);
      const uuids = Array.from({ length: query.agents }, () => randomUUID());
      await fill(bench, query, uuids);
      const params = query.params(bench.token, uuids);
      const rows = await countRows(bench, query.method, params);
      if (rows !== query.rows) throw new Error(`${rows} rows instead of ${query.rows}`);
      const before = await bench.probe('reset');
      const result = await runLoad('rpcload', {
        url: bench.socketUrl,
        method: query.method,
        params: JSON.stringify(params),
        conns: query.conns,
        inflight: 4,
        duration: '5s',
      });
      const { rss_mb, delay_p99_ms, cpu_ms } = await bench.probe();
      await bench.end();
      await bench.place.remove();
      const cpu_us = ((cpu_ms - before.cpu_ms) * 1000) / (result.ok ?? 1);
      const note = `${cpu_us.toFixed(0)} µs of server CPU each, p50 ${result.p50_ms.toFixed(1)} ms, p99 ${result.p99_ms.toFixed(1)} ms, RSS ${rss_mb.toFixed(0)} MB, loop p99 ${delay_p99_ms.toFixed(1)} ms`;
      const goal = dialect === 'sqlite' ? { goal: { least: query.least } } : {};
      return [{ scenario: name, figure: 'answers', value: result.rate, unit: '/s', note, ...goal }];
    },
  };
};

export const queryScenarios: Scenario[] = (['sqlite', 'postgres'] as const).flatMap((dialect) =>
  queries.map((query) => queryScenario(query, dialect)),
);

/** Stores the reports over one WebSocket, 200 in flight. */
async function fill(bench: Bench, query: Query, uuids: readonly string[]): Promise<void> {
  const wanted = uuids.length * query.each;
  let sent = 0;
  let answered = 0;
  await talk(bench, (socket, done) => {
    const send = () => {
      const uuid = uuids[sent % uuids.length]!;
      const time = base + Math.floor(sent / uuids.length) * 1000;
      const params = [bench.token, report(query.kind, uuid, time)];
      const method = reportMethod[query.kind];
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: sent++, method, params }));
    };
    socket.on('message', (data) => {
      if (!String(data).includes('buffered')) throw new Error(String(data));
      if (++answered === wanted) done(undefined);
      if (sent < wanted) send();
    });
    while (sent < Math.min(200, wanted)) send();
  });
}

const countRows = (bench: Bench, method: string, params: unknown): Promise<number> =>
  talk(bench, (socket, done) => {
    socket.on('message', (data) => done(JSON.parse(String(data)).result?.length ?? String(data)));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  });

async function talk<T>(
  bench: Bench,
  speak: (socket: WebSocket, done: (result: T) => void) => void,
): Promise<T> {
  const socket = new WebSocket(bench.socketUrl);
  await once(socket, 'open');
  const result = await new Promise<T>((done) => speak(socket, done));
  socket.close();
  return result;
}
