// proof only: 6
/** examples/workers on a real server: over HTTP, by cron, and against a service of the test. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from './process/place.ts';
import { report, reportMethod } from './process/reports.ts';
import { rpc as exchange, type ServerProcess, startServer, superToken } from './process/server.ts';
import { suite } from './runner/suite.ts';

const folder = new URL('../examples/workers/', import.meta.url);
const PLUGINS = [
  'token',
  'server-info',
  'agent',
  'agent-uuid',
  'task',
  'crontab',
  'kv',
  'js-worker',
];
const EVERY_SECOND = '* * * * * *';
const BOT = '123:abc';
const FLEET = [{ svc: 'list_all_agent_uuid' }, { dynamic_monitoring_summary: 'read' }];

interface Message {
  readonly path: string;
  readonly chat_id: string;
  readonly text: string;
}

/** What the notifier talks to: takes messages, as long as the bot's token is right. */
async function chatService(): Promise<{
  server: Server;
  url: string;
  port: number;
  sent: Message[];
}> {
  const sent: Message[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const ok = request.method === 'POST' && request.url === `/bot${BOT}/sendMessage`;
    if (ok) sent.push({ path: request.url!, ...JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(ok ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(ok ? { ok } : { ok, description: 'Not Found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}`, port, sent };
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + 60_000; ; await pause(20)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`not within 60 s: ${look}`);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`example workers (${dialect})`);
  let chat: Awaited<ReturnType<typeof chatService>>;
  let place: Place;
  let server: ServerProcess;
  let root: string;

  const call = async (method: string, params: object): Promise<any> => {
    const answer = await exchange(place.site.url, method, { token: root, ...params });
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  /** A token with nothing but these rights. */
  const token = async (...token_limit: object[]): Promise<string> => {
    const made = await call('token_create', {
      father_token: root,
      token_creation: { token_limit },
    });
    return `${made.key}:${made.secret}`;
  };
  const install = async (name: string, env: object): Promise<void> => {
    const script = await readFile(new URL(`${name}.js`, folder));
    const js_script_base64 = script.toString('base64');
    await call('js-worker_create', { name, route_name: name, js_script_base64, env });
  };
  const job = (name: string, params: unknown) =>
    call('crontab_create', {
      name,
      cron_expression: EVERY_SECOND,
      cron_type: { server: { js_worker: [name, params] } },
    });
  const request = (path: string, init: RequestInit = {}, prefix = '/svc') =>
    fetch(`${place.site.url}${prefix}/worker-route/${path}`, init);
  const lastRun = async (name: string): Promise<any> => {
    const condition = [{ js_worker_name: name }, { finish_time_from: 0 }, 'last'];
    return (await call('js-result_query', { query: { condition } }))[0];
  };
  const finished = (id: number): Promise<any> =>
    until(async () => {
      const query = { condition: [{ id }, { finish_time_from: 0 }] };
      return (await call('js-result_query', { query }))[0];
    });
  const reports = (uuid: string, time: number) =>
    call(reportMethod.summary, { data: report('summary', uuid, time) });

  test.before(async () => {
    chat = await chatService();
    place = await makePlace(dialect, {
      head: `plugins = ${JSON.stringify(PLUGINS)}`,
      tables: `[js-worker]\nfetch_private = ["127.0.0.1:${chat.port}"]`,
    });
    server = await startServer(place.site);
    root = superToken(server.output());
    for (const namespace of ['notifier', 'site', 'global']) await call('kv_create', { namespace });
  });
  test.after(async () => {
    await server?.end('SIGTERM');
    await place?.remove();
    chat.server.close();
  });

  test('notifier: tells once of a machine that falls silent and once that it is back, and answers its chat', async () => {
    const uuid = randomUUID();
    const env = {
      token: await token(
        { scopes: ['global'], permissions: FLEET },
        {
          scopes: [{ kv_namespace: 'notifier' }],
          permissions: [{ kv: { read: 'silent' } }, { kv: { write: 'silent' } }],
        },
      ),
      namespace: 'notifier',
      api_url: chat.url,
      bot_token: BOT,
      chat_id: '42',
      webhook_secret: 'hook',
      // Who has just reported is not silent again before the test is over.
      silent_ms: '600000',
    };
    await reports(uuid, Date.now() - 3_600_000);
    await install('notifier', env);
    await job('notifier', {});
    const [first] = await until(() => (chat.sent.length > 0 ? chat.sent : undefined));
    assert.equal(first, { path: `/bot${BOT}/sendMessage`, chat_id: '42', text: `silent: ${uuid}` });
    await reports(uuid, Date.now());
    await until(() => (chat.sent.length > 1 ? true : undefined));
    await call('crontab_delete', { name: 'notifier' });
    assert.equal(
      chat.sent.map(({ text }) => text),
      [`silent: ${uuid}`, `back: ${uuid}`],
    );
    assert.is((await lastRun('notifier')).error_message, null);

    const say = (text: string, secret = 'hook', id = 42) =>
      request('notifier', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify({ message: { text, chat: { id } } }),
      });
    assert.is((await say('/status', 'wrong')).status, 403);
    assert.equal(await (await say('/status', 'hook', 7)).json(), {});
    assert.is(chat.sent.length, 2);
    assert.equal(await (await say('/status')).json(), {});
    assert.is(chat.sent[2]?.text, '1 of 1 machines report');
  });

  test('notifier: a service that is not listed is out of reach, and the run says so', async () => {
    const other = await chatService();
    const row = await call('js-worker_read', { name: 'notifier' });
    // A place of its own: the job's last run may not be over.
    const namespace = 'elsewhere';
    const scopes = [{ kv_namespace: namespace }];
    const env = {
      ...row.env,
      token: await token(
        { scopes: ['global'], permissions: FLEET },
        { scopes, permissions: [{ kv: { read: 'silent' } }, { kv: { write: 'silent' } }] },
      ),
      namespace,
      api_url: other.url,
    };
    await call('kv_create', { namespace });
    await call('kv_set_value', { namespace, key: 'silent', value: [randomUUID()] });
    const order = { js_script_name: 'notifier', run_type: 'cron', params: {}, env };
    const { id } = await call('js-worker_run', order);
    const run = await finished(id);
    other.server.close();
    assert.match(run.error_message, /\[js_invoke\] TypeError: Failed to fetch/);
    assert.equal(other.sent, []);
  });

  test('static-host: serves what was uploaded, and lets only those write who may', async () => {
    const site = [{ kv_namespace: 'site' }];
    await install('static-host', {
      token: await token({ scopes: site, permissions: [{ kv: { read: '*' } }] }),
      namespace: 'site',
    });
    const writer = await token({
      scopes: site,
      permissions: [{ kv: { write: '*' } }, { kv: { delete: '*' } }],
    });
    const put = (path: string, body: string | Buffer, bearer?: string) =>
      request(`static-host/${path}`, {
        method: 'PUT',
        body: body as string,
        headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
      });
    const image = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256));
    assert.is((await put('index.html', '<h1>ü</h1>')).status, 401);
    const reader = await token({ scopes: site, permissions: [{ kv: { read: '*' } }] });
    assert.is((await put('index.html', '<h1>ü</h1>', reader)).status, 403);
    assert.is((await put('index.html', '<h1>ü</h1>', 'nobody:here')).status, 403);
    assert.is((await request('static-host/')).status, 404);
    assert.is((await put('index.html', '<h1>ü</h1>', writer)).status, 201);
    assert.is((await put('img/a b.png', image, writer)).status, 201);

    for (const prefix of ['/svc', '']) {
      const page = await request('static-host/', {}, prefix);
      assert.equal(
        [page.status, page.headers.get('content-type'), await page.text()],
        [200, 'text/html;charset=utf-8', '<h1>ü</h1>'],
      );
      const picture = await request('static-host/img/a%20b.png', {}, prefix);
      assert.is(picture.headers.get('content-type'), 'image/png');
      assert.ok(Buffer.from(await picture.arrayBuffer()).equals(image));
      const headers = { 'if-none-match': picture.headers.get('etag')! };
      assert.is((await request('static-host/img/a%20b.png', { headers }, prefix)).status, 304);
    }
    const head = await request('static-host/img/a%20b.png', { method: 'HEAD' });
    assert.equal([head.status, head.headers.get('content-length')], [200, String(image.length)]);
    const preflight = await request('static-host/index.html', { method: 'OPTIONS' });
    assert.match(preflight.headers.get('access-control-allow-methods')!, 'PUT');
    const remove = { method: 'DELETE', headers: { authorization: `Bearer ${writer}` } };
    assert.is((await request('static-host/index.html', remove)).status, 204);
    assert.is((await request('static-host/')).status, 404);
    assert.is((await request('static-host/', { method: 'POST' })).status, 405);
  });

  test('retention: a job deletes what is older than the keys say, and keeps what they do not name', async () => {
    const deletes = (kind: string) => ({ [kind]: { delete: '*' } });
    await install('retention', {
      token: await token({
        scopes: ['global'],
        permissions: [
          { kv: { read: 'database_limit_*' } },
          ...['task', 'crontab_result', 'js_result'].map(deletes),
        ],
      }),
    });
    const order = { js_script_name: 'static-host', params: { old: true } };
    const old = await finished((await call('js-worker_run', order)).id);
    // Older than the job's own runs can become meanwhile: they are deleted by the same rule.
    const sql = `update js_result set start_time = 1 where id = ${old.id}`;
    await call('svc-server_exec_sql', { sql });
    const key = 'database_limit_js_result';
    await call('kv_set_value', { namespace: 'global', key, value: 600_000 });
    await job('retention', { task: 0 });
    await until(async () => {
      const rows = await call('js-result_query', { query: { condition: [{ id: old.id }] } });
      return rows.length === 0 ? true : undefined;
    });
    const run = await until(async () => {
      const last = await lastRun('retention');
      return last?.result ? last : undefined;
    });
    assert.equal(Object.keys(run.result), ['crontab_result', 'js_result']);
    assert.equal([run.run_type, run.error_message, run.param], ['cron', null, { task: 0 }]);
    assert.is(run.result.crontab_result, 0);
    const query = { condition: [{ cron_name: 'retention' }] };
    // A run may end before the job has noted that it was started.
    const records: any[] = await until(async () => {
      const found = await call('crontab-result_query', { query });
      return found.length > 0 ? found : undefined;
    });
    assert.ok(records.every(({ success }) => success === true));
    await call('crontab_delete', { name: 'retention' });
  });

  test('status-api: tells any caller the state of the fleet, and of one machine', async () => {
    const uuid = randomUUID();
    await call('kv_create', { namespace: uuid });
    await call('kv_set_value', { namespace: uuid, key: 'metadata_name', value: 'edge-7' });
    const sent = report('summary', uuid, Date.now()) as any;
    await call(reportMethod.summary, { data: sent });
    await install('status-api', {
      token: await token({
        scopes: ['global'],
        permissions: [...FLEET, { kv: { read: 'metadata_*' } }],
      }),
    });
    const one = await request(`status-api/${uuid}`);
    assert.equal([one.status, one.headers.get('access-control-allow-origin')], [200, '*']);
    assert.equal(await one.json(), {
      uuid,
      name: 'edge-7',
      online: true,
      cpu_percent: sent.cpu_usage / 10,
      memory_percent: Math.round((100 * sent.used_memory) / sent.total_memory),
      uptime_s: sent.uptime,
    });
    const all: any = await (await request('status-api/')).json();
    assert.ok(all.online >= 1);
    assert.ok(all.machines.some((machine: any) => machine.uuid === uuid));
    assert.is((await request(`status-api/${randomUUID()}`)).status, 404);
    assert.is((await request('status-api/', { method: 'POST' })).status, 405);
  });

  test.run();
}
