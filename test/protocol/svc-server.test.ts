// svc-server.md §2 to §4, §8, §11: hello, version, uuid, database_storage, self_update; conventions.md §6, the HTML page.
import { definePlugin, LATE } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const SUPER_REQUIRED = 'Permission denied: Permission Denied: Super token required';
const FORMAT = "Invalid token format: must be 'key:secret' or 'username|password'";
const UUID = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';

const versionMembers = [
  'binary_type',
  'build_time',
  'cargo_target_triple',
  'cargo_version',
  'git_branch',
  'git_commit_date',
  'git_commit_message',
  'git_commit_sha',
  'rustc_channel',
  'rustc_commit_date',
  'rustc_commit_hash',
  'rustc_llvm_version',
  'rustc_version',
];

// Methods without parameters ignore `params`, whatever it is (conventions.md §2.3).
const ignoredParams = [undefined, null, [], {}, [1, 2], { a: 1 }, 5, 'x', false];

// biome-ignore format: one case per line
const superOnly: [method: string, rest: unknown[], malformed: string][] = [
  ['svc-server_read_config', [], `Parse error: Failed to parse token: ${FORMAT}`],
  ['svc-server_edit_config', ['x'], `Parse error: Failed to parse token: ${FORMAT}`],
  ['svc-server_database_storage', [], `Parse error: Failed to parse token: ${FORMAT}`],
  ['svc-server_log', [], `Parse error: Failed to parse token: ${FORMAT}`],
  ['svc-server_self_update', ['v9.9.9'], `Parse error: ${FORMAT}`],
];

// biome-ignore format: one case per line
const tags: [tag: string, refused: boolean][] = [
  ['v9.9.9', true], ['v0.0.0', true], ['v0.5.15', true], ['v00.0001.2', true], ['v18446744073709551615.0.0', true], ['v0.0.00018446744073709551615', true],
  ['v18446744073709551616.0.0', false], ['v0.99999999999999999999.0', false], ['v0.0.18446744073709551616', false], ['v100000000000000000000.0.0', false],
  ['', false], ['9.9.9', false], ['v9.9', false], ['v9.9.9.9', false], ['v9.9.9-rc1', false], ['v9.9.9 ', false], [' v9.9.9', false],
  ['V9.9.9', false], ['v9.9.x', false], ['v9.-9.9', false], ['v9..9', false], ['latest', false], ['v9.9.9\n', false],
];

