// Tokens that write workers and jobs: what runs has the rights of the token that wrote it, and no more.

import type { App } from '@svc/kernel';
import { Refusals } from '@svc/plugin-admission/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { agents, EVERY_SECOND, NEVER, worker } from '../protocol/crontab-kit.ts';
import {
  base64,
  eventually,
  module,
  onCall,
  onRoute,
  type ScriptServer,
  scriptServer,
} from '../protocol/js-worker-kit.ts';
import { suite } from '../runner/suite.ts';

const RIGHTS = ['create', 'read', 'write', 'delete', 'run_defined_js_worker'].map((word) => ({
  js_worker: word,
}));
const RESULTS = [{ js_result: { read: '*' } }];
const mine = (...permissions: unknown[]) => [
  { scopes: [{ js_worker: 'mine-*' }], permissions: [...RIGHTS, ...RESULTS, ...permissions] },
];
const keyOf = (token: string) => token.split(':')[0];
/** Calls another worker inline, and tells why it could not. */
const CALLER = onCall(
  "try { return await inlineCall(params, null) } catch (error) { return 'refused: ' + error.message }",
);
const SECRET = module('onInlineCall: (params, env) => env.secret');
const REFUSED = /^refused: Permission denied: .*'mine-caller'.*RunDefinedJsWorker.*'theirs'$/;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`owners (${dialect})`);
  let server: ScriptServer;
  let token = '';
  /** A call with the small token. */
  const call = (method: string, params: Record<string, unknown> = {}) =>
    server.outcome(method, { token, ...params });
  const write = (name: string, script: string, rest: Record<string, unknown> = {}) =>
    call('js-worker_create', { name, js_script_base64: base64(script), ...rest });
  const ask = async (target: string) => (await server.run('mine-caller', target)).result;

  test.before(async () => {
    server = await scriptServer({}, { dialect, plugins: ['agent-uuid', 'task', 'crontab'] });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await server.app.sql('delete from js_worker');
    token = await server.app.token(mine());
    await server.create('theirs', SECRET, { env: { secret: 'of the administrator' } });
  });

  test('inlineCall reaches only workers that the token behind the script may run', async () => {
    await write('mine-caller', CALLER);
    await write('mine-other', SECRET, { env: { secret: 'my own' } });
    assert.match(await ask('theirs'), REFUSED);
    assert.match(await ask('no such worker'), /^refused: Permission denied: /);
    assert.is(await ask('mine-other'), 'my own');
    const refusals = (server.app.kernel as App).service(Refusals)?.counts() ?? [];
    assert.ok(refusals.some(({ reason, count }) => /^inlineCall/.test(reason) && count >= 2));
  });

  test('a worker may call itself inline, whatever its owner may run', async () => {
    token = await server.app.token([
      { scopes: [{ js_worker: 'mine-caller' }], permissions: [{ js_worker: 'create' }] },
    ]);
    const itself = `async onCall() { return inlineCall('mine-caller') }, onInlineCall: () => 'itself'`;
    await write('mine-caller', module(itself));
    assert.is(await ask(''), 'itself');
  });

  test('workers of the Super Token, and those from before owners were kept, call every worker', async () => {
    await server.create('mine-caller', CALLER);
    assert.is(await ask('theirs'), 'of the administrator');
    await server.asSuper('js-worker_delete', { name: 'mine-caller' });
    await write('mine-caller', CALLER);
    await server.app.sql("update js_worker set owner = null where name = 'mine-caller'");
    assert.is(await ask('theirs'), 'of the administrator');
  });

  test('the last writer decides: a worker that another token wrote again has the rights of that one', async () => {
    await server.create('mine-caller', CALLER);
    await call('js-worker_update', { name: 'mine-caller', js_script_base64: base64(CALLER) });
    assert.match(await ask('theirs'), REFUSED);
    await server.update('mine-caller', CALLER);
    assert.is(await ask('theirs'), 'of the administrator');
  });

  test('rights that the owner is given later do not widen what it has written', async () => {
    await write('mine-caller', CALLER);
    await server.asSuper('token_edit', {
      target_token: keyOf(token),
      limit: [{ scopes: ['global'], permissions: [...RIGHTS, ...RESULTS] }],
    });
    assert.match(await ask('theirs'), REFUSED);
    await call('js-worker_update', { name: 'mine-caller', js_script_base64: base64(CALLER) });
    assert.is(await ask('theirs'), 'of the administrator');
  });

  test('each inline call counts the owner of the worker that makes it', async () => {
    const between = module(`async onInlineCall() { return inlineCall('theirs') }`);
    await server.create('mine-between', between);
    await write('mine-caller', CALLER);
    assert.is(await ask('mine-between'), 'of the administrator', 'the Super Token wrote it');
    await call('js-worker_update', { name: 'mine-between', js_script_base64: base64(between) });
    assert.match(await ask('mine-between'), /'mine-between'.*RunDefinedJsWorker.*'theirs'/);
  });

  test('a route is claimed in the scope of the token', async () => {
    const script = onRoute("return new Response('mine')");
    const OUTSIDE =
      "102 Permission denied: Permission denied for route_name 'login', required permission: ";
    assert.is(
      await write('mine-a', script, { route_name: 'login' }),
      `${OUTSIDE}Create on js_worker 'login'`,
    );
    assert.is((await write('mine-a', script, { route_name: 'mine-hook' })).route_name, 'mine-hook');
    const update = (rest: object) =>
      call('js-worker_update', { name: 'mine-a', js_script_base64: base64(script), ...rest });
    assert.is(await update({ route_name: 'login' }), `${OUTSIDE}Write on js_worker 'login'`);
    await server.update('mine-a', script, { route_name: 'login' });
    assert.is((await update({ route_name: 'login' })).route_name, 'login', 'what it has may stay');
    assert.is(
      await write('mine-b', script, { route_name: 'login' }),
      `${OUTSIDE}Create on js_worker 'login'`,
      'the same for a route that another worker has',
    );
  });

  test('workers and jobs tell the token that wrote them last', async () => {
    token = await server.app.token([
      { scopes: ['global'], permissions: [...RIGHTS, { crontab: 'read' }, { crontab: 'write' }] },
    ]);
    const script = base64(CALLER);
    await write('w', CALLER);
    await server.create('s', CALLER);
    const ownerOf = async (name: string) =>
      (await server.asSuper('js-worker_read', { name })).owner;
    assert.equal([await ownerOf('w'), await ownerOf('s')], [keyOf(token), undefined]);
    await server.asSuper('js-worker_update', { name: 'w', js_script_base64: script });
    await call('js-worker_update', { name: 's', js_script_base64: script });
    assert.equal([await ownerOf('w'), await ownerOf('s')], [undefined, keyOf(token)]);

    const job = { cron_expression: NEVER, cron_type: worker('w') };
    await call('crontab_create', { name: 'j', ...job });
    await server.asSuper('crontab_create', { name: 'k', ...job, cron_type: agents([]) });
    const owners = async () => {
      const jobs = await call('crontab_get');
      return Object.fromEntries(jobs.map(({ name, owner }: any) => [name, owner]));
    };
    assert.equal(await owners(), { j: keyOf(token), k: undefined });
    await server.asSuper('crontab_edit', { name: 'j', ...job });
    assert.equal(await owners(), { j: undefined, k: undefined });
    await call('crontab_edit', { name: 'j', ...job });
    await server.asSuper('crontab_set_enable', { name: 'j', enable: false });
    assert.equal(await owners(), { j: keyOf(token), k: undefined }, 'switching does not write it');
    for (const name of ['j', 'k']) await server.asSuper('crontab_delete', { name });
  });

  test('rights that the owner loses are lost to its workers too', async () => {
    token = await server.app.token(mine());
    await write('mine-caller', CALLER);
    await write('mine-other', SECRET, { env: { secret: 'my own' } });
    await server.asSuper('token_edit', {
      target_token: keyOf(token),
      limit: [{ scopes: [{ js_worker: 'mine-caller' }], permissions: RIGHTS }],
    });
    assert.match(await ask('mine-other'), /^refused: Permission denied: .*'mine-other'$/);
  });

  test.run();
}

