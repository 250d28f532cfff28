// A plugin that brings its own copy of the SDK: what it throws and returns is recognised all the same.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RpcError, UserError } from '@svc/plugin-sdk';
import { BodyTooBig } from '@svc/plugin-sdk/http';
import { RawJson } from '@svc/plugin-sdk/json';
import { PluginError } from '@svc/plugin-sdk/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('several copies of the SDK');
const root = fileURLToPath(new URL('../..', import.meta.url));

const PLUGIN = `
import { definePlugin, RpcError, Type, UserError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { Int64 } from '@svc/plugin-sdk/schemas';
const method = (handle) => ({ summary: 'Copy.', params: { id: Int64 }, result: Type.Unknown(), access: 'public', handle });
export default definePlugin({
  name: 'copy',
  version: '1.0.0',
  namespaces: ['copy'],
  setup({ hooks, server }) {
    hooks.methods.tap((methods) => {
      methods.add('copy_refuse', method(() => { throw RpcError.notFound('no pear'); }));
      methods.add('copy_raw', method(({ id }) => new RawJson('{"id":' + id + '}')));
      methods.add('copy_fail', method(() => { throw new Error('secret detail'); }));
    });
    hooks.start.tap(() => { if (globalThis.copyFails) throw new UserError('set copy.key'); });
  },
});
`;

let folder: string;
let app: TestApp;
const DOORS = ['index', 'http/index', 'json/index', 'kernel'];
let copy: typeof import('@svc/plugin-sdk') &
  typeof import('@svc/plugin-sdk/http') &
  typeof import('@svc/plugin-sdk/json') &
  typeof import('@svc/plugin-sdk/kernel');

/** Builds the SDK into `node_modules/@svc/plugin-sdk` of the folder, as a package manager would put it there. */
async function installSdk(): Promise<void> {
  const target = join(folder, 'node_modules/@svc/plugin-sdk');
  await mkdir(target, { recursive: true });
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: {
      outDir: target,
      rootDir: join(root, 'plugin-sdk'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(root, 'plugin-sdk/src')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]);
  const exports = {
    '.': './src/index.js',
    './json': './src/json/index.js',
    './schemas': './src/schemas.js',
    './typebox': './src/typebox.js',
  };
  await writeFile(join(target, 'package.json'), JSON.stringify({ type: 'module', exports }));
  const typebox = 'node_modules/typebox';
  await symlink(join(root, typebox), join(folder, typebox), 'junction');
}

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  await installSdk();
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'plugin.js'), PLUGIN);
  const door = (name: string) =>
    import(pathToFileURL(join(folder, `node_modules/@svc/plugin-sdk/src/${name}.js`)).href);
  copy = Object.assign({}, ...(await Promise.all(DOORS.map(door))));
  app = await bootForTest([join(folder, 'plugin.js')]);
});
test.after(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('it is a copy', () => {
  assert.is.not(copy.RpcError, RpcError);
});

test('its RpcError is sent as it is', async () => {
  const failure = await app.call('copy_refuse', [1]).catch((error) => error);
  assert.is(failure.code, 105);
  assert.is(failure.message, 'Not found in database: no pear');
});

test('any other error stays 999 without its text', async () => {
  const failure = await app.call('copy_fail', [1]).catch((error) => error);
  assert.is(failure.code, 999);
  assert.not.match(failure.message, /secret/);
});

test('its RawJson is sent as it is, and its schemas check', async () => {
  assert.equal(await app.call('copy_raw', [7]), { id: 7 });
  const failure = await app.call('copy_raw', ['x']).catch((error) => error);
  assert.is(failure.code, -32602);
});

/** One instance of each class that crosses the border, made by either copy. */
const made = (sdk: typeof copy) =>
  [
    [new sdk.RpcError(1, 'x'), 'RpcError'],
    [new sdk.UserError('x'), 'UserError'],
    [new sdk.PluginError('a', 'x'), 'PluginError'],
    [new sdk.BodyTooBig(1, true), 'BodyTooBig'],
    [new sdk.RawJson('1'), 'RawJson'],
  ] as const;
const own = { RpcError, UserError, PluginError, BodyTooBig, RawJson };

test('instanceof tells the classes apart, in both directions and in no other', () => {
  for (const [theirs, name] of made(copy)) {
    for (const [other, Class] of Object.entries(own)) {
      assert.is(theirs instanceof Class, other === name, `${name} of the copy is a ${other}`);
    }
    assert.is(theirs instanceof copy[name], true, name);
  }
  for (const [mine, name] of made({ ...copy, ...own } as typeof copy)) {
    assert.is(mine instanceof copy[name], true, name);
  }
  for (const value of [null, undefined, 1, 'x', {}, new Error('x')]) {
    assert.is((value as unknown) instanceof RpcError, false);
  }
});

test('a subclass is recognised by its own class only', () => {
  class Special extends RpcError {}
  assert.is(new Special(1, 'x') instanceof Special, true);
  assert.is(new Special(1, 'x') instanceof RpcError, true);
  assert.is(new RpcError(1, 'x') instanceof Special, false);
});

test('its UserError stops the start with its own sentence', async () => {
  const state = globalThis as { copyFails?: boolean };
  state.copyFails = true;
  try {
    const failure = await bootForTest([join(folder, 'plugin.js')]).catch((error) => error);
    assert.match(failure.message, /^set copy\.key\n\(configuration: .*\)$/);
  } finally {
    delete state.copyFails;
  }
});

test.run();
