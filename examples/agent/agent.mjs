/**
 * The smallest useful agent: it reports a summary of this machine once a second. Node 22 or later, no packages.
 *
 * SVC_URL=ws://127.0.0.1:2211/svc/rpc SVC_TOKEN=KEY:SECRET SVC_AGENT_UUID=UUID node agent.mjs
 */
import { statfs } from 'node:fs/promises';
import os from 'node:os';

const { SVC_URL, SVC_TOKEN, SVC_AGENT_UUID, SVC_SERVER_UUID } = process.env;
if (!SVC_URL || !SVC_TOKEN || !SVC_AGENT_UUID) {
  process.stderr.write('Set SVC_URL, SVC_TOKEN and SVC_AGENT_UUID; SVC_SERVER_UUID if you like.\n');
  process.exit(2);
}

const INTERVAL_MS = 1000;
const REPLY_LIMIT_MS = 5000;
/** Pause after a connection that had worked, and the longest pause between attempts (clients.md §2.5). */
const LOST_PAUSE_MS = 3000;
const LONGEST_PAUSE_MS = 60_000;

const log = (text) => process.stdout.write(`${new Date().toISOString()} ${text}\n`);

let failures = 0;
connect();

/** Makes one connection; its end leads to the next attempt. */
function connect() {
  const socket = new WebSocket(SVC_URL);
  let timer = setTimeout(() => socket.close(), REPLY_LIMIT_MS);
  let isWorking = false;

  // Every request of an agent has the id 1. Parameters stand in the order of the method's description.
  const send = (method, params) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));

  socket.onopen = () => send('svc-server_uuid', []);
  socket.onmessage = ({ data }) => {
    const { result, error } = JSON.parse(data);
    if (error) log(`the server answered: ${error.code} ${error.message}`);
    if (isWorking) return;
    clearTimeout(timer);
    // The first answer is the server's UUID. A report must not go to a server that is not meant.
    if (typeof result !== 'string' || (SVC_SERVER_UUID && result !== SVC_SERVER_UUID)) {
      log(`this is not the server that was expected: ${data}`);
      socket.close();
      return;
    }
    log(`connected to server ${result}`);
    isWorking = true;
    failures = 0;
    timer = setInterval(async () => {
      const summary = await measure();
      if (socket.readyState === WebSocket.OPEN)
        send('agent_report_dynamic_summary', [SVC_TOKEN, summary]);
    }, INTERVAL_MS);
  };
  socket.onerror = () => {}; // A close event always follows.
  socket.onclose = ({ code }) => {
    clearTimeout(timer);
    const pause_ms = isWorking ? LOST_PAUSE_MS : nextPause();
    log(`no connection (${code}), next attempt in ${pause_ms} ms`);
    setTimeout(connect, pause_ms);
  };
}

/** 1, 2, 4 … 60 s, each ±20 %, so that the agents of a fleet do not come back in the same moment. */
function nextPause() {
  const base_ms = Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** failures);
  failures += 1;
  return Math.round(base_ms * (0.8 + 0.4 * Math.random()));
}

/** CPU time since the start of the machine, in ms: all of it, and the part without work. */
function cpuTimes() {
  const cores = os.cpus().map(({ times }) => times);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return { all: sum(cores.flatMap(Object.values)), idle: sum(cores.map(({ idle }) => idle)) };
}

let before = cpuTimes();

/** One summary (monitoring-data.md §5): integers; CPU percentage and loads times ten. A field may be left out. */
async function measure() {
  const now = cpuTimes();
  const busy = 1 - (now.idle - before.idle) / Math.max(1, now.all - before.all);
  before = now;
  const [load_one, load_five, load_fifteen] = os.loadavg().map((load) => Math.trunc(load * 10));
  const disk = await statfs('/');
  return {
    uuid: SVC_AGENT_UUID,
    time: Date.now(),
    cpu_usage: Math.trunc(Math.min(1, Math.max(0, busy)) * 1000),
    ...{ load_one, load_five, load_fifteen },
    total_memory: os.totalmem(),
    available_memory: os.freemem(),
    used_memory: os.totalmem() - os.freemem(),
    total_space: disk.blocks * disk.bsize,
    available_space: disk.bavail * disk.bsize,
    uptime: Math.trunc(os.uptime()),
    boot_time: Math.trunc(Date.now() / 1000 - os.uptime()),
  };
}
