// proof: 10
// A process that was held up heard nobody meanwhile: nothing is concluded from that silence.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Lateness } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { Listening } from '../plugins/dashboard/web/parts/listening.ts';
import { until } from './bus-kit.ts';
import { summaryReport } from './protocol/agent-kit.ts';
import { loop } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

const SECOND = 1_000;
const PLUGINS = [
  'token',
  'agent-uuid',
  'agent',
  'agent-events',
  'metrics',
  'admission',
  'server-info',
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`held up: agents (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
  });
  test.after(() => app.stop());

  const report = (uuid: string): Promise<unknown> =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid, time: app.clock.now() }),
    ]);
  const kindsOf = async (uuid: string): Promise<string[]> => {
    const events = await app.call('agent_events', { token: app.superToken, agents: [uuid] });
    return events.map(({ kind }: { kind: string }) => kind);
  };
  /** Rounds of five seconds, each with time for the threads behind it. */
  const rounds = async (count: number, each: () => Promise<unknown> = async () => {}) => {
    for (let n = 0; n < count; n++) {
      await each();
      await app.clock.advance(5 * SECOND);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  test('no pause of the server makes an agent go, and an agent that is silent afterwards goes', async () => {
    const uuid = randomUUID();
    // For two minutes after a start nobody goes.
    await rounds(30, () => report(uuid));
    assert.equal(await kindsOf(uuid), ['came']);
    for (const pause_s of [50, 12, 31, 89, 100, 400, 86_400].slice(0, loop(2, 7))) {
      await app.clock.sleep(pause_s * SECOND);
      // It takes some time until agents have connected again.
      await rounds(5);
      await rounds(26, () => report(uuid));
      assert.equal(await kindsOf(uuid), ['came'], `after ${pause_s} s`);
    }
    for (let n = 0; n < 60 && (await kindsOf(uuid)).length === 1; n++) await rounds(1);
    assert.equal(await kindsOf(uuid), ['went', 'came']);
  });

  test('a server that is held up again and again tells who has gone, and nobody else', async () => {
    for (const [pause_s, between] of [
      [12, 0],
      [50, 2],
      [100, 12],
    ] as const) {
      const [here, gone] = [randomUUID(), randomUUID()];
      await rounds(30, () => Promise.all([report(here), report(gone)]));
      let cycles = 0;
      while (!(await kindsOf(gone)).includes('went')) {
        assert.ok(cycles++ < 40, `${pause_s} s: who has gone is not told`);
        await app.clock.sleep(pause_s * SECOND);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await report(here);
        await rounds(between, () => report(here));
      }
      assert.equal(await kindsOf(here), ['came'], `${pause_s} s`);
    }
  });

  test('/svc/metrics leaves no agent out for a pause of the server', async () => {
    const uuid = randomUUID();
    await report(uuid);
    const isShown = async () => {
      const headers = { authorization: `Bearer ${app.superToken}` };
      await app.clock.advance(2 * SECOND);
      const page = await (await app.fetch('/svc/metrics?only=agents', { headers })).text();
      return page.split('\n').some((line) => line.includes(uuid) && line.includes('uptime'));
    };
    assert.ok(await isShown());
    await app.clock.sleep(3_600 * SECOND);
    assert.ok(await isShown());
    await rounds(70);
    assert.not(await isShown(), 'it reported nothing for 300 s');
  });

  if (dialect === 'postgres')
    test('another server has the turn of a server that is held up after 15 s', async () => {
      await rounds(1);
      const left = async () =>
        (
          await app.sql(`select until - cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms
            from agent_event_state`)
        )[0].ms;
      await until('the turn is taken', async () => (await left()) > 0);
      assert.ok((await left()) <= 15 * SECOND);
    });

  test.run();
}

const test = suite('held up: connections and pages');

test('a stranger who may have spoken meanwhile keeps the connection, and one who stays silent loses it', async () => {
  const app = await bootForTest(PLUGINS, {}, { dialect: 'sqlite', clock: true });
  try {
    await app.clock.advance(2 * SECOND);
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('error', () => undefined);
    const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
    await settled();
    await app.clock.sleep(600 * SECOND);
    await settled();
    assert.not(isClosed, 'a pause is no silence');
    await app.clock.advance(125 * SECOND);
    await until('closed for its own silence', () => isClosed);
  } finally {
    await app.stop();
  }
});

test('a peer whose pongs may not be read yet stays connected, and one that answers no ping is cut off', async () => {
  const app = await bootForTest(PLUGINS, {}, { dialect: 'sqlite', clock: true });
  try {
    const socket = new WebSocket(app.url.replace('http', 'ws'), { autoPong: false });
    let [pings, isClosed] = [0, false];
    socket.on('ping', () => {
      pings++;
    });
    socket.on('close', () => {
      isClosed = true;
    });
    await once(socket, 'open');
    for (const id of [1, 2]) {
      const method = 'agent_dynamic_summary_multi_last_query';
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: [app.superToken, [], []] }));
      await once(socket, 'message');
    }
    const pinged = (count: number) =>
      until(`${count} pings`, async () => {
        if (pings < count) await app.clock.advance(5 * SECOND);
        return pings >= count;
      });
    await pinged(2);
    await app.clock.sleep(60 * SECOND);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.not(isClosed, 'its pongs may wait in the socket');
    await until('cut off', async () => {
      await app.clock.advance(5 * SECOND);
      return isClosed;
    });
  } finally {
    await app.stop();
  }
});

test('a page that was held up counts the time as if it had stood still', () => {
  const { now } = Date;
  let time = 1_781_000_000_000;
  Date.now = () => time;
  try {
    const listening = new Listening();
    const pass = (ms: number) => {
      time += ms;
      listening.sign(false);
      return time - listening.now();
    };
    assert.is(pass(SECOND), 0);
    assert.is(pass(50 * SECOND), 50 * SECOND);
    for (let n = 0; n < 29; n++) assert.is(pass(SECOND), 50 * SECOND);
    assert.is(pass(SECOND), 0, 'half a minute later silence counts again');
  } finally {
    Date.now = now;
  }
});

test('a round is late from two periods on, by what goes beyond one', () => {
  const lateness = new Lateness(5, 100);
  for (const [now, late] of [
    [105, 0],
    [115, 0],
    [126, 6],
    [131, 0],
    [90, 0],
  ] as const)
    assert.is(lateness.next(now), late);
});

test.run();
