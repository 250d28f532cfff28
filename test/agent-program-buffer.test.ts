/** Reports that wait on the agent's disk while the server is away. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { runAgent } from '../agent/src/agent.ts';
import type { Link } from '../agent/src/link.ts';
import { Spool, type SpoolOptions } from '../agent/src/spool.ts';
import {
  AGENT,
  agentConfig,
  FakeClock,
  memoryLog,
  type Peer,
  serverConfig,
  soon,
} from './agent-program-kit.ts';
import { withLink, withServer } from './agent-program-running.ts';
import { fixedCollector } from './agent-program-samples.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: reports on the disk');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

let folders = 0;
function open(options: Partial<SpoolOptions> = {}): {
  spool: Spool;
  path: string;
  lines: string[];
} {
  folders += 1;
  const { log, lines } = memoryLog();
  const path = options.dir ?? join(dir, `${folders}`);
  const bounds = { max_bytes: 2 ** 20, max_age_ms: 3_600_000 };
  const spool = new Spool({ dir: path, ...bounds, clock: new FakeClock(), log, ...options });
  return { spool, path, lines };
}

const report = (time: number) => ({
  method: 'agent_report_dynamic_summary',
  data: `{"time":${time}}`,
});

/** A door to a server that can be shut. */
class Door {
  readonly #open = new Set<Socket>();
  readonly #server = createServer((near) => {
    const far = connect(Number(new URL(this.#url).port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  readonly #url: string;
  #port = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async open(): Promise<number> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  async shut(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}

test('brings every summary of an outage and of a restart in it, once, behind the live ones', async () => {
  const app: TestApp = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid'], {});
  const door = new Door(app.url);
  const clock = new FakeClock();
  const { log } = memoryLog();
  const server = serverConfig(`ws://127.0.0.1:${await door.open()}/`, {
    server_uuid: await app.call('svc-server_uuid'),
    token: app.superToken,
  });
  const config = agentConfig([server], { buffer_mb: 1, connect_timeout_ms: 30_000 });
  const parts = { config, config_path: join(app.dir, 'agent.toml'), clock, log };
  const start = async () => {
    const stop = new AbortController();
    const ended = runAgent(
      { ...parts, collector: fixedCollector, offset_ms: 0, random: () => 0.5 },
      stop.signal,
    );
    await clock.timer('first reading');
    await clock.advance(250);
    await clock.timer('report');
    const end = async () => {
      stop.abort();
      await clock.advance(2000);
      await soon('the end of the agent', ended);
    };
    return end;
  };
  const ticks: number[] = [];
  const tick = async () => {
    await clock.advance(1000);
    ticks.push(clock.now());
  };
  const query = async (method: string, query: unknown): Promise<number[]> => {
    const rows: any[] = await app.call(method, [app.superToken, query]).catch(() => []);
    return rows.map(({ timestamp }) => timestamp);
  };
  const stored = () =>
    query('agent_query_dynamic_summary', { fields: ['uptime'], condition: [{ uuid: AGENT }] });
  const newest = async () => (await stored()).at(-1);
  const reach = async (what: string, isThere: () => Promise<boolean>) => {
    for (let n = 0; !(await isThere()); n += 1) {
      if (n > 400) throw new Error(`${what} did not come`);
      await tick();
    }
  };
  let end = await start();
  try {
    await reach('the first report', async () => (await newest()) !== undefined);
    await door.shut();
    const cut = ticks.at(-1)!;
    for (let n = 0; n < 60; n += 1) await tick();
    await end();
    end = await start();
    for (let n = 0; n < 60; n += 1) await tick();
    await door.open();
    await reach('a live report', async () => (await newest()) === ticks.at(-1));
    assert.ok((await stored()).length < ticks.length, 'live reports do not wait for late ones');
    await reach('the late reports', async () => new Set(await stored()).size === ticks.length);
    const times = await stored();
    assert.equal([...new Set(times)], ticks);
    // The answer to the last report before the cut may have been lost.
    const twice = times.filter((time, at) => times.indexOf(time) !== at);
    assert.equal(
      twice.filter((time) => time !== cut),
      [],
    );
    const full = await query('agent_query_dynamic', { fields: [], condition: [{ uuid: AGENT }] });
    const late = full.filter((time) => time > cut && time < cut + 90_000);
    assert.ok(late.length >= 1 && late.length <= 20, `${late.length} full reports of the outage`);
    // A file goes when the answer to its last report is there.
    const left = () => readdirSync(join(app.dir, 'svc-agent-buffer'), { recursive: true }).length;
    await reach('the end of the last file', async () => left() === 1);
  } finally {
    await end();
    await door.shut();
    await app.stop();
  }
});

interface Late {
  clock: FakeClock;
  link: Link;
  peer: Peer;
  spool: Spool;
}

/** A link whose spool holds reports of the times 1 to `count`, connected. */
async function withLate(count: number, use: (late: Late) => Promise<void>): Promise<void> {
  const { spool, path } = open();
  for (let time = 1; time <= count; time += 1) spool.add(report(time));
  await spool.settle();
  await withServer(async (server) => {
    const again = open({ dir: path }).spool;
    await withLink(
      serverConfig(server.url),
      async ({ clock, link }) => {
        const peer = await server.welcome();
        await use({ clock, link, peer, spool: again });
      },
      { spool: again },
    );
  });
}

const take = async (peer: Peer, count: number) => {
  const found: any[] = [];
  while (found.length < count) found.push(await peer.next());
  return found;
};
const timesOf = (requests: any[]) => requests.map(({ params }) => params[1].time);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

test('sends what waits in its order, 32 a second, each with an id of its own', () =>
  withLate(40, async ({ clock, peer, spool }) => {
    assert.is(await clock.timer('catch-up'), 3500);
    assert.is(peer.received, 0);
    await clock.advance(3500);
    const first = await take(peer, 32);
    assert.equal(timesOf(first), range(1, 32));
    assert.equal(
      first.map(({ id }) => id),
      range(2, 33),
    );
    for (const { id } of first) peer.send({ jsonrpc: '2.0', id, result: { status: 'buffered' } });
    assert.is(await clock.timer('catch-up'), 1000);
    await clock.advance(1000);
    const rest = await take(peer, 8);
    assert.equal(timesOf(rest), range(33, 40));
    for (const { id } of rest) peer.send({ jsonrpc: '2.0', id, result: { status: 'buffered' } });
    assert.is(await clock.timer('catch-up'), 1000);
    assert.is(await spool.oldest(), undefined);
  }));

test('keeps what the server could not store, drops what it will never take', () =>
  withLate(3, async ({ clock, peer, spool }) => {
    await clock.timer('catch-up');
    await clock.advance(3500);
    const [one, two, three] = await take(peer, 3);
    peer.send({ jsonrpc: '2.0', id: one.id, result: { status: 'buffered' } });
    peer.send({ jsonrpc: '2.0', id: two.id, error: { code: -32602, message: 'Invalid params' } });
    peer.send({ jsonrpc: '2.0', id: three.id, error: { code: 103, message: 'Database error' } });
    assert.is(await clock.timer('catch-up'), 60_000);
    const left = await spool.oldest();
    assert.equal(left?.reports, [report(3)]);
    await clock.advance(60_000);
    let request = await peer.next();
    while (request.params[1]?.time === undefined) request = await peer.next();
    assert.is(request.params[1].time, 3);
  }));

test('keeps what a broken connection took without an answer, and what waits when it ends', async () => {
  const { spool } = open();
  await withServer((server) =>
    withLink(
      serverConfig(server.url),
      async ({ clock, link }) => {
        const peer = await server.welcome();
        const { method } = report(0);
        link.post(method, report(1).data);
        link.post(method, report(2).data);
        await take(peer, 2);
        peer.result({ status: 'buffered' });
        link.post(method, report(3).data);
        await take(peer, 1);
        peer.terminate();
        await clock.timer('reconnect');
        link.post(method, report(4).data);
      },
      { spool },
    ),
  );
  assert.equal((await spool.oldest())?.reports, [report(2), report(3), report(4)]);
});

test('stays within its bytes: the oldest reports go first', async () => {
  const { spool, path } = open({ max_bytes: 20_000 });
  for (let time = 100_000; time < 101_000; time += 1) {
    spool.add(report(time));
    if (time % 100 === 0) await spool.settle();
  }
  await spool.settle();
  const files = readdirSync(path);
  const bytes = files.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
  assert.ok(bytes <= 20_000 && bytes > 17_000, `${bytes} bytes`);
  const first = JSON.parse((await spool.oldest())!.reports[0]!.data).time;
  assert.ok(first > 100_500 && first < 100_700, `${first}`);
});

test('drops what is older than its hours', async () => {
  const clock = new FakeClock();
  const { spool } = open({ clock, max_age_ms: 5000 });
  spool.add(report(1));
  await spool.oldest();
  await clock.advance(3000);
  spool.add(report(2));
  await spool.settle();
  await clock.advance(3000);
  assert.equal((await spool.oldest())?.reports, [report(2)]);
  await clock.advance(3000);
  assert.is(await spool.oldest(), undefined);
});

test('reads over a line that was cut off, and files of other programs', async () => {
  const { spool, path } = open();
  spool.add(report(1));
  await spool.settle();
  const [name = ''] = readdirSync(path);
  writeFileSync(join(path, name), `${report(1).method} {"time":1}\n\nagent_report {"ti`);
  writeFileSync(join(path, 'notes.txt'), 'x');
  assert.equal((await open({ dir: path }).spool.oldest())?.reports, [report(1)]);
});

test('shows reports to nobody else', async () => {
  const { spool, path } = open();
  spool.add(report(1));
  await spool.settle();
  assert.is(statSync(path).mode & 0o777, 0o700);
  assert.is(statSync(join(path, readdirSync(path)[0]!)).mode & 0o777, 0o600);
});

test('says once that a folder cannot be written, and goes on', async () => {
  const file = join(dir, 'file');
  writeFileSync(file, '');
  const { spool, lines } = open({ dir: join(file, 'below') });
  for (let time = 1; time <= 5; time += 1) spool.add(report(time));
  await spool.settle();
  assert.is(lines.length, 1);
  assert.match(lines[0]!, /WARN {2}reports cannot be kept on the disk .*ENOTDIR/);
});

test.run();
