import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { rpc } from '../../test/process/server.ts';
import { type LoadResult, runLoad } from '../clients.ts';
import { type Bench, end, startBench, startProbed } from '../server.ts';
import { between, threadTimes } from '../threads.ts';
import type { Figure, Scenario } from '../types.ts';

const SECONDS = Number(process.env['SVC_BENCH_SECONDS'] ?? 6);
const WARM_S = 2;
/** Names of parts to measure alone; all by default. */
const PARTS = process.env['SVC_BENCH_ALERTS']?.split(',');
const AGENTS = 1_000;
const OPEN = 20_000;
const SILENT_S = 60;
const STARTS = 3;

/** Figures of rules: each beside the same server without one. */
export const alerts: Scenario = {
  name: 'alerts',
  about:
    'what rules cost a report, a fleet that falls silent, a start with open alerts (SVC_BENCH_ALERTS=report,answer,silence,start)',
  async run() {
    const figures: Figure[] = [];
    for (const [part, measure] of Object.entries(parts))
      if (!PARTS || PARTS.includes(part)) figures.push(...(await measure()));
    return figures;
  },
};

const parts: { readonly [part: string]: () => Promise<Figure[]> } = {
  report,
  answer,
  silence,
  start,
};

const figure = (name: string, value: number, unit: string, more: Partial<Figure> = {}): Figure => ({
  scenario: 'alerts',
  figure: name,
  value,
  unit,
  ...more,
});

