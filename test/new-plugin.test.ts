// proof only: 12
/** `svc-server new-plugin NAME` makes a plugin that is tested, packed, installed and loaded as it is. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { newPlugin } from '../server/src/new-plugin.ts';
import { installPackage, linkDevDependencies, pack, run } from './plugin-project.ts';
import {
  makeSite,
  rpc,
  type ServerProcess,
  serverCommand,
  startServer,
  superToken,
} from './process/server.ts';
import { suite } from './runner/suite.ts';

const test = suite<{ dir: string }>('new-plugin');
test.before.each(async (context) => {
  context.dir = await mkdtemp(join(tmpdir(), 'svc-new-plugin-'));
});
test.after.each(({ dir }) => rm(dir, { recursive: true, force: true }));

const TOML = /```toml\n(.*?)```/gs;

const refused: [name: string, message: RegExp][] = [
  ['Weather', /^'Weather': use small letters, digits and hyphens, for example my-plugin$/],
  ['my_plugin', /use small letters/],
  ['-x', /use small letters/],
  ['x-', /use small letters/],
  ['a--b', /use small letters/],
  ['1st', /use small letters/],
  ['', /use small letters/],
  ['../x', /use small letters/],
  ['token', /^'token' is the name of a built-in plugin: choose another one$/],
];
for (const [name, message] of refused) {
  test(`refuses the name '${name}'`, async ({ dir }) => {
    assert.throws(
      () => newPlugin(name, dir),
      (error: Error) => message.test(error.message),
    );
    assert.equal(await readdir(dir), []);
  });
}

test('overwrites nothing', async ({ dir }) => {
  await writeFile(join(dir, 'notes.txt'), 'mine');
  assert.throws(() => newPlugin('weather', dir), /is not empty: choose another folder with --dir/);
  assert.equal(await readdir(dir), ['notes.txt']);
});

test('the name of the template stands nowhere', async ({ dir }) => {
  newPlugin('weather-box', dir);
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  assert.ok(files.some(({ name }) => name === '.gitignore'));
  for (const { parentPath, name } of files) {
    assert.not.match(name, /sample/);
    assert.not.match(await readFile(join(parentPath, name), 'utf8'), /sample/i);
  }
});

test('its own test passes; packed and installed elsewhere it answers under its package name', async ({
  dir,
}) => {
  const [program = ''] = serverCommand();
  const printed = await run(dir, process.execPath, program, 'new-plugin', 'weather-box');
  const folder = join(dir, 'weather-box');
  assert.match(printed, `cd ${folder}\n  npm install\n  npm test\n`);
  await linkDevDependencies(folder);
  assert.match(await run(folder, 'npm', 'test'), / pass 5\n\S+ fail 0\n/);

  const [, shipped] = (await readFile(join(folder, 'README.md'), 'utf8')).matchAll(TOML);
  const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc', shipped?.[1]);
  let server: ServerProcess | undefined;
  try {
    // `npm pack` compiles, and so checks the types of the sources and of the test.
    const [packed = ''] = await pack(dir, folder);
    await installPackage(site.dir, packed);
    server = await startServer(site);
    const token = superToken(server.output());
    const { result } = await rpc(site.url, 'weather-box_greet', [token, 'Ada']);
    assert.equal(result, { text: 'Hello, Ada!', times: 1 });
    assert.is(await (await fetch(`${site.url}/weather-box/Ada`)).text(), 'Hello, Ada!\n');
    const { plugins } = (await rpc(site.url, 'svc-server_plugins', [token])).result;
    for (const wanted of ['dashboard', 'kv', 'weather-box'])
      assert.is(
        plugins.find(({ name }: { name: string }) => name === wanted)?.enabled,
        true,
        wanted,
      );
  } finally {
    await server?.end('SIGTERM');
    site.remove();
  }
});

test.run();
