// static-http.md §B8 and RFC 4918 §6, §7, §9.10, §9.11, §10.4: locks that are kept, honoured, renewed and forgotten.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { blocking, conflicts, type Lock } from '../../plugins/static-webdav/src/locks.ts';
import { suite } from '../runner/suite.ts';
import { eventually } from './token-kit.ts';
import {
  basicOf,
  type DavServer,
  davServer,
  type Headers,
  lockBody,
  multistatus,
  PLUGINS,
  propfindBody,
  ROOT,
  send,
} from './webdav-kit.ts';

const at = (path: string) => `${ROOT}/b/${path}`;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`static-webdav locks (${dialect})`);
  let server: DavServer;

  test.before(async () => {
    server = await davServer({ dialect, clock: true });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await server.renew();
    await server.put('a.txt', 'content');
    await server.put('d/inner.txt', 'inner');
    await server.put('d/e/deep.txt', 'deep');
  });

  /** Takes a lock, which must succeed. @returns its token */
  const lock = async (path: string, headers: Headers = {}, scope = 'exclusive') => {
    const answer = await server.dav('LOCK', path, headers, lockBody(scope));
    assert.ok([200, 201].includes(answer.status), `${path}: ${answer.status}`);
    return /^<(.+)>$/.exec(answer.headers['lock-token'] ?? '')?.[1] ?? '';
  };
  const status = async (method: string, path: string, headers: Headers = {}, body?: string) =>
    (await server.dav(method, path, headers, body)).status;
  const stored = async () => (await server.rows('static_webdav_lock')).length;

  test('a lock is described in the answer, and in lockdiscovery of what it covers', async () => {
    const owner = '<D:href xmlns:x="urn:x">http://me/&amp;co</D:href>';
    const timeout = 'Second-60, Infinite';
    const answer = await server.dav('LOCK', 'd', { timeout }, lockBody('exclusive', owner));
    assert.is(answer.status, 200);
    assert.is(answer.headers['content-type'], 'application/xml; charset=utf-8');
    const token = /^<(opaquelocktoken:[0-9a-f-]{36})>$/.exec(
      answer.headers['lock-token'] ?? '',
    )?.[1];
    assert.ok(token);
    const body = propfindBody('<D:lockdiscovery/>', '<D:supportedlock/>');
    for (const [path, depth] of [
      ['d/', '0'],
      ['d/e/deep.txt', '0'],
    ] as const) {
      const found = await server.dav('PROPFIND', path, { depth }, body);
      for (const text of [answer.text, found.text]) {
        for (const piece of [
          '<D:exclusive/>',
          '<D:write/>',
          '<D:depth>infinity</D:depth>',
          '<D:timeout>Second-60</D:timeout>',
          `<D:locktoken><D:href>${token}</D:href></D:locktoken>`,
          `<D:lockroot><D:href>${at('d')}</D:href></D:lockroot>`,
          'http://me/&amp;co',
        ])
          assert.ok(text.includes(piece), `${piece} in ${text}`);
      }
    }
    const beside = await server.dav('PROPFIND', 'a.txt', { depth: '0' }, body);
    assert.not.match(beside.text, /activelock/);
    const members = multistatus((await server.dav('PROPFIND', '', { depth: '1' }, body)).text);
    const locked = members.filter(
      ({ properties }) => properties['{DAV:}lockdiscovery']!.children.length > 0,
    );
    assert.equal(
      locked.map(({ href }) => href),
      [at('d/')],
    );
  });

  test('a LOCK request that says too little or too much is refused', async () => {
    const cases: [path: string, headers: Headers, body: string | undefined, status: number][] = [
      ['a.txt', { depth: '1' }, lockBody(), 400],
      ['a.txt', {}, '<D:lockinfo xmlns:D="DAV:"/>', 400],
      ['a.txt', {}, lockBody('other'), 400],
      ['a.txt', {}, lockBody().replace('<D:write/>', '<D:read/>'), 400],
      ['a.txt', {}, lockBody().replaceAll('lockinfo', 'lockout'), 400],
      ['a.txt', {}, lockBody('exclusive', 'x'.repeat(5_000)), 400],
      ['a.txt', {}, '<broken', 400],
      ['a.txt', {}, undefined, 400],
      ['a.txt', { if: '(<urn:a> <urn:b>)' }, undefined, 400],
      ['a.txt', { if: '(<opaquelocktoken:none>)' }, undefined, 412],
      ['none/x.txt', {}, lockBody(), 409],
      ['a.txt', { 'if-match': '"other"' }, lockBody(), 412],
    ];
    for (const [path, headers, body, expected] of cases)
      assert.is(await status('LOCK', path, headers, body), expected, `${path} ${body}`);
    assert.is(await stored(), 0);
  });

  test('a missing file is made, empty, by its lock; Depth is infinity when it is not said', async () => {
    const answer = await server.dav('LOCK', 'd/new%20one.txt', {}, lockBody());
    assert.is(answer.status, 201);
    assert.match(answer.text, /<D:depth>infinity</);
    assert.is(await readFile(server.disk('d/new one.txt'), 'utf8'), '');
    assert.is(await status('PUT', 'd/new%20one.txt', {}, 'x'), 423);
  });

  test('timeouts: 120 seconds at most, and when nothing is understood', async () => {
    const cases: [given: string | undefined, seconds: number][] = [
      [undefined, 120],
      ['Infinite', 120],
      ['Second-4100000000', 120],
      ['Second-30', 30],
      ['Second-30, Second-90', 30],
      ['nonsense', 120],
      ['Second-', 120],
      ['Second-0', 1],
    ];
    for (const [given, seconds] of cases) {
      const headers: Headers = given === undefined ? {} : { timeout: given };
      const answer = await server.dav('LOCK', 'a.txt', headers, lockBody('shared'));
      assert.match(answer.text, new RegExp(`<D:timeout>Second-${seconds}<`), given ?? 'none');
    }
  });

  test('what a lock covers changes only with its token', async () => {
    const file = await lock('a.txt', { depth: '0' });
    const tree = await lock('d');
    const destination = (path: string) => ({ destination: at(path) });
    const set =
      '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="u">1</x></D:prop></D:set></D:propertyupdate>';
    const changes: [
      method: string,
      path: string,
      headers: Headers,
      body: string | undefined,
      token: string,
    ][] = [
      ['PUT', 'a.txt', {}, 'new', file],
      ['PROPPATCH', 'a.txt', {}, set, file],
      ['MOVE', 'a.txt', destination('z.txt'), undefined, file],
      ['DELETE', 'a.txt', {}, undefined, file],
      ['PUT', 'd/inner.txt', {}, 'new', tree],
      ['PUT', 'd/e/new.txt', {}, 'new', tree],
      ['MKCOL', 'd/f', {}, undefined, tree],
      ['LOCK', 'd/g.txt', {}, lockBody(), tree],
      ['COPY', 'a.txt', destination('d/copy.txt'), undefined, tree],
      ['COPY', 'a.txt', destination('d/inner.txt'), undefined, tree],
      ['DELETE', 'd/e/deep.txt', {}, undefined, tree],
      ['MOVE', 'd/inner.txt', destination('z.txt'), undefined, tree],
      ['PROPPATCH', 'd/', {}, set, tree],
      ['DELETE', 'd', {}, undefined, tree],
    ];
    for (const [method, path, headers, body] of changes) {
      const answer = await server.dav(method, path, headers, body);
      assert.is(answer.status, 423, `${method} ${path}`);
      assert.match(answer.text, /<D:(lock-token-submitted|no-conflicting-lock)><D:href>/);
    }
    assert.equal((await readdir(server.disk(), { recursive: true })).length, 5);
    assert.is(await status('GET', 'a.txt'), 200);
    assert.is(await status('COPY', 'a.txt', { ...destination('free.txt') }), 201);
    const tagged = (path: string, token: string) => ({ if: `<${at(path)}> (<${token}>)` });
    const allowed: [string, string, Headers, string | undefined, number][] = [
      ['PUT', 'a.txt', { if: `(<${file}>)` }, 'new', 204],
      ['PUT', 'd/inner.txt', { if: `(<${tree}>)` }, 'new', 204],
      ['PUT', 'd/e/new.txt', tagged('d/', tree), 'new', 201],
      ['MKCOL', 'd/f', tagged('d', tree), undefined, 201],
      ['COPY', 'a.txt', { ...destination('d/copy.txt'), ...tagged('d/', tree) }, undefined, 201],
      [
        'MOVE',
        'a.txt',
        { ...destination('d/moved.txt'), if: `(<${file}>) <http://any${at('d/')}> (<${tree}>)` },
        undefined,
        201,
      ],
      ['DELETE', 'd', { if: `(<${tree}>)` }, undefined, 204],
    ];
    for (const [method, path, headers, body, expected] of allowed)
      assert.is(await status(method, path, headers, body), expected, `${method} ${path}`);
    assert.is(await stored(), 0, 'locks end with what they were on');
  });

  test('Depth 0 on a collection protects its members from coming and going, not what is in them', async () => {
    await lock('d', { depth: '0' });
    const cases: [method: string, path: string, status: number][] = [
      ['PUT', 'd/inner.txt', 204],
      ['PUT', 'd/new.txt', 423],
      ['DELETE', 'd/inner.txt', 423],
      ['MKCOL', 'd/f', 423],
      ['PUT', 'd/e/new.txt', 201],
      ['DELETE', 'd', 423],
    ];
    for (const [method, path, expected] of cases)
      assert.is(await status(method, path), expected, `${method} ${path}`);
  });

  test('locks exclude each other as they should, above and below', async () => {
    const inner = await lock('d/e/deep.txt', {}, 'shared');
    assert.is(await status('LOCK', 'd/e/deep.txt', {}, lockBody('exclusive')), 423);
    const second = await lock('d/e/deep.txt', {}, 'shared');
    assert.is.not(second, inner);
    const outer = await server.dav('LOCK', 'd', {}, lockBody('exclusive'));
    assert.is(outer.status, 207);
    assert.equal(
      multistatus(outer.text).map(({ href, status: each }) => [href, each]),
      [
        [at('d/e/deep.txt'), 423],
        [at('d'), 424],
      ],
    );
    await lock('d', { depth: '0' });
    assert.is(await status('PUT', 'd/e/deep.txt', {}, 'x'), 423);
    assert.is(await status('PUT', 'd/e/deep.txt', { if: `(<${second}>)` }, 'x'), 204);
    assert.is(await status('UNLOCK', 'd/e/deep.txt', { 'lock-token': `<${inner}>` }), 204);
    assert.is(await status('UNLOCK', 'd/e/deep.txt', { 'lock-token': `<${second}>` }), 204);
    await lock('d/e');
    assert.is(await status('LOCK', 'd/e/deep.txt', {}, lockBody('shared')), 423);
  });

  test('so many shared locks cover a resource and no more, wherever they lie', async () => {
    for (let n = 0; n < 50; n++) await lock('d/e/deep.txt', {}, 'shared');
    for (let n = 0; n < 50; n++) await lock('d', {}, 'shared');
    const shared = (path: string) => status('LOCK', path, {}, lockBody('shared'));
    assert.equal(
      [await shared('d/e/deep.txt'), await shared('d/e'), await shared('')],
      [507, 507, 507],
    );
    assert.is(await shared('a.txt'), 200);
  });

  test('If: lists, tags, Not, tokens and entity tags', async () => {
    const token = await lock('a.txt');
    const { etag = '' } = (await server.dav('HEAD', 'a.txt')).headers;
    const cases: [field: string, status: number][] = [
      [`(<${token}>)`, 204],
      [`(<${token}> ["none"])`, 412],
      [`(<${token}> [W/"none"]) (<${token}>)`, 204],
      ['(<DAV:no-lock>)', 412],
      ['(Not <DAV:no-lock>)', 423],
      [`(<${token}x>) (Not <DAV:no-lock>)`, 423],
      [`(<${token}>) (Not <DAV:no-lock>)`, 204],
      [`<${at('a.txt')}> (<${token}>)`, 204],
      [`<http://elsewhere${at('a.txt')}> (<${token}>)`, 204],
      [`<${at('d/inner.txt')}> (<${token}>)`, 412],
      [`<${ROOT}/other/a.txt> (<${token}>)`, 412],
      [`<${ROOT}/other/a.txt> (Not <${token}>)`, 204],
      [`<${at('../../../../x')}> (<${token}>)`, 412],
      [`(NOT <urn:x>)(<urn:y>)`, 423],
    ];
    for (const [field, expected] of cases)
      assert.is(await status('PUT', 'a.txt', { if: field }, 'content'), expected, field);
    assert.is(await status('GET', 'a.txt', { if: '(["none"])' }), 412);
    const unlocked = (await server.dav('HEAD', 'd/inner.txt')).headers['etag'] ?? '';
    assert.is(await status('PUT', 'd/inner.txt', { if: `([${unlocked}])` }, 'x'), 204);
    assert.is(await status('PUT', 'd/inner.txt', { if: `([${etag}])` }, 'x'), 412);
    assert.is(await status('PUT', 'd/inner.txt', { if: `(Not [${etag}])` }, 'x'), 204);
  });

  test('a lock ends after its time, and lives on when it is renewed', async () => {
    const token = await lock('a.txt', { timeout: 'Second-100' });
    await server.app.clock.advance(90_000);
    assert.is(await status('PUT', 'a.txt', {}, 'x'), 423);
    const renewed = await server.dav('LOCK', 'a.txt', {
      if: `(<${token}>)`,
      timeout: 'Second-80',
    });
    assert.equal([renewed.status, renewed.headers['lock-token']], [200, undefined]);
    assert.match(renewed.text, /<D:timeout>Second-80</);
    await server.app.clock.advance(79_000);
    assert.is(await status('PUT', 'a.txt', {}, 'x'), 423);
    await server.app.clock.advance(2_000);
    assert.is(await status('PUT', 'a.txt', {}, 'x'), 204);
    assert.is(await status('LOCK', 'a.txt', { if: `(<${token}>)` }), 412);
    assert.is(await status('UNLOCK', 'a.txt', { 'lock-token': `<${token}>` }), 409);
    await eventually(async () => {
      await server.app.clock.advance(61_000);
      assert.is(await stored(), 0);
    });
  });

  test('a lock of a tree is renewed through any of its members', async () => {
    const token = await lock('d', { timeout: 'Second-100' });
    await server.app.clock.advance(90_000);
    assert.is(await status('LOCK', 'd/e/deep.txt', { if: `(<${token}>)` }), 200);
    await server.app.clock.advance(90_000);
    assert.is(await status('PUT', 'd/inner.txt', {}, 'x'), 423);
  });

  test('UNLOCK', async () => {
    const token = await lock('d');
    const cases: [path: string, headers: Headers, status: number][] = [
      ['d', {}, 400],
      ['d', { 'lock-token': token }, 400],
      ['d', { 'lock-token': '<opaquelocktoken:none>' }, 409],
      ['a.txt', { 'lock-token': `<${token}>` }, 409],
      ['d/inner.txt', { 'lock-token': `<${token}>` }, 204],
      ['d', { 'lock-token': `<${token}>` }, 409],
    ];
    for (const [path, headers, expected] of cases)
      assert.is(await status('UNLOCK', path, headers), expected, path);
    assert.is(await status('PUT', 'd/inner.txt', {}, 'x'), 204);
  });

  test('a token serves only who took the lock; the Super Token may break any', async () => {
    const [one, two] = [basicOf(await server.token()), basicOf(await server.token())];
    const token = await lock('a.txt', { authorization: one });
    const as = (authorization: string) => ({ authorization, if: `(<${token}>)` });
    assert.is(await status('PUT', 'a.txt', as(one), 'x'), 204);
    assert.is(await status('PUT', 'a.txt', as(two), 'x'), 423);
    assert.is(await status('LOCK', 'a.txt', as(two)), 403);
    const unlock = { 'lock-token': `<${token}>` };
    assert.is(await status('UNLOCK', 'a.txt', { ...unlock, authorization: two }), 403);
    assert.is(await status('UNLOCK', 'a.txt', unlock), 204);
    assert.is(await status('PUT', 'a.txt', { authorization: two }, 'x'), 204);
  });

  test('locks outlive the server; a bucket takes its own along', async () => {
    await lock('a.txt');
    await server.app.restart();
    assert.is(await status('PUT', 'a.txt', {}, 'x'), 423);
    await server.outcomeOf('static-bucket_create', 'later', 'later', false, false);
    await server.outcomeOf('static-bucket_delete', 'b');
    await server.outcomeOf('static-bucket_create', 'b', 'b', false, false);
    assert.is(await status('PUT', 'a.txt', {}, 'x'), 204);
  });

  test('of many who want the same lock at once one gets it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        server.dav('LOCK', n % 2 === 0 ? 'd' : 'd/inner.txt', {}, lockBody()),
      ),
    );
    const granted = answers.filter((answer) => answer.status === 200);
    assert.is(granted.length > 0, true);
    const paths = new Set(granted.map(({ text }) => /lockroot><D:href>([^<]+)/.exec(text)?.[1]));
    assert.is(granted.length, paths.size, 'no path twice');
    assert.is(paths.size, 1, 'and not both the tree and what is in it');
  });

  test('an upload that began before a lock does not end after it', async () => {
    const { request: httpRequest } = await import('node:http');
    const headers = { authorization: server.authorization, 'content-length': '10' };
    const upload = httpRequest(`${server.app.url}${at('a.txt')}`, { method: 'PUT', headers });
    const answer = new Promise<number>((resolve, reject) => {
      upload.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      upload.on('error', reject);
    });
    upload.write('12345');
    await eventually(async () => {
      const names = await readdir(server.disk());
      assert.ok(names.some((name) => name.startsWith('.upload-')));
    });
    await lock('a.txt');
    upload.end('67890');
    assert.is(await answer, 423);
    assert.is(await readFile(server.disk('a.txt'), 'utf8'), 'content');
    assert.equal((await readdir(server.disk())).sort(), ['a.txt', 'd']);
  });

  test.run();
}

