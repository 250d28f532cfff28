// proof only: 150
/** auth.md §8, crontab.md §2.1: a start reads neither all tokens nor what all jobs do, however many and however long they are. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { createDatabase, sharedPostgres } from './postgres.ts';
import { makeSite, type ServerProcess, type Site, startServer } from './process/server.ts';
import { eventually } from './protocol/token-kit.ts';
import { suite } from './runner/suite.ts';

const USUAL = 100_000;
const LARGE = 300;
/** Scopes of a large token, agents of a large job: as many as the schemas allow. */
const MOST = 10_000;
const MOST_MB = 300;
/** Of the processor, until the server answers; a tick is 10 ms. */
const MOST_S = 5;
const SECRET = 'x'.repeat(32);
const HASH = createHash('sha256').update(`SVC${SECRET}`).digest('hex');
const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f4a1';
const usualLimit = [
  {
    scopes: [{ agent_uuid: AGENT }, { kv_namespace: AGENT }],
    permissions: ['ping', 'tcp_ping', 'http_ping', 'execute'].map((type) => ({
      task: { write: type },
    })),
  },
];
const largeLimit = [
  {
    scopes: Array.from({ length: MOST - 1 }, (_, n) => ({ kv_namespace: `of a customer ${n}` })),
    permissions: [{ kv: { read: '*' } }],
  },
];
const job = (agents: number) => ({
  agent: [Array.from({ length: agents }, () => AGENT), { task: 'ip' }],
});

/** `n` counts from 1: the first `LARGE` are large. */
const fill = (numbers: string, document: string): string[] => [
  `insert into token (token_key, token_hash, token_limit, username)
    select substr('k000000000000000', 1, 16 - length(cast(n as text))) || n, '${HASH}',
      cast(case when n <= ${LARGE} then '${JSON.stringify(largeLimit)}' else '${JSON.stringify(usualLimit)}' end as ${document}),
      'account ' || n from ${numbers}`,
  `insert into crontab (name, cron_expression, cron_type, start_time)
    select 'job ' || n, '0 0 ' || (n % 24) || ' 1 1 *',
      cast(case when n <= ${LARGE} then '${JSON.stringify(job(MOST))}' else '${JSON.stringify(job(1))}' end as ${document === 'text' ? 'text' : 'json'}),
      0 from ${numbers}`,
  `insert into crontab (name, cron_expression, cron_type, start_time)
    values ('the last one', '* * * * * *', '{"server":{"js_worker":["nobody",null]}}', 0)`,
];

async function fillSqlite(path: string): Promise<void> {
  const db = new Sqlite(path);
  db.exec(`create table counted as with recursive c(n) as
    (select 1 union all select n + 1 from c where n < ${USUAL}) select n from c`);
  for (const statement of fill('counted', 'text')) db.exec(statement);
  db.exec('drop table counted');
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of fill(`generate_series(1, ${USUAL}) as n`, 'jsonb'))
    await client.query(statement);
  await client.end();
}

const call = async ({ url }: Site, method: string, params: unknown): Promise<any> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result, error } = (await response.json()) as any;
  return result ?? `${error.code} ${error.message}`;
};

const keyOf = (n: number) => `k${String(n).padStart(15, '0')}`;
/** What it has (`VmRSS`), or the most that it ever had (`VmHWM`), MB. */
const memory = ({ child }: ServerProcess, what: 'VmRSS' | 'VmHWM') => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
};
/** Of the processor, s. */
const worked = ({ child }: ServerProcess) => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

for (const dialect of process.platform === 'linux' ? (['sqlite', 'postgres'] as const) : []) {
  const test = suite(`a start with ${USUAL} tokens and jobs (${dialect})`);
  let site: Site;
  let server: ServerProcess | undefined;
  let superToken = '';

  test.before(async () => {
    const url = dialect === 'sqlite' ? undefined : await createDatabase(sharedPostgres());
    site = await makeSite(url ?? 'sqlite://{dir}/svc.db?mode=rwc');
    const first = await startServer(site);
    superToken = /Super Token: (\S+)/.exec(first.output())?.[1] ?? '';
    await first.end('SIGTERM');
    if (url) await fillPostgres(url);
    else await fillSqlite(join(site.dir, 'svc.db'));
    server = await startServer(site);
  });
  test.after(async () => {
    await server?.end('SIGTERM');
    site?.remove();
  });

  test(`answers within ${MOST_S} s of the processor`, () => {
    const s = worked(server as ServerProcess);
    console.log(`ready after ${s} s of the processor, ${server?.startup_ms.toFixed(0)} ms`);
    assert.ok(s <= MOST_S, `${s} s`);
  });

  test('plans all jobs, and has the memory of a small server', async () => {
    const query = { condition: [{ cron_name: 'the last one' }] };
    await eventually(async () => {
      const found = await call(site, 'crontab-result_query', [superToken, query]);
      assert.ok(found.length > 0);
    });
    const mb = memory(server as ServerProcess, 'VmHWM');
    console.log(`planned: ${mb.toFixed(0)} MB at most, ${worked(server as ServerProcess)} s`);
    assert.ok(mb <= MOST_MB, `${mb} MB`);
  });

  test('knows usual and large tokens, and holds few of them', async () => {
    for (let n = 1; n <= 2 * LARGE; n++) {
      const found = await call(site, 'token_get', [`${keyOf(n)}:${SECRET}`]);
      assert.is(found.token_key, keyOf(n));
    }
    assert.is((await call(site, 'token_get', [`${keyOf(USUAL)}:wrong`])).slice(0, 3), '102');
    assert.match(await call(site, 'token_list_all_tokens', [superToken]), /^-32008 /);
    // What only passed through is garbage for a while.
    await eventually(() => {
      const mb = memory(server as ServerProcess, 'VmRSS');
      assert.ok(mb <= MOST_MB, `${mb} MB`);
    });
  });

  test.run();
}
