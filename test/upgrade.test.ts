// proof only: 16
/** What earlier versions stored opens in this one and is answered as before; upgrade/README.md says what is in the folders. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from './process/place.ts';
import { rpc, type ServerProcess, startServer } from './process/server.ts';
import { suite } from './runner/suite.ts';

const folder = join(import.meta.dirname, 'upgrade');
const versions = readdirSync(folder).filter((name) => /^\d/.test(name));
const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';

for (const version of versions) {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const test = suite(`data of ${version} (${dialect})`);
    const read = (name: string) => readFileSync(join(folder, version, name));
    const { token, answers } = JSON.parse(read(`${dialect}.json`).toString());
    let place: Place;
    let server: ServerProcess;
    const call = (method: string, params: unknown) => rpc(place.site.url, method, params);

    test.before(async () => {
      place = await makePlace(dialect, { head: 'static_path = "./static/"\ndb_path = "./db/"' });
      const { dir, config } = place.site;
      mkdirSync(join(dir, 'static', 'site', 'docs'), { recursive: true });
      writeFileSync(join(dir, 'static', 'site', 'docs', 'page.txt'), 'A page.');
      mkdirSync(join(dir, 'db'));
      writeFileSync(join(dir, 'db', 'notes.db'), gunzipSync(read('notes.db.gz')));
      if (dialect === 'sqlite') writeFileSync(join(dir, 'svc.db'), gunzipSync(read('svc.db.gz')));
      else await restore(config, read('postgres.sql').toString());
      server = await startServer(place.site);
    });
    test.after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
    });

    test('the server starts without a warning and makes no second Super Token', () => {
      assert.not.match(server.output(), /Super Token: |\b(?:WARN|ERROR)\b/);
    });

    for (const { method, params, result } of answers) {
      test(`${method} ${JSON.stringify(params).slice(0, 100)} answers as ${version} did`, async () => {
        assert.equal(await call(method, params), { jsonrpc: '2.0', id: 1, result });
      });
    }

    test('what was stored goes on: a report is added, a worker runs, a page is served', async () => {
      const report = { uuid: AGENT, time: Date.now(), cpu_usage: 10, uptime: 1 };
      const buffered = await call('agent_report_dynamic_summary', [token, report]);
      assert.equal(buffered.result, { status: 'buffered' });
      const { result } = await call('js-worker_run', {
        token,
        js_script_name: 'adder',
        params: { a: 20, b: 22 },
      });
      const query = { condition: [{ id: result.id }] };
      for (;;) {
        const [run] = (await call('js-result_query', { token, query })).result;
        if (run.finish_time !== null) {
          assert.is(run.result, 42);
          break;
        }
      }
      const page = await fetch(`${place.site.url}/svc/static/site/docs/page.txt`);
      assert.is(await page.text(), 'A page.');
    });

    test.run();
  }
}

/** Loads a dump into the empty database of a configuration. */
async function restore(config: string, sql: string): Promise<void> {
  const connectionString = /^database_url = "(.*)"$/m.exec(readFileSync(config, 'utf8'))![1]!;
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