const guest = definePlugin({
  name: 'a-guest',
  version: '7.1.0',
  namespaces: ['guest'],
  setup() {},
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`svc-server (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    const config = { server_uuid: UUID.toUpperCase(), brand: { title: `<b>"Acme" & 'Co'` } };
    app = await bootForTest(['token', 'server-info', guest], config, { dialect });
  });
  test.after(() => app.stop());

  const failure = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).then(
      () => assert.unreachable('not refused'),
      (error) => error,
    );

  test('plugins tells any valid credential what runs, by name, and whether it is built in', async () => {
    const { plugins } = await app.call('svc-server_plugins', [await app.token([])]);
    const names = plugins.map(({ name }: { name: string }) => name);
    assert.equal(names, [...names].sort());
    const facts = { version: '7.1.0', enabled: true, built_in: false, namespaces: ['guest'] };
    assert.equal(plugins[0], { name: 'a-guest', ...facts });
    const own = plugins.find(({ name }: { name: string }) => name === 'server-info');
    assert.equal([own.built_in, own.namespaces], [true, ['svc-server']]);
    assert.is(own.version, (await app.call('svc-server_version')).cargo_version);
    assert.not.ok(names.includes('kv'), 'what is not enabled is not listed');
    assert.is((await failure('svc-server_plugins', ['x:y'])).code, 102);
  });

  test('hello, version and uuid need no credential and ignore their parameters, over POST and WebSocket', async () => {
    const socket = await app.connect('/svc/rpc');
    const expected = {
      'svc-server_hello': `<b>"Acme" & 'Co' Server Is Running!`,
      'svc-server_uuid': UUID,
      'svc-server_version': await app.call('svc-server_version'),
    };
    for (const [method, result] of Object.entries(expected)) {
      for (const params of ignoredParams) {
        const request = { jsonrpc: '2.0', id: 'q', method, params };
        assert.equal(await app.rpc(request), { jsonrpc: '2.0', id: 'q', result });
        assert.equal(await socket.exchange(JSON.stringify(request)), {
          jsonrpc: '2.0',
          id: 'q',
          result,
        });
      }
    }
  });

  test('version has exactly its members, all of them text', async () => {
    const version = await app.call('svc-server_version');
    assert.equal(Object.keys(version).sort(), versionMembers);
    for (const value of Object.values(version))
      assert.ok(typeof value === 'string' && value !== '');
    assert.is(version.binary_type, 'Server');
    assert.match(version.cargo_target_triple, /^[a-z0-9_]+-[a-z]+-[a-z0-9-]+$/);
    assert.match(version.git_commit_sha, /^([0-9a-f]{40}|UNKNOWN)$/);
    assert.match(
      version.git_commit_date,
      /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d|UNKNOWN)$/,
    );
    assert.match(version.build_time, /^(\d+|UNKNOWN)$/);
  });

  test('version is three plain numbers, 0.6.0 or higher', async () => {
    const { cargo_version } = await app.call('svc-server_version');
    assert.match(cargo_version, /^\d+\.\d+\.\d+$/);
    const [major, minor] = cargo_version.split('.').map(Number);
    assert.ok(major > 0 || minor >= 6, cargo_version);
  });

  for (const [method, rest, malformed] of superOnly) {
    test(`${method} is for the Super Token`, async () => {
      const ordinary = await app.token([
        { scopes: ['global'], permissions: [{ svc: 'exec_sql' }] },
      ]);
      const expired = await app.token([], { timestamp_to: 0 });
      for (const token of [
        ordinary,
        expired,
        `${app.superToken}x`,
        'nobody:x',
        'root|wrong',
        ':',
        '|',
      ]) {
        const { code, message } = await failure(method, [token, ...rest]);
        assert.equal([code, message], [102, SUPER_REQUIRED], token);
      }
      for (const token of ['neither', '']) {
        const { code, message } = await failure(method, [token, ...rest]);
        assert.equal([code, message], [101, malformed]);
      }
      for (const params of [[], undefined, [null, ...rest], [5, ...rest], {}, { token: [] }]) {
        const { code, message, data } = await failure(method, params);
        assert.equal([code, message, typeof data], [-32602, 'Invalid params', 'string']);
      }
    });
  }

  test('database_storage lists every table of the schema in order, and their sum', async () => {
    const { tables, total, ...rest } = await app.call('svc-server_database_storage', [
      app.superToken,
    ]);
    assert.equal(rest, {});
    const names = Object.keys(tables);
    const sizes = Object.values<number>(tables);
    assert.equal(names, [...names].sort());
    assert.ok(names.includes('token'));
    assert.not.ok(names.includes('schema_migrations'));
    if (dialect === 'sqlite') assert.ok(names.includes('sqlite_sequence'));
    for (const size of sizes) assert.ok(Number.isInteger(size) && size >= 0);
    assert.is(
      total,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  });

  test('database_storage grows with a table, and counts an empty one as it is', async () => {
    const size = async () =>
      (await app.call('svc-server_database_storage', { token: app.superToken })).tables.growing;
    await app.sql('create table growing (t text)');
    assert.is(await size(), dialect === 'sqlite' ? 4096 : 8192);
    const long = `'${'x'.repeat(500)}'`;
    await app.sql(`insert into growing values ${Array(200).fill(`(${long})`).join(',')}`);
    assert.ok((await size()) >= 100_000);
    if (dialect === 'sqlite') {
      const before = await size();
      await app.sql('create index growing_t on growing (t)');
      assert.is(await size(), before);
    }
    await app.sql('drop table growing');
    assert.is(await size(), undefined);
  });

  test('database_storage takes little of the processor, and is close to the truth, however large the tables are', async () => {
    const sized = await bootForTest(['token', 'server-info'], {}, { dialect });
    try {
      const numbers = (to: number) =>
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to}) select i`;
      const text = (length: number) =>
        dialect === 'sqlite' ? `hex(zeroblob(${length / 2}))` : `repeat('0', ${length})`;
      await sized.sql('create table even (i int, t text)');
      await sized.sql('create index even_i on even (i)');
      await sized.sql('create table uneven (i int, t text)');
      await sized.sql('create table small (i int)');
      await sized.sql(`insert into even ${numbers(30_000)}, ${text(600)} from n`);
      await sized.sql(
        `insert into uneven ${numbers(5_000)}, case when i % 9 = 0 then ${text(9_000)} else 'x' end from n`,
      );
      await sized.sql('delete from even where i <= 9000');
      const ask = async () => {
        const since = process.cpuUsage();
        const answer = await sized.call('svc-server_database_storage', [sized.superToken]);
        const { user, system } = process.cpuUsage(since);
        return { ms: (user + system) / 1_000, answer };
      };
      // Other work of this process counts too: the cheapest of some calls shows what one costs.
      const asked = [];
      for (let count = 0; count < 20; count++) asked.push(await ask());
      const cheapest = Math.min(...asked.map(({ ms }) => ms));
      assert.ok(cheapest <= 40, `the cheapest call took ${cheapest} ms`);
      if (dialect === 'postgres') return;
      const truth = await sized.sql("select name, pgsize as bytes from dbstat('main', 1)");
      for (const { name, bytes } of truth as { name: string; bytes: number }[]) {
        const found = asked[0]?.answer.tables[name];
        const most = ['even', 'uneven'].includes(name) ? 0.1 : 0;
        if (found === undefined) continue;
        assert.ok(Math.abs(found / bytes - 1) <= most, `${name}: ${found} bytes of ${bytes}`);
      }
    } finally {
      await sized.stop();
    }
  });

  for (const [tag, refused] of tags) {
    test(`self_update ${refused ? 'has no source for' : 'ignores'} ${JSON.stringify(tag)}`, async () => {
      if (!refused) {
        assert.is(await app.call('svc-server_self_update', [app.superToken, tag]), null);
        return;
      }
      const { code, message } = await failure('svc-server_self_update', {
        token: app.superToken,
        tag,
      });
      assert.equal(
        [code, message],
        [999, `Other error: Failed to get download URL for tag: ${tag}`],
      );
    });
  }

  test('self_update to the running version does nothing', async () => {
    const { cargo_version } = await app.call('svc-server_version');
    assert.is(
      await app.call('svc-server_self_update', [app.superToken, `v${cargo_version}`]),
      null,
    );
  });

  test('self_update needs a tag that is text', async () => {
    for (const params of [[app.superToken], [app.superToken, null], [app.superToken, 5]]) {
      assert.is((await failure('svc-server_self_update', params)).code, -32602);
    }
  });

  for (const path of ['/', '/svc/rpc', '/?v=1']) {
    test(`GET ${path} is the page, with UUID, version and title, escaped`, async () => {
      const answer = await app.fetch(path);
      assert.is(answer.status, 200);
      assert.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      const page = await answer.text();
      const { cargo_version } = await app.call('svc-server_version');
      const title = '&lt;b&gt;&quot;Acme&quot; &amp; &#39;Co&#39;';
      assert.match(page, `<title>${title} Server Backend</title>`);
      assert.match(page, `<h1>Welcome to ${title}</h1>`);
      assert.match(page, `UUID: <span>${UUID}</span>`);
      assert.match(page, `Version: <span>${cargo_version}</span>`);
      assert.not.match(page, '<b>');
    });
  }

  for (const path of ['/', '/svc/rpc']) {
    test(`HEAD and other methods on ${path} get the JSON-RPC handler's answers`, async () => {
      for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH']) {
        assert.is((await app.fetch(path, { method })).status, 405, method);
      }
      const body = '{"jsonrpc":"2.0","id":1,"method":"svc-server_uuid"}';
      const headers = { 'content-type': 'application/json' };
      const answer = await app.fetch(path, { method: 'POST', headers, body });
      assert.equal(await answer.json(), { jsonrpc: '2.0', id: 1, result: UUID });
    });
  }

  test('GET on any other path is no page', async () => {
    for (const path of ['/svc', '/svc/rpc/', '/index.html', '//']) {
      assert.is((await app.fetch(path)).status, 405, path);
    }
  });

  test('what answers at the stage of a root bucket goes before the page', async () => {
    const bucket = definePlugin({
      name: 'bucket',
      version: '1.0.0',
      setup({ hooks }) {
        const answer = (exchange: {
          path: string;
          text: (status: number, text: string) => void;
        }) => {
          if (exchange.path !== '/') return undefined;
          exchange.text(200, 'index of the bucket');
          return true as const;
        };
        hooks.request.tap(answer, { stage: LATE });
      },
    });
    const rooted = await bootForTest(['token', 'server-info', bucket], {}, { dialect });
    try {
      assert.is(await (await rooted.fetch('/')).text(), 'index of the bucket');
      assert.match(await (await rooted.fetch('/svc/rpc')).text(), 'Welcome to svc');
    } finally {
      await rooted.stop();
    }
  });

  test('a brand changes namespace, route, permission tag and texts', async () => {
    const brand = { word: 'acme', permission: 'acme_x', title: 'Acme' };
    const branded = await bootForTest(['token', 'server-info'], { brand }, { dialect });
    const refused = (method: string, token: string) =>
      branded.call(method, [token, 'select 1']).catch((error) => `${error.code} ${error.message}`);
    try {
      assert.is(await branded.call('acme-server_hello'), 'Acme Server Is Running!');
      const gone = await branded.call('svc-server_hello').catch((error) => error);
      assert.is(gone.code, -32601);
      const page = await (await branded.fetch('/acme/rpc')).text();
      assert.match(page, '<h1>Welcome to Acme</h1>');
      assert.is((await branded.fetch('/svc/rpc')).status, 405);
      const may = await branded.token([
        { scopes: ['global'], permissions: [{ acme_x: 'exec_sql' }] },
      ]);
      assert.is((await branded.call('acme-server_exec_sql', [may, 'select 1'])).row_count, 1);
      const none = await branded.token([]);
      const text = '102 Permission denied: Permission Denied: ';
      assert.is(
        await refused('acme-server_exec_sql', none),
        `${text}missing acme_x.exec_sql permission`,
      );
      const listing = await refused('acme-server_list_all_agent_uuid', none);
      assert.is(listing, `${text}Insufficient acme_x ListAllAgentUuid permissions`);
    } finally {
      await branded.stop();
    }
  });

  test.run();
}
