/** A plugin of a stranger: made, tested, packed and installed by npm beside a server, as the guide says. */
// proof only: 240
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { rpc, superToken } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { NODES, type Stranger, stranger } from './kit.ts';

const test = suite('a plugin of a stranger');
let machine: Stranger;
let clone = '';

test('npm test under an older Node says in one sentence what to do', async () => {
  const old = await stranger(NODES[0]);
  try {
    const project = join(old.dir, 'weather-box');
    const program = join(clone, 'server/bin/svc-server.js');
    await machine.type(machine.dir, `node '${program}' new-plugin weather-box --dir '${project}'`);
    const printed = await old.type(project, 'npm test 2>&1 || echo "ended with $?"');
    const [version] = NODES;
    assert.match(
      printed,
      `weather-box needs Node 22.18 or later, this is ${version}. The clone of svc has`,
    );
    assert.match(printed, /\nended with 1\n/);
    const line = /^ {2}export PATH=.*$/m.exec(printed)?.[0];
    assert.ok(line, printed);
    await old.type(project, `${line} && npm install && npm test`);
    assert.not.match(printed, /ERR_UNKNOWN_FILE_EXTENSION/);
  } finally {
    await old.remove();
  }
});

test.before(async () => {
  machine = await stranger(NODES[1]);
  clone = await machine.clone('svc');
  await machine.type(clone, 'npm ci');
});
test.after(() => machine?.remove());

/** @returns the program, as it is typed */
async function released(): Promise<string> {
  await machine.type(clone, 'npm run release -- --into ../release');
  await machine.type(machine.dir, 'npm install -g --prefix prefix ./release/svc-*.tgz');
  return join(machine.dir, 'prefix/bin/svc-server');
}

const programs: [name: string, folder: string, programOf: () => string | Promise<string>][] = [
  ['a server of a checkout', 'one', () => `node '${join(clone, 'server/bin/svc-server.js')}'`],
  ['the released program', 'two', released],
];

for (const [name, folder, programOf] of programs) {
  test(`is made, tested, packed, installed and served beside ${name}`, async () => {
    const svc = await programOf();
    await machine.type(machine.dir, `mkdir ${folder}`);
    const dir = join(machine.dir, folder);
    await machine.type(dir, `${svc} new-plugin weather-box`);
    const project = join(dir, 'weather-box');
    await machine.type(project, 'npm install');
    assert.match(await machine.type(project, 'npm test'), / pass 5\n\S+ fail 0\n/);
    await machine.type(project, 'npm run check');
    await machine.type(project, 'npm pack');

    const listen = `127.0.0.1:${await freePort()}`;
    await machine.type(dir, `${svc} setup place --listen ${listen}`);
    const place = join(dir, 'place');
    await machine.type(place, 'npm install ../weather-box/svc-plugin-weather-box-0.1.0.tgz');
    await machine.type(dir, 'rm -r weather-box');
    const config = join(place, 'server.toml');
    const list = 'extra_plugins = ["svc-plugin-weather-box"]\n';
    await writeFile(config, `${list}${await readFile(config, 'utf8')}`);

    const server = machine.begin(place, `exec ${svc} serve -c server.toml`);
    await server.printed(/Root Password: /);
    const url = `http://${listen}`;
    const params = [superToken(server.output()), 'Ada'];
    const { result } = await rpc(url, 'weather-box_greet', params);
    assert.equal(result, { text: 'Hello, Ada!', times: 1 });
    assert.is(await (await fetch(`${url}/weather-box/Ada`)).text(), 'Hello, Ada!\n');
    // What was there before the plugin came; the page itself is made by a build.
    const [token] = params;
    const { plugins } = (await rpc(url, 'svc-server_plugins', [token])).result;
    const on = plugins.filter(({ enabled }: { enabled: boolean }) => enabled);
    for (const wanted of ['dashboard', 'kv', 'weather-box'])
      assert.ok(
        on.some(({ name }: { name: string }) => name === wanted),
        wanted,
      );
    await server.end();
    assert.is(await machine.type(clone, 'git status --porcelain'), '');
  });
}

test.run();
