// proof only: 15
/** js-worker.md §5.1: a server that is killed under a run. The next start says what became of it. */

import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { makePlace } from './process/place.ts';
import { rpc as exchange, startServer, superToken } from './process/server.ts';
import { oneDialect } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

const WAITS = `export default { onCall: (params) => new Promise((done) => setTimeout(() => done(1), params.ms)) };`;
/** Never gives the engine a turn. */
const SPINS = 'export default { onCall() { for (;;); } };';
/** On Postgres the other servers must be sure that this one is gone. */
const WAIT_MS = 90_000;

for (const dialect of oneDialect) {
  const test = suite(`js-worker: killed server (${dialect})`);

  test('rows of runs under way, waiting or spinning are closed after kill -9, and workers run again', async () => {
    const place = await makePlace(dialect, {
      head: 'plugins = ["token", "server-info", "js-worker"]',
    });
    let token = '';
    const call = async (method: string, params: Record<string, unknown>): Promise<any> => {
      const { result, error } = await exchange(place.site.url, method, { token, ...params });
      if (error) throw new Error(error.message);
      return result;
    };
    const run = async (js_script_name: string, ms: number): Promise<number> =>
      (await call('js-worker_run', { js_script_name, params: { ms } })).id;
    const row = async (id: number) =>
      (await call('js-result_query', { query: { condition: [{ id }] } }))[0];
    const ended = async (id: number) => {
      for (const until = Date.now() + WAIT_MS; ; await pause(50)) {
        const found = await row(id);
        if (found.finish_time !== null) return found;
        if (Date.now() > until) throw new Error(`run ${id} is never closed`);
      }
    };
    try {
      const first = await startServer(place.site);
      token = superToken(first.output());
      for (const [name, script] of [
        ['waits', WAITS],
        ['spins', SPINS],
      ] as const) {
        const js_script_base64 = Buffer.from(script).toString('base64');
        await call('js-worker_create', { name, js_script_base64, max_run_time: 600_000 });
      }
      const done = await ended(await run('waits', 0));
      const lost = [await run('waits', 600_000), await run('waits', 0), await run('spins', 0)];
      for (const id of lost) assert.is((await row(id)).finish_time, null);
      const killed_at = Date.now();
      await first.end('SIGKILL');

      const second = await startServer(place.site);
      for (const id of lost) {
        const { error_message, result, finish_time } = await ended(id);
        assert.is(error_message, 'interrupted by server restart');
        assert.is(result, null);
        assert.ok(finish_time >= killed_at);
      }
      assert.equal(await row(done.id), done);
      assert.is((await ended(await run('waits', 0))).result, 1);
      assert.is((await second.end('SIGTERM')).code, 0);
    } finally {
      await place.remove();
    }
  });

  test.run();
}
