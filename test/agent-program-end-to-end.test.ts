/** A real server, the real agent as a process of its own, and this machine's figures read back. */
import * as os from 'node:os';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { AGENT } from './agent-program-kit.ts';
import { type Running, startAgent, stopAgent, until } from './agent-program-process.ts';
import { suite } from './runner/suite.ts';

const LISTENER = 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20';

const writeOnly = (uuid: string, ...more: object[]) => [
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
      ...more,
    ],
  },
];

/** Lines of a log that somebody should look at. Tests may run as root, which the agent calls a problem of its own. */
const problemsIn = (log: string): string[] =>
  log.split('\n').filter((line) => / (WARN|ERROR) /.test(line) && !line.includes('AS ROOT'));

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent program, end to end (${dialect})`);
  let app: TestApp;
  let agent: Running;

  test.before(async () => {
    app = await bootForTest(
      ['token', 'server-info', 'agent', 'agent-uuid', 'task'],
      {},
      { dialect },
    );
    agent = await startAgent(app, await app.token(writeOnly(AGENT)), {
      head: 'static_report_interval_ms = 400',
    });
  });

  test.after(async () => {
    await stopAgent(agent);
    await app?.stop();
  });

  const ask = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const condition = [{ uuid: AGENT }];
  // Until its first report the agent is unknown.
  const noneYet = (error: RpcFailure) => {
    if (error.code !== 105) throw error;
    return [];
  };

  test("brings this machine's summaries, one per interval", async () => {
    const fields = ['cpu_usage', 'load_one', 'total_memory', 'process_count', 'total_space'];
    const rows: any[] = await until(
      'five summaries',
      () => ask('agent_query_dynamic_summary', { fields, condition }).catch(noneYet),
      (found) => found.length >= 5,
    );
    for (const row of rows) {
      assert.is(row.uuid, AGENT);
      assert.ok(row.cpu_usage >= 0 && row.cpu_usage <= 100, `cpu_usage ${row.cpu_usage}`);
      assert.ok(Math.abs(row.total_memory - os.totalmem()) < 1024 ** 2);
      assert.ok(Math.abs(row.timestamp - Date.now()) < 30_000);
    }
    const times = rows.map(({ timestamp }) => timestamp);
    const span = Math.max(...times) - Math.min(...times);
    // The first one may have come late by less than an interval.
    assert.ok(rows.length - 1 <= span / 200 + 1, `${rows.length} summaries in ${span} ms`);
  });

  test('answers the newest summary within a second of its making', async () => {
    const ageOf = ([row]: any[]) => (row ? Date.now() - row.timestamp : Number.POSITIVE_INFINITY);
    await until(
      'a fresh summary',
      () => ask('agent_dynamic_summary_multi_last_query', [AGENT], ['cpu_usage', 'uptime']),
      (rows: any[]) => ageOf(rows) < 1000 && Math.abs(rows[0].uptime - os.uptime()) < 30,
    );
  });

  test('brings cores, disks and interfaces', async () => {
    const fields = ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'];
    const rows: any[] = await until(
      'a full report',
      () => ask('agent_query_dynamic', { fields, condition: [...condition, 'last'] }),
      (found) => found.length === 1,
    );
    const [{ cpu, disk, network, gpu }] = rows;
    assert.is(cpu.per_core.length, os.cpus().length);
    assert.ok(disk.every(({ kind }: any) => ['Hdd', 'Ssd', 'Unknown'].includes(kind)));
    if (process.platform === 'linux') {
      const names = network.interfaces.map(({ interface_name }: any) => interface_name);
      assert.ok(names.includes('lo'));
    }
    assert.equal(gpu, []);
  });

  test('brings the inventory once, however often it is sent', async () => {
    const fields = ['cpu', 'system', 'gpu'];
    const rows: any[] = await until(
      'the static data',
      () => ask('agent_query_static', { fields, condition }),
      (found) => found.length > 0,
    );
    assert.is(rows.length, 1);
    assert.is(rows[0].system.system_host_name, os.hostname());
    assert.is(rows[0].cpu.logical_cores, os.cpus().length);
  });

  test('whose token may not listen for tasks reports all the same, says which right is missing, and takes tasks once it has it', async () => {
    const token = await app.token(writeOnly(LISTENER));
    const server = 'allow_task = true\nallow_task_type = ["version"]';
    const listener = await startAgent(app, token, { uuid: LISTENER, server });
    const facts = async () => {
      const all = await ask('agent-uuid_list');
      return all.find(({ uuid }: any) => uuid === LISTENER);
    };
    try {
      await until('its reports', facts, (one) => one?.last_seen && !one.connected_for_tasks);
      // Its output comes over another way than its reports.
      await until(
        'words about the refusal',
        async () => listener.output(),
        (text) => /reports go on.*Missing Task Listen.*"listen/.test(text),
      );
      assert.is(problemsIn(listener.output()).length, 1, listener.output());
      const more = writeOnly(LISTENER, { task: 'listen' }, { task: { write: '*' } });
      await ask('token_edit', token.split(':')[0], more);
      await until('its registration', facts, (one) => one.connected_for_tasks);
      const answer = await ask('task_create_task_blocking', LISTENER, 'version', 60_000);
      assert.is(answer.success, true);
      assert.is(listener.output().match(/ connected server=test/g)?.length, 1);
    } finally {
      await stopAgent(listener);
    }
  });

  test('gets no error from the server, and stops when it is told', async () => {
    assert.is(await stopAgent(agent), 0, agent.output());
    assert.match(agent.output(), ' connected server=test');
    assert.equal(problemsIn(agent.output()), []);
  });

  test.run();
}