const two = suite('static-webdav locks: two servers (postgres)');
let first: DavServer;
let second: App;

two.before(async () => {
  first = await davServer({ dialect: 'postgres' });
  const text = await readFile(join(first.app.dir, 'config.toml'), 'utf8');
  const config = join(first.app.dir, 'second.toml');
  await writeFile(config, text.replace(/server_uuid = ".*"/, `server_uuid = "${randomUUID()}"`));
  second = await start({ config, plugins: PLUGINS, console: () => {} });
  await mkdir(first.disk('d'), { recursive: true });
});
two.after(async () => {
  await second.stop('test');
  await first.app.stop();
});

const there = (method: string, path: string, headers: Headers = {}, body?: string) =>
  send(
    `${second.url}${at(path)}`,
    method,
    { authorization: first.authorization, ...headers },
    body,
  );

two('a lock of one server is honoured, renewed and given back by the other', async () => {
  await first.put('a.txt', 'x');
  const answer = await first.dav('LOCK', 'a.txt', {}, lockBody());
  const token = answer.headers['lock-token'] ?? '';
  assert.is((await there('PUT', 'a.txt', {}, 'y')).status, 423);
  assert.is((await there('LOCK', 'a.txt', {}, lockBody())).status, 423);
  assert.is((await there('PUT', 'a.txt', { if: `(${token})` }, 'y')).status, 204);
  assert.is((await there('LOCK', 'a.txt', { if: `(${token})` })).status, 200);
  assert.is((await there('UNLOCK', 'a.txt', { 'lock-token': token })).status, 204);
  assert.is((await first.dav('PUT', 'a.txt', {}, 'z')).status, 204);
});

