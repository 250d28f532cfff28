// proof: 5
// svc-server.md §10: stream_log; conventions.md §3.4.

import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { isRecord, type Level, type LogRecord, noise } from './svc-server-noise.ts';

const QUEUE = 512;

// Records made for every filter: each target at each of these levels.
const targets = ['server', 'js_worker', 'js_result', 'kv'];
const levels: Level[] = ['error', 'info', 'trace'];
const all = targets.flatMap((target) => levels.map((level) => `${target}:${level}`));
const of = (...targets: string[]) =>
  all.filter((name) => targets.includes(name.split(':')[0] as string));
const at = (...wanted: string[]) =>
  all.filter((name) => wanted.includes(name.split(':')[1] as string));

// biome-ignore format: one filter per line
const filters: [filter: string, passes: string[]][] = [
  ['trace', all], ['debug', at('error', 'info')], ['info', at('error', 'info')], ['warn', at('error')], ['error', at('error')], ['off', []],
  ['INFO', at('error', 'info')], ['  info  ', at('error', 'info')], [' , ,error, ', at('error')],
  ['error,trace', all], ['trace,error', at('error')],
  ['kv=trace', of('kv')], ['kv=info', ['kv:error', 'kv:info']], ['kv=OFF', []], [' kv = trace ', of('kv')],
  ['js_=trace', of('js_worker', 'js_result')], ['js=trace,js_worker=off', of('js_result')], ['js_worker=off,js=trace', of('js_result')],
  ['trace,kv=off', of('server', 'js_worker', 'js_result')], ['error,kv=trace', [...at('error'), ...of('kv')]],
  ['', []], ['nonsense', []], ['kv=loud', []], ['=', []], ['kv=', []], ['kv=info=info', []], ['a b c', []], ['nonsense,kv=error', ['kv:error']], ['9', []],
];

