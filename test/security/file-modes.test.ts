// Files and folders that the server makes are for its own user, whatever the umask.
// proof only: 12
import { type Dirent, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeSite, rpc, type ServerProcess, startServer, superToken } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('modes of files');

const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name);
const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map(pathOf);
const modeOf = (path: string) => lstatSync(path).mode & 0o777;

/** What runs under this umask: children take it over. */
function under<T>(umask: number, run: () => T): T {
  const before = process.umask(umask);
  try {
    return run();
  } finally {
    process.umask(before);
  }
}

for (const [umask, socket] of [
  [0o000, 0o777],
  [0o022, 0o755],
  [0o007, 0o770],
] as const) {
  const shown = umask.toString(8).padStart(3, '0');
  test(`under umask ${shown} nobody else reads what the server makes, and the socket follows the umask`, async () => {
    const site = await makeSite(
      'sqlite://{dir}/svc.db?mode=rwc',
      'static_path = "./made/static"\ndb_path = "./made/db"\nenable_unix_socket = true\nunix_socket_path = "./run/svc.sock"',
      'sqlite_reserve_mb = 1\n[logging]\njson_log_file = "log.jsonl"',
    );
    let server: ServerProcess | undefined;
    try {
      const given = new Set(below(site.dir));
      server = await under(umask, () => startServer(site));
      const token = superToken(server.output());
      const call = async (method: string, ...params: unknown[]) => {
        const answer = await rpc(site.url, method, [token, ...params]);
        assert.is(answer.error, undefined, `${method}: ${JSON.stringify(answer.error)}`);
        return answer.result;
      };
      await call('db_create', 'a');
      await call('db_exec_sql', 'a', 'create table t (a)');
      await call('svc-server_exec_sql', 'create table t (a)');
      await call('static-bucket_create', 'site', 'deep/site', false, false);
      await call('static-bucket-file_upload', 'site', 'x/y.txt', [...Buffer.from('hello')]);
      const dav = (method: string, path: string) =>
        fetch(`${site.url}/svc/static-webdav/site/${path}`, {
          method,
          headers: { authorization: `Basic ${Buffer.from(token).toString('base64')}` },
          ...(method === 'PUT' && { body: 'x' }),
        });
      assert.is((await dav('MKCOL', 'folder')).status, 201);
      assert.is((await dav('PUT', 'folder/z.txt')).status, 201);
      const text = readFileSync(site.config, 'utf8');
      writeFileSync(site.config, text.replace('run/svc.sock', 'run2/svc.sock'));
      server.child.kill('SIGHUP');
      const made = () => below(site.dir).filter((path) => !given.has(path));
      // The mode of a new socket is set once it listens.
      const isOpen = (path: string) => path.endsWith('run2/svc.sock') && modeOf(path) === socket;
      const until = Date.now() + 10_000;
      while (!made().some(isOpen) && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 10));
      const found = made();
      const names = found.map((path) => path.slice(site.dir.length + 1));
      for (const name of [
        'svc.db',
        'svc.db-wal',
        'svc.db.lock',
        'log.jsonl',
        'made/db/a.db',
        'made/static/deep/site/x/y.txt',
      ])
        assert.ok(names.includes(name), `${name} is not among ${names.join(' ')}`);
      const open = found.filter(
        (path) => !lstatSync(path).isSocket() && (modeOf(path) & 0o077) !== 0,
      );
      assert.equal(
        open.map((path) => `${modeOf(path).toString(8)} ${path.slice(site.dir.length)}`),
        [],
      );
      const sockets = found.filter((path) => lstatSync(path).isSocket());
      assert.ok(sockets.length > 0);
      for (const path of sockets) assert.is(modeOf(path), socket, path);
    } finally {
      await server?.end('SIGTERM');
      site.remove();
    }
  });
}

test.run();
