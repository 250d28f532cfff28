import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type LoadResult, runLoad } from '../clients.ts';
import { type Bench, startBench } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

const agents = Array.from({ length: 100 }, (_, n) => `0b6f1c52-7a35-4d0e-9c1b-${12 ** 10 + n}`);
const keys = Array.from({ length: 12 }, (_, n) => `metadata_key_${n}`);
const duration = '5s';

/** The status page's namespaces, filled; then single values over 8 WebSockets × 4, and the page's own call. */
const kvScenario = (dialect: Dialect): Scenario => {
  const name = dialect === 'sqlite' ? 'kv' : `kv-${dialect}`;
  return {
    name,
    about: `kv_get_value, kv_set_value and kv_get_multi_value, on ${dialect}`,
    async run() {
      const bench = await startBench(dialect);
      await fill(bench);
      const goals = dialect === 'sqlite';
      const rate = (figure: string, load: Load, least: number): Figure => ({
        scenario: name,
        figure,
        value: load.rate,
        unit: '/s',
        note: `${load.cpu_us.toFixed(0)} µs of server CPU each, p99 ${load.p99_ms.toFixed(1)} ms`,
        ...(goals ? { goal: { least } } : {}),
      });
      const get = await measure(bench, 'kv_get_value', [[bench.token, agents[0], keys[0]]], 8);
      const set = await measure(bench, 'kv_set_value', distinctSets(bench.token), 1);
      const items = agents.map((namespace) => ({ namespace, key: 'metadata_*' }));
      const multi = await measure(bench, 'kv_get_multi_value', [[bench.token, items]], 1, 1);
      await bench.end();
      await bench.place.remove();
      return [
        rate('kv_get_value', get, 18_000),
        rate('kv_set_value', set, 6_000),
        {
          scenario: name,
          figure: 'kv_get_multi_value',
          value: multi.p50_ms,
          unit: 'ms',
          note: `100 wildcards over 100 namespaces of 12 keys, one at a time; p99 ${multi.p99_ms.toFixed(1)} ms`,
          ...(goals ? { goal: { most: 5 } } : {}),
        },
      ];
    },
  };
};

export const kvScenarios: Scenario[] = [kvScenario('sqlite'), kvScenario('postgres')];

/** One set of parameters for each WebSocket, so that values of one commit have different keys. */
const distinctSets = (token: string): unknown[][] =>
  agents.slice(0, 8).map((agent) => [token, agent, keys[1], 'x'.repeat(40)]);

interface Load {
  readonly rate: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly cpu_us: number;
}

/** A client for each of `calls`, each with `conns` WebSockets. */
async function measure(
  bench: Bench,
  method: string,
  calls: readonly unknown[][],
  conns: number,
  inflight = 4,
): Promise<Load> {
  const before = await bench.probe('reset');
  const loads: LoadResult[] = await Promise.all(
    calls.map((params) =>
      runLoad('rpcload', {
        url: bench.socketUrl,
        method,
        params: JSON.stringify(params),
        conns,
        inflight,
        duration,
      }),
    ),
  );
  const after = await bench.probe();
  const ok = loads.reduce((sum, load) => sum + (load.ok ?? 0), 0);
  return {
    rate: loads.reduce((sum, load) => sum + load.rate, 0),
    p50_ms: Math.max(...loads.map((load) => load.p50_ms)),
    p99_ms: Math.max(...loads.map((load) => load.p99_ms)),
    cpu_us: ((after.cpu_ms - before.cpu_ms) * 1000) / Math.max(ok, 1),
  };
}

async function fill(bench: Bench): Promise<void> {
  const socket = new WebSocket(bench.socketUrl);
  await once(socket, 'open');
  for (const agent of agents) {
    const call = (id: number, method: string, ...rest: unknown[]) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: [bench.token, agent, ...rest],
    });
    const values = keys.map((key, id) => call(id + 1, 'kv_set_value', key, `value of ${key}`));
    socket.send(JSON.stringify([call(0, 'kv_create'), ...values]));
    const [answer] = await once(socket, 'message');
    if (String(answer).includes('"error"')) throw new Error(String(answer));
  }
  socket.close();
}
