// `agent_events` and `agent_query_uptime` (plugins/agent-events/README.md).

import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { AgentReported } from '../../plugins/agent/src/api.ts';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf, type SharedServers, sharedServers } from '../shared-servers.ts';
import { dynamicReport, failure, staticReport, summaryReport } from './agent-kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'agent-events', 'server-info'];
const SECOND = 1_000;
const DAY = 86_400_000;
const ROUNDS = 400;
/** A round of the server takes real time, with threads that begin after a start: time must not run away from it. */
const ROUND_MS = 5;

interface Event {
  readonly time: number;
  readonly kind: string;
  readonly uuid?: string;
  readonly [detail: string]: unknown;
}

const report = (app: TestApp, uuid: string, token = app.superToken): Promise<unknown> =>
  app.call('agent_report_dynamic_summary', [token, summaryReport({ uuid, time: app.clock.now() })]);
const eventsOf = (app: TestApp, uuid: string, over: object = {}): Promise<Event[]> =>
  app.call('agent_events', { token: app.superToken, agents: [uuid], ...over });
const kindsOf = async (app: TestApp, uuid: string): Promise<string[]> =>
  (await eventsOf(app, uuid)).map(({ kind }) => kind);
const secondsOf = async (app: TestApp, uuid: string): Promise<number> => {
  const to = Date.now() + 10 * DAY;
  const asked = { token: app.superToken, agents: [uuid], from: to - 20 * DAY, to };
  const days: { seconds: number }[] = await app.call('agent_query_uptime', asked);
  return days.reduce((sum, { seconds }) => sum + seconds, 0);
};

