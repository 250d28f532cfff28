// Texts of failures (plugins/monitor/src/store/details.ts): each once, and in shares, so that none takes the room of others.
import * as assert from 'uvu/assert';
import { DetailStore } from '../../plugins/monitor/src/store/details.ts';
import { ResultStore } from '../../plugins/monitor/src/store/results.ts';
import type { Result } from '../../plugins/monitor/src/types.ts';
import { suite } from '../runner/suite.ts';
import { HOUR, MINUTE, result, Stores, T0 } from './store-kit.ts';

const MOST = 500;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: texts of failures (${dialect})`);
  let on: Stores;
  let results: ResultStore;
  let serial = 0;
  test.before(async () => {
    on = await Stores.open(dialect);
  });
  test.after(() => on.app.stop());
  test.before.each(async () => {
    on.now = T0;
    await on.app.sql('delete from monitor_detail');
    results = server();
  });
  const server = () => new ResultStore(on.db, on.clock, new DetailStore(on.db, on.clock, MOST));
  const lie = (id: number, count: number, on_server = results) =>
    on_server.add(
      Array.from({ length: count }, (_, n): Result => failed(id, `lie ${id} ${n} ${serial++}`)),
    );
  const failed = (id: number, detail: string): Result =>
    result(id, T0 + serial++, { ok: false, ms: null, code: null, detail });
  const texts = async (id: number, by = results) =>
    (await by.page({ monitor_id: id, from: 0, to: T0 + HOUR, limit: 1_000 })).results.map(
      ({ detail }) => detail,
    );
  const stored = () => on.count('monitor_detail');

  test('a monitor with very many texts leaves room for those of others', async () => {
    const [liar, honest] = [await on.monitor(), await on.monitor()];
    await lie(liar, 2_000);
    assert.ok((await stored()) < MOST / 5, `${await stored()}`);
    await results.add([failed(honest, 'refused'), failed(honest, 'status 503')]);
    assert.equal(await texts(honest), ['status 503', 'refused']);
  });

  test('as many monitors with many texts as there may be leave room for one that has few', async () => {
    const liars: number[] = [];
    for (let n = 0; n < 40; n++) liars.push(await on.monitor());
    for (const liar of liars) await lie(liar, 100);
    assert.ok((await stored()) < MOST, `${await stored()}`);
    const honest = await on.monitor();
    await results.add([failed(honest, 'no answer within 10 s')]);
    assert.equal(await texts(honest), ['no answer within 10 s']);
  });

  test('the oldest texts of the monitor that has most give way to its newer ones, those of others stay', async () => {
    const [liar, honest] = [await on.monitor(), await on.monitor()];
    await results.add([failed(honest, 'mine')]);
    await lie(liar, 400);
    const before = await stored();
    on.now += 11 * MINUTE;
    await results.add([failed(liar, 'newest')]);
    assert.is((await texts(liar))[0], 'newest');
    assert.ok((await stored()) <= before);
    assert.equal(await texts(honest), ['mine']);
  });

  test('a text of which the row gave way elsewhere is stored again', async () => {
    const [liar, other] = [await on.monitor(), await on.monitor()];
    const second = server();
    await second.add([failed(liar, 'shared')]);
    await lie(liar, 400);
    on.now += 11 * MINUTE;
    await lie(liar, 400);
    assert.is(await on.count('monitor_detail', "where text = 'shared'"), 0);
    await second.add([failed(other, 'shared')]);
    assert.equal(await texts(other), ['shared']);
  });

  test('two servers that are flooded at once keep to the bound', async () => {
    const [one, two, honest] = [await on.monitor(), await on.monitor(), await on.monitor()];
    const second = server();
    for (let round = 0; round < 10; round++) {
      await lie(one, 100);
      await lie(two, 100, second);
    }
    assert.ok((await stored()) < MOST / 2, `${await stored()}`);
    for (const by of [results, second]) await by.add([failed(honest, `seen ${serial++}`)]);
    assert.not.ok((await texts(honest)).includes(null));
  });

  test('a text is there once, whoever has it, also where it is cut', async () => {
    const [one, two] = [await on.monitor(), await on.monitor()];
    const long = 'x'.repeat(300);
    await results.add([failed(one, `${long}1`), failed(two, `${long}2`), failed(two, 'a\0b')]);
    await server().add([failed(two, long)]);
    assert.equal(await texts(one), [long]);
    assert.equal(await texts(two), [long, 'ab', long]);
    assert.is(await stored(), 2);
  });

  test.run();
}
