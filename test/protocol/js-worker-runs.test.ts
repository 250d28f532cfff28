// proof: 40
// js-worker.md §1, §3.5, §4, §5: how runs are executed, queued, interrupted and recorded.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import {
  base64,
  eventually,
  module,
  onCall,
  PATIENT,
  type ScriptServer,
  scriptServer,
  UNTIL_TOLD,
} from './js-worker-kit.ts';

const FAILED = 'JavaScript runtime execution failed: ';
const SLEEP = 'await new Promise((done) => setTimeout(done, params.ms));';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`js-worker runs (${dialect})`);
  /** For what no row shows. */
  const testThreads = oneDialect.includes(dialect) ? test : () => {};
  let server: ScriptServer;
  test.before(async () => {
    server = await scriptServer({}, { dialect });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    for (const name of await server.asSuper('js-worker_list_all_js_worker'))
      await server.asSuper('js-worker_delete', { name });
    await server.app.sql('delete from js_result');
  });

  test('each run type calls its own handler, and none in its place', async () => {
    await server.create(
      'w',
      module(`onCall: () => 'call', onCron: () => 'cron', onInlineCall: () => 'inline'`),
    );
    assert.is((await server.run('w')).result, 'call');
    assert.is((await server.run('w', null, { run_type: 'cron' })).result, 'cron');
    assert.is((await server.run('w', null, { run_type: 'inline_call' })).result, 'inline');
    const { error_message } = await server.run('w', {}, { run_type: 'route' });
    assert.is(
      error_message,
      `${FAILED}[js_invoke] Error: Missing handler function export default.onRoute\n`.trimEnd(),
    );
  });

  test('the row is there while the run waits, with its parameters', async () => {
    await server.create('w', onCall(`${UNTIL_TOLD} ${SLEEP} return 1`), server.waiting);
    const id = await server.start('w', { ms: 100 });
    const [row] = await server.query({ id });
    assert.equal(
      [row.finish_time, row.result, row.error_message, row.param, row.run_type],
      [null, null, null, { ms: 100 }, 'call'],
    );
    await server.tell();
    const done = await server.result(id);
    assert.is(done.result, 1);
    assert.ok(done.finish_time >= done.start_time + 90);
    assert.equal(await server.query({ id }, 'is_success').then((rows) => rows.length), 1);
  });

  test('parameters and env keep every digit in the record', async () => {
    await server.create('w', onCall('return typeof params'));
    const params = `[${JSON.stringify(server.app.superToken)},"w",null,{"big":12345678901234567890,"f":1.0}]`;
    const response = await server.app.fetch('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"js-worker_run","params":${params}}`,
    });
    const { result } = (await response.json()) as any;
    await server.result(result.id);
    const [row] = await server.app.sql(
      `select cast(param as text) as param from js_result where id = ${result.id}`,
    );
    assert.is(row.param, '{"big":12345678901234567890,"f":1.0}');
  });

  testThreads(
    'the pooled context keeps its state, source runs and inline calls do not',
    async () => {
      await server.create(
        'w',
        `let n = 0; export default { onCall: () => ++n, onInlineCall: () => ++n };`,
      );
      await server.create('caller', onCall('return inlineCall("w")'));
      for (const expected of [1, 2]) assert.is((await server.run('w')).result, expected);
      assert.is((await server.run('w', null, { compile_mode: 'source' })).result, 1);
      assert.is((await server.run('caller')).result, 1);
      assert.is((await server.run('w')).result, 3);
      await server.update('w', `let n = 10; export default { onCall: () => ++n };`);
      assert.is((await server.run('w')).result, 11);
    },
  );

  for (const [given, seen] of [
    [{ a: 1 }, { a: 1 }],
    [null, { stored: true }],
    [undefined, { stored: true }],
    [0, {}],
    ['', {}],
    [false, {}],
    [[1], [1]],
    ['text', 'text'],
  ] as const) {
    testThreads(
      `env ${JSON.stringify(given)} of a run reaches the script as ${JSON.stringify(seen)}`,
      async () => {
        await server.create('w', onCall('return { env }'), { env: { stored: true } });
        assert.equal((await server.run('w', null, { env: given })).result, { env: seen });
        assert.equal((await server.run('w', null)).result, { env: { stored: true } });
      },
    );
  }

  testThreads('env is a fresh copy for every run, and {} when none is stored', async () => {
    await server.create('w', onCall('const before = { ...env }; env.more = 1; return before'));
    for (let n = 0; n < 2; n++) assert.equal((await server.run('w')).result, {});
  });

  testThreads('runs of one worker are strictly one after the other', async () => {
    await server.create(
      'w',
      `let open = 0; let most = 0;
       export default { async onCall(params) { open++; most = Math.max(most, open); ${SLEEP} open--; return most } };`,
    );
    const started = await Promise.all(
      Array.from({ length: 5 }, () => server.start('w', { ms: 20 })),
    );
    const rows = await Promise.all(started.map((id) => server.result(id)));
    assert.equal(
      rows.map(({ result }) => result),
      [1, 1, 1, 1, 1],
    );
  });

  testThreads('different workers run at the same time', async () => {
    // Each one goes on when it has seen that the other runs.
    const script =
      onCall(`await svc('js-worker_update', { token: env.token, name: 'see-' + ctx.workerName, description: 'runs', js_script_base64: params.script });
      while ((await svc('js-worker_read', { token: env.token, name: 'see-' + params.other })).result.description !== 'runs')
        await new Promise((done) => setTimeout(done, 5));
      return 1`);
    const names = ['a', 'b'];
    for (const name of names) {
      await server.create(name, script, server.waiting);
      await server.create(`see-${name}`, onCall(''));
    }
    const given = { script: base64(onCall('')) };
    const rows = await Promise.all(
      names.map((name) => server.run(name, { ...given, other: name === 'a' ? 'b' : 'a' })),
    );
    assert.equal(
      rows.map(({ result }) => result),
      [1, 1],
    );
  });

  test('256 runs may wait; the next one is recorded as refused', async () => {
    const { app } = server;
    // The first one runs until the others have come.
    const script = onCall(`if (params.first) { ${UNTIL_TOLD} } return 1`);
    await server.create('w', script, server.waiting);
    const first = await server.start('w', { first: true });
    const socket = await app.connect();
    const one = { token: app.superToken, js_script_name: 'w', params: { first: false } };
    const ids: number[] = [];
    for (let n = 0; n < 257; n++) ids.push((await socket.call('js-worker_run', one)).id);
    socket.close();
    const [pool] = (await server.asSuper('js-worker_get_rt_pool')).workers;
    assert.is(pool.active_requests, 257);
    const refused = await server.result(ids.at(-1)!);
    assert.is(refused.error_message, `${FAILED}Worker queue full, request rejected`);
    await server.tell();
    assert.is((await server.result(first)).result, 1);
    assert.is((await server.result(ids[255]!)).result, 1);
    assert.is((await server.query('is_failure')).length, 1);
  });

  test('an update during a run lets it end, and lets those that wait run the old script', async () => {
    await server.create('w', onCall(`${UNTIL_TOLD} return 'old'`), server.waiting);
    const running = await server.start('w');
    const waiting = await server.start('w');
    await server.update('w', onCall(`return 'new'`));
    assert.is((await server.run('w')).result, 'new');
    assert.is((await server.query('is_running')).length, 2);
    await server.tell();
    for (const id of [running, waiting]) {
      const { result, error_message } = await server.result(id);
      assert.equal([result, error_message], ['old', null]);
    }
  });

  test('a worker that updates itself ends its run, and is new afterwards', async () => {
    const script = (text: string) =>
      onCall(`const answer = await svc('js-worker_update', { token: env.token, name: ctx.workerName,
        js_script_base64: params.next, env, max_run_time: 300000, create_at: undefined });
        return { version: '${text}', ok: answer.result.success }`);
    const env = { token: server.app.superToken };
    await server.create('w', script('one'), { env });
    const next = base64(script('two'));
    assert.equal((await server.run('w', { next })).result, { version: 'one', ok: true });
    assert.equal((await server.run('w', { next })).result, { version: 'two', ok: true });
    assert.is((await server.asSuper('js-worker_read', { name: 'w' })).max_run_time, 300_000);
  });

  test('delete ends the runs that wait, and keeps the results', async () => {
    await server.create('w', onCall(`${UNTIL_TOLD} return 1`), server.waiting);
    const running = await server.start('w');
    const waiting = await server.start('w');
    await server.asSuper('js-worker_delete', { name: 'w' });
    assert.is((await server.result(waiting)).error_message, `${FAILED}the worker was deleted`);
    await server.tell();
    assert.is((await server.result(running)).result, 1);
    assert.is(await server.start('w'), '105 Not found in database: js_worker not found: w');
  });

  test('a stop ends runs under way with a text, a crash is made up for at the next start', async () => {
    const own = await scriptServer({}, { dialect });
    try {
      await own.create('w', onCall(`${SLEEP} return 1`), PATIENT);
      const running = await own.start('w', { ms: 200_000 });
      const waiting = await own.start('w', { ms: 0 });
      await own.app.restart();
      const interrupted = `${FAILED}interrupted by server restart`;
      for (const id of [running, waiting]) {
        const [row] = await own.query({ id });
        assert.is(row.error_message, interrupted);
        assert.type(row.finish_time, 'number');
      }
      // As a killed process leaves it; on Postgres another server may still be at it.
      const ended = dialect === 'sqlite' ? '' : ', alive_at = 5';
      await own.app.sql(
        `update js_result set finish_time = null, error_message = null${ended} where id = ${running}`,
      );
      await own.app.restart();
      const [row] = await own.query({ id: running });
      assert.is(row.error_message, 'interrupted by server restart');
      assert.type(row.finish_time, 'number');
      assert.equal(await own.query('is_running'), []);
    } finally {
      await own.app.stop();
    }
  });

  testThreads('an idle context is dropped after its clean time, the others stay', async () => {
    const own = await scriptServer({}, { dialect, clock: true });
    try {
      await own.create('short', 'let n = 0; export default { onCall: () => ++n };', {
        runtime_clean_time: 10_000,
      });
      await own.create('long', 'let n = 0; export default { onCall: () => ++n };');
      for (const name of ['short', 'long']) await own.run(name);
      const names = async () =>
        (await own.asSuper('js-worker_get_rt_pool')).workers.map((w: any) => w.script_name).sort();
      await own.app.clock.advance(9_000);
      assert.equal(await names(), ['long', 'short']);
      await own.app.clock.advance(6_000);
      assert.equal(await names(), ['long']);
      assert.is((await own.run('short')).result, 1);
      assert.is((await own.run('long')).result, 2);
    } finally {
      await own.app.stop();
    }
  });

  testThreads(
    'the number of loaded contexts is bounded; the one that was idle longest goes',
    async () => {
      const own = await scriptServer({ 'js-worker': { max_contexts: 2 } }, { dialect });
      try {
        for (const name of ['a', 'b', 'c'])
          await own.create(name, 'let n = 0; export default { onCall: () => ++n };');
        for (const name of ['a', 'b', 'a', 'c']) await own.run(name);
        const { workers } = await own.asSuper('js-worker_get_rt_pool');
        assert.equal(workers.map((w: any) => w.script_name).sort(), ['a', 'c']);
        assert.is((await own.run('a')).result, 3);
        assert.is((await own.run('b')).result, 1);
      } finally {
        await own.app.stop();
      }
    },
  );

  testThreads(
    'contexts beyond the bound, loaded while all were busy, go when they are idle',
    async () => {
      const own = await scriptServer(
        { 'js-worker': { max_contexts: 2 } },
        { dialect, clock: true },
      );
      try {
        const names = ['a', 'b', 'c', 'd'];
        for (const name of names)
          await own.create(name, onCall(`${UNTIL_TOLD} return 1`), own.waiting);
        const ids = await Promise.all(names.map((name) => own.start(name)));
        const total = async () => (await own.asSuper('js-worker_get_rt_pool')).total_workers;
        assert.is(await total(), 4);
        await own.tell();
        for (const id of ids) assert.is((await own.result(id)).result, 1);
        await own.app.clock.advance(5_000);
        assert.is(await total(), 2);
      } finally {
        await own.app.stop();
      }
    },
  );

  testThreads('time spent waiting for its turn does not count for a run', async () => {
    const limit = 3_000;
    await server.create('w', onCall(`${SLEEP} return 1`), { max_run_time: limit });
    const ids = await Promise.all(Array.from({ length: 8 }, () => server.start('w', { ms: 400 })));
    const rows = await Promise.all(ids.map((id) => server.result(id)));
    for (const { error_message } of rows) assert.is(error_message, null);
    assert.ok(rows.some(({ start_time, finish_time }) => finish_time - start_time > limit));
    await server.create('late', onCall('await new Promise(() => {})'), { max_run_time: 300 });
    const late = await server.run('late');
    assert.is(late.error_message, `${FAILED}[js_runner] JavaScript execution timed out`);
  });

  test('limits beyond what is safe are cut when a run takes them, and stay as they were stored', async () => {
    const own = await scriptServer(
      {
        'js-worker': { max_run_time: 2_500, max_heap_size: 8_388_608, max_total_heap: 17_000_000 },
      },
      { dialect },
    );
    try {
      const huge = 2 ** 50;
      const all = { max_run_time: huge, max_stack_size: huge, max_heap_size: huge };
      const script = `let n = 0; export default { async onCall(params) {
        if (params === 'wait') await new Promise(() => {});
        if (params === 'deep') { const f = () => f() + 1; try { f() } catch (e) { return e.name } }
        if (params === 'full') { const all = []; try { for (;;) all.push(new Uint8Array(1e5)) } catch (e) { return all.length < 120 } }
        return ++n } };`;
      for (const name of ['a', 'b', 'c']) await own.create(name, script, all);
      assert.is(
        (await own.run('a', 'wait')).error_message,
        `${FAILED}[js_runner] JavaScript execution timed out`,
      );
      assert.match((await own.run('a', 'deep')).result, /Error$/);
      assert.is((await own.run('a', 'full')).result, true);
      assert.is((await own.asSuper('js-worker_read', { name: 'a' })).max_heap_size, huge);
      // Two heaps fit into what all contexts may use together.
      for (const name of ['b', 'c', 'b', 'c']) await own.run(name);
      const { workers } = await own.asSuper('js-worker_get_rt_pool');
      assert.equal(workers.map((w: any) => w.script_name).sort(), ['b', 'c']);
    } finally {
      await own.app.stop();
    }
  });

  testThreads('a changed configuration keeps the contexts', async () => {
    const own = await scriptServer({}, { dialect, plugins: ['server-info'] });
    try {
      await own.create('w', 'let n = 0; export default { onCall: () => ++n };');
      assert.is((await own.run('w')).result, 1);
      const config_string = await readFile(join(own.app.dir, 'config.toml'), 'utf8');
      const more = `${config_string}\n[js-worker]\nmax_contexts = 20\n`;
      assert.is(await own.asSuper('svc-server_edit_config', { config_string: more }), true);
      assert.is((await own.run('w')).result, 2);
    } finally {
      await own.app.stop();
    }
  });

  test('what the dashboard sends along is passed over', async () => {
    await server.create('w', onCall('return params'), { description: '', route_name: undefined });
    assert.is((await server.asSuper('js-worker_read', { name: 'w' })).description, '');
    const stray = { method: 'POST', headers: [], body: 'x', env: { a: '1' } };
    const row = await server.run('w', { p: 1 }, { compile_mode: 'source', ...stray });
    assert.equal(row.result, { p: 1 });
  });

  test('an inline call records its own row, also when its caller has gone', async () => {
    await server.create(
      'inner',
      module(`async onInlineCall(params, env, ctx) { ${SLEEP} return ctx }`),
      {
        env: { e: 1 },
      },
    );
    await server.create('outer', onCall('return inlineCall(" inner ", params, 5000)'));
    const { result } = await server.run('outer', { ms: 1 });
    assert.equal(result, { runType: 'onInlineCall', workerName: 'inner', inlineCaller: 'outer' });
    await server.create('hasty', onCall('inlineCall("inner", { ms: 2300 }); return 1'), {
      max_run_time: 2_000,
    });
    assert.is((await server.run('hasty')).result, 1);
    const [row] = await eventually(async () => {
      const rows = await server.query({ run_type: 'inline_call' }, 'last', 'is_success');
      if (rows[0]?.param.ms !== 2_300) throw new Error('not yet');
      return rows;
    });
    assert.equal(row.result.inlineCaller, 'hasty');
  });

  testThreads('inline calls end at their own time limit, in seconds', async () => {
    await server.create('inner', module(`async onInlineCall(params) { ${SLEEP} return 1 }`));
    await server.create(
      'outer',
      onCall(
        'try { return await inlineCall("inner", { ms: 5000 }, 0.5) } catch (e) { return e.message }',
      ),
    );
    const text = `Other error: ${FAILED}[js_runner] JavaScript execution timed out`;
    assert.is((await server.run('outer')).result, text);
    const [{ id }] = await server.query({ js_worker_name: 'inner' });
    assert.is((await server.result(id)).error_message, text);
  });

  // As many threads as there are; no database has a part in it.
  testThreads('a worker may call itself inline, at most 16 deep', async () => {
    await server.create(
      'w',
      module(`async onCall() { return this.onInlineCall(0) },
        async onInlineCall(n) { try { return await inlineCall('w', n + 1) } catch (e) { return [n, e.message] } }`),
      // Seventeen contexts are made one inside the other: half a minute may not be enough for a busy machine.
      { max_run_time: 120_000 },
    );
    const { result, error_message } = await server.run('w');
    assert.equal([result, error_message], [[16, 'inlineCall is nested more than 16 deep'], null]);
  });

  testThreads('inline calls that call on never wait for each other for ever', async () => {
    // Each of the first level holds a thread until it has had one more: more of them than may begin at once.
    await server.create(
      'w',
      module(`onCall: () => Promise.all(Array.from({ length: 20 }, () => inlineCall('w', 1))),
        async onInlineCall(left) {
          await new Promise((done) => setTimeout(done, 50));
          return left === 0 ? 1 : inlineCall('w', left - 1) }`),
      PATIENT,
    );
    const { result, error_message } = await server.run('w');
    assert.equal([result, error_message], [Array.from({ length: 20 }, () => 1), null]);
  });

  test('a job runs a worker with its parameters', async () => {
    const own = await scriptServer(
      {},
      { dialect, clock: true, plugins: ['agent-uuid', 'task', 'crontab'] },
    );
    try {
      await own.create('w', module('onCron: (params, env, ctx) => ({ params, ctx })'));
      const type = { server: { js_worker: ['w', { n: 1 }] } };
      await own.asSuper('crontab_create', {
        name: 'job',
        cron_expression: '* * * * * *',
        cron_type: type,
      });
      await own.app.clock.advance(3_000);
      const [row] = await eventually(async () => {
        const rows = await own.query({ run_type: 'cron' }, 'is_success');
        if (rows.length === 0) throw new Error('no run yet');
        return rows;
      });
      assert.equal(row.result, {
        params: { n: 1 },
        ctx: { runType: 'onCron', workerName: 'w', inlineCaller: null },
      });
      const query = { condition: [{ cron_name: 'job' }] };
      // The run may end before the job has noted that it was started.
      await eventually(async () => {
        const [record] = await own.asSuper('crontab-result_query', { query });
        assert.is(record?.success, true);
        assert.type(record.relative_id, 'number');
      });
    } finally {
      await own.app.stop();
    }
  });

  test('old results go with the key database_limit_js_result', async () => {
    const own = await scriptServer(
      { kv: { retention_interval_ms: 60_000 } },
      { dialect, clock: true, plugins: ['kv'] },
    );
    try {
      await own.create('w', onCall('return 1'));
      const { id } = await own.run('w');
      await own.asSuper('kv_create', { namespace: 'global' });
      const limit = { namespace: 'global', key: 'database_limit_js_result', value: 1_000 };
      await own.asSuper('kv_set_value', limit);
      await eventually(async () => {
        await own.app.clock.advance(61_000);
        assert.equal(await own.query({ id }), []);
      });
    } finally {
      await own.app.stop();
    }
  });

  test.run();
}