/** Moves time until something holds. @throws with `what` when it never does */
async function passes(apps: readonly TestApp[], what: string, holds: () => Promise<boolean>) {
  for (let round = 0; round < ROUNDS; round++) {
    if (await holds()) return;
    await Promise.all(apps.map((app) => app.clock.advance(5 * SECOND)));
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  }
  throw new Error(what);
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: events and uptime (${dialect})`);
  let app: TestApp;
  let A: string;

  test.before(async () => {
    const config = { 'agent-events': { max_events: 1_000 } };
    app = await bootForTest(PLUGINS, config, { dialect, clock: true });
  });
  test.before.each(() => {
    A = randomUUID();
  });
  test.after(() => app.stop());

  const shows = (what: string, kind: string) =>
    passes([app], what, async () => (await kindsOf(app, A)).includes(kind));

  test('an agent that reports has come, and it has gone when it was silent for half a minute', async () => {
    const came = app.clock.now();
    await report(app, A);
    await shows('came', 'came');
    const [first] = await eventsOf(app, A);
    assert.equal([first?.kind, first?.uuid], ['came', A]);
    assert.ok(first!.time >= came && first!.time <= came + SECOND, `${first!.time - came}`);
    await app.clock.advance(5 * SECOND);
    const last = app.clock.now();
    await report(app, A);
    await shows('went', 'went');
    assert.equal(await kindsOf(app, A), ['went', 'came']);
    const [gone] = await eventsOf(app, A, { kinds: ['went'], limit: 1 });
    assert.is(gone?.time, last);
    assert.is((await eventsOf(app, A, { from: first!.time + 1 }))[0]?.kind, 'went');
    assert.equal(await eventsOf(app, A, { to: first!.time + 1 }), [first]);
    await report(app, A);
    await passes([app], 'came again', async () => (await kindsOf(app, A)).length === 3);
    assert.equal(await kindsOf(app, A), ['came', 'went', 'came']);
  });

  test('a refused report is told with its reason, once for all that follow', async () => {
    await report(app, A);
    const token = await app.token([]);
    for (let n = 0; n < 3; n++) assert.is((await failure(report(app, A, token))).code, 102);
    await shows('refused', 'refused');
    const refused = await eventsOf(app, A, { kinds: ['refused'] });
    assert.equal(
      refused.map(({ code, reason }) => [code, /Write permission/.test(String(reason))]),
      [[102, true]],
    );
  });

  test('a refused report is told whatever its parameter is called', async () => {
    const token = await app.token([]);
    for (const [method, name, make] of [
      ['agent_report_dynamic', 'dynamic_monitoring_data', dynamicReport],
      ['agent_report_static', 'staticMonitoringData', staticReport],
      ['agent_report_dynamic_summary', 'data', summaryReport],
    ] as const) {
      A = randomUUID();
      await report(app, A);
      const data = make({ uuid: A, time: app.clock.now() });
      assert.is((await failure(app.call(method, { token, [name]: data }))).code, 102);
      await shows(method, 'refused');
    }
  });

  test('another address of the sender is told with the one before', async () => {
    await from('127.0.0.1');
    await shows('came', 'came');
    await from('127.0.0.2');
    await shows('changed', 'address_changed');
    const [changed] = await eventsOf(app, A, { kinds: ['address_changed'] });
    assert.equal([changed?.['address'], changed?.['old_address']], ['127.0.0.2', '127.0.0.1']);
    const may = (...permissions: unknown[]) =>
      app.token([{ scopes: [{ agent_uuid: A }], permissions }]);
    const summaries = { dynamic_monitoring_summary: 'read' };
    const visitor = await may(summaries);
    assert.equal(
      (await eventsOf(app, A, { token: visitor })).map(({ kind }) => kind),
      ['came'],
    );
    assert.equal(await eventsOf(app, A, { token: visitor, kinds: ['address_changed'] }), []);
    const operator = await may(summaries, { task: { read: 'ip' } });
    assert.is((await eventsOf(app, A, { token: operator }))[0]?.kind, 'address_changed');
  });

  const from = (localAddress: string) => {
    const method = 'agent_report_dynamic_summary';
    const data = summaryReport({ uuid: A, time: app.clock.now() });
    const params = { token: app.superToken, data };
    return new Promise<void>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method: 'POST', localAddress, headers };
      const sent = request(`${app.url}/svc/rpc`, options, (answer) => {
        answer.resume().on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
  };

  test('events and uptime need the right to read the reports of every agent that is named', async () => {
    await report(app, A);
    const B = randomUUID();
    await report(app, B);
    const limit = [
      { scopes: [{ agent_uuid: A }], permissions: [{ dynamic_monitoring_summary: 'read' }] },
    ];
    const token = await app.token(limit);
    for (const method of ['agent_events', 'agent_query_uptime']) {
      assert.ok(Array.isArray(await app.call(method, { token, agents: [A] })));
      assert.is((await failure(app.call(method, { token, agents: [A, B] }))).code, 102);
    }
    assert.is((await failure(app.call('agent_events', { token }))).code, 102);
    const stranger = randomUUID();
    for (const method of ['agent_events', 'agent_query_uptime']) {
      const asked = app.call(method, { token: app.superToken, agents: [A, stranger] });
      const { code, message } = await failure(asked);
      assert.equal([code, message], [106, `UUID not found: ${stranger}`]);
    }
  });

  test('uptime is counted over a restart, which is told once and not as an absence', async () => {
    const present = async (reports: number) => {
      for (let n = 0; n < reports; n++) {
        await report(app, A);
        await app.clock.advance(10 * SECOND);
      }
    };
    await present(40);
    await app.restart();
    const first = await secondsOf(app, A);
    assert.ok(Math.abs(first - 390) <= 1, `${first}`);
    await present(20);
    assert.equal(await kindsOf(app, A), ['came']);
    await app.restart();
    const second = await secondsOf(app, A);
    assert.ok(Math.abs(second - first - 190) <= 1, `${second}`);
    const all = { token: app.superToken, kinds: ['server_restarted'] };
    await passes([app], 'told', async () => (await app.call('agent_events', all)).length === 3);
  });

  test('events and uptime of a deleted agent go when no report of it is left', async () => {
    const B = randomUUID();
    const both = [A, B];
    for (const uuid of both) await report(app, uuid);
    await shows('came', 'came');
    for (const uuid of both) await app.call('agent-uuid_delete', [app.superToken, uuid]);
    const conditions = [{ uuid: A }];
    await app.call('agent_delete_dynamic_summary', { token: app.superToken, conditions });
    // Written at the end, and cleaned by the first round.
    await app.restart();
    const isGone = async () => (await kindsOf(app, A)).length + (await secondsOf(app, A)) === 0;
    await passes([app], 'gone', isGone);
    assert.equal(await kindsOf(app, B), ['came']);
  });

  test('old events, more than max_events and old days go', async () => {
    const count = async (what: string) =>
      Number((await app.sql(`select count(*) as n ${what}`))[0].n);
    const rows = Array.from({ length: 1_200 }, () => `('came', ${app.clock.now()}, '{}')`).join();
    await app.sql(`insert into agent_event (kind, time, detail) values ${rows}`);
    await app.sql(`insert into agent_event (kind, time, detail) values ('came', 1, '{}')`);
    await app.sql('insert into agent_uptime (uuid_id, day, ms) values (1, 1, 1)');
    await app.restart();
    await passes(
      [app],
      'cleaned',
      async () => (await count('from agent_uptime where day = 1')) === 0,
    );
    assert.is(await count('from agent_event where time = 1'), 0);
    assert.ok((await count('from agent_event')) <= 1_010);
  });

  test.run();
}

const fleet = suite('agent: events of several servers (postgres)');
let servers: SharedServers;
let heard = [0, 0];
fleet.before(async () => {
  servers = await sharedServers(2, PLUGINS, {}, { clock: true });
});
fleet.after(() => servers.stop());

const listen = () =>
  servers.apps.forEach((app, at) => {
    kernelOf(app).subscribe(AgentReported, () => void heard[at]!++);
  });
const advance = (ms: number) => Promise.all(servers.apps.map((app) => app.clock.advance(ms)));
/** Messages between servers take the machine's time too, and those of ten seconds that pass at once may be lost. */
const bothHear = (app: TestApp, uuid: string, step: number) => {
  heard = [0, 0];
  return until('both servers know', async () => {
    await report(app, uuid, servers.superToken);
    await advance(step);
    return heard.every((count) => count > 0);
  });
};
const state = async (column: string) =>
  Number((await servers.apps[0]!.sql(`select ${column} as n from agent_event_state`))[0].n);

fleet(
  'an agent that reports to another server has not gone, and its uptime is counted once',
  async () => {
    const [one, two] = servers.apps as [TestApp, TestApp];
    const A = randomUUID();
    listen();
    await passes([one], 'the first server writes', async () => (await state('until')) > 0);
    const begins = one.clock.now();
    // A server hears of an agent's first reports before it knows the agent.
    await bothHear(one, A, SECOND);
    const bothKnow = one.clock.now();
    for (let n = 0; n < 32; n++) {
      await advance(10 * SECOND);
      await bothHear(n < 16 ? one : two, A, 10);
    }
    const ends = one.clock.now();
    const uptime = () => secondsOf(two, A);
    assert.equal(
      (await kindsOf(two, A)).filter((kind) => kind !== 'address_changed'),
      ['came'],
    );
    // A late message counts when it comes; what is counted twice is five minutes.
    const least = (ends - bothKnow) / SECOND - 60;
    await passes([one, two], 'written', async () => (await uptime()) >= least);
    const most = (ends - begins) / SECOND + 60;
    assert.ok((await uptime()) <= most, `${await uptime()} of at most ${most}`);
    await one.restart();
    await passes([two], 'the other server goes on', async () =>
      (await kindsOf(two, A)).includes('went'),
    );
    assert.equal(
      (await kindsOf(two, A)).filter((kind) => kind !== 'address_changed'),
      ['went', 'came'],
    );
    const before = await state('counted');
    await passes([two], 'the other server writes', async () => (await state('counted')) > before);
    assert.ok((await uptime()) <= most, `${await uptime()} of at most ${most}`);
  },
);

fleet('uptime is counted once although its writer was held up and lost its turn', async () => {
  const [one, two] = servers.apps as [TestApp, TestApp];
  const A = randomUUID();
  const takesTurn = async (app: TestApp) => {
    await app.sql('update agent_event_state set until = 0');
    await passes([app], 'the turn is taken', async () => (await state('until')) > 0);
  };
  // The first turn of a server also cleans, which would wait in the place of what is to wait.
  for (const app of [two, one]) {
    await app.restart();
    await app.sql('insert into agent_uptime (uuid_id, day, ms) values (1, 1, 1)');
    await takesTurn(app);
    const old = () => app.sql('select day from agent_uptime where day = 1');
    await passes([app], 'cleaned', async () => (await old()).length === 0);
  }
  listen();
  const beside = new pg.Client({ connectionString: servers.database_url });
  await beside.connect();
  try {
    await beside.query('begin');
    await beside.query('lock table agent_uptime in exclusive mode');
    const text = `select pid from pg_stat_activity where datname = current_database()
      and wait_event = 'relation' and query like 'insert into agent_uptime%'`;
    // A transaction, as the one that locks, sees the connections of its first look alone.
    const waiting = async () => (await one.sql(text)).length;
    const begins = one.clock.now();
    await until('the writer is held up', async () => {
      await bothHear(one, A, 5 * SECOND);
      return (await waiting()) > 0;
    });
    await takesTurn(two);
    // Rounds of the other server, in which it would write.
    for (let n = 0; n < 20 && (await waiting()) < 2; n++) await bothHear(two, A, 5 * SECOND);
    const ends = one.clock.now();
    await beside.query('commit');
    const before = await state('counted');
    await passes([one, two], 'written again', async () => (await state('counted')) > before);
    const [uptime, most] = [await secondsOf(one, A), (ends - begins) / SECOND + 60];
    assert.ok(uptime > 0 && uptime <= most, `${uptime} of at most ${most}`);
  } finally {
    await beside.end();
  }
});

fleet.run();
