// Answers that were not good: their beginning is kept, and shows with a right of its own (docs/protocol/monitor.md §3).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, get, http, MINUTE, passes, says, type Target, target } from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: answers (${dialect})`);
  let app: TestApp;
  let web: Target;
  test.before(async () => {
    app = await boot(dialect);
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });
  test.after.each(async () => {
    web.reply = 200;
    web.body = 'ok';
    for (const { name } of (await call(app, 'monitor_list')).monitors)
      await call(app, 'monitor_delete', { name });
  });

  test('the last one that was not good is kept, cut, and shows with the right to answers alone', async () => {
    await create(app, http('shop', web.url, { retries: 0 }));
    assert.ok(await says(app, 'shop', 'up'));
    assert.is((await get(app, 'shop')).last_answer, null);
    web.reply = 500;
    web.body = `no database\0 ${'x'.repeat(1_000)}`;
    assert.ok(await says(app, 'shop', 'down'));
    web.reply = 200;
    assert.ok(await says(app, 'shop', 'up'));
    const { last_answer } = await get(app, 'shop');
    assert.match(last_answer.text, /^no database/);
    assert.ok(last_answer.text.length <= 300 && !last_answer.text.includes('\0'));
    assert.is(last_answer.place, 'server');
    const seenWith = async (words: string[]) => {
      const permissions = words.map((word) => ({ monitor: word }));
      const token = await app.token([{ scopes: [{ monitor: '*' }], permissions }]);
      return (await call(app, 'monitor_get', { name: 'shop' }, token)).last_answer;
    };
    assert.is(await seenWith(['read']), null);
    assert.equal(await seenWith(['read', 'answer']), last_answer);
  });

  test('a member that the answer lacks is told in words', async () => {
    web.body = '{"state":"fine"}';
    const condition = 'json.status == "ok"';
    await create(app, http('api', web.url, { retries: 0, condition }));
    assert.ok(await says(app, 'api', 'down'));
    await passes(app, MINUTE, async () => (await get(app, 'api')).last_answer !== null);
    const { verdict, last_answer } = await get(app, 'api');
    assert.is(verdict.detail, 'status 200, the answer has no member `status`');
    assert.is(last_answer.text, web.body);
    web.body = '{"status":"ok"}';
    assert.ok(await says(app, 'api', 'up'));
  });

  test.run();
}