for (const dialect of oneDialect) {
  const test = suite(`svc-server: live log (${dialect})`);
  let app: TestApp;
  let socket: TestSocket;

  test.before(async () => {
    app = await bootForTest(['token', 'server-info', noise], {}, { dialect });
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    socket = await app.connect();
  });
  test.after.each(() => socket.close());

  const make = (target: string, level: string, message: string, count = 1) =>
    app.call('noise_make', { target, level, message, count });
  const subscribe = (filter: string, on = socket): Promise<number> =>
    on.call('svc-server_stream_log', [app.superToken, filter]);
  const item = async (on = socket): Promise<{ subscription: number; result: LogRecord }> => {
    const frame = await on.next();
    assert.equal(
      [frame.jsonrpc, frame.method, 'id' in frame],
      ['2.0', 'svc-server_stream_log', false],
    );
    return frame.params;
  };
  /** Frames up to a record that a second subscription of this test is sure to get. */
  const untilMark = async (mark: string) => {
    const got: { subscription: number; result: LogRecord }[] = [];
    for (;;) {
      const next = await item();
      if (next.result.message === mark) return got;
      got.push(next);
    }
  };
  const failure = (work: Promise<unknown>): Promise<any> =>
    work.then(
      () => assert.unreachable('not refused'),
      (error) => error,
    );

  for (const [filter, passes] of filters) {
    test(`stream_log with ${JSON.stringify(filter)} passes ${passes.length} of ${all.length}`, async () => {
      const id = await subscribe(filter);
      const mark = await subscribe('mark=info');
      for (const target of targets) for (const level of levels) await make(target, level, 'probe');
      await make('mark', 'info', 'end');
      const got = (await untilMark('end')).filter(({ result }) => result.message === 'probe');
      assert.ok(got.every(({ subscription }) => subscription === id && subscription !== mark));
      const seen = got.map(({ result }) => `${result.target}:${result.level.toLowerCase()}`);
      assert.equal(
        seen,
        passes.length === all.length ? all : all.filter((name) => passes.includes(name)),
      );
    });
  }

  test('stream_log answers with an integer id, then sends only new records', async () => {
    await make('kv', 'info', 'before');
    const id = await subscribe('kv=info');
    assert.ok(Number.isSafeInteger(id) && id >= 0);
    await make('kv', 'info', 'after');
    const { subscription, result } = await item();
    isRecord(result);
    assert.equal([subscription, result.message], [id, 'after']);
  });

  // biome-ignore format: one case per line
  const endings: [name: string, params: (id: number) => unknown, ends: boolean][] = [
    ['by position', (id) => [id], true],
    ['by name', (id) => ({ subscription: id }), true],
    ['another id', (id) => [id === 0 ? 1 : id - 1], false],
    ['the id as text', (id) => [String(id)], false],
    ['surplus elements', (id) => [id, 1], false],
    ['nothing', () => [], false],
    ['null', () => null, false],
  ];
  for (const [name, params, ends] of endings) {
    test(`unsubscribe_stream_log ${ends ? 'ends' : 'leaves'} the stream: ${name}`, async () => {
      const id = await subscribe('kv=info');
      await subscribe('mark=info');
      assert.is(await socket.call('svc-server_unsubscribe_stream_log', params(id)), ends);
      await make('kv', 'info', 'more');
      await make('mark', 'info', 'end');
      assert.is((await untilMark('end')).length, ends ? 0 : 1);
      assert.is(await socket.call('svc-server_unsubscribe_stream_log', [id]), !ends);
    });
  }

  test('an id of another connection does not end a stream', async () => {
    const id = await subscribe('kv=info');
    const other = await app.connect();
    assert.is(await other.call('svc-server_unsubscribe_stream_log', [id]), false);
    other.close();
    await make('kv', 'info', 'still here');
    assert.is((await item()).result.message, 'still here');
  });

  test('stream_log rejects with bare texts', async () => {
    const ordinary = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
    for (const token of [ordinary, `${app.superToken}x`, 'nobody|x']) {
      const { code, message } = await failure(
        socket.call('svc-server_stream_log', [token, 'info']),
      );
      assert.equal([code, message], [102, 'Permission Denied: Super token required']);
    }
    const { code, message } = await failure(
      socket.call('svc-server_stream_log', ['neither', 'info']),
    );
    const text =
      "Token Parse Error: Invalid token format: must be 'key:secret' or 'username|password'";
    assert.equal([code, message], [101, text]);
    for (const params of [
      [],
      [app.superToken],
      [app.superToken, null],
      [app.superToken, 5],
      { token: app.superToken },
    ]) {
      assert.is((await failure(socket.call('svc-server_stream_log', params))).code, -32602);
    }
  });

  test('stream_log takes its parameters by name, in both spellings', async () => {
    for (const name of ['log_filter', 'logFilter']) {
      const id = await socket.call('svc-server_stream_log', {
        token: app.superToken,
        [name]: 'kv=info',
      });
      await make('kv', 'info', name);
      assert.is((await item()).result.message, name);
      await socket.call('svc-server_unsubscribe_stream_log', [id]);
    }
  });

  test('subscribing and unsubscribing over POST is an internal error', async () => {
    for (const method of ['svc-server_stream_log', 'svc-server_unsubscribe_stream_log']) {
      const { code, message } = await failure(app.call(method, [app.superToken, 'info']));
      assert.equal([code, message], [-32603, 'Internal error']);
    }
  });

  test('two subscribers at trace do not feed each other', async () => {
    const other = await app.connect();
    await subscribe('trace', other);
    await subscribe('trace');
    const counts: number[] = [];
    for (let round = 0; round < 8; round++) {
      await make('mark', 'info', `${round}`);
      counts.push((await untilMark(`${round}`)).length);
    }
    // What a call itself logs, and nothing that sending it logged; now and then something else of the server.
    const [early, late] = [counts.slice(1, 4), counts.slice(4)].map((some) => Math.min(...some));
    assert.ok(late! < 30, `${counts} records between two calls`);
    assert.is(late, early, `${counts} records between two calls`);
    other.close();
  });

  test('a slow subscriber loses records, is told how many, and goes on', async () => {
    const emitted = 6000;
    await subscribe('kv=info');
    await subscribe('mark=info');
    socket.raw.pause();
    for (let sent = 0; sent < emitted; sent += 500) await make('kv', 'info', 'x'.repeat(8000), 500);
    socket.raw.resume();
    let [seen, dropped] = [0, 0];
    // Where the system's buffers are large, it catches up in between and is told more than once.
    while (seen + dropped < emitted) {
      const { result } = await item();
      if (result.target === 'server') {
        isRecord(result);
        assert.is(result.level, 'WARN');
        dropped += Number(result.fields['dropped']);
      } else seen++;
    }
    assert.is(seen + dropped, emitted);
    assert.ok(seen >= QUEUE, `${seen} records came through`);
    assert.ok(dropped > 0);
    await make('kv', 'info', 'again');
    assert.is((await item()).result.message, 'again');
  });

  test.run();
}