for (const dialect of ['sqlite', 'postgres'] as const)
  for (const on_delete of ['keep', 'suspend'] as const) {
    const test = suite(`jobs of a token that loses rights (${on_delete}, ${dialect})`);
    let app: TestApp;
    test.before(async () => {
      const plugins = ['token', 'agent-uuid', 'task', 'crontab', 'js-worker'];
      app = await bootForTest(plugins, { token: { on_delete } }, { dialect });
    });
    test.after(() => app.stop());

    const write = { scopes: ['global'], permissions: [{ crontab: 'write' }] };
    const run = { scopes: ['global'], permissions: [{ js_worker: 'run_defined_js_worker' }] };
    const losses: readonly (readonly [name: string, left: readonly unknown[]])[] = [
      ['to write jobs', [run]],
      ['to what they do', [write]],
    ];
    for (const [what, left] of losses)
      test(`they ${on_delete === 'keep' ? 'go on' : 'stop'} without the right ${what}`, async () => {
        const token = await app.token([write, run]);
        const name = `without ${what}`;
        const cron_type = worker('none such');
        const job = { name, cron_expression: EVERY_SECOND, cron_type };
        await app.call('crontab_create', { token, ...job });
        let seen = 0;
        /** A run after those that were seen tells this. */
        const next = (expected: RegExp) =>
          eventually(async () => {
            const query = { condition: [{ cron_name: name }, 'last'] };
            const [row] = await app.call('crontab-result_query', { token: app.superToken, query });
            assert.ok(row?.id > seen);
            assert.match(row.message, expected);
            seen = row.id;
          });
        const edit = (limits: unknown) =>
          app.call('token_edit', [app.superToken, keyOf(token), limits]);
        await next(/^Script worker/);
        await edit(left);
        await next(on_delete === 'keep' ? /^Script worker/ : /^The job is suspended.* lost/);
        await edit([write, run]);
        await next(/^Script worker/);
      });

    test.run();
  }

