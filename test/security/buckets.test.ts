// Tokens for some buckets: they reach no files of others, not the server's root, and nothing that a WebDAV client has locked.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { eventually } from '../protocol/token-kit.ts';
import { type DavServer, davServer, lockBody, RIGHTS } from '../protocol/webdav-kit.ts';
import { suite } from '../runner/suite.ts';

const BUCKET = ['read', 'write', 'delete'].map((word) => ({ static_bucket: word }));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const DIRECTORY =
  "102 Permission denied: Permission denied for static-bucket 'mine-a': the directory holds files or belonged to another static, which takes permission Write in scope global";
const SERVER_ROOT =
  /^102 Permission denied: .*'mine-a': is_http_root .* permission Write in scope global$/;
const LOCKED = /^101 IO error: Failed to (?:write|delete|rename) file: locked over WebDAV; /;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`buckets of small tokens (${dialect})`);
  let server: DavServer;
  let token = '';
  const call = (method: string, ...rest: unknown[]): Promise<any> =>
    server.app.call(method, [token, ...rest]).catch((error) => `${error.code} ${error.message}`);
  const create = (name: string, path: string, root = false) =>
    call('static-bucket_create', name, path, root, false);
  const update = (name: string, path: string, root = false) =>
    call('static-bucket_update', name, path, root, false);
  const upload = (name: string, path: string) =>
    call('static-bucket-file_upload', name, path, null, base64('new'));
  const asSuper = (method: string, ...rest: unknown[]) => server.outcomeOf(method, ...rest);

  test.before(async () => {
    server = await davServer({ dialect, clock: true });
    const scopes = [{ static_bucket: 'mine-*' }, { static_bucket: 'b' }];
    token = await server.app.token([{ scopes, permissions: [...BUCKET, ...RIGHTS] }]);
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    for (const name of await asSuper('static-bucket_list'))
      await asSuper('static-bucket_delete', name);
    await server.app.sql('delete from static_file_former');
  });
  let places = 0;
  /** A directory that no test before has used. */
  const place = () => `place-${++places}`;

  test('the files of a deleted bucket are not taken by a token for another one', async () => {
    const secret = place();
    await asSuper('static-bucket_create', 'secret', secret, false, false);
    await asSuper('static-bucket-file_upload', 'secret', 'a/b.txt', null, base64('secret'));
    await asSuper('static-bucket_delete', 'secret');
    for (const path of [secret, `./${secret}/`, `${secret}/a`, `${secret}/new`])
      assert.is(await create('mine-a', path), DIRECTORY, path);
    await create('mine-a', place());
    for (const path of [secret, `${secret}/a`])
      assert.is(await update('mine-a', path), DIRECTORY, path);
  });

  test('nor those of a bucket that has moved away, even where nothing is left', async () => {
    const [old, next] = [place(), place()];
    await asSuper('static-bucket_create', 'moving', old, false, false);
    await asSuper('static-bucket_update', 'moving', next, false, false);
    assert.is(await create('mine-a', old), DIRECTORY);
    assert.type((await asSuper('static-bucket_create', 'mine-a', old, false, false)).id, 'number');
  });

  test('a former directory is forgotten within the hour when nothing is left in it', async () => {
    const [empty, full] = [place(), place()];
    for (const path of [empty, full]) {
      await asSuper('static-bucket_create', 'gone', path, false, false);
      if (path === full)
        await asSuper('static-bucket-file_upload', 'gone', 'a.txt', null, base64('secret'));
      await asSuper('static-bucket_delete', 'gone');
    }
    await server.app.clock.advance(3_600_000);
    await eventually(async () => assert.is((await create('mine-a', empty)).path, empty));
    assert.is(await update('mine-a', full), DIRECTORY);
  });

  test("a directory with files of unknown origin takes the server's permission", async () => {
    const path = place();
    await mkdir(join(server.app.dir, 'static', path, 'deep'), { recursive: true });
    assert.is(await create('mine-a', path), DIRECTORY);
    assert.is(
      (await create('mine-a', `${path}/deep`)).path,
      `${path}/deep`,
      'an empty one does not',
    );
    await asSuper('static-bucket_delete', 'mine-a');
    const trusted = await server.app.token([{ scopes: ['global'], permissions: BUCKET }]);
    const made = await server.app.call('static-bucket_create', [
      trusted,
      'any',
      path,
      false,
      false,
    ]);
    assert.type((made as { id: number }).id, 'number');
  });

  test('a token makes its own bucket again, with its files, and moves it within its directory', async () => {
    const path = place();
    await create('mine-a', path);
    await upload('mine-a', 'sub/a.txt');
    await call('static-bucket_delete', 'mine-a');
    assert.is((await create('mine-a', path)).path, path);
    assert.is((await update('mine-a', `${path}/sub`)).path, `${path}/sub`);
    assert.is((await update('mine-a', path)).path, path);
    await call('static-bucket_delete', 'mine-a');
    assert.match(await create('mine-b', path), /^102 .*'mine-b'.*belonged to another static/);
  });

  test("the root of the server takes the server's permission", async () => {
    assert.match(await create('mine-a', place(), true), SERVER_ROOT);
    const path = place();
    await create('mine-a', path);
    assert.match(await update('mine-a', path, true), SERVER_ROOT);
    await asSuper('static-bucket_update', 'mine-a', path, true, false);
    assert.is(
      (await update('mine-a', path, true)).is_http_root,
      true,
      'what it is already may stay',
    );
    assert.match(await create('mine-b', '/etc'), /^108 .*absolute/);
  });

  test('an overlap names a bucket only to callers that may read it', async () => {
    const path = place();
    await asSuper('static-bucket_create', 'secret', path, false, false);
    assert.is(
      await create('mine-a', `${path}/in`),
      '108 Invalid input: path overlaps the directory of another static',
    );
    assert.is(
      await asSuper('static-bucket_create', 'mine-a', `${path}/in`, false, false),
      "108 Invalid input: path overlaps the directory of static 'secret'",
    );
  });

  test('a record shows the token that wrote it last', async () => {
    const path = place();
    const made = await create('mine-a', path);
    assert.equal(Object.keys(made), ['id', 'name', 'path', 'is_http_root', 'cors', 'enable']);
    const key = token.split(':')[0];
    assert.equal(await call('static-bucket_read', 'mine-a'), { ...made, owner: key });
    await asSuper('static-bucket_update', 'mine-a', path, false, false);
    assert.equal(await call('static-bucket_read', 'mine-a'), made);
    await update('mine-a', path);
    assert.is((await call('static-bucket_read', 'mine-a')).owner, key);
  });

  test('calls change nothing that a WebDAV client has locked', async () => {
    await asSuper('static-bucket_create', 'b', 'b', false, false);
    await server.put('a.txt', 'old');
    await server.put('d/x.txt', 'old');
    const lock = async (path: string, depth = 'infinity') => {
      const answer = await server.dav('LOCK', path, { depth }, lockBody());
      return { 'lock-token': answer.headers['lock-token'] ?? '' };
    };
    const rename = (from: string, to: string) => call('static-bucket-file_rename', 'b', from, to);
    const file = await lock('a.txt');
    for (const answer of [
      await upload('b', 'a.txt'),
      await call('static-bucket-file_delete', 'b', 'a.txt'),
      await rename('a.txt', 'c.txt'),
      await rename('d/x.txt', 'a.txt'),
      await asSuper('static-bucket-file_upload', 'b', 'a.txt', null, base64('new')),
    ])
      assert.match(answer, LOCKED);
    assert.is(await readFile(server.disk('a.txt'), 'utf8'), 'old');
    assert.equal(await upload('b', 'other.txt'), { success: true });
    await server.dav('UNLOCK', 'a.txt', file);
    assert.equal(await upload('b', 'a.txt'), { success: true });

    const deep = await lock('d');
    assert.match(await upload('b', 'd/y.txt'), LOCKED);
    assert.match(await rename('d', 'e'), LOCKED);
    await server.dav('UNLOCK', 'd', deep);
    await lock('d', '0');
    assert.match(await upload('b', 'd/new/deep.txt'), LOCKED, 'a new member of a locked directory');
    assert.equal(await upload('b', 'd/x.txt'), { success: true }, 'a member that is there');
    await server.app.clock.advance(121_000);
    assert.equal(await upload('b', 'd/y.txt'), { success: true }, 'the lock has expired');
  });

  test.run();
}

const test = suite('buckets without WebDAV');

test('uploads ask nobody for locks where the plugin is not loaded', async () => {
  const plugins = ['token', 'static-bucket', 'static-bucket-file'];
  const app = await bootForTest(plugins);
  try {
    await app.call('static-bucket_create', [app.superToken, 'b', 'b', false, false]);
    await app.call('static-bucket-file_upload', [app.superToken, 'b', 'a.txt', null, base64('a')]);
    assert.is(await (await app.fetch('/svc/static/b/a.txt')).text(), 'a');
  } finally {
    await app.stop();
  }
});

test.run();
