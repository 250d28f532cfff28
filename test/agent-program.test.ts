/** The example agent as a whole: start-up, reports, TLS (clients.md §2.4 to §2.7). */
import { createServer as createTlsServer } from 'node:https';
import * as assert from 'uvu/assert';
import { collectOnce, runAgent } from '../agent/src/agent.ts';
import type { AgentConfig } from '../agent/src/config.ts';
import type { Collector } from '../agent/src/reports.ts';
import { schedule } from '../agent/src/schedule.ts';
import { selfSigned } from './agent-program-certificate.ts';
import {
  AGENT,
  agentConfig,
  FakeClock,
  memoryLog,
  type Peer,
  ScriptedServer,
  SERVER,
  serverConfig,
  soon,
  TOKEN,
} from './agent-program-kit.ts';
import { fixedCollector, INVENTORY, SAMPLE } from './agent-program-samples.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program');

interface Setup {
  clock: FakeClock;
  lines: string[];
}

async function withAgent(
  config: AgentConfig,
  use: (setup: Setup) => Promise<void>,
  extra: { collector?: Collector; offset_ms?: number } = {},
): Promise<void> {
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const stop = new AbortController();
  const config_path = '/nowhere/agent.toml';
  const base = { config, config_path, clock, log, collector: fixedCollector };
  const parts = { ...base, offset_ms: 0, ...extra };
  const running = runAgent({ ...parts, random: () => 0.5 }, stop.signal);
  try {
    await clock.timer('first reading');
    await clock.advance(250);
    await clock.timer('report');
    await use({ clock, lines });
  } finally {
    stop.abort();
    await clock.advance(2000);
    await soon('the end of the agent', running);
    await clock.advance(0);
    assert.equal(clock.labels(), []);
  }
}

