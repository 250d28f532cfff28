// Tests of channels in the outbox (docs/protocol/channel.md §5).

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  channel,
  create,
  MINUTE,
  outbox,
  PLUGINS,
  passes,
  type Receiver,
  receiver,
  webhook,
} from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`notify: tests of channels (${dialect})`);
  let app: TestApp;
  let hook: Receiver;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    hook = await receiver();
    await create(app, webhook('hook', hook.url));
  });
  test.after(async () => {
    await app.stop();
    await hook.stop();
  });
  const call = (method: string, params: object, token = app.superToken): Promise<any> =>
    app.call(method, { token, ...params });

  test('a test is in the outbox of its channel with its result, and is not sent again', async () => {
    assert.is((await call('channel_test', { name: 'hook' })).ok, true);
    hook.reply = () => 404;
    assert.is((await call('channel_test', { name: 'hook' })).ok, false);
    const rows = await outbox(app, { name: 'hook' });
    assert.equal(
      rows.map(({ type, state, status, tries }) => [type, state, status, tries]),
      [
        ['test', 'dropped', 404, 1],
        ['test', 'sent', 200, 1],
      ],
    );
    const [refused, taken] = rows;
    assert.ok(refused.last_error.includes('404') && refused.sent_at === null, refused.last_error);
    assert.ok(taken.last_error === null && taken.sent_at > 0 && taken.title !== '');
    assert.is(taken.message_id, hook.got[0]?.headers['webhook-id']);
    await call('channel_retry', { name: 'hook' });
    await passes(app, 2 * MINUTE, () => false, 10_000);
    assert.is(hook.got.length, 2);
    const { sent, failed, dropped, waiting } = await channel(app, 'hook');
    assert.equal([sent, failed, dropped, waiting], [0, 0, 0, 0]);
  });

  test('a test of a channel that is not stored leaves nothing', async () => {
    const before = (await outbox(app)).length;
    await call('channel_test', { channel: webhook('unsaved', hook.url) });
    assert.is((await outbox(app)).length, before);
  });

  test('who may read the channel and does not own it sees the test without what the receiver said', async () => {
    const scopes = [{ channel: 'hook' }];
    const reader = await app.token([{ scopes, permissions: [{ channel: 'read' }] }]);
    const [row] = await call('channel_outbox', { name: 'hook' }, reader);
    assert.equal([row.state, row.status, row.last_error], ['dropped', 404, null]);
  });

  test.run();
}
