// Tests of channels that hang (docs/protocol/channel.md §5).
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { create, PLUGINS, type Receiver, receiver, send, until, webhook } from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`tests of channels that hang (${dialect})`);
  let app: TestApp;
  let hang: Receiver;
  let good: Receiver;
  test.before(async () => {
    const notify = { allow_private: ['127.0.0.1'] };
    app = await bootForTest(PLUGINS, { notify }, { dialect, clock: true });
    [hang, good] = [await receiver(), await receiver()];
    hang.reply = () => 'hang';
  });
  test.after(async () => {
    await Promise.all([hang.stop(), good.stop()]);
    await app.stop();
  });
  const tokenOf = (scope: string) =>
    app.token([
      { scopes: [{ channel: scope }], permissions: [{ channel: 'write' }, { channel: 'use' }] },
    ]);
  const tried = (token: string, url: string): Promise<string> =>
    app.call('channel_test', { token, channel: webhook('bad-x', url) }).then(
      ({ ok }) => String(ok),
      ({ code, message }: RpcFailure) => `${code} ${message}`,
    );

  test('three tests of a token run at a time, and channels of others are not held up', async () => {
    const [bad, other] = [await tokenOf('bad-*'), await tokenOf('good')];
    const hanging = [1, 2, 3].map(() => tried(bad, hang.url));
    await until('hanging', () => hang.got.length === 3);
    assert.match(await tried(bad, hang.url), /^108 .*3 tests of this token are running/);
    await create(app, webhook('good', good.url), other);
    await send(app, 'good', 'at once', { token: other });
    await until('told', () => good.got.length === 1, 5_000);
    await hang.stop();
    assert.equal(await Promise.all(hanging), ['false', 'false', 'false']);
  });

  test('a token makes thirty tests a minute', async () => {
    const token = await tokenOf('bad-*');
    for (let n = 0; n < 30; n++) assert.is(await tried(token, good.url), 'true');
    assert.match(await tried(token, good.url), /^108 .*30 tests within a minute/);
    await app.clock.advance(61_000);
    assert.is(await tried(token, good.url), 'true');
  });

  test.run();
}
