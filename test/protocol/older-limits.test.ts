// Limits and jobs of earlier versions, which had no bounds: they go on working, and may be made smaller.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { agents, crontab, NEVER, PLUGINS } from './crontab-kit.ts';
import { keyOf } from './token-kit.ts';

const uuid = (at: number) => `0b6f1c52-7a35-4d0e-9c1b-${at.toString(16).padStart(12, '0')}`;
const uuids = (count: number) => Array.from({ length: count }, (_, at) => uuid(at));
const READ = [{ crontab: 'read' }, { crontab: 'write' }];
const entry = (at: number) => ({ scopes: [{ agent_uuid: uuid(at) }], permissions: READ });
const entries = (count: number) => Array.from({ length: count }, (_, at) => entry(at));
const oneEntry = (count: number) => [
  { scopes: uuids(count).map((agent_uuid) => ({ agent_uuid })), permissions: READ },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`records of earlier versions (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());

  /** As an earlier version wrote it. */
  const put = (table: string, column: string, value: unknown, where: string, name: string) =>
    app.sql(
      `update ${table} set ${column} = '${JSON.stringify(value)}' where ${where} = '${name}'`,
    );
  const edit = (token: string, limit: unknown) =>
    app
      .call('token_edit', [app.superToken, keyOf(token), limit])
      .then(() => 'changed')
      .catch((error) => `${error.code} ${error.data}`);
  const ofEntries = (count: number, most: number) =>
    `-32602 invalid length: ${count} entries, expected at most ${most} entries, at limit`;
  const ofParts = (count: number, most: number) =>
    `-32602 invalid length: ${count} scopes and permissions, expected at most ${most} entries of all lists together, at limit`;

  test('a token with more entries than a new one may have acts, and its limit may become smaller, never larger', async () => {
    const token = await app.token(entries(64));
    await put('token', 'token_limit', entries(100), 'token_key', keyOf(token));
    await app.restart();
    const last = agents([uuid(99)]);
    assert.type((await crontab(app, token).edit('none', NEVER, last)) as string, 'string');
    assert.is((await app.call('token_get', [token])).token_limit.length, 100);
    const explained = await app.call('token_explain', [token, 'crontab_get']);
    assert.is(explained.token_key, keyOf(token));
    assert.is(await edit(token, entries(101)), ofEntries(101, 100));
    assert.is(await edit(token, entries(100)), 'changed');
    assert.is(await edit(token, entries(80)), 'changed');
    assert.is(await edit(token, entries(81)), ofEntries(81, 80));
    assert.is(await edit(token, entries(64)), 'changed');
    assert.is(await edit(token, entries(65)), ofEntries(65, 64));
    assert.is((await app.call('token_get', [token])).token_limit.length, 64);
  });

  test('the same holds for scopes and permissions of all entries together', async () => {
    const token = await app.token(oneEntry(9_998));
    assert.is(await edit(token, oneEntry(9_999)), ofParts(10_001, 10_000));
    await put('token', 'token_limit', oneEntry(12_000), 'token_key', keyOf(token));
    await app.restart();
    const jobs = crontab(app, token);
    await crontab(app, app.superToken).create('last', NEVER, agents([uuid(11_999)]));
    assert.is((await jobs.get()).length, 1, 'its last scope counts');
    assert.is(await edit(token, oneEntry(12_001)), ofParts(12_003, 12_002));
    assert.is(await edit(token, oneEntry(11_000)), 'changed');
    assert.is(await edit(token, oneEntry(11_001)), ofParts(11_003, 11_002));
    assert.equal(await jobs.get(), [], 'the smaller limit counts');
  });

  test('a new token keeps to the bounds, and one edit beyond them leaves the old limit', async () => {
    const create = (token_limit: unknown) =>
      app
        .call('token_create', [app.superToken, { token_limit }])
        .then(() => 'made')
        .catch((error) => `${error.code} ${error.data}`);
    const at = 'token_creation.token_limit';
    assert.is(await create(entries(65)), ofEntries(65, 64).replace('at limit', `at ${at}`));
    assert.is(
      await create(oneEntry(9_999)),
      ofParts(10_001, 10_000).replace('at limit', `at ${at}`),
    );
    assert.is(await create(entries(64)), 'made');
    const token = await app.token([entry(1)]);
    await edit(token, entries(65));
    assert.equal((await app.call('token_get', [token])).token_limit, [entry(1)]);
  });

  test('a job with more agents than a new one may have is kept, and may get fewer, never more', async () => {
    const jobs = crontab(app, app.superToken);
    await jobs.create('wide', NEVER, agents(uuids(10_000)));
    const tooMany = await app.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'crontab_create',
      params: [app.superToken, 'wider', NEVER, agents(uuids(10_001))],
    });
    const refused = (count: number, most: number) =>
      `invalid length: ${count} entries, expected at most ${most} entries, at cron_type.agent.0`;
    assert.is(tooMany.error.data, refused(10_001, 10_000));
    await put('crontab', 'cron_type', agents(uuids(12_000)), 'name', 'wide');
    await app.restart();
    assert.is((await jobs.job('wide')).cron_type.agent[0].length, 12_000);
    assert.equal(await jobs.enable('wide', false), { success: true, enabled: false });
    const change = (count: number) =>
      app
        .call('crontab_edit', [app.superToken, 'wide', NEVER, agents(uuids(count))])
        .then(({ success }) => success)
        .catch((error) => error.data);
    assert.is(await change(12_001), refused(12_001, 12_000));
    assert.is(await change(11_000), true);
    assert.is(await change(11_001), refused(11_001, 11_000));
    assert.is(await change(10_000), true);
    assert.is(await change(10_001), refused(10_001, 10_000));
    assert.is((await jobs.job('wide')).cron_type.agent[0].length, 10_000);
    assert.equal(await jobs.remove('wide'), { success: true });
  });

  test.run();
}
