import { once } from 'node:events';
import { WebSocket } from 'ws';
import { runLoad } from '../clients.ts';
import { type Bench, startBench } from '../server.ts';
import type { Scenario } from '../types.ts';

const agents = 1000;
const subscribers = 200;
const measured_ms = 15_000;
const fields = [
  'cpu_usage',
  'used_memory',
  'total_memory',
  'load_one',
  'uptime',
  'receive_speed',
  'transmit_speed',
];

/** What the subscribers were sent since `reset`. */
interface Received {
  bytes: number;
  items: number;
  rows: number;
}

export const live: Scenario = {
  name: 'live',
  about: '200 subscribers to 1,000 agents that report a summary every second, on sqlite',
  async run() {
    const bench = await startBench('sqlite');
    const { socketUrl: url, token } = bench;
    const load = { url, token, agents, inflight: 4, kind: 'summary', interval: '1s' };
    const running = runLoad('agentload', { ...load, duration: '40s' });
    await pause(6_000);
    const without = await measure(bench, 6_000);
    const received: Received = { bytes: 0, items: 0, rows: 0 };
    const sockets = await Promise.all(
      Array.from({ length: subscribers }, () => subscribe(bench, received)),
    );
    await pause(3_000);
    Object.assign(received, { bytes: 0, items: 0, rows: 0 });
    const loaded = await measure(bench, measured_ms);
    const { bytes, rows } = received;
    for (const socket of sockets) socket.terminate();
    await running;
    await bench.end();
    await bench.place.remove();
    const scenario = 'live';
    const seconds = measured_ms / 1000;
    const rate = `${(bytes / 1e6 / seconds).toFixed(0)} MB/s, RSS ${loaded.rss_mb.toFixed(0)} MB, ${without.cores.toFixed(2)} cores without subscribers`;
    return [
      {
        scenario,
        figure: 'server CPU',
        value: loaded.cores,
        unit: 'cores',
        goal: { most: 1 },
        note: rate,
      },
      {
        scenario,
        figure: 'event-loop delay p99',
        value: loaded.delay_p99_ms,
        unit: 'ms',
        goal: { most: 30 },
        note: `max ${loaded.delay_max_ms.toFixed(0)} ms`,
      },
      {
        scenario,
        figure: 'rows',
        value: rows / seconds,
        unit: '/s',
        goal: { least: 0.95 * agents * subscribers },
      },
    ];
  },
};

async function measure(bench: Bench, ms: number) {
  const before = await bench.probe('reset');
  await pause(ms);
  const after = await bench.probe();
  return { ...after, cores: (after.cpu_ms - before.cpu_ms) / ms };
}

/** Rows are counted by a byte sequence that each has once: parsing them all would be the client's work, not the server's. */
async function subscribe({ socketUrl, token }: Bench, received: Received): Promise<WebSocket> {
  const socket = new WebSocket(socketUrl);
  await once(socket, 'open');
  const params = { token, fields, interval_ms: 1000 };
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent_subscribe', params }));
  const [answer] = await once(socket, 'message');
  if (!String(answer).includes('"result"')) throw new Error(String(answer));
  socket.on('message', (data: Buffer) => {
    received.bytes += data.length;
    received.items++;
    for (let at = data.indexOf('"uuid"'); at >= 0; at = data.indexOf('"uuid"', at + 100)) {
      received.rows++;
    }
  });
  return socket;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
