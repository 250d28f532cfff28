/**
 * Load client for machines without Go: `client.mjs agentload|rpcload -flag value …`, with the flags and the output of
 * the programs in `tools/`. Compare figures of the same client only.
 */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

const [mode, ...flags] = process.argv.slice(2);
const options = Object.fromEntries(
  flags.flatMap((flag, i) => (flag.startsWith('-') ? [[flag.slice(1), flags[i + 1]]] : [])),
);
const duration_ms = milliseconds(options.duration ?? '5s');
const interval_ms = milliseconds(options.interval ?? '0s');
const inFlight = Number(options.inflight ?? 4);
const count = Number(options.agents ?? options.conns ?? 8);
const times = [];
const tally = { ok: 0, failed: 0, first: null };
let stopping = false;

const sockets = await Promise.all(Array.from({ length: count }, connect));
const begun = performance.now();
sockets.forEach((send, n) => {
  if (options.spread === undefined) send();
  else setTimeout(send, (interval_ms * n) / count);
});
await new Promise((resolve) => {
  setTimeout(resolve, duration_ms);
  process.on('SIGINT', resolve);
});
const seconds = (performance.now() - begun) / 1000;
const inTime = tally.ok;
stopping = true;
await new Promise((resolve) => setTimeout(resolve, 300));
report();

/** Resolves to what starts the sending. */
function connect() {
  const socket = new WebSocket(options.url, { perMessageDeflate: false });
  const sent = new Map();
  const make = mode === 'agentload' ? reports() : calls();
  let id = 0;
  const fill = () => {
    while (!stopping && sent.size < inFlight) {
      sent.set(++id, performance.now());
      socket.send(make(id));
      if (interval_ms > 0) return setTimeout(fill, interval_ms);
    }
  };
  socket.on('message', (data) => {
    settle(JSON.parse(String(data)), sent);
    if (interval_ms === 0) fill();
  });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(fill));
    socket.on('error', reject);
  });
}

function settle(answer, sent) {
  if (answer.error) {
    tally.failed++;
    tally.first ??= JSON.stringify(answer.error);
  } else tally.ok++;
  times.push(performance.now() - sent.get(answer.id));
  sent.delete(answer.id);
}

function calls() {
  const { method, params = '[]' } = options;
  return (id) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

function reports() {
  const uuid = randomUUID();
  const base = Date.now();
  const [method, body] =
    options.kind === 'dynamic'
      ? ['agent_report_dynamic', dynamic]
      : ['agent_report_dynamic_summary', summary];
  return (id) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: [options.token, { uuid, time: base + id, ...body(base + id) }],
    });
}

function pick(limit) {
  return Math.floor(Math.random() * limit);
}

function summary(time) {
  const speeds = { read_speed: pick(2 ** 20), write_speed: pick(2 ** 20) };
  const net = { transmit_speed: pick(2 ** 20), receive_speed: pick(2 ** 22) };
  const load = { load_one: pick(400), load_five: pick(400), load_fifteen: pick(400) };
  const memory = { used_memory: pick(2 ** 34), total_memory: 68501925888, available_memory: 2e10 };
  const totals = { total_received: time * 3, total_transmitted: time * 2 };
  const space = { total_space: 322057531392, available_space: 91563786240 };
  const counts = { process_count: 300, tcp_connections: pick(400), udp_connections: pick(100) };
  const system = { uptime: 1000000, boot_time: 1769337198, used_swap: 0, total_swap: 0 };
  const usage = { cpu_usage: pick(1000), gpu_usage: null };
  return Object.assign(usage, load, memory, system, counts, space, speeds, totals, net);
}

function dynamic(time) {
  const list = (length, make) => Array.from({ length }, (_, i) => make(i));
  return {
    cpu: {
      per_core: list(8, (i) => ({ id: i + 1, cpu_usage: pick(1e4) / 100, frequency_mhz: 2400 })),
      total_cpu_usage: pick(1e4) / 100,
    },
    ram: {
      total_memory: 68501925888,
      available_memory: 2e10,
      used_memory: pick(2 ** 34),
      total_swap: 0,
      used_swap: 0,
    },
    load: { one: pick(400) / 100, five: pick(400) / 100, fifteen: pick(400) / 100 },
    system: { boot_time: 1769337198, uptime: 1000000, process_count: 300 },
    disk: list(2, (i) => ({
      kind: 'Ssd',
      name: `/dev/nvme${i}n1p1`,
      file_system: 'ext4',
      mount_point: `/mnt/${i}`,
      total_space: 322057531392,
      available_space: 91563786240,
      is_removable: false,
      is_read_only: false,
      read_speed: pick(2 ** 20),
      write_speed: pick(2 ** 20),
    })),
    network: {
      interfaces: list(2, (i) => ({
        interface_name: `eth${i}`,
        total_received: time * 3,
        total_transmitted: time * 2,
        receive_speed: pick(2 ** 22),
        transmit_speed: pick(2 ** 20),
      })),
      udp_connections: pick(100),
      tcp_connections: pick(400),
    },
    gpu: [],
  };
}

/** `10s`, `500ms` */
function milliseconds(text) {
  const [, amount, unit] = /^([\d.]+)(ms|s|m)$/.exec(text);
  return Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit];
}

function report() {
  times.sort((a, b) => a - b);
  const at = (q) => times[Math.floor(q * (times.length - 1))] ?? -1;
  const line = {
    acked: tally.ok,
    ok: tally.ok,
    failed: tally.failed,
    rate: inTime / seconds,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    first_error: tally.first,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0));
}
