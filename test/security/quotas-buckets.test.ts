// A token that may write into one bucket cannot fill the disk with it, whichever way it writes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { StaticBuckets } from '@svc/plugin-static-bucket/api';
import * as assert from 'uvu/assert';
import { basicOf, ROOT } from '../protocol/webdav-kit.ts';
import { suite } from '../runner/suite.ts';

const QUOTA = 1_000_000;
const PLUGINS = ['token', 'static-bucket', 'static-bucket-file', 'static-webdav'];
const FULL = `101 IO error: Failed to write file: the bucket may hold ${QUOTA} bytes, which this would exceed: delete files, or have max_bucket_bytes under [static-bucket] raised`;

const test = suite('quotas: buckets');
let app: TestApp;
let count = 0;
let buckets: () => StaticBuckets;
const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  requires: [StaticBuckets],
  setup(kernel) {
    buckets = () => kernel.use(StaticBuckets);
  },
});

test.before(async () => {
  app = await bootForTest([...PLUGINS, probe], { 'static-bucket': { max_bucket_bytes: QUOTA } });
});
test.after(() => app?.stop());

const upload = (name: string, path: string, bytes: number): Promise<unknown> =>
  app
    .call('static-bucket-file_upload', {
      token: app.superToken,
      name,
      path,
      base64: Buffer.alloc(bytes, 'x').toString('base64'),
    })
    .catch((error) => `${error.code} ${error.message}`);
const dav = async (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: RequestInit['body'],
) => {
  const init = { method, headers: { authorization: basicOf(app.superToken), ...headers }, body };
  const answer = await app.fetch(`${ROOT}/${path}`, { ...init, duplex: 'half' } as RequestInit);
  return { status: answer.status, text: await answer.text() };
};
const disk = (...parts: string[]) => join(app.dir, 'static', ...parts);
const bytesOf = async (name: string): Promise<number> => {
  const list = await app.call('static-bucket-file_list', [app.superToken, name]);
  return list.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
};
async function bucket(): Promise<string> {
  const name = `b${++count}`;
  await app.call('static-bucket_create', [app.superToken, name, name, false, false]);
  return name;
}
/** A body without an announced length. */
const stream = (bytes: number) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes; at += 50_000) controller.enqueue(new Uint8Array(50_000));
      controller.close();
    },
  });

test('uploads at the same time do not exceed the bytes of their bucket together', async () => {
  const [name, other] = [await bucket(), await bucket()];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => upload(name, `f${n}`, 100_000)),
  );
  const stored = answers.filter((answer) => typeof answer === 'object').length;
  assert.ok(stored >= 9 && stored <= 10, `${stored} were stored`);
  assert.is(
    answers.find((answer) => typeof answer === 'string'),
    FULL,
  );
  assert.is(await bytesOf(name), stored * 100_000);
  assert.equal(await upload(other, 'f', 100_000), { success: true });
});

test('the bytes of a bucket count while thousands of others are used', async () => {
  const name = await bucket();
  assert.equal(await upload(name, 'f', 900_000), { success: true });
  const known = buckets().get(name)!;
  for (let n = 0; n < 3_000; n++) buckets().files({ ...known, path: `other-${n}` });
  assert.is(await upload(name, 'g', 200_000), FULL);
});

test('what was deleted makes room, by RPC, by WebDAV and behind the back of the server', async () => {
  const name = await bucket();
  const fill = async () => {
    await dav('MKCOL', `${name}/d`);
    for (let n = 0; n < 9; n++)
      assert.equal(await upload(name, `d/f${n}`, 100_000), { success: true });
    assert.is(await upload(name, 'more', 200_000), FULL);
  };
  await fill();
  await app.call('static-bucket-file_delete', [app.superToken, name, 'd/f0']);
  await app.call('static-bucket-file_delete', [app.superToken, name, 'd/f1']);
  assert.equal(await upload(name, 'more', 200_000), { success: true });
  await dav('DELETE', `${name}/more`);
  await dav('DELETE', `${name}/d`);
  await fill();
  rmSync(disk(name, 'd'), { recursive: true });
  await fill();
});

