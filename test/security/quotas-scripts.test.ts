// One script worker fills neither the table of results, nor the log, nor the memory for scripts.

import * as assert from 'uvu/assert';
import {
  module,
  onCall,
  PATIENT,
  type ScriptServer,
  scriptServer,
  UNTIL_TOLD,
} from '../protocol/js-worker-kit.ts';
import { suite } from '../runner/suite.ts';

const MIB = 2 ** 20;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`quotas: results of scripts (${dialect})`);
  const QUOTA = 50_000;
  let server: ScriptServer;
  test.before(async () => {
    server = await scriptServer({ 'js-worker': { max_result_bytes: QUOTA } }, { dialect });
    await server.create('greedy', onCall(`return 'x'.repeat(20_000)`));
    await server.create('modest', onCall(`return 1`));
  });
  test.after(() => server?.app.stop());

  const run = (name: string): Promise<any> =>
    server.asSuper('js-worker_run', { js_script_name: name, params: null });
  const usage = () => server.app.sql('select owner, bytes from js_result_usage order by owner');

  test('a worker stores as many bytes as it may, and is told which limit it met', async () => {
    for (let n = 0; n < 2; n++) {
      const row = await server.result((await run('greedy')).id);
      assert.is(row.result.length, 20_000);
    }
    const cut = await server.result((await run('greedy')).id);
    assert.is(cut.result, null);
    assert.match(cut.error_message, 'max_result_bytes under [js-worker]');
    for (const [, row] of [cut, await server.result((await run('modest')).id)].entries())
      assert.ok(row.finish_time > 0);
    let answer: any = {};
    for (let n = 0; n < 60 && typeof answer !== 'string'; n++) {
      answer = await run('greedy');
      if (typeof answer !== 'string') await server.result(answer.id);
    }
    assert.match(
      answer,
      /^103 Database error: the results of js_worker 'greedy' hold as many bytes as max_result_bytes/,
    );
    assert.is((await server.result((await run('modest')).id)).result, 1);
    const [greedy] = await usage();
    // The row that meets the limit may have the text of its error more.
    assert.ok(Number(greedy.bytes) <= QUOTA + 1_000, `${greedy.bytes} bytes`);
  });

  test('results that were deleted make room', async () => {
    await server.asSuper('js-result_delete', {
      query: { condition: [{ js_worker_name: 'greedy' }] },
    });
    assert.equal(
      (await usage()).map(({ owner }) => owner),
      ['modest'],
    );
    assert.is((await server.result((await run('greedy')).id)).result.length, 20_000);
  });

  test.run();
}

const test = suite('quotas: log and heap of scripts');

test('a worker logs as many bytes a minute as it may, and the others are not concerned', async () => {
  const config = {
    'js-worker': { log_bytes_per_minute: 20_000 },
    logging: { memory_log_capacity: 1_000 },
  };
  const server = await scriptServer(config, { clock: true });
  try {
    const text = `for (let n = 0; n < 100; n++) svcLog.info('n', 'x'.repeat(1_000)); return 1`;
    for (const name of ['loud', 'quiet']) {
      await server.create(
        name,
        onCall(name === 'loud' ? text : `svcLog.info('n', 'heard'); return 1`),
      );
      const { id } = await server.asSuper('js-worker_run', { js_script_name: name, params: null });
      await server.result(id);
    }
    const lines = () => server.app.records().filter(({ fields }) => fields['worker'] !== undefined);
    const of = (worker: string, level: string) =>
      lines().filter(({ fields, level: is }) => fields['worker'] === worker && is === level);
    const loud = of('loud', 'INFO').filter(({ message }) => message.startsWith('xxx'));
    assert.is(loud.length, 16);
    assert.is(of('loud', 'WARN').length, 1);
    assert.match(of('loud', 'WARN')[0]?.message ?? '', 'log_bytes_per_minute');
    assert.ok(of('quiet', 'INFO').some(({ message }) => message === 'heard'));
  } finally {
    await server.app.stop();
  }
});

test('contexts of inline calls count in the heap of all, and idle contexts go for them', async () => {
  const server = await scriptServer({ 'js-worker': { max_total_heap: 24 * MIB } });
  try {
    await server.create('idle', onCall('return 1'));
    const { id: idle } = await server.asSuper('js-worker_run', {
      js_script_name: 'idle',
      params: null,
    });
    await server.result(idle);
    await server.create(
      'inner',
      module(`async onInlineCall(params, env) { ${UNTIL_TOLD} return 'ran'; }`),
      server.waiting,
    );
    const calls = `const calls = [1, 2, 3, 4].map(() => ctx.inlineCall('inner', {}, 200));
      return (await Promise.allSettled(calls)).map(({ value, reason }) => value ?? reason.message)`;
    await server.create('outer', onCall(calls), PATIENT);
    const { id } = await server.asSuper('js-worker_run', { js_script_name: 'outer', params: {} });
    const refused = () => server.query({ js_worker_name: 'inner' }, 'is_failure');
    while ((await refused()).length < 2) await new Promise(setImmediate);
    await server.tell();
    const { result } = await server.result(id);
    assert.is(result.filter((text: string) => text === 'ran').length, 2);
    assert.is(
      result.filter((text: string) => /max_total_heap under \[js-worker\]/.test(text)).length,
      2,
    );
    // What they took is free again.
    const again = await server.asSuper('js-worker_run', {
      js_script_name: 'idle',
      params: null,
      compile_mode: 'source',
    });
    assert.is((await server.result(again.id)).result, 1);
  } finally {
    await server.app.stop();
  }
});

test.run();
