// js-worker.md §4, §5.1: two equal servers on one database. Nothing here depends on messages between them.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { start as startProgram } from '@svc/server';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  base64,
  eventually,
  module,
  onCall,
  type ScriptServer,
  scriptServer,
} from './js-worker-kit.ts';

const test = suite('js-worker: two servers (postgres)');
let here: ScriptServer;
let second: App;

const start = async (): Promise<App> => {
  const text = await readFile(join(here.app.dir, 'config.toml'), 'utf8');
  const config = join(here.app.dir, 'second.toml');
  await writeFile(config, text);
  return startProgram({ config, plugins: ['token', 'js-worker'], console: () => {} });
};
const there = async (method: string, params: Record<string, unknown>): Promise<any> => {
  const body = { jsonrpc: '2.0', id: 1, method, params: { token: here.app.superToken, ...params } };
  const response = await fetch(second.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { result, error } = (await response.json()) as any;
  if (error) throw new Error(error.message);
  return result;
};
const runThere = async (name: string, params: unknown = null) =>
  here.result((await there('js-worker_run', { js_script_name: name, params })).id);
/** A route of its own for each test: what the other server remembers of the one before does not matter. */
let route_name = '';
let tests = 0;
const get = async (): Promise<[number, string]> => {
  const response = await fetch(`${second.url}/svc/worker-route/${route_name}`);
  return [response.status, await response.text()];
};

test.before(async () => {
  here = await scriptServer({}, { dialect: 'postgres' });
  second = await start();
});
test.after(async () => {
  await second.stop('test');
  await here.app.stop();
});
test.before.each(async () => {
  route_name = `r${++tests}`;
  for (const name of await here.asSuper('js-worker_list_all_js_worker'))
    await here.asSuper('js-worker_delete', { name });
  await here.app.sql('delete from js_result');
});

const script = (text: string) =>
  module(`onCall: () => '${text}', onRoute: () => new Response('${text}')`);

test('what one server updates the other runs: calls at once, routes within a second', async () => {
  await here.create('w', script('old'), { route_name });
  assert.equal(await get(), [200, 'old']);
  assert.is((await runThere('w')).result, 'old');
  await here.update('w', script('new'), { route_name });
  assert.is((await runThere('w')).result, 'new');
  await eventually(async () => assert.equal(await get(), [200, 'new']));
});

test('what one server deletes is gone on the other: calls at once, routes within a second', async () => {
  await here.create('w', script('old'), { route_name });
  assert.equal(await get(), [200, 'old']);
  await here.asSuper('js-worker_delete', { name: 'w' });
  const refused = await there('js-worker_run', { js_script_name: 'w', params: null }).catch(
    (error: Error) => error.message,
  );
  assert.is(refused, 'Not found in database: js_worker not found: w');
  await eventually(async () => assert.is((await get())[0], 404));
});

test('a worker made on one server has its route on the other at once, also after a 404', async () => {
  assert.is((await get())[0], 404);
  await here.create('w', script('made'), { route_name });
  assert.equal(await get(), [200, 'made']);
});

test('a route that moved to another worker follows within a second', async () => {
  await here.create('a', script('a'), { route_name });
  await here.create('b', script('b'));
  assert.equal(await get(), [200, 'a']);
  await here.update('a', script('a'));
  await here.update('b', script('b'), { route_name });
  await eventually(async () => assert.equal(await get(), [200, 'b']));
});

test('runs of one worker are one after the other in each server; the servers go on side by side', async () => {
  await here.create(
    'w',
    `let open = 0; let most = 0;
     export default { async onCall(params) {
       most = Math.max(most, ++open); await new Promise((done) => setTimeout(done, 30)); open--; return most } };`,
  );
  const ids = await Promise.all(
    Array.from({ length: 8 }, async (_, n) =>
      n % 2 === 0
        ? here.start('w')
        : (await there('js-worker_run', { js_script_name: 'w', params: null })).id,
    ),
  );
  for (const id of ids) assert.is((await here.result(id)).result, 1);
});

test('a worker that updates itself on one server is new on both', async () => {
  const self = (text: string) =>
    onCall(`await svc('js-worker_update', { token: env.token, name: ctx.workerName,
      js_script_base64: params, env }); return '${text}'`);
  await here.create('w', self('one'), { env: { token: here.app.superToken } });
  const next = base64(self('two'));
  assert.is((await here.run('w', next)).result, 'one');
  assert.is((await runThere('w', next)).result, 'two');
  assert.is((await here.run('w', next)).result, 'two');
});

test('a start or a stop of one server leaves the runs of the other alone', async () => {
  // Runs until there is a worker of another name, however long the other server takes.
  const script =
    onCall(`while (!(await svc('js-worker_list_all_js_worker', { token: env.token })).result.includes('end'))
    await new Promise((d) => setTimeout(d, 50)); return "whole"`);
  await here.create('w', script, { env: { token: here.app.superToken } });
  const id = await here.start('w');
  await second.stop('test');
  second = await start();
  assert.is((await here.query('is_running')).length, 1);
  await here.create('end', onCall('return 1'));
  const row = await here.result(id);
  assert.equal([row.result, row.error_message], ['whole', null]);
});

test('a run of more than ten seconds is not taken for lost by the other server', async () => {
  await here.create('w', onCall('await new Promise((d) => setTimeout(d, 12500)); return "whole"'));
  const id = await here.start('w');
  const seen = new Set<string>();
  const row = await eventually(async () => {
    const [found] = await here.query({ id });
    seen.add(String(found.error_message));
    if (!found.finish_time) throw new Error('not yet');
    return found;
  }, 60_000);
  assert.is(row.result, 'whole');
  assert.equal([...seen], ['null']);
});

test.run();
