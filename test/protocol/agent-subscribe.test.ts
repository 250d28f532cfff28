// `agent_subscribe`: the newest reports, then each change; the topic `agent.reported` (plugins/agent/README.md).
import { setTimeout as pause } from 'node:timers/promises';
import { AgentReported } from '@svc/plugin-agent/api';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';
import {
  A,
  B,
  C,
  dynamicReport,
  failure,
  PLUGINS,
  staticReport,
  summaryReport,
  UNKNOWN,
} from './agent-kit.ts';

const TURN_MS = 250;

/** What the topic has said, as `kind uuid`. */
const heard: string[] = [];
const listener = definePlugin({
  name: 'listener',
  version: '1.0.0',
  setup({ subscribe }) {
    subscribe(AgentReported, ({ kind, uuids }) => {
      heard.push(...uuids.map((uuid) => `${kind} ${uuid}`));
    });
  },
});

const read = (uuid: string, ...fields: string[]) => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: fields.map((field) => ({ dynamic_monitoring: { read: field } })),
});
const readSummary = (scope: unknown) => ({
  scopes: [scope],
  permissions: [{ dynamic_monitoring_summary: 'read' }],
});

type Row = { uuid: string; timestamp: number; [field: string]: unknown };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: live reports (${dialect})`);
  let app: TestApp;
  let socket: TestSocket;

  test.before(async () => {
    app = await bootForTest([...PLUGINS, listener], {}, { dialect, clock: true });
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    socket = await app.connect();
  });
  test.after.each(async () => {
    socket.close();
    for (const uuid of [A, B, C, UNKNOWN]) {
      await app.call('agent-uuid_delete', [app.superToken, uuid]);
    }
    for (const kind of ['dynamic', 'dynamic_summary']) {
      await app.call(`agent_delete_${kind}`, [app.superToken, []]);
    }
  });

  const report = (uuid: string, time: number, over = {}) =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid, time, ...over }),
    ]);
  const subscribe = (params: object = {}, token = app.superToken, on = socket): Promise<number> =>
    on.call('agent_subscribe', { token, ...params });
  /** Time passes until an item comes. */
  const item = async (on = socket): Promise<Row[]> => {
    let frame: any;
    const arrived = on.next(20_000).then((message) => {
      frame = message;
    });
    while (!frame) {
      await app.clock.advance(TURN_MS);
      await Promise.race([arrived, pause(5)]);
    }
    assert.equal([frame.method, 'id' in frame], ['agent_subscribe', false]);
    return frame.params.result.agents;
  };
  /** Rows of items until one has this agent at this time. */
  const rowsUntil = async (uuid: string, time: number, on = socket): Promise<Row[]> => {
    const rows: Row[] = [];
    while (!rows.some((row) => row.uuid === uuid && row.timestamp === time)) {
      rows.push(...(await item(on)));
    }
    return rows;
  };

  test('the state comes first, as the newest summary of each agent; then only what changes', async () => {
    await report(A, 1000);
    await report(A, 2000, { cpu_usage: 534 });
    await report(B, 1500);
    await subscribe({ fields: ['cpu_usage', 'load_one'] });
    const state = (await item()).toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));
    assert.equal(state, [
      { uuid: A, timestamp: 2000, cpu_usage: 53.4, load_one: 0.3 },
      { uuid: B, timestamp: 1500, cpu_usage: 17.2, load_one: 0.3 },
    ]);
    await report(B, 2500);
    // Older than the newest one: no change.
    await report(A, 1700);
    assert.equal(await item(), [{ uuid: B, timestamp: 2500, cpu_usage: 17.2, load_one: 0.3 }]);
  });

  test('the state waits for no turn of the clock', async () => {
    await report(A, 1000);
    await subscribe({ fields: ['cpu_usage'] });
    const { params } = await socket.next(20_000);
    assert.equal(params.result.agents, [{ uuid: A, timestamp: 1000, cpu_usage: 17.2 }]);
  });

  test('without reports the first item is empty', async () => {
    await subscribe();
    assert.equal(await item(), []);
    await report(A, 1000);
    assert.equal(Object.keys((await item())[0] as Row).length, 2 + 23);
  });

  test('full and static reports come with the fields asked for', async () => {
    await app.call('agent_report_dynamic', [app.superToken, dynamicReport()]);
    await app.call('agent_report_static', [app.superToken, staticReport()]);
    await subscribe({ kind: 'dynamic', fields: ['load'] });
    const [load] = await item();
    assert.equal(load, { uuid: A, timestamp: 1781000001000, load: dynamicReport().load });
    const other = await app.connect();
    await subscribe({ kind: 'static', fields: ['system'] }, app.superToken, other);
    assert.equal((await item(other))[0]?.['system'], staticReport().system);
    other.close();
  });

  test('an agent comes at most once in an interval, and then with its newest report', async () => {
    const fast = await app.connect();
    await subscribe({ fields: ['uptime'], interval_ms: 60_000 });
    await subscribe({ fields: ['uptime'], interval_ms: TURN_MS }, app.superToken, fast);
    await item();
    await item(fast);
    const since = app.clock.now();
    for (let time = 1000; time <= 4000; time += 1000) {
      await report(A, time);
      await rowsUntil(A, time, fast);
    }
    assert.equal(await item(), [{ uuid: A, timestamp: 4000, uptime: 100001 }]);
    assert.ok(app.clock.now() - since >= 60_000 - 2 * TURN_MS);
    fast.close();
  });

  test('a caller sees the agents that it may read, and those of them that appear later', async () => {
    const token = await app.token([readSummary({ agent_uuid: A }), readSummary({ agent_uuid: C })]);
    await report(A, 1000);
    await report(B, 1000);
    await subscribe({ fields: [] }, token);
    assert.equal(
      (await item()).map(({ uuid }) => uuid),
      [A],
    );
    await report(B, 2000);
    await report(C, 2000);
    const rows = await rowsUntil(C, 2000);
    assert.ok(rows.every(({ uuid }) => uuid !== B));
  });

  test('of each agent a caller sees the fields of full reports that it may read', async () => {
    const token = await app.token([read(A, 'cpu', 'ram'), read(B, 'load')]);
    for (const uuid of [A, B, C]) {
      await app.call('agent_report_dynamic', [app.superToken, dynamicReport({ uuid })]);
    }
    await subscribe({ kind: 'dynamic' }, token);
    const fields = new Map((await item()).map(({ uuid, ...row }) => [uuid, Object.keys(row)]));
    assert.equal(
      [fields.size, fields.get(A), fields.get(B)],
      [2, ['timestamp', 'cpu', 'ram'], ['timestamp', 'load']],
    );
  });

  test('named agents come alone, also one that reports for the first time later', async () => {
    await report(A, 1000);
    await subscribe({ agents: [UNKNOWN.toUpperCase()], fields: [] });
    assert.equal(await item(), []);
    await report(A, 2000);
    await report(UNKNOWN, 2000);
    assert.equal(
      (await rowsUntil(UNKNOWN, 2000)).map(({ uuid }) => uuid),
      [UNKNOWN],
    );
  });

  // biome-ignore format: one refusal per line
  const refusals: [name: string, limits: unknown[], params: object, code: number][] = [
    ['a caller without any right', [], {}, 102],
    ['a named agent that the caller may not read', [readSummary({ agent_uuid: A })], { agents: [A, B] }, 102],
    ['a named field that the caller may not read', [read(A, 'cpu')], { agents: [A], kind: 'dynamic', fields: ['cpu', 'ram'] }, 102],
    ['a field of another kind', [readSummary('global')], { fields: ['disk'] }, 108],
    ['an interval below a turn', [readSummary('global')], { interval_ms: 100 }, -32602],
    ['an empty list of agents', [readSummary('global')], { agents: [] }, -32602],
  ];
  for (const [name, limits, params, code] of refusals) {
    test(`refuses ${name}`, async () => {
      const token = await app.token(limits.length > 0 ? limits : [readSummary({ js_worker: 'x' })]);
      await report(A, 1000);
      assert.is((await failure(subscribe(params, token))).code, code);
    });
  }

  test('a right that is taken away counts at once, and the subscription ends with the last one', async () => {
    const both = [readSummary({ agent_uuid: A }), readSummary({ agent_uuid: B })];
    const token = await app.token(both);
    const edit = (limits: unknown[]) =>
      app.call('token_edit', [app.superToken, token.split(':')[0], limits]);
    await report(A, 1000);
    await report(B, 1000);
    const id = await subscribe({ fields: ['uptime'] }, token);
    assert.is((await item()).length, 2);
    await edit(both.slice(1));
    await report(A, 2000);
    await report(B, 2000);
    assert.equal(await rowsUntil(B, 2000), [{ uuid: B, timestamp: 2000, uptime: 100001 }]);
    await edit([readSummary({ agent_uuid: UNKNOWN })]);
    await report(B, 3000);
    for (let turn = 0; turn < 8; turn++) await app.clock.advance(TURN_MS);
    assert.is(await socket.call('agent_unsubscribe', [id]), false);
  });

  test('a deleted agent is not shown', async () => {
    await report(A, 1000);
    await app.call('agent-uuid_delete', [app.superToken, A]);
    await subscribe();
    assert.equal(await item(), []);
  });

  test('a connection has 32 subscriptions; one that ends makes room', async () => {
    const ids: number[] = [];
    while (ids.length < 32) ids.push(await subscribe());
    assert.is((await failure(subscribe())).code, -32006);
    assert.is(await socket.call('agent_unsubscribe', [ids[0]]), true);
    await subscribe();
  });

  test('plugins hear which agents have reported', async () => {
    heard.length = 0;
    await report(A, 1000);
    await app.call('agent_report_dynamic', [app.superToken, dynamicReport({ uuid: B })]);
    await app.clock.advance(2 * TURN_MS);
    await until('heard', () => heard.length >= 2);
    assert.equal(heard.toSorted(), [`dynamic ${B}`, `summary ${A}`]);
  });

  test.run();
}

/** A report of about a megabyte, which no socket swallows many of. */
const large = (time: number) => {
  const [disk] = dynamicReport().disk;
  return dynamicReport({ time, disk: [{ ...disk, name: 'x'.repeat(1_000_000) }] });
};

for (const dialect of oneDialect) {
  const test = suite(`agent: a slow subscriber (${dialect})`);

  test('gets fewer items, the newest one last, and holds up no other subscriber', async () => {
    const app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    const [slow, fast] = [await app.connect(), await app.connect()];
    const params = { token: app.superToken, kind: 'dynamic', fields: ['disk'], interval_ms: 250 };
    const times = { slow: [] as number[], fast: [] as number[] };
    const listen = (on: TestSocket, list: number[]) =>
      on.raw.on('message', (data: Buffer) => {
        const { params: found } = JSON.parse(String(data));
        for (const { timestamp } of found?.result.agents ?? []) list.push(timestamp);
      });
    await slow.call('agent_subscribe', params);
    await fast.call('agent_subscribe', params);
    listen(slow, times.slow);
    listen(fast, times.fast);
    slow.raw.pause();
    const last = 20;
    for (let time = 1; time <= last; time++) {
      await app.call('agent_report_dynamic', [app.superToken, large(time)]);
      await until('the fast one has it', async () => {
        await app.clock.advance(TURN_MS);
        return times.fast.at(-1) === time;
      });
    }
    assert.is(times.slow.length, 0);
    slow.raw.resume();
    await until('the slow one has the newest', async () => {
      await app.clock.advance(TURN_MS);
      return times.slow.at(-1) === last;
    });
    assert.is(times.fast.length, last);
    assert.ok(times.slow.length < last, `${times.slow.length} items`);
    await app.stop();
  });

  test.run();
}

const shared = suite('agent: live reports of many servers (postgres)');
let servers: SharedServers;

shared.before(async () => {
  servers = await sharedServers(2, PLUGINS);
});
shared.after(() => servers?.stop());

shared(
  'reports that another server took reach a subscriber, changes and new agents alike',
  async () => {
    const [here, there] = servers.apps as [TestApp, TestApp];
    const token = servers.superToken;
    const report = (uuid: string, time: number) =>
      there.call('agent_report_dynamic_summary', [token, summaryReport({ uuid, time })]);
    await report(A, 1000);
    const socket = await here.connect();
    await socket.call('agent_subscribe', { token, fields: [], interval_ms: TURN_MS });
    const rows: Row[] = [];
    const seen = async (uuid: string, time: number) => {
      while (!rows.some((row) => row.uuid === uuid && row.timestamp === time)) {
        rows.push(...(await socket.next(10_000)).params.result.agents);
      }
    };
    await seen(A, 1000);
    await report(A, 2000);
    await report(B, 3000);
    await seen(A, 2000);
    await seen(B, 3000);
    socket.close();
  },
);

shared.run();
