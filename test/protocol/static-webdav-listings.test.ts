// proof: 5
// static-http.md §B3, §B6 and RFC 4918 §9.1: listings of what cannot be read, and of what vanishes meanwhile.

import { statSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type DavServer, davServer, multistatus, propfindBody, ROOT } from './webdav-kit.ts';

const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;
const mayDropRights = tryToDropRights();
if (!mayDropRights)
  process.stdout.write('  skipped: this root cannot become a user whom modes concern\n');

function tryToDropRights(): boolean {
  if (!isRoot) return process.platform !== 'win32';
  try {
    process.seteuid?.(UNPRIVILEGED);
    statSync(join(tmpdir(), '.'));
    return true;
  } catch {
    // No such user in this namespace, or a directory of temporary files that is closed to him.
    return false;
  } finally {
    process.seteuid?.(0);
  }
}

/** Runs as a user whom modes concern: root may read everything. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(UNPRIVILEGED);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

for (const dialect of oneDialect) {
  const test = suite(`static-webdav listings (${dialect})`);
  let server: DavServer;

  test.before(async () => {
    server = await davServer({ dialect, clock: true });
  });
  test.after(() => server.app.stop());

  const at = (path: string) => `${ROOT}/b/${path}`;
  const list = (path: string, depth: string) => server.dav('PROPFIND', path, { depth });

  (mayDropRights ? test : test.skip)(
    'a directory that may not be read is refused; members that may not be looked at are named with the reason',
    async () => {
      for (const path of ['closed/a.txt', 'blind/a.txt', 'blind/sub/b.txt'])
        await server.put(path, 'x');
      for (const path of [server.app.dir, server.disk('..'), server.disk()])
        await chmod(path, 0o755);
      await chmod(server.disk('closed'), 0o000);
      await chmod(server.disk('blind'), 0o444);
      try {
        await asNobody(async () => {
          assert.is((await list('', '1')).status, 207);
          assert.is((await list('closed', '0')).status, 207);
          const { status, text, headers } = await list('closed', '1');
          assert.equal([status, text, headers['content-length']], [403, '', '0']);
          const blind = await list('blind/', '1');
          assert.is(blind.status, 207);
          const found = multistatus(blind.text).map(({ href, status }) => [href, status]);
          assert.equal(found.sort(), [
            [at('blind/'), undefined],
            [at('blind/a.txt'), 403],
            [at('blind/sub/'), 403],
          ]);
        });
      } finally {
        for (const path of ['closed', 'blind']) await chmod(server.disk(path), 0o755);
      }
    },
  );

  test('a directory that vanishes while it is listed has no more members, and the listing ends in order', async () => {
    const MEMBERS = 700;
    await mkdir(server.disk('many'));
    const names = Array.from({ length: MEMBERS }, (_, n) => `${n}${'x'.repeat(200)}`);
    await Promise.all(names.map((name) => writeFile(server.disk('many', name), '')));
    const colour =
      '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><c xmlns="urn:x">blue</c></D:prop></D:set></D:propertyupdate>';
    assert.is((await server.dav('PROPPATCH', `many/${names[0]}`, {}, colour)).status, 207);
    // So much of each member that the listing is larger than what two sockets hold.
    const body = propfindBody(
      ...Array.from({ length: 500 }, (_, n) => `<p${n}${'x'.repeat(100)}/>`),
    );
    const headers = { authorization: server.authorization, depth: '1' };
    const url = `${server.app.url}${at('many/')}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(url, { method: 'PROPFIND', headers, agent: false }, resolve)
        .on('error', reject)
        .end(body);
    });
    // Nothing of the body is read yet.
    await rm(server.disk('many'), { recursive: true });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const listed = text.match(/<D:response>/g)?.length ?? 0;
    assert.ok(listed > 1 && listed < MEMBERS, `${listed} of ${MEMBERS}`);
    assert.match(text.slice(-100), /<\/D:response><\/D:multistatus>$/);
  });

  test('what another client removes meanwhile is removed: of trees inside each other deleted at once none is a failure', async () => {
    const inner = Array.from({ length: 12 }, (_, n) => `tree/${n}`);
    for (let round = 0; round < 4; round++) {
      for (const path of inner) await server.put(`${path}/a/b/c.txt`, 'x');
      const removals = ['tree', ...inner].map((path) => server.dav('DELETE', path));
      const statuses = (await Promise.all(removals)).map(({ status }) => status);
      assert.ok(
        statuses.every((status) => status === 204 || status === 404),
        statuses.join(' '),
      );
      assert.is((await server.dav('PROPFIND', 'tree', { depth: '0' })).status, 404);
    }
  });

  test.run();
}
