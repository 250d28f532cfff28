// Secrets of monitors stay where they were written for: no change by others has them read elsewhere (docs/protocol/monitor.md §2).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bootWithAgents, machine, type Place, place } from './agents-kit.ts';
import { call, create, failure, get, MINUTE, passes } from './kit.ts';

const URL = 'https://127.0.0.1:9/';
const HUSH = 'hush-4410';
const name = 'shop';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: secrets that would go elsewhere (${dialect})`);
  let app: TestApp;
  let mine = '';
  const opened: Place[] = [];
  test.before(async () => {
    app = await bootWithAgents(dialect);
    mine = await machine(app);
  });
  test.after(() => app.stop());
  test.after.each(async () => {
    for (const one of opened.splice(0)) one.leave();
    await call(app, 'monitor_delete', { name });
  });

  /** A token that may write the monitor, and create tasks at these agents. */
  const writer = (...agents: string[]) =>
    app.token([
      { scopes: [{ monitor: '*' }], permissions: [{ monitor: 'write' }, { monitor: 'read' }] },
      {
        scopes: agents.map((agent_uuid) => ({ agent_uuid })),
        permissions: [{ task: { create: 'http_request' } }],
      },
    ]);
  const made = (over: object, token = app.superToken) =>
    create(
      app,
      {
        ...{ name, kind: 'http', spec: { url: URL, headers: ['Accept: a'] }, interval_s: 20 },
        secret: { bearer: HUSH, secret_headers: [`X-Key: ${HUSH}`] },
        ...over,
      },
      token,
    );
  const update = (change: object, token = app.superToken): Promise<any> =>
    call(app, 'monitor_update', { name, change }, token);

  test('a writer who places a monitor at an agent of his own gets none of its secrets there', async () => {
    const { id } = await made({ places: { server: true } });
    const agent = await place(app, mine);
    opened.push(agent);
    const token = await writer(mine);
    await update({ note: 'x' }, token);
    const { emptied } = await update({ places: { server: false, agents: [mine] } }, token);
    assert.equal(emptied.toSorted(), ['bearer', 'secret_headers']);
    assert.ok(await agent.hears(() => agent.checks.has(id)));
    assert.not.match(JSON.stringify(agent.items), HUSH);
    assert.equal((await get(app, name)).secret, {});
  });

  const spec = { url: URL, headers: ['Accept: a'] };
  const ordinary = { name: `${name} 2`, tags: ['a'], note: 'b', interval_s: 30, retries: 1 };
  test('what is neither sent nor asked anybody who may write changes: owner and secrets stay', async () => {
    const { owner } = await made({});
    const token = await writer();
    for (const change of [ordinary, { name }, { spec, condition: null }, { places: null }]) {
      const at = 'name' in change && change.name === name ? `${name} 2` : name;
      const { emptied } = await call(app, 'monitor_update', { name: at, change }, token);
      assert.equal(emptied, [], JSON.stringify(change));
    }
    const after = await get(app, name);
    assert.equal([after.owner, Object.keys(after.secret).length], [owner, 2]);
  });

  const taking: readonly [string, (agent: string) => object][] = [
    ['another path', () => ({ spec: { ...spec, url: `${URL}other` } })],
    ['other headers', () => ({ spec: { ...spec, headers: ['Accept: b'] } })],
    ['any certificate', () => ({ spec: { ...spec, ignore_tls: true } })],
    ['one more agent', (agent) => ({ places: { server: true, agents: [agent] } })],
    ['a tag', () => ({ places: { server: true, tags: ['eu'] } })],
    ['another condition', () => ({ condition: 'body.contains("a")' })],
  ];
  for (const [what, change] of taking) {
    test(`${what}: another writer takes it over with the secrets that he brings alone`, async () => {
      await made({});
      const token = await writer(mine);
      const dry = { name, change: change(mine), dry_run: true };
      assert.is((await call(app, 'monitor_update', dry, token)).emptied.length, 2);
      const { emptied, secret, owner } = await update(
        { ...change(mine), secret: { bearer: 'own' } },
        token,
      );
      assert.equal([emptied, secret], [['secret_headers'], { bearer: { set: true } }]);
      assert.is(owner, token.split(':')[0]);
      assert.equal((await update(change(mine), token)).emptied, []);
    });
    test(`${what}: its owner keeps the secrets, and so does the Super Token`, async () => {
      const token = await writer(mine);
      await made({}, token);
      assert.equal((await update(change(mine), token)).emptied, []);
      assert.equal((await update(change(mine))).emptied, []);
      assert.is(Object.keys((await get(app, name)).secret).length, 2);
    });
  }

  test('an edit of its note by the Super Token lends a monitor no way into private networks', async () => {
    const token = await writer();
    const page = { name, kind: 'http', spec: { url: 'http://127.0.0.1:9/' }, interval_s: 20 };
    await create(app, page, token);
    await update({ note: 'seen', tags: ['shop'] });
    assert.is((await get(app, name)).owner, token.split(':')[0]);
    const outcome = await call(app, 'monitor_try', { name });
    assert.match(outcome.detail, /private address/);
  });

  test('whoever saves a monitor whose owner may not write it any more owns it', async () => {
    const token = await writer();
    await made({}, token);
    const limit = [{ scopes: [{ monitor: '*' }], permissions: [{ monitor: 'read' }] }];
    await call(app, 'token_edit', { target_token: token.split(':')[0], limit });
    const isPaused = async () => (await get(app, name)).problem !== null;
    assert.ok(await passes(app, 2 * MINUTE, isPaused));
    const heir = await writer();
    const { owner, emptied } = await update({ note: 'x' }, heir);
    assert.equal([owner, emptied.length], [heir.split(':')[0], 2]);
  });

  test('a header Host is another host: it empties the secrets, and is none itself', async () => {
    await made({});
    const headers = ['hOST : evil.example.net'];
    const secret_headers = ['Host: evil.example.net'];
    const error = await failure(update({ secret: { secret_headers } }));
    assert.match(error.message, /write it into 'headers'/);
    assert.is((await update({ spec: { ...spec, headers } })).emptied.length, 2);
  });

  test.run();
}
