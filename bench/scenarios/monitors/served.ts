import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { report } from '../../../test/process/reports.ts';
import { rpc } from '../../../test/process/server.ts';
import { type Bench, startBench } from '../../server.ts';
import { between, threadTimes } from '../../threads.ts';
import type { Figure } from '../../types.ts';
import { figure } from './figure.ts';

const SECONDS = Number(process.env['SVC_BENCH_SECONDS'] ?? 20);
const MONITORS = 1_000;
/** Two checks of one host run at a time: more hosts than begin in a second. */
const HOSTS = 200;
/** Twice the pace of 1,000 monitors every 20 s. */
const INTERVAL_S = 10;
const RATE = MONITORS / INTERVAL_S;
const AT_ONCE = 50;
/** Fields that the dashboard asks of the fleet. */
const FLEET = [
  ...['cpu_usage', 'used_memory', 'total_memory', 'total_space', 'available_space'],
  ...['receive_speed', 'transmit_speed', 'uptime', 'load_one'],
];

async function call({ place, token }: Bench, method: string, params: object) {
  const { result, error } = await rpc(place.site.url, method, { token, ...params });
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** Answer of a child process. @throws Error when it ends without one, or is late */
async function said(child: ChildProcess): Promise<number> {
  const over = new AbortController();
  const end = () => over.abort(new Error('a yardstick ended without an answer'));
  child.once('exit', end);
  const late = AbortSignal.timeout((SECONDS + 30) * 1_000);
  try {
    const answer = once(child, 'message', { signal: AbortSignal.any([over.signal, late]) });
    return (await answer)[0] as number;
  } finally {
    child.off('exit', end);
  }
}

const program = (name: string, ...args: number[]) =>
  fork(join(import.meta.dirname, '../..', name), args.map(String));

/** A server with a thousand monitors of targets on loopback. */
async function withMonitors<T>(work: (bench: Bench, port: number) => Promise<T>): Promise<T> {
  const targets = program('targets.mjs', HOSTS);
  const port = await said(targets);
  const bench = await startBench('sqlite', `[monitor]\nconcurrent = ${2 * RATE}`);
  try {
    for (let n = 0; n < MONITORS; n++) {
      const url = `http://127.1.0.${(n % HOSTS) + 1}:${port}/health`;
      const settings = { interval_s: INTERVAL_S, tags: ['web'], group: `site ${n % 20}` };
      const monitor = { name: `shop ${n}`, kind: 'http', spec: { url }, ...settings };
      await call(bench, 'monitor_create', { monitor });
    }
    return await work(bench, port);
  } finally {
    await bench.end();
    await bench.place.remove();
    targets.disconnect();
  }
}

const pause = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1_000));

/** Processor time of a server for some seconds, ms. */
async function used(pid: number, seconds: number) {
  const before = threadTimes(pid);
  await pause(seconds);
  const after = threadTimes(pid);
  if (!before || !after) throw new Error('the system does not tell the times of threads');
  const { main, writer, scripts, other } = between(before, after);
  return { main, all: main + writer + scripts + other };
}

export async function checks(): Promise<Figure[]> {
  return withMonitors(async (bench, port) => {
    await pause(INTERVAL_S * 1.5);
    const count = async () => {
      const text = await (
        await fetch(`${bench.place.site.url}/svc/metrics?only=server`, {
          headers: { authorization: `Bearer ${bench.token}` },
        })
      ).text();
      const found = text.matchAll(/^svc_monitor_checks_total\{.*\} (\d+)$/gm);
      return [...found].reduce((sum, [, n]) => sum + Number(n), 0);
    };
    const before = await count();
    // At the same time, so that what else the machine does meets both.
    const [{ busy, made }, bare_us] = await Promise.all([
      used(bench.pid, SECONDS).then(async (busy) => ({ busy, made: (await count()) - before })),
      said(program('bare-checks.mjs', port, HOSTS, RATE, SECONDS)),
    ]);
    for (const { name } of await named(bench))
      await call(bench, 'monitor_set_enable', { name, enable: false });
    await pause(INTERVAL_S);
    const idle = await used(bench.pid, SECONDS / 2);
    const us = (ms: number, none_ms: number) => ((ms - 2 * none_ms) * 1_000) / made;
    const all = us(busy.all, idle.all);
    return [
      figure('a bare request with its connection', bare_us, 'µs'),
      figure('a check of HTTP', all, 'µs', {
        note: `${(made / SECONDS).toFixed(0)} a second; main thread ${us(busy.main, idle.main).toFixed(0)} µs`,
      }),
      figure('a check: ratio', all / bare_us, '', { goal: { most: 1.5 } }),
    ];
  });
}

interface Page {
  readonly monitors: readonly { readonly name: string }[];
  readonly next: number | null;
}

const pagesOf = async (bench: Bench): Promise<Page[]> => {
  const pages: Page[] = [];
  for (let after: number | null = 0; after !== null; after = pages.at(-1)?.next ?? null)
    pages.push((await call(bench, 'monitor_list', { after })) as Page);
  return pages;
};

const named = async (bench: Bench) => (await pagesOf(bench)).flatMap(({ monitors }) => monitors);

/** Bytes of the list of a thousand monitors, and of what the fleet page asks about a thousand machines. */
export async function list(): Promise<Figure[]> {
  return withMonitors(async (bench) => {
    const uuids = Array.from({ length: MONITORS }, () => randomUUID());
    // An answer comes once the report is stored: many at a time, or a thousand take minutes.
    for (let at = 0; at < MONITORS; at += AT_ONCE)
      await Promise.all(
        uuids.slice(at, at + AT_ONCE).map((uuid) =>
          call(bench, 'agent_report_dynamic_summary', {
            data: report('summary', uuid, Date.now()),
          }),
        ),
      );
    // So that each has some outcomes.
    await pause(INTERVAL_S * 3);
    const bytes = (answers: readonly unknown[]) => Buffer.byteLength(JSON.stringify(answers));
    const method = 'agent_dynamic_summary_multi_last_query';
    const fleet = bytes([
      await call(bench, 'agent-uuid_list', {}),
      await call(bench, method, { uuids, fields: FLEET }),
    ]);
    const began = process.hrtime.bigint();
    const monitors = bytes(await pagesOf(bench));
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    return [
      figure('list of 1,000 machines', fleet / 1_000, 'kB'),
      figure('list of 1,000 monitors: ratio', monitors / fleet, '', {
        goal: { most: 1.2 },
        note: `${(monitors / 1_000).toFixed(0)} kB, ${ms.toFixed(0)} ms`,
      }),
    ];
  });
}
