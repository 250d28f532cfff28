// Secrets of monitors stay where they were written for: no change by others has them read elsewhere (docs/protocol/monitor.md §2).
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bootWithAgents, machine, type Place, place } from './agents-kit.ts';
import { call, create, failure, get } from './kit.ts';

const URL = 'https://127.0.0.1:9/';
const HUSH = 'hush-4410';
const name = 'shop';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: secrets that would go elsewhere (${dialect})`);
  let app: TestApp;
  let [mine, theirs, third] = ['', '', ''];
  const opened: Place[] = [];
  test.before(async () => {
    app = await bootWithAgents(dialect);
    [mine, theirs, third] = [await machine(app), await machine(app), await machine(app)];
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
    // Whoever changes a monitor owns it: what he owns are not yet the secrets of others.
    await update({ note: 'x' }, token);
    const { emptied } = await update({ places: { server: false, agents: [mine] } }, token);
    assert.equal(emptied.toSorted(), ['bearer', 'secret_headers']);
    assert.ok(await agent.hears(() => agent.checks.has(id)));
    assert.not.match(JSON.stringify(agent.items), HUSH);
    assert.equal((await get(app, name)).secret, {});
  });

  const spec = { url: URL, headers: ['Accept: a'] };
  type Change = (agents: readonly string[]) => object;
  const kept: readonly [string, { readonly agents?: true }, Change][] = [
    ['fewer places', { agents: true }, ([one]) => ({ places: { server: false, agents: [one] } })],
    ['the same places', { agents: true }, (all) => ({ places: { server: true, agents: all } })],
    ['another path', {}, () => ({ spec: { ...spec, url: `${URL}other` } })],
    ['other headers', {}, () => ({ spec: { ...spec, headers: ['Accept: b', 'X-A: b'] } })],
    ['another name, tag and interval', {}, () => ({ tags: ['a'], note: 'b', interval_s: 30 })],
  ];
  for (const [what, { agents }, change] of kept)
    test(`${what}: a writer changes it, and the secrets stay`, async () => {
      const all = [mine, theirs];
      await made(agents ? { places: { server: true, agents: all } } : {});
      assert.equal((await update(change(all), await writer(...all))).emptied, []);
      assert.is(Object.keys((await get(app, name)).secret).length, 2);
    });

  const elsewhere: readonly [string, { readonly agents?: true }, Change][] = [
    ['one more agent', {}, ([one]) => ({ places: { server: true, agents: [one] } })],
    [
      'another agent',
      { agents: true },
      ([, other]) => ({ places: { server: false, agents: [other] } }),
    ],
    ['one more tag', {}, () => ({ places: { server: true, tags: ['eu'] } })],
    ['the server', { agents: true }, ([one]) => ({ places: { server: true, agents: [one] } })],
    ['the places by default', { agents: true }, () => ({ places: null })],
    ['any certificate', {}, () => ({ spec: { ...spec, ignore_tls: true } })],
  ];
  for (const [what, { agents }, change] of elsewhere) {
    const all = () => [mine, theirs];
    const begin = () =>
      made(agents ? { places: { server: false, agents: all().slice(0, 1) } } : {});
    test(`${what}: secrets that do not come along are emptied, and those that do stay`, async () => {
      await begin();
      const token = await writer(...all());
      const dry = { name, change: change(all()), dry_run: true };
      assert.is((await call(app, 'monitor_update', dry, token)).emptied.length, 2);
      const { emptied, secret } = await update(
        { ...change(all()), secret: { bearer: 'own' } },
        token,
      );
      assert.equal([emptied, secret], [['secret_headers'], { bearer: { set: true } }]);
    });
    test(`${what}: the Super Token, which may read all, keeps the secrets`, async () => {
      await begin();
      assert.equal((await update(change(all()))).emptied, []);
    });
  }

  test('a header Host is another host: it empties the secrets, and is none itself', async () => {
    await made({});
    const headers = ['hOST : evil.example.net'];
    const secret_headers = ['Host: evil.example.net'];
    const error = await failure(update({ secret: { secret_headers } }));
    assert.match(error.message, /write it into 'headers'/);
    assert.is((await update({ spec: { ...spec, headers } })).emptied.length, 2);
  });

  test('another owner, to whom other agents of a tag count, empties the secrets', async () => {
    await made({ places: { server: false, tags: ['eu'] } }, await writer(mine, theirs));
    const { emptied } = await update({ note: 'x' }, await writer(third));
    assert.is(emptied.length, 2);
    await update({ secret: { bearer: HUSH } });
    // The Super Token owns it now, and all agents of the tag counted: nobody has more of them.
    assert.equal((await update({ note: 'y' }, await writer(third))).emptied, []);
  });

  test.run();
}