async function withServers(
  count: number,
  use: (servers: ScriptedServer[]) => Promise<void>,
): Promise<void> {
  const servers = await Promise.all(Array.from({ length: count }, () => ScriptedServer.open()));
  try {
    await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

const methodsOf = (messages: any[]) => messages.map(({ method }) => method).sort();
const SUMMARY = 'agent_report_dynamic_summary';
const DYNAMIC = 'agent_report_dynamic';
const STATIC = 'agent_report_static';

const connectionsIn = (lines: readonly string[]) =>
  lines.filter((line) => line.includes(' connected ')).length;

/** Takes a connection and waits until the agent has the answer to its UUID call: reports go out from then on. */
async function join(server: ScriptedServer, lines: readonly string[]): Promise<Peer> {
  const before = connectionsIn(lines);
  const peer = await server.welcome();
  let isOver = false;
  const look = async () => {
    while (!isOver && connectionsIn(lines) === before) await new Promise(setImmediate);
  };
  await soon('a connection', look()).finally(() => {
    isOver = true;
  });
  return peer;
}

async function take(peer: Peer, count: number): Promise<any[]> {
  const messages: any[] = [];
  while (messages.length < count) messages.push(await peer.next());
  return messages;
}

test('reports summaries each tick, full data each n-th, static data with the first and at its own interval, none earlier', () =>
  withServers(1, ([server]) => {
    const config = agentConfig([serverConfig(server!.url)], {
      dynamic_summary_report_interval_ms: 500,
      dynamic_report_interval_ms: 1500,
      static_report_interval_ms: 2500,
    });
    return withAgent(config, async ({ clock, lines }) => {
      const peer = await join(server!, lines);
      const started = clock.now();
      await clock.advance(499);
      assert.is(peer.received, 0);
      await clock.advance(1);
      const first = await take(peer, 2);
      assert.equal(
        first.map(({ method, params }) => [method, params[1].time]),
        [
          [STATIC, started + 500],
          [SUMMARY, started + 500],
        ],
      );
      await clock.advance(500);
      assert.equal(methodsOf(await take(peer, 1)), [SUMMARY]);
      await clock.advance(500);
      const third = await take(peer, 2);
      assert.equal(methodsOf(third), [DYNAMIC, SUMMARY]);
      assert.equal(
        third.map(({ params }) => params[1].time),
        [started + 1500, started + 1500],
      );
      await clock.advance(500);
      assert.equal(methodsOf(await take(peer, 1)), [SUMMARY]);
      await clock.advance(500);
      assert.equal(methodsOf(await take(peer, 2)), [SUMMARY, STATIC]);
      await clock.advance(500);
      assert.equal(methodsOf(await take(peer, 2)), [DYNAMIC, SUMMARY]);
      assert.is(peer.received, 0);
    });
  }));

test('brings static data with the first summary of each new connection, to that server alone, at most once a minute', () =>
  withServers(2, ([steady, flapping]) => {
    const servers = [serverConfig(steady!.url), serverConfig(flapping!.url, { name: 'b' })];
    const config = agentConfig(servers, { dynamic_report_interval_ms: 3_600_000 });
    return withAgent(config, async ({ clock, lines }) => {
      const other = await join(steady!, lines);
      let peer = await join(flapping!, lines);
      const tick = async (expected: string[]) => {
        await clock.advance(1000);
        assert.equal(methodsOf(await take(other, 1)), [SUMMARY]);
        assert.equal(methodsOf(await take(peer, expected.length)), expected);
      };
      /** The link waits three ticks before it connects again. */
      const cut = async () => {
        peer.terminate();
        await clock.timer('reconnect');
        for (let n = 0; n < 3; n += 1) {
          await clock.advance(1000);
          await take(other, 1);
        }
        peer = await join(flapping!, lines);
        await take(peer, 3);
      };
      await clock.advance(1000);
      const told = clock.steady();
      assert.equal(methodsOf(await take(other, 2)), [SUMMARY, STATIC]);
      assert.equal(methodsOf(await take(peer, 2)), [SUMMARY, STATIC]);
      await cut();
      await tick([SUMMARY]);
      await cut();
      while (clock.steady() < told + 59_000) await tick([SUMMARY]);
      await tick([SUMMARY, STATIC]);
      await tick([SUMMARY]);
      while (clock.steady() < told + 120_000) await tick([SUMMARY]);
      await cut();
      await tick([SUMMARY, STATIC]);
      assert.is(other.received + peer.received, 0);
    });
  }));

test('sends the payloads of the chapters, stamped with the corrected clock', () =>
  withServers(1, ([server]) => {
    const config = agentConfig([serverConfig(server!.url)]);
    const run = async ({ clock, lines }: Setup) => {
      const peer = await join(server!, lines);
      await clock.advance(1000);
      const messages = await take(peer, 3);
      assert.is(peer.received, 0);
      const dataOf = (method: string) => messages.find((one) => one.method === method).params[1];
      const head = { uuid: AGENT, time: clock.now() - 4321 };
      assert.equal(dataOf(DYNAMIC), { ...head, ...SAMPLE });
      assert.equal(dataOf(STATIC), {
        ...head,
        data_hash: [...Buffer.from('64f2c99a7c725bf03b61688cb26a4021', 'hex')],
        ...INVENTORY,
      });
      assert.equal(dataOf(SUMMARY), {
        ...head,
        cpu_usage: 172,
        gpu_usage: null,
        used_swap: 0,
        total_swap: 0,
        used_memory: 1073741824,
        total_memory: 4294967296,
        available_memory: 3221225472,
        load_one: 3,
        load_five: 2,
        load_fifteen: 1,
        uptime: 100001,
        boot_time: 1780900000,
        process_count: 87,
        total_space: 42949672960,
        available_space: 21474836480,
        read_speed: 0,
        write_speed: 8192,
        tcp_connections: 23,
        udp_connections: 4,
        total_received: 900000,
        total_transmitted: 300000,
        transmit_speed: 640,
        receive_speed: 1200,
      });
    };
    return withAgent(config, run, { offset_ms: -4321 });
  }));

test('gives all servers the same data and times, each with its own token', () =>
  withServers(2, ([one, two]) => {
    const other = { name: 'other', token: 'other:token' };
    const config = agentConfig([serverConfig(one!.url), serverConfig(two!.url, other)]);
    return withAgent(config, async ({ clock, lines }) => {
      const peers = [await join(one!, lines), await join(two!, lines)];
      await clock.advance(1000);
      const [first, second] = await Promise.all(peers.map((peer) => take(peer, 3)));
      assert.equal(methodsOf(first!), [DYNAMIC, SUMMARY, STATIC]);
      assert.equal(
        first!.map(({ params }) => params[0]),
        [TOKEN, TOKEN, TOKEN],
      );
      assert.equal(
        second!.map(({ params }) => params[0]),
        ['other:token', 'other:token', 'other:token'],
      );
      assert.equal(
        first!.map(({ params }) => params[1]),
        second!.map(({ params }) => params[1]),
      );
    });
  }));

test('reports to one server while another does not answer the handshake', () =>
  withServers(2, ([mute, good]) => {
    const config = agentConfig([serverConfig(mute!.url), serverConfig(good!.url, { name: 'b' })]);
    return withAgent(config, async ({ clock, lines }) => {
      await mute!.accept();
      const peer = await join(good!, lines);
      await clock.advance(1000);
      assert.equal(methodsOf(await take(peer, 3)), [DYNAMIC, SUMMARY, STATIC]);
    });
  }));

test('collects while no server is there, so that the newest reports arrive afterwards', () =>
  withServers(1, ([server]) => {
    const config = agentConfig([serverConfig(server!.url)]);
    return withAgent(config, async ({ clock }) => {
      const peer = await server!.accept();
      await peer.next();
      for (let tick = 0; tick < 4; tick += 1) await clock.advance(1000);
      peer.result(SERVER);
      const waited = [DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, SUMMARY, SUMMARY, SUMMARY, SUMMARY];
      assert.equal(methodsOf(await take(peer, 8)), waited);
      await clock.advance(1000);
      assert.equal(methodsOf(await take(peer, 3)), [DYNAMIC, SUMMARY, STATIC]);
    });
  }));

test('goes on reporting after a sample that failed', () =>
  withServers(1, ([server]) => {
    let calls = 0;
    const collector: Collector = {
      ...fixedCollector,
      sample: async () => {
        calls += 1;
        if (calls === 2) throw new Error('unreadable');
        return SAMPLE;
      },
    };
    const run = async ({ clock, lines }: Setup) => {
      const peer = await join(server!, lines);
      await clock.advance(1000);
      assert.is(peer.received, 0);
      await clock.advance(1000);
      assert.equal(methodsOf(await take(peer, 3)), [DYNAMIC, SUMMARY, STATIC]);
      assert.match(lines.join(''), 'unreadable');
    };
    return withAgent(agentConfig([serverConfig(server!.url)]), run, { collector });
  }));

test('skips missed ticks instead of repeating them', async () => {
  const clock = new FakeClock();
  const ticks: number[] = [];
  const finish: (() => void)[] = [];
  const stop = schedule(clock, 1000, memoryLog().log, (index) => {
    ticks.push(index);
    return new Promise((resolve) => finish.push(resolve));
  });
  await clock.advance(1000);
  await clock.advance(2500);
  finish[0]?.();
  await clock.advance(499);
  assert.equal(ticks, [1]);
  await clock.advance(1);
  assert.equal(ticks, [1, 4]);
  stop();
  finish[1]?.();
  await clock.advance(5000);
  assert.equal(ticks, [1, 4]);
});

test('does not lose the full report of a tick that was skipped', () =>
  withServers(1, ([server]) => {
    const finish: (() => void)[] = [];
    let calls = 0;
    const collector: Collector = {
      ...fixedCollector,
      sample: async () => {
        calls += 1;
        // The first call is the look at start; the tick after it takes two ticks and a half.
        if (calls === 2) await new Promise<void>((resolve) => finish.push(resolve));
        return SAMPLE;
      },
    };
    const config = agentConfig([serverConfig(server!.url)], { dynamic_report_interval_ms: 2000 });
    const run = async ({ clock, lines }: Setup) => {
      const peer = await join(server!, lines);
      await clock.advance(1000);
      await clock.advance(1500);
      finish[0]?.();
      assert.equal(methodsOf(await take(peer, 2)), [SUMMARY, STATIC]);
      await clock.advance(500);
      assert.equal(methodsOf(await take(peer, 2)), [DYNAMIC, SUMMARY]);
    };
    return withAgent(config, run, { collector });
  }));

test('logs what it collects once, and the hash, at info', async () => {
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const looking = collectOnce({ config: agentConfig([]), collector: fixedCollector, clock, log });
  await clock.timer('first reading');
  await clock.advance(250);
  await looking;
  const text = lines.join('');
  for (const fact of ['EPYC Test', '"mount_point":"/"', 'cpu_usage=172', '[100,242,201,']) {
    assert.match(text, fact);
  }
  assert.ok(lines.every((line) => line.includes(' INFO ')));
});

for (const ignore_cert of [true, false]) {
  const what = ignore_cert ? 'accepts' : 'refuses';
  test(`${what} a self-signed certificate with ignore_cert = ${ignore_cert}`, async () => {
    const http = createTlsServer(selfSigned('another.example'));
    const server = await ScriptedServer.open({ http });
    const url = `wss://127.0.0.1:${server.port}/`;
    try {
      await withAgent(
        agentConfig([serverConfig(url, { ignore_cert })]),
        async ({ clock, lines }) => {
          if (ignore_cert) {
            const peer = await join(server, lines);
            await clock.advance(1000);
            assert.equal(methodsOf(await take(peer, 3)), [DYNAMIC, SUMMARY, STATIC]);
            return;
          }
          await clock.timer('reconnect');
          assert.match(lines.join(''), 'self-signed certificate');
          assert.is(server.connections, 0);
        },
      );
    } finally {
      await server.stop();
    }
  });
}

test.run();
