/** A plugin of a stranger: made, tested, packed and installed by npm beside a server, as the guide says. */
// proof only: 240
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { run } from '../plugin-project.ts';
import { freePort } from '../ports.ts';
import { rpc, type ServerProcess, startServer, superToken } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const repository = resolve(import.meta.dirname, '../..');
const test = suite<{ dir: string }>('a plugin of a stranger');
test.before.each(async (context) => {
  context.dir = await mkdtemp(join(tmpdir(), 'svc-stranger-plugin-'));
});
test.after.each(({ dir }) => rm(dir, { recursive: true, force: true }));

/** What the checkout says of itself and its dependencies. */
const descriptions = () =>
  Promise.all(
    ['package.json', 'package-lock.json'].map((file) => readFile(join(repository, file), 'utf8')),
  );

/** `npm install -g` of the released package. @returns the program */
async function released(dir: string): Promise<string> {
  await run(repository, process.execPath, 'scripts/release.mjs', '--into', join(dir, 'release'));
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const packed = join(dir, 'release', `svc-${version}.tgz`);
  await run(dir, 'npm', 'install', '-g', '--offline', '--prefix', join(dir, 'prefix'), packed);
  return join(dir, 'prefix/bin/svc-server');
}

const programs: [name: string, programOf: (dir: string) => Promise<string>][] = [
  ['a server of a checkout', async () => join(repository, 'server/bin/svc-server.js')],
  ['the released program', released],
];

for (const [name, programOf] of programs) {
  test(`is made, tested, packed, installed and served beside ${name}`, async ({ dir }) => {
    const before = await descriptions();
    const program = await programOf(dir);
    const svc = (...args: string[]) => run(dir, process.execPath, program, ...args);
    await svc('new-plugin', 'weather-box');
    const project = join(dir, 'weather-box');
    const npm = (folder: string, ...args: string[]) => run(folder, 'npm', ...args);
    await npm(project, 'install');
    assert.match(await npm(project, 'test'), / pass 5\n\S+ fail 0\n/);
    await npm(project, 'run', 'check');
    const packed = (await npm(project, 'pack')).trim().split('\n').at(-1) ?? '';

    const listen = `127.0.0.1:${await freePort()}`;
    await svc('setup', 'place', '--listen', listen);
    const place = join(dir, 'place');
    await npm(place, 'install', join(project, packed));
    const config = join(place, 'server.toml');
    const list = 'plugins = ["token", "server-info", "svc-plugin-weather-box"]\n';
    await writeFile(config, `${list}${await readFile(config, 'utf8')}`);
    await rm(project, { recursive: true });

    const site = { dir: place, config, url: `http://${listen}` };
    let server: ServerProcess | undefined;
    try {
      server = await startServer({ ...site, remove: () => {} }, { program });
      const params = [superToken(server.output()), 'Ada'];
      const { result } = await rpc(site.url, 'weather-box_greet', params);
      assert.equal(result, { text: 'Hello, Ada!', times: 1 });
      assert.is(await (await fetch(`${site.url}/weather-box/Ada`)).text(), 'Hello, Ada!\n');
    } finally {
      await server?.end('SIGTERM');
    }
    assert.equal(await descriptions(), before);
  });
}

test.run();
