import { Refusals } from '@svc/plugin-admission/api';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('refusals');

const MINUTE_MS = 60_000;

async function boot(plugins = ['token'], config = {}) {
  let refusals: Refusals | undefined;
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    requires: [Refusals],
    setup(kernel) {
      kernel.hooks.start.tap(() => {
        refusals = kernel.use(Refusals);
      });
    },
  });
  const app = await bootForTest([...plugins, 'database-sqlite', probe], config, { clock: true });
  const lines = () =>
    app
      .records()
      .filter(({ target, message }) => target === 'admission' && message === 'refused')
      .map(({ fields }) => fields);
  return { app, refusals: refusals as Refusals, lines };
}

test('an attack has one line when it begins and one a minute while it lasts', async () => {
  const { app, refusals, lines } = await boot();
  for (let times = 0; times < 10_000; times++) refusals.refused('wrong credential', '192.0.2.7');
  assert.is(lines().length, 1);
  await app.clock.advance(MINUTE_MS);
  for (let times = 0; times < 10_000; times++) refusals.refused('wrong credential', '192.0.2.7');
  await app.clock.advance(MINUTE_MS);
  const told = lines().map((fields) => fields['in_the_last_minute']);
  assert.equal(told, [undefined, 9_999, 10_000]);
  assert.ok(lines().every((fields) => fields['address'] === '192.0.2.7'));
  await app.stop();
});

test('many addresses together have at most 41 lines a minute', async () => {
  const { app, refusals, lines } = await boot();
  const all = 5_000;
  for (let round = 0; round < 2; round++)
    for (let host = 0; host < all; host++)
      refusals.refused('wrong credential', `10.1.${host >> 8}.${host & 255}`);
  assert.is(lines().length, 20);
  await app.clock.advance(MINUTE_MS);
  assert.is(lines().length, 41);
  const sum = lines().reduce((n, fields) => n + Number(fields['in_the_last_minute'] ?? 1), 0);
  assert.is(sum, 2 * all);
  await app.stop();
});

test('refusals are counted by reason and by class of address', async () => {
  const { app, refusals } = await boot();
  for (const address of ['127.0.0.1', '::1', '192.168.3.4', 'fd00::1', '192.0.2.1', 'unix', ''])
    refusals.refused('too many', address);
  refusals.refused('too slow', '2001:4860::1');
  const counts = refusals.counts().map((each) => Object.values(each).join(' '));
  assert.equal(counts, [
    'too many loopback 2',
    'too many private 2',
    'too many public 1',
    'too many unix 1',
    'too many internal 1',
    'too slow public 1',
  ]);
  await app.stop();
});

test('what a quota refuses is counted by the quota, over a POST and over a WebSocket', async () => {
  const config = { kv: { max_namespace_bytes: 100 }, token: { max_children: 1 } };
  const { app, refusals } = await boot(['admission', 'token', 'kv', 'server-info'], config);
  await app.call('kv_create', [app.superToken, 'n']);
  const socket = await app.connect();
  for (const caller of [app, socket])
    await caller
      .call('kv_set_value', [app.superToken, 'n', 'k', 'x'.repeat(200)])
      .then(assert.unreachable, () => {});
  const counts = refusals.counts().map((each) => Object.values(each).join(' '));
  assert.equal(counts, ['more than max_namespace_bytes under [kv] loopback 2']);
  socket.close();
  await app.stop();
});

test.run();
