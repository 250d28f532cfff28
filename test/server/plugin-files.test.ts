/** Entries of `plugins` that name a file or a package in a folder outside of the server's own. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { knownCommands } from '../../server/src/plugin-commands.ts';
import { suite } from '../runner/suite.ts';

const test = suite<{ dir: string }>('plugins from elsewhere');
test.before.each(async (context) => {
  context.dir = await mkdtemp(join(tmpdir(), 'svc-plugin-files-'));
});
test.after.each(({ dir }) => rm(dir, { recursive: true, force: true }));

const says = (word: string) =>
  `{ name: 'single', version: '1.0.0', setup: ({ hooks }) => hooks.routes.tap((routes) =>
     routes.add({ path: '/single', handle: (exchange) => exchange.text(200, ${word}) })) }`;
const esm = `import { definePlugin } from '@svc/plugin-sdk';
export default definePlugin(${says(`'found'`)});`;

const files: [name: string, file: string, text: string, answer: string][] = [
  ['a JavaScript module', 'single.mjs', esm, 'found'],
  ['a TypeScript module', 'single.ts', esm.replace('(200', '(200 as number'), 'found'],
  [
    'a CommonJS module',
    'single.cjs',
    `const { definePlugin } = require('@svc/plugin-sdk');
     module.exports = definePlugin(${says(`'found'`)});`,
    'found',
  ],
  [
    'what the SDK has for drivers, and what a built-in plugin offers',
    'single.mjs',
    `import { GroupAppender } from '@svc/plugin-sdk/driver';
     import { RetentionLimits } from '@svc/plugin-kv/api';
     export default ${says("typeof GroupAppender + ' ' + RetentionLimits.service")};`,
    'function retention-limits',
  ],
  [
    'a copy that lies beside the plugin wins',
    'single.mjs',
    `import { word } from '@svc/plugin-sdk'; export default ${says('word')};`,
    'its own',
  ],
];
for (const [name, file, text, answer] of files) {
  test(`finds the packages of the server: ${name}`, async ({ dir }) => {
    await writeFile(join(dir, file), text);
    if (answer === 'its own') await writeCopy(dir);
    const app = await bootForTest([join(dir, file)]);
    try {
      assert.is(await (await app.fetch('/single')).text(), answer);
    } finally {
      await app.stop();
    }
  });
}

const versions: [name: string, packageText: string | undefined, version: string][] = [
  ['that of the nearest package.json', '{ "version": "3.2.1" }', '3.2.1'],
  ['0.0.0 where the nearest package.json states none', '{ "private": true }', '0.0.0'],
  ['0.0.0 without a package.json', undefined, '0.0.0'],
];
for (const [name, packageText, version] of versions)
  test(`the version of a plugin that states none is ${name}`, async ({ dir }) => {
    const file = join(dir, 'src', 'single.mjs');
    await mkdir(dirname(file));
    await writeFile(file, `export default { name: 'single', setup() {} };`);
    if (packageText !== undefined) await writeFile(join(dir, 'package.json'), packageText);
    const app = await bootForTest(['token', 'server-info', file]);
    try {
      const { plugins } = await app.call('svc-server_plugins', [app.superToken]);
      const found = plugins.find((plugin: { name: string }) => plugin.name === 'single');
      assert.is(found.version, version);
    } finally {
      await app.stop();
    }
  });

async function writeCopy(dir: string): Promise<void> {
  const copy = join(dir, 'node_modules/@svc/plugin-sdk/index.mjs');
  await mkdir(dirname(copy), { recursive: true });
  await writeFile(join(dirname(copy), 'package.json'), '{ "exports": "./index.mjs" }');
  await writeFile(copy, `export const word = 'its own';`);
}

const lists: [says: string, head: string, names: string[], off: RegExp | undefined][] = [
  ['to all built-in ones, without a list', '', ['kv', 'single', 'token'], undefined],
  [
    'to those of the list',
    'plugins = ["token"]\n',
    ['admission', 'single', 'token'],
    /^agent, .*kv/,
  ],
  [
    'once, where the list has it',
    'plugins = ["./single.mjs"]\n',
    ['single'],
    /^admission, .*token/,
  ],
];
for (const [says, head, names, off] of lists)
  test(`extra_plugins adds ${says}; what a list leaves out is told at the start`, async ({
    dir,
  }) => {
    await writeFile(join(dir, 'single.mjs'), esm);
    const config = join(dir, 'server.toml');
    const rest = `ws_listener = "127.0.0.1:0"\nserver_uuid = "auto_gen"\n[database]\n`;
    const url = `database_url = "sqlite://${join(dir, 'svc.db')}?mode=rwc"\n`;
    await writeFile(config, `${head}extra_plugins = ["./single.mjs"]\n${rest}${url}`);
    const shown: string[] = [];
    const app = await start({ config, console: (line) => void shown.push(line) });
    try {
      assert.is(await (await fetch(`${app.url}/single`)).text(), 'found');
      for (const name of names) assert.ok(app.kernelOf(name), name);
      const told = shown.flatMap(
        (line) => / plugins leaves out .* off="?(.*?)"?$/.exec(line)?.[1] ?? [],
      );
      assert.is(told.length, off ? 1 : 0);
      if (off) assert.match(told[0] ?? '', off);
    } finally {
      await app.stop('test');
    }
  });

test('the help knows the commands of a configuration, whose database is away', async ({ dir }) => {
  const command = `{ name: 'greet', summary: 'Greets.', words: '[NAME]', run: async () => 0 }`;
  const setup = `({ hooks }) => hooks.commands.tap((commands) => commands.add(${command}))`;
  const plugin = `export default { name: 'greeter', version: '1.0.0', setup: ${setup} };`;
  await writeFile(join(dir, 'greeter.mjs'), plugin);
  const config = join(dir, 'server.toml');
  const away = 'database_url = "postgres://nobody@127.0.0.1:1/nothing"';
  const head = 'plugins = ["token", "./greeter.mjs"]\nws_listener = "127.0.0.1:0"\n';
  await writeFile(config, `${head}server_uuid = "auto_gen"\n[database]\n${away}\n`);
  const before = await readFile(config, 'utf8');
  const names = (await knownCommands(config)).map(({ name }) => name);
  assert.equal(names.sort(), ['greet', 'roll-super-token']);
  assert.is(await readFile(config, 'utf8'), before);
  await writeFile(config, 'this is no TOML');
  assert.ok((await knownCommands(config)).some(({ name }) => name === 'backup'));
});

test('a package that nobody has is told by its name', async ({ dir }) => {
  const file = join(dir, 'single.mjs');
  await writeFile(file, `import '@svc/no-such-package'; export default ${says(`'x'`)};`);
  const failure = await bootForTest([file]).catch((error) => error);
  assert.match(failure.message, /could not be loaded: Cannot find package '@svc\/no-such-package'/);
});

test.run();
