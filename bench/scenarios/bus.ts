import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { natsBinary, startNats } from '../../test/nats.ts';
import { createDatabase, dropDatabase } from '../../test/postgres.ts';
import { killAtExit } from '../../test/process/server.ts';
import { ensurePostgres } from '../postgres.ts';
import type { Figure, Scenario } from '../types.ts';

const PINGS = 2_000;
const STREAM_MS = 3_000;
const PIECE = 16 * 1024;
const PER_SECOND = 2_000;
const DEADLINE_MS = 60_000;

const busScenario = (kind: 'postgres' | 'nats'): Scenario => ({
  name: `bus-${kind}`,
  about: `messages between two servers over ${kind}: latency, bytes, rate`,
  async run() {
    if (kind === 'nats' && !natsBinary) {
      process.stderr.write('  skipped: nats-server is not installed\n');
      return [];
    }
    await ensurePostgres();
    const database = await createDatabase(process.env['SVC_TEST_POSTGRES_URL'] as string);
    const nats = kind === 'nats' ? await startNats() : undefined;
    const dir = mkdtempSync(join(tmpdir(), 'svc-bus-bench-'));
    const ends: End[] = [];
    try {
      const section = nats ? `[bus-nats]\nservers = ["${nats.address}"]\n` : '';
      for (const name of ['one', 'two']) {
        const config = join(dir, `${name}.toml`);
        writeFileSync(
          config,
          `server_uuid = "auto_gen"\nws_listener = "127.0.0.1:0"\n[database]\ndatabase_url = "${database}"\n${section}`,
        );
        ends.push(await startEnd(config, nats ? ['bus-nats'] : []));
      }
      return await measure(`bus-${kind}`, ends as [End, End]);
    } finally {
      for (const end of ends) await end.stop();
      await nats?.stop();
      await dropDatabase(database);
      rmSync(dir, { recursive: true, force: true });
    }
  },
});

interface End {
  readonly id: string;
  ask(call: string, parameters?: object): Promise<any>;
  stop(): Promise<void>;
}

async function startEnd(config: string, plugins: readonly string[]): Promise<End> {
  const program = join(import.meta.dirname, '..', 'bus-server.mjs');
  const child = spawn(process.execPath, [program, config, ...plugins], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  killAtExit(child);
  return {
    id: (await answer(child)) as string,
    ask(call, parameters = {}) {
      const result = answer(child);
      child.send({ call, ...parameters });
      return result;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
  return (message as { result: unknown }).result;
}

async function measure(scenario: string, [one, two]: [End, End]): Promise<Figure[]> {
  while ((await one.ask('servers')).length === 0) await pause(10);
  await one.ask('ping', { to: two.id, count: 200 });
  const trips = sorted(await one.ask('ping', { to: two.id, count: PINGS }));
  const stream = await flow(two, () =>
    one.ask('stream', { to: two.id, size: PIECE, ms: STREAM_MS }),
  );
  const small = await flow(two, () => one.ask('publish', { perSecond: PER_SECOND, ms: STREAM_MS }));
  const latency = sorted(small.times);
  return [
    {
      scenario,
      figure: 'direct message, there and back',
      value: at(trips, 0.5),
      unit: 'ms p50',
      goal: { most: 5 },
      note: `p99 ${at(trips, 0.99).toFixed(2)} ms, ${PINGS} one after the other`,
    },
    {
      scenario,
      figure: 'direct bytes',
      value: stream.bytes / 1e6 / stream.seconds,
      unit: 'MB/s',
      goal: { least: 5 },
      note: `pieces of ${PIECE / 1024} KiB, ${stream.lost} lost, latency p99 ${at(sorted(stream.times), 0.99).toFixed(0)} ms, receiver ${stream.rss_mb.toFixed(0)} MB`,
    },
    {
      scenario,
      figure: `message to all servers at ${PER_SECOND}/s`,
      value: at(latency, 0.5),
      unit: 'ms p50',
      goal: { most: 20 },
      note: `p99 ${at(latency, 0.99).toFixed(2)} ms, ${small.lost} lost`,
    },
  ];
}

interface Flow {
  readonly bytes: number;
  readonly times: number[];
  readonly lost: number;
  readonly seconds: number;
  readonly rss_mb: number;
}

/** What arrives of what is sent, until nothing is missing or nothing comes for two seconds. */
async function flow(receiver: End, send: () => Promise<any>): Promise<Flow> {
  await receiver.ask('reset');
  const { sent, begun } = await send();
  let found = await receiver.ask('got');
  for (let idle = 0; found.count < sent && idle < 40; ) {
    await pause(50);
    const next = await receiver.ask('got');
    idle = next.count === found.count ? idle + 1 : 0;
    found = next;
  }
  const { bytes, times, count, until, rss_mb } = found;
  return { bytes, times, rss_mb, lost: sent - count, seconds: (until - begun) / 1_000 };
}

const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b);
const at = (times: readonly number[], part: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.POSITIVE_INFINITY;

export const busScenarios: Scenario[] = (['postgres', 'nats'] as const).map(busScenario);
