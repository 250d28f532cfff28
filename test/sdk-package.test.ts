// proof only: 40
/** The packages that `npm pack` makes, in projects of their own: installed, type-checked, run. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { AGENT } from './agent-program-kit.ts';
import { startAgent, stopAgent, until } from './agent-program-process.ts';
import { linkInstalled, pack, run, unpack } from './plugin-project.ts';
import { suite } from './runner/suite.ts';

const repository = resolve(import.meta.dirname, '..');
/** A copy of the repository: packing builds. */
let copy: string;
let dir: string;

const test = suite('packages');
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-packages-'));
  copy = join(dir, 'copy');
  await copyRepository();
});
test.after(() => rm(dir, { recursive: true, force: true }));

async function copyRepository(): Promise<void> {
  const left = new Set(['node_modules', '.git', 'data', 'test', 'bench', 'docs', 'coverage']);
  for (const entry of await readdir(repository)) {
    if (left.has(entry)) continue;
    const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
    await cp(join(repository, entry), join(copy, entry), options).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (name !== '@svc') await linkInstalled(copy, name);
  }
  await mkdir(join(copy, 'node_modules/@svc'));
  const { workspaces } = await json(join(repository, 'package.json'));
  for (const pattern of workspaces as string[]) {
    const parent = pattern.replace('/*', '');
    const folders =
      parent === pattern
        ? [pattern]
        : (await readdir(join(copy, parent))).map((name) => `${parent}/${name}`);
    for (const folder of folders) {
      const { name } = await json(join(copy, folder, 'package.json'));
      await symlink(join(copy, folder), join(copy, 'node_modules', name), 'junction');
    }
  }
}

const json = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

/** A project with these packages of the repository and what they need from others. */
async function project(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(dir, name);
  await mkdir(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  const needed = new Set(['@types/node', 'typescript']);
  const built = packages.map((source) => join(copy, 'dist', source));
  const packed = await pack(folder, ...built);
  for (const [at, source] of packages.entries()) {
    const { name, dependencies, peerDependencies } = await json(join(copy, source, 'package.json'));
    await unpack(packed[at] ?? '', folder, name);
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) needed.add(other);
  }
  for (const other of needed) if (!other.startsWith('@svc/')) await linkInstalled(folder, other);
  return folder;
}

/** By the words of the READMEs. */
async function runPack(folder: string): Promise<string> {
  const printed = await run(folder, 'npm', 'run', 'pack', '--', '--pack-destination', dir);
  return join(dir, printed.trim().split('\n').at(-1) ?? '');
}

const contents = async (packed: string) =>
  (await run(dir, 'tar', '-tzf', packed)).trim().split('\n');

const packable: [folder: string, page: string, files: string[]][] = [
  ['plugin-sdk', 'plugin-sdk/README.md', ['index.js', 'index.d.ts', 'testing.js', 'typebox.js']],
  ['client', 'examples/client/README.md', ['index.js', 'index.d.ts']],
];
for (const [name, page, expected] of packable) {
  test(`npm run pack in ${name} packs compiled code and leaves the folder as it was`, async () => {
    assert.match(await readFile(join(repository, page), 'utf8'), '`npm run pack` in ');
    const folder = join(copy, name);
    const before = await readdir(folder);
    const files = await contents(await runPack(folder));
    assert.equal(await readdir(folder), before);
    for (const file of expected) assert.ok(files.includes(`package/src/${file}`), file);
    assert.equal(
      files.filter((file) => /\.ts$/.test(file) && !/\.d\.ts$/.test(file)),
      [],
    );
  });

  test(`npm pack in ${name} packs no sources, which would not run where they are installed`, async () => {
    const [packed = ''] = await pack(dir, join(copy, name));
    assert.equal((await contents(packed)).sort(), ['package/README.md', 'package/package.json']);
  });
}