async function call({ place, token }: Bench, method: string, params: object) {
  const { result, error } = await rpc(place.site.url, method, { token, ...params });
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** A server with these conditions as rules, and no other. */
async function withRules(conditions: readonly string[]): Promise<Bench> {
  const bench = await startBench('sqlite');
  for (const { name } of await call(bench, 'alert_rule_list', {}))
    await call(bench, 'alert_rule_delete', { name });
  for (const [at, condition] of conditions.entries()) {
    const rule = { name: `rule ${at}`, source: 'machine', scope: { all: true }, condition };
    await call(bench, 'alert_rule_create', { rule: { ...rule, for_s: 60, clear_for_s: 60 } });
  }
  return bench;
}

const plain = (count: number) =>
  Array.from({ length: count }, (_one, at) => `cpu_usage > ${150 + at} && used_memory > ${at}`);
const withNulls = [
  ...plain(10),
  ...Array.from({ length: 10 }, (_one, at) => `gpu_usage > ${90 + at / 10}`),
];

/** Processor time of a report, µs, at full load. */
async function costOf(conditions: readonly string[]): Promise<number> {
  const bench = await withRules(conditions);
  const load = (seconds: number) =>
    runLoad('agentload', {
      ...{ url: bench.socketUrl, token: bench.token, kind: 'summary', agents: 100 },
      ...{ inflight: 4, cores: 8, duration: `${seconds}s` },
    });
  await load(WARM_S);
  const before = threadTimes(bench.pid);
  const { acked = 1 } = await load(SECONDS);
  const after = threadTimes(bench.pid);
  if (!before || !after) throw new Error('the system does not tell the times of threads');
  const { main, writer, scripts, other } = between(before, after);
  await stop(bench);
  return ((main + writer + scripts + other) * 1_000) / acked;
}

async function stop(bench: Bench): Promise<void> {
  // A thousand agents that come within a second hold a busy machine up with and without rules: the figures say what it costs.
  await bench.end().catch((error: Error) => {
    if (!/held the server up/.test(error.message)) throw error;
    console.warn(error.message);
  });
  await bench.place.remove();
}

async function report(): Promise<Figure[]> {
  const [none, rules, nulls] = [await costOf([]), await costOf(plain(20)), await costOf(withNulls)];
  return [
    figure('a report without rules', none, 'µs'),
    figure('with 20 rules: ratio', rules / none, '', { goal: { most: 1.25 } }),
    figure('with 20 rules: more', rules - none, 'µs', { goal: { most: 20 } }),
    figure('10 of 20 name values that are null: ratio', nulls / rules, '', {
      goal: { most: 1.05 },
    }),
  ];
}

/** 1,000 agents once a second. */
async function answers(conditions: readonly string[]): Promise<LoadResult> {
  const bench = await withRules(conditions);
  const load = (seconds: number) =>
    runLoad('agentload', {
      ...{ url: bench.socketUrl, token: bench.token, kind: 'summary', agents: AGENTS },
      ...{ inflight: 4, interval: '1s', duration: `${seconds}s` },
    });
  await load(WARM_S * 2);
  const result = await load(SECONDS * 3);
  await stop(bench);
  return result;
}

async function answer(): Promise<Figure[]> {
  const [none, rules] = [await answers([]), await answers(plain(500))];
  return [
    figure('p99 of an answer without rules', none.p99_ms, 'ms'),
    figure('with 500 rules on 1,000 agents: ratio', rules.p99_ms / none.p99_ms, '', {
      goal: { most: 1.2 },
      note: `${rules.p99_ms.toFixed(1)} ms`,
    }),
  ];
}

/** 1,000 agents fall silent at once. */
async function silence(): Promise<Figure[]> {
  const heard: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      heard.push(Date.now());
      response.end('ok');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const bench = await withRules([]);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const channel = { name: 'hook', kind: 'webhook', config: { url } };
  await call(bench, 'channel_create', { channel });
  const steps = [{ after_s: 0, channels: ['hook'] }];
  await call(bench, 'alert_policy_set', { policy: { name: 'default', steps } });
  const condition = `silent_for > ${SILENT_S}`;
  const rule = { name: 'gone', source: 'presence', scope: { all: true }, condition };
  await call(bench, 'alert_rule_create', { rule });
  await runLoad('agentload', {
    ...{ url: bench.socketUrl, token: bench.token, kind: 'summary', agents: AGENTS },
    ...{ inflight: 4, interval: '1s', duration: '150s' },
  });
  const due = Date.now() + SILENT_S * 1_000;
  await new Promise((done) => setTimeout(done, SILENT_S * 1_000 + 45_000));
  await stop(bench);
  server.close();
  return [
    figure('messages about 1,000 agents that fell silent', heard.length, '', {
      goal: { most: 1 },
    }),
    figure('after they were due', ((heard[0] ?? Number.NaN) - due) / 1_000, 's', {
      goal: { most: 15 },
    }),
  ];
}

/** Starts on the same files, without and with open alerts, in turns. */
async function start(): Promise<Figure[]> {
  const [none, full] = [await prepared(0), await prepared(OPEN)];
  const times = { none: [] as number[], full: [] as number[] };
  for (let n = 0; n < STARTS; n++)
    for (const [name, { place }] of Object.entries({ none, full })) {
      const server = await startProbed(place);
      times[name as keyof typeof times].push(server.startup_ms);
      await end(server);
    }
  for (const { place } of [none, full]) await place.remove();
  const [without, with_] = [Math.min(...times.none), Math.min(...times.full)];
  return [
    figure('start without alerts', without, 'ms'),
    figure('start with 20,000 open alerts: ratio', with_ / without, '', { goal: { most: 1.2 } }),
  ];
}

/** A stopped server whose database holds so many open alerts. */
async function prepared(count: number): Promise<Bench> {
  const bench = await withRules(plain(20));
  await bench.end();
  const db = new Sqlite(join(bench.place.site.dir, 'svc.db'));
  const insert = db.prepare(`insert into alert (rule_id, subject_kind, subject_id, part, state,
    since, opened_at, true_ms, false_ms, detail, version, episode, flaps, updated_at)
    select id, 'agent', ?, '', 2, ?, ?, 0, 0, '{}', 1, 1, '[]', ? from alert_rule where deleted = 0`);
  const now = Date.now();
  const fill = db.transaction(() => {
    for (let n = 0; n < count / 20; n++) insert.run(randomUUID(), now, now, now);
  });
  fill();
  db.close();
  return bench;
}