two('of both servers asked at once one grants', async () => {
  for (let round = 0; round < 25; round++) {
    const path = `d/${round}`;
    await first.put(path, 'x');
    const answers = await Promise.all([
      first.dav('LOCK', path, {}, lockBody()),
      there('LOCK', path, {}, lockBody()),
      there('LOCK', path, {}, lockBody('shared')),
      first.dav('LOCK', path, {}, lockBody('shared')),
    ]);
    const statuses = answers.map(({ status }) => status);
    const [one, other, ...shared] = statuses;
    const exclusive = [one, other].filter((status) => status === 200).length;
    const both = shared.filter((status) => status === 200).length;
    assert.ok(exclusive === 1 ? both === 0 : exclusive === 0 && both === 2, statuses.join(' '));
  }
});

two.run();

const rules = suite('static-webdav lock rules');

const make = (path: string, deep: boolean, exclusive: boolean, token = path): Lock => {
  return { token, path, deep, exclusive, owner: '', principal: 'p', expires_at: 0 };
};

rules('which locks exclude each other', () => {
  // biome-ignore format: a table
  const cases: [held: Lock, wanted: Lock, conflict: boolean][] = [
    [make('a', false, true), make('a', false, true), true], [make('a', false, false), make('a', false, false), false],
    [make('a', false, false), make('a', false, true), true], [make('a', false, true), make('ab', true, true), false],
    [make('a', false, true), make('a/b', false, true), false], [make('a', true, true), make('a/b', false, true), true],
    [make('a/b', false, true), make('a', false, true), false], [make('a/b', false, true), make('a', true, true), true],
    [make('', true, true), make('x/y', false, false), true], [make('', false, true), make('x/y', false, true), false],
    [make('a/b', true, false), make('a', true, false), false],
  ];
  for (const [held, wanted, conflict] of cases)
    assert.is(
      conflicts(held, wanted),
      conflict,
      `${JSON.stringify(held)} ${JSON.stringify(wanted)}`,
    );
});

rules('one of several shared locks is enough, but for every resource of its own', () => {
  const locks = [
    make('a', true, false, 'one'),
    make('a', true, false, 'two'),
    make('a/x', false, true, 'three'),
  ];
  const holding =
    (...tokens: string[]) =>
    (lock: Lock) =>
      tokens.includes(lock.token);
  assert.equal(blocking(locks, { path: 'a', below: true }, holding()), ['a', 'a']);
  assert.equal(blocking(locks, { path: 'a' }, holding('two')), []);
  assert.equal(blocking(locks, { path: 'a/y', member: true }, holding('one')), []);
  assert.equal(blocking(locks, { path: 'b' }, holding()), []);
});

rules('thousands of locks deep in a tree are looked at once each', () => {
  const folder = Array.from({ length: 90 }, () => 'a folder with a name').join('/');
  const locks = Array.from({ length: 10_000 }, (_, n) => make(`${folder}/${n}`, false, true));
  const before = process.cpuUsage();
  const found = blocking(locks, { path: 'a folder with a name', below: true }, () => false);
  const { user, system } = process.cpuUsage(before);
  assert.is(found.length, 10_000);
  assert.ok(user + system < 400_000, `${user + system} µs`);
});

rules.run();