for (const on_delete of ['keep', 'suspend'] as const) {
  const test = suite(`what hangs on a deleted token (${on_delete})`);
  let app: TestApp;
  test.before(async () => {
    const plugins = ['agent-uuid', 'task', 'crontab', 'js-worker', 'static-bucket-file'];
    app = await bootForTest(['token', 'static-bucket', ...plugins], { token: { on_delete } });
  });
  test.after(() => app.stop());

  test('workers, routes, jobs and buckets are told, and go on or stop', async () => {
    const permissions = [...RIGHTS, { crontab: 'write' }, { static_bucket: 'write' }];
    const token = await app.token([{ scopes: ['global'], permissions }]);
    const asOwner = (method: string, params: object) => app.call(method, { token, ...params });
    const asSuper = (method: string, params: object): Promise<any> =>
      app.call(method, { token: app.superToken, ...params });
    const script = module(`onCall: () => 1, onRoute: () => new Response('route')`);
    const content = { name: 'w', route_name: 'r', js_script_base64: base64(script) };
    await asOwner('js-worker_create', content);
    const cron_type = worker('w');
    await asOwner('crontab_create', { name: 'j', cron_expression: EVERY_SECOND, cron_type });
    const bucket = { name: 'b', path: 'b', is_http_root: false, cors: false };
    await asOwner('static-bucket_create', bucket);
    const file = { name: 'b', path: 'a.txt', base64: base64('file') };
    await asSuper('static-bucket-file_upload', file);
    await asSuper('token_delete', { target_token: keyOf(token) });

    const { dependents } = await asSuper('token_dependents', { target_token: keyOf(token) });
    const named = Object.fromEntries(dependents.map(({ kind, names }: any) => [kind, names]));
    assert.equal(named, { token: [], worker: ['w'], route: ['r'], job: ['j'], bucket: ['b'] });

    const run = () => asSuper('js-worker_run', { js_script_name: 'w', params: null });
    const status = async (path: string) => (await app.fetch(path)).status;
    const statuses = () => Promise.all(['/svc/worker-route/r', '/svc/static/b/a.txt'].map(status));
    const lastRecord = async () => {
      const query = { condition: [{ cron_name: 'j' }, 'last'] };
      return (await asSuper('crontab-result_query', { query }))[0];
    };
    const goesOn = async () => {
      await run();
      assert.equal(await statuses(), [200, 200]);
      await eventually(async () => assert.is((await lastRecord())?.success, true));
    };
    if (on_delete === 'keep') return goesOn();
    const refused = await run().catch((error) => error.message);
    assert.match(refused, /^Permission denied: js_worker 'w' is suspended, /);
    assert.equal(await statuses(), [404, 404]);
    await eventually(async () =>
      assert.match((await lastRecord()).message, /^The job is suspended/),
    );
    await asSuper('js-worker_update', content);
    await asSuper('static-bucket_update', bucket);
    await asSuper('crontab_edit', { name: 'j', cron_expression: EVERY_SECOND, cron_type });
    await goesOn();
  });

  test.run();
}