test('the types of the SDK name no package that the SDK does not declare', async () => {
  const { dependencies, peerDependencies } = await json(join(copy, 'plugin-sdk/package.json'));
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  const built = join(copy, 'dist/plugin-sdk/src');
  for (const name of await readdir(built, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = await readFile(join(built, name), 'utf8');
    const named = [...text.matchAll(/(?:from |import\()["']([^."'][^"']*)["']/g)].map(([, n]) => n);
    const strange = named.filter(
      (specifier = '') =>
        !specifier.startsWith('node:') && !declared.includes(specifier.split('/')[0] ?? ''),
    );
    assert.equal(strange, [], name);
  }
});

/** The plugin in the README of the SDK. */
async function example(): Promise<string> {
  const text = await readFile(join(repository, 'plugin-sdk/README.md'), 'utf8');
  const [, code = ''] = /```ts\n(.*?)```/s.exec(text) ?? [];
  return code;
}

const STRICT = '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes'.split(' ');
const NODE = '--module nodenext --target es2024 --lib es2024 --types node'.split(' ');

test('the plugin of the README, with its own copy of the SDK, is type-checked, compiled and loaded', async () => {
  const folder = await project('memo', ['plugin-sdk']);
  await writeFile(join(folder, 'src/index.ts'), await example());
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  const options = [...STRICT, ...NODE, '--outDir', 'dist', 'src/index.ts'];
  await run(folder, process.execPath, tsc, ...options);
  const config = { memo: { max_length: 5 } };
  const app = await bootForTest(['token', join(folder, 'dist/index.js')], config);
  const call = (method: string, ...params: unknown[]) =>
    app
      .call(method, [app.superToken, ...params])
      .catch(({ code, message }) => `${code} ${message}`);
  try {
    assert.equal(await call('memo_set', 'a', 'one'), { success: true });
    assert.equal(await call('memo_set', 'a', 'two'), { success: true });
    assert.is(await call('memo_get', 'a'), 'two');
    // Errors of the plugin's own copy arrive as they are.
    assert.is(await call('memo_get', 'b'), '105 Not found in database: b');
    assert.is(
      await call('memo_set', 'a', 'longer'),
      '108 Invalid input: text: 5 characters at most',
    );
    assert.match(await call('memo_set', '', 'x'), /^-32602 /);
    const refused = await app.call('memo_get', [await app.token([]), 'a']).catch(String);
    assert.is(refused, 'Error: Permission denied: missing memo.read');
  } finally {
    await app.stop();
  }
});

const TEST = `import assert from 'node:assert/strict';
import { bootForTest } from '@svc/plugin-sdk/testing';
import { definePlugin } from '@svc/plugin-sdk';

const plugin = definePlugin({
  name: 'alone',
  version: '1.0.0',
  setup: ({ hooks }) =>
    hooks.routes.tap((routes) =>
      routes.add({ path: '/alone', handle: (exchange) => exchange.text(200, 'here') }),
    ),
});
const app = await bootForTest(['token', plugin]);
assert.match(app.superToken, /^\\w+:\\w+$/);
assert.equal(await (await app.fetch('/alone')).text(), 'here');
await app.stop();
console.log('done');
`;

test('the packed server boots a plugin for its test', async () => {
  const names = ['database-sqlite', 'token', 'admission', 'audit'];
  const plugins = names.map((name) => `plugins/${name}`);
  const packages = ['plugin-sdk', 'fair-turns', 'kernel', 'server', ...plugins];
  const folder = await project('alone', packages);
  await writeFile(join(folder, 'src/alone.test.mjs'), TEST);
  assert.is(await run(folder, process.execPath, 'src/alone.test.mjs'), 'done\n');
});

/** Of the agent in `startAgent`, as far as the program below goes. */
const agentRights = [
  {
    scopes: [{ agent_uuid: AGENT }],
    permissions: [
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      { task: { write: 'execute' } },
    ],
  },
];

test('the path of a stranger: the packed client, installed in an empty folder, and a program of 30 lines', async () => {
  const folder = join(dir, 'stranger');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  const packed = await runPack(join(copy, 'client'));
  await run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', packed);
  for (const name of ['typescript', '@types/node', 'undici-types'])
    await linkInstalled(folder, name);
  const program = await readFile(join(repository, 'examples/client/fleet.ts'), 'utf8');
  assert.ok(program.trimEnd().split('\n').length <= 30);
  await writeFile(join(folder, 'fleet.ts'), program);
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  await run(folder, process.execPath, tsc, ...STRICT, ...NODE, '--noEmit', 'fleet.ts');
  const page = await readFile(join(folder, 'node_modules/@svc/client/README.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  for (const [at, code] of blocks.entries()) await writeFile(join(folder, `page-${at}.ts`), code);
  const pages = blocks.map((_code, at) => `page-${at}.ts`);
  const browser = [...NODE, '--lib', 'es2024,dom', '--skipLibCheck', '--noEmit'];
  await run(folder, process.execPath, tsc, ...STRICT, ...browser, ...pages);
  const app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid', 'task']);
  const server = 'allow_task = true\nallow_execute = true';
  const agent = await startAgent(app, await app.token(agentRights), { server });
  try {
    const agents = () => app.call('agent-uuid_list_all', [app.superToken]);
    await until('a report', agents, (list) => list.length === 1);
    const start = [`SVC_TOKEN=${app.superToken}`, process.execPath, 'fleet.ts'];
    const printed = await run(folder, 'env', ...start, app.url, 'echo', 'it works');
    const [list, ...lines] = printed.trim().split('\n');
    assert.is(list, `1 agents: ${AGENT}`);
    assert.ok(lines.length >= 4, printed);
    for (const line of lines.slice(0, 3)) assert.match(line, /^0b6f1c52-\S+ [\d.]+ % of CPU$/);
    assert.is(lines.at(-1), 'it works');
  } finally {
    await stopAgent(agent);
    await app.stop();
  }
});

test.run();
