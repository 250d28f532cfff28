import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { keyOf, type Row, rowsOf, until } from './audit-kit.ts';

const MINUTE_MS = 60_000;
const PLUGINS = ['audit', 'token', 'kv', 'static-bucket', 'server-info', 'db'];

const TABLES = ['audit', 'audit_chain', 'audit_checkpoint'];

async function exported(app: TestApp): Promise<string[]> {
  const lines: string[] = [];
  for (let after: string | null = null; ; ) {
    const page = await app.call('audit_export', [app.superToken, after]);
    lines.push(...page.lines);
    after = page.next;
    if (after === null) return lines;
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`audit on ${dialect}`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app?.stop());

  test('a change is recorded with who, what, when, from where and its outcome', async () => {
    const before = Date.now();
    const credential = await app.token([{ scopes: ['global'], permissions: [] }], {
      username: 'ann',
      password: 'a password',
    });
    const denied = await app.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'token_create',
      params: [credential, { token_limit: [], username: 'bob', password: 'x' }],
    });
    assert.is(denied.error.code, 102);
    const [refused, created] = await rowsOf(app, { method: 'token_create' });
    assert.is(created?.token, keyOf(app.superToken));
    assert.is(created?.name, 'root');
    assert.is(created?.target, 'ann');
    assert.is(created?.outcome, 'ok');
    assert.is(created?.address, '127.0.0.1');
    assert.is(created?.transport, 'http');
    assert.ok((created?.at ?? 0) >= before && (created?.at ?? 0) <= Date.now());
    assert.is(refused?.token, keyOf(credential));
    assert.is(refused?.name, 'ann');
    assert.is(refused?.target, 'bob');
    assert.is(refused?.outcome, 102);
  });

  test('a changed configuration is recorded with its keys, of a refused one too, and never with a secret', async () => {
    const text: string = await app.call('svc-server_read_config', [app.superToken]);
    const edit = (more: string) =>
      app.call('svc-server_edit_config', [app.superToken, `${text}\n${more}\n`]);
    await edit('[kv]\nmax_items = 5\npasword = "hush"');
    const refused = await edit('[metrics]\notlp_headers = ["a: hush"]').catch(({ code }) => code);
    assert.is(refused, 107);
    const rows = await rowsOf(app, { method: 'svc-server_edit_config' });
    assert.equal(
      rows.map(({ target, outcome }) => [target, outcome]),
      [
        ['kv.max_items 5 → 100000, kv.pasword, metrics.otlp_headers', 107],
        ['kv.max_items 100000 → 5, kv.pasword', 'ok'],
      ],
    );
  });

  test('the text of SQL is recorded as a whole, up to a bound', async () => {
    const short = `select 1 as "${'n'.repeat(40)}"`;
    const long = `select 1 as a /* ${'é'.repeat(70_000)} */`;
    for (const sql of [short, long]) await app.call('svc-server_exec_sql', [app.superToken, sql]);
    const [cut, whole] = await rowsOf(app, { method: 'svc-server_exec_sql' });
    assert.is(whole?.target, short);
    assert.ok(cut?.target.startsWith(long.slice(0, 65_536)));
    assert.ok(cut?.target.endsWith(`${createHash('sha256').update(long).digest('hex')})`));
    assert.ok((cut?.target.length ?? 0) < 66_000);
  });

  test('texts that a database cannot hold do not break the chain', async () => {
    for (const name of ['a\0b', 'a\ud800b'])
      await app
        .call('static-bucket_create', [app.superToken, { name, path: name }])
        .catch(() => undefined);
    assert.is((await app.call('audit_verify', [app.superToken])).ok, true);
  });

  test('secrets are in no row', async () => {
    const secret = 'correct horse battery staple';
    await app.call('token_create', [
      app.superToken,
      { token_limit: [], username: 'carl', password: secret },
    ]);
    await app.call('token_change_password', [app.superToken, 'carl', `${secret}2`]);
    const text = JSON.stringify(await rowsOf(app));
    assert.not.match(text, secret);
    assert.not.match(text, app.superToken.split(':')[1] as string);
  });

  test('queries answer in pages, newest first', async () => {
    const all = await rowsOf(app);
    const paged: Row[] = [];
    for (let before: string | null = null; ; ) {
      const page = await app.call('audit_query', [app.superToken, {}, 3, before]);
      paged.push(...page.rows);
      before = page.next;
      if (before === null) break;
    }
    assert.equal(paged, all);
    assert.equal(
      all.map(({ seq }) => seq),
      all.map((_, at) => all.length - at),
    );
    const one = all[1] as Row;
    const found = await rowsOf(app, { from: one.at, to: one.at, method: one.method });
    assert.ok(found.some(({ seq }) => seq === one.seq));
    assert.equal(await rowsOf(app, { success: false, token: 'nobody' }), []);
  });

  test('reading needs its own permission', async () => {
    const right = [{ scopes: ['global'], permissions: [{ audit: 'read' }] }];
    const reader = await app.token(right);
    const other = await app.token([{ scopes: ['global'], permissions: [{ kv: { read: '*' } }] }]);
    for (const method of ['audit_query', 'audit_verify', 'audit_export']) {
      await app.call(method, [reader]);
      const refused = await app.rpc({ jsonrpc: '2.0', id: 1, method, params: [other] });
      assert.is(refused.error?.code, 102, method);
    }
  });

  test('the chain goes on after a restart, and the key stays', async () => {
    const before = await app.call('audit_verify', [app.superToken]);
    await app.restart();
    const after = await app.call('audit_verify', [app.superToken]);
    assert.is(after.ok, true);
    assert.is(after.chains.length, 1);
    assert.is(after.chains[0].chain, before.chains[0].chain);
    assert.ok(after.chains[0].rows > before.chains[0].rows);
    const path = join(app.dir, 'audit.key');
    assert.is((await stat(path)).mode & 0o777, 0o600);
    assert.match(await readFile(path, 'utf8'), 'BEGIN PRIVATE KEY');
  });

  test('the export can be verified without this program', async () => {
    const lines = await exported(app);
    const header = JSON.parse(lines[0] as string);
    const key = createPublicKey({
      key: Buffer.from(header.public_key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    let prev = '0'.repeat(64);
    let signed = 0;
    for (const line of lines.slice(1)) {
      const entry = JSON.parse(line);
      if (entry.signed !== undefined) {
        const bytes = Buffer.from(entry.signature, 'base64');
        assert.ok(verify(null, Buffer.from(entry.signed), key, bytes));
        assert.is(JSON.parse(entry.signed).hash, prev);
        signed++;
      } else {
        assert.is(entry.prev, prev);
        prev = createHash('sha256').update(line).digest('hex');
      }
    }
    assert.ok(lines.length > 10 && signed > 0);
  });

  test('a login is a token that comes from an address for the first time in a day; further connections, sessions and starts are none', async () => {
    const proxied = { trusted_proxies: ['127.0.0.1'] };
    const server = await bootForTest(PLUGINS, proxied, { dialect });
    const [other, user] = [await server.token([]), await server.token([])];
    const logins = async (token: string) =>
      (await rowsOf(server, { method: 'login', token: keyOf(token) })).map(
        ({ transport, address, outcome, count }) => [transport, address, outcome, count],
      );
    const first = ['ws', '127.0.0.1', 'ok', 1];
    const use = async (...tokens: string[]) => {
      const socket = await server.connect();
      for (const token of tokens) await socket.call('token_get', [token]);
    };
    await use(user, other, user, user, other);
    assert.equal([await logins(user), await logins(other)], [[first], [first]]);
    const { key, secret } = await server.call('session_create', [user]);
    const session = `${key}:${secret}`;
    for (let load = 0; load < 3; load++) await use(session);
    await server.restart();
    await use(session, user);
    assert.equal(await logins(user), [first]);
    assert.is((await rowsOf(server, { method: 'session_create', target: key })).length, 1);

    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'token_get', params: [session] });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' };
    for (let times = 0; times < 2; times++)
      await server.fetch('/', { method: 'POST', body, headers });
    assert.equal(await logins(user), [['http', '192.0.2.7', 'ok', 1], first]);

    await server.sql(`update audit set at = at - ${24 * 60 * MINUTE_MS} where method = 'login'`);
    await server.restart();
    await use(user, user);
    assert.equal((await logins(user))[0], first, 'a day later');
    assert.is((await logins(user)).length, 3);
    await server.stop();
  });

  test('refused logins are one row a minute for each address and name', async () => {
    const guessed = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    const key = keyOf(guessed.superToken);
    const guess = (name: string, times: number) =>
      guessed.rpc(
        Array.from({ length: times }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'token_create',
          params: [`${name}:guess${id}`, { token_limit: [] }],
        })),
      );
    await guess(key, 40);
    await guess('mistyped-secret', 25);
    await guess('another', 5);
    await guessed.clock.advance(MINUTE_MS);
    await guess(key, 10);
    await guessed.clock.advance(MINUTE_MS);
    const rows = await rowsOf(guessed, { success: false });
    assert.equal(
      rows.map(({ method, target, address, outcome, count }) => ({
        ...{ method, target, address, outcome, count },
      })),
      [
        [key, 10],
        ['', 30],
        [key, 40],
      ].map(([target, count]) => ({
        ...{ method: 'login', target, address: '127.0.0.1', outcome: 102, count },
      })),
    );
    await guessed.stop();
  });

  test('a token that is refused again and again does not fill the record', async () => {
    const weak = await app.token([]);
    const one = { jsonrpc: '2.0', method: 'token_create', params: [weak, { token_limit: [] }] };
    const answers: any = await app.rpc(Array.from({ length: 500 }, (_, id) => ({ ...one, id })));
    assert.ok(answers.every(({ error }: any) => error?.code === 102));
    const rows = await rowsOf(app, { token: keyOf(weak), success: false });
    assert.ok(rows.length <= 11, String(rows.length));
  });

  test('files written over WebDAV are recorded', async () => {
    const dav = await bootForTest(
      ['audit', 'token', 'static-bucket', 'static-webdav'],
      {},
      { dialect },
    );
    await dav.call('static-bucket_create', [dav.superToken, 'site', 'site', false, false]);
    const authorization = `Basic ${Buffer.from(dav.superToken).toString('base64')}`;
    const at = (path: string) => `/svc/static-webdav/site/${path}`;
    const put = { method: 'PUT', body: 'hello', headers: { authorization } };
    assert.is((await dav.fetch(at('a b.txt'), put)).status, 201);
    assert.is((await dav.fetch(at('no/such/folder'), put)).status, 409);
    await dav.fetch(at('a b.txt'), { headers: { authorization } });
    const rows = (await rowsOf(dav)).filter(({ method }) => method.startsWith('webdav'));
    assert.equal(
      rows.map(({ method, target, outcome, token }) => [method, target, outcome, token]),
      [
        ['webdav PUT', 'site/no/such/folder', 409, keyOf(dav.superToken)],
        ['webdav PUT', 'site/a b.txt', 'ok', keyOf(dav.superToken)],
      ],
    );
    await dav.stop();
  });

  test('servers of one database have chains of their own, also with the same UUID', async () => {
    const server_uuid = '8f14e45f-ceea-467f-a0e6-4f3b0c5d7a11';
    // Another machine has another folder, so another key: set up first, so it moves the files last.
    let move = async () => {};
    const elsewhere = definePlugin({
      name: 'elsewhere',
      version: '1.0.0',
      setup: (kernel) => kernel.defer('another folder', () => move()),
    });
    const one = await bootForTest([elsewhere, 'audit', 'token'], { server_uuid }, { dialect });
    await one.token([]);
    await rowsOf(one);
    move = async () => {
      for (const name of ['audit.key', 'audit.end'])
        await rename(join(one.dir, name), join(one.dir, `other.${name}`));
      move = async () => {};
    };
    await one.restart();
    await one.token([]);
    const { ok, chains } = await one.call('audit_verify', [one.superToken]);
    assert.is(ok, true);
    assert.equal(
      chains.map((chain: any) => [chain.server_uuid, chain.own]),
      [
        [server_uuid, false],
        [server_uuid, true],
      ],
    );
    await one.stop();
  });

  /** Texts of SQL that change the record behind the server's back, and a word of what is found. */
  const forgeries: [name: string, sql: (seq: number) => string[], found: RegExp][] = [
    [
      'a changed row',
      (seq) => [`update audit set target = 'someone else' where seq = ${seq}`],
      /was changed/,
    ],
    [
      'a changed row whose hash was made anew',
      (seq) => [`update audit set token = '', hash = '${'ab'.repeat(32)}' where seq = ${seq}`],
      /was changed/,
    ],
    ['a removed row', (seq) => [`delete from audit where seq = ${seq}`], /row \d+ is missing/],
    [
      'rows in another order',
      (seq) => [
        `update audit set seq = -1 where seq = ${seq}`,
        `update audit set seq = ${seq} where seq = ${seq + 1}`,
        `update audit set seq = ${seq + 1} where seq = -1`,
      ],
      /was changed/,
    ],
    [
      'an added row',
      (seq) => [
        `insert into audit select chain_id, (select max(seq) + 1 from audit), at, token, name, method, target, address, transport, outcome, count, hash from audit where seq = ${seq}`,
      ],
      /behind the signed end|does not follow/,
    ],
    [
      'removed first rows',
      (seq) => [`delete from audit where seq <= ${seq}`],
      /rows 1 to \d+ are missing/,
    ],
    [
      'a cut tail',
      (seq) => [`delete from audit where seq >= ${seq}`],
      /at the end|put back|missing/,
    ],
    [
      'a cut tail with a forged end',
      (seq) => [
        `delete from audit where seq >= ${seq}`,
        `update audit_chain set seq = ${seq - 1}, hash = (select hash from audit where seq = ${seq - 1})`,
      ],
      /is not signed/,
    ],
    ['a removed chain', () => ['delete from audit', 'delete from audit_chain'], /is gone/],
    [
      'another key',
      () => [`update audit_chain set public_key = 'MCowBQYDK2VwAyEA${'A'.repeat(43)}='`],
      /named after/,
    ],
  ];

  for (const [name, sql, found] of forgeries) {
    test(`verification finds ${name}`, async () => {
      const [newest] = await rowsOf(app);
      assert.is((await app.call('audit_verify', [app.superToken])).ok, true);
      for (const table of TABLES)
        await app.sql(`create table kept_${table} as select * from ${table}`);
      for (const text of sql((newest?.seq ?? 0) - 3)) await app.sql(text);
      const { ok, chains } = await app.call('audit_verify', [app.superToken]);
      for (const table of TABLES) {
        await app.sql(`delete from ${table}`);
        await app.sql(`insert into ${table} select * from kept_${table}`);
        await app.sql(`drop table kept_${table}`);
      }
      assert.is(ok, false);
      const problems = chains.flatMap((chain: any) => chain.problems);
      assert.match(JSON.stringify(problems), found);
    });
  }

  test('segments go as a whole by age, and verification knows it', async () => {
    const old = await bootForTest(
      ['audit', 'token'],
      { audit: { keep_days: 0.005 } },
      { dialect, clock: true },
    );
    for (let times = 0; times < 6; times++) {
      await old.call('token_create', [old.superToken, { token_limit: [] }]);
      await rowsOf(old);
      await old.clock.advance(2 * MINUTE_MS);
    }
    await until(async () => (await rowsOf(old)).at(-1)?.seq !== 1);
    const rows = await rowsOf(old);
    assert.ok((rows.at(-1)?.seq ?? 0) > 1, 'the first rows are gone');
    assert.ok(rows.some(({ method, target }) => method === 'retention' && /older/.test(target)));
    const { ok, chains } = await old.call('audit_verify', [old.superToken]);
    assert.equal([ok, chains[0].problems], [true, []]);
    const lines = await exported(old);
    assert.is(
      JSON.parse(lines[2] as string).prev,
      JSON.parse(JSON.parse(lines[1] as string).signed).hash,
    );
    await old.stop();
  });

  test('the rows take no more than max_mb', async () => {
    const small = await bootForTest(
      ['audit', 'token', 'server-info'],
      { audit: { max_mb: 1 } },
      { dialect, clock: true },
    );
    const filler = 'x'.repeat(60_000);
    for (let n = 0; n < 30; n++)
      await small.call('svc-server_exec_sql', [small.superToken, `select ${n} /* ${filler} */`]);
    await rowsOf(small, {}, 1);
    await small.clock.advance(5 * MINUTE_MS);
    const sum = async () => {
      const [row] = await small.sql(
        'select sum(length(target)) as bytes, min(seq) as first from audit',
      );
      return { bytes: Number(row.bytes), first: Number(row.first) };
    };
    await until(async () => (await sum()).bytes <= 1_000_000);
    assert.ok((await sum()).first > 1);
    assert.ok((await sum()).bytes > 500_000, 'not more than it must');
    assert.is((await small.call('audit_verify', [small.superToken])).ok, true);
    await small.stop();
  });

  test.run();
}