test('what was deleted makes room although the server was held up while it counted', async () => {
  const name = await bucket();
  let held = true;
  const hold = () => {
    const until = performance.now() + 40;
    while (performance.now() < until);
    if (held) setImmediate(hold);
  };
  hold();
  assert.equal(await upload(name, 'f', 900_000), { success: true });
  held = false;
  rmSync(disk(name, 'f'));
  assert.equal(await upload(name, 'g', 900_000), { success: true });
});

test('a full bucket still takes a file in the place of one that is no smaller', async () => {
  const name = await bucket();
  assert.equal(await upload(name, 'f', 990_000), { success: true });
  assert.equal(await upload(name, 'f', 990_000), { success: true });
  assert.is((await dav('PUT', `${name}/f`, {}, Buffer.alloc(980_000))).status, 204);
  assert.is((await dav('PUT', `${name}/f`, {}, Buffer.alloc(2_000_000))).status, 507);
  assert.is(await bytesOf(name), 980_000);
});

test('WebDAV refuses with 507 and says which limit it is, whether the length was announced or not', async () => {
  const name = await bucket();
  for (const body of [Buffer.alloc(1_100_000), stream(1_100_000)]) {
    const { status, text } = await dav('PUT', `${name}/f`, {}, body);
    assert.is(status, 507);
    assert.match(text, '<D:quota-not-exceeded/>');
    assert.match(text, 'max_bucket_bytes');
  }
  assert.is(await bytesOf(name), 0);
  assert.is((await dav('PUT', `${name}/f`, {}, stream(300_000))).status, 201);
  for (const [to, status] of [
    ['g', 201],
    ['h', 201],
    ['i', 507],
  ] as const) {
    const copied = await dav('COPY', `${name}/f`, { destination: `${ROOT}/${name}/${to}` });
    assert.is(copied.status, status, to);
  }
  const moved = await dav('MOVE', `${name}/h`, { destination: `${ROOT}/${name}/j` });
  assert.is(moved.status, 201);
  assert.is(await bytesOf(name), 900_000);
});

test('copies of whole directories end at the limit', async () => {
  const name = await bucket();
  await dav('MKCOL', `${name}/d`);
  for (let n = 0; n < 3; n++) await upload(name, `d/f${n}`, 200_000);
  const { status, text } = await dav('COPY', `${name}/d/`, { destination: `${ROOT}/${name}/e/` });
  assert.is(status, 207);
  assert.match(text, '507');
  assert.ok((await bytesOf(name)) <= QUOTA);
});

test('empty files and directories are not free', async () => {
  const name = await bucket();
  const statuses: number[] = [];
  for (let n = 0; n < 130; n++) statuses.push((await dav('MKCOL', `${name}/d${n}`)).status);
  for (let n = 0; n < 130; n++) statuses.push((await dav('PUT', `${name}/f${n}`, {}, '')).status);
  assert.ok(statuses.filter((status) => status === 201).length < 250);
  assert.is(statuses.at(-1), 507);
});

test('what lies in the directory before the first write counts', async () => {
  const name = await bucket();
  mkdirSync(disk(name, 'deep', 'er'), { recursive: true });
  writeFileSync(disk(name, 'deep', 'er', 'f'), Buffer.alloc(900_000));
  assert.is(await upload(name, 'g', 200_000), FULL);
  const body =
    '<propfind xmlns="DAV:"><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>';
  const { text } = await dav('PROPFIND', `${name}/`, { depth: '0' }, body);
  assert.match(text, '<D:quota-used-bytes>908192</D:quota-used-bytes>');
  assert.match(text, '<D:quota-available-bytes>91808</D:quota-available-bytes>');
});

test.run();
