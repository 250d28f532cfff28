/**
 * Packs the built server into few files: loading a thousand modules one by one takes most of a start. Each file stays
 * where it was, and every module finds its folder, so that what lies next to it (threads, templates, pages) is found.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/** A script, not a module, so that the code of its functions can be kept for the next start (server/bin/compiled.js). */
const MAIN = 'server/src/main.js';

/** Modules that are started by themselves: the server, and its threads and processes. */
const ENTRIES = [
  MAIN,
  'plugins/database-sqlite/src/writer-thread.js',
  'plugins/database-sqlite/src/reader-thread.js',
  'plugins/database-sqlite/src/file-thread.js',
  'plugins/database-sqlite/src/execute-thread.js',
  'plugins/database-sqlite/src/execute-process.js',
];

/** Imported by what every server has, used where a configuration is edited, or has a fault whose line is named. */
const SELDOM = ['@decimalturn/toml-patch'];

/**
 * Native code, what loads files of its own, the libraries of optional parts, and drivers that no one has. The text of the
 * program is in memory as long as it runs: what few servers use is read from its own files there.
 */
const EXTERNAL = [
  'better-sqlite3',
  '@nats-io/*',
  '@opentelemetry/*',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'tedious',
];
/** Dialects of the query builder that no driver is for. */
const OTHER_DIALECTS =
  /^\.\/(?:cockroachdb|mssql|mysql2?|mariadb|oracle|oracledb|pgnative|redshift)$/;

/**
 * CommonJS inside a module asks for what is not in the bundle. Other packages lie next to this one, as in `dist` and in what
 * `npm run release` makes, or else where Node finds them by name.
 */
const helpers = `
const __outside = require;
function __addressOf(name, path, relativePath) {
  const { existsSync, realpathSync } = require('node:fs');
  const { join } = require('node:path');
  const address = new URL(relativePath, __url);
  if (existsSync(address)) return address.href;
  const folders = require.resolve.paths(name).map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(folder)) ?? name;
  return require('node:url').pathToFileURL(join(realpathSync(found), path)).href;
}
function __part(module, load, members) {
  if (!members) return void (module.exports = load());
  const parts = {};
  const get = (member) => () => {
    const part = load();
    Object.defineProperties(parts, Object.getOwnPropertyDescriptors(part));
    return part[member];
  };
  for (const member of members)
    Object.defineProperty(parts, member, { configurable: true, enumerable: true, get: get(member) });
  module.exports = Object.create(parts);
}`;

const HEADS = {
  cjs: `(function (require, module, exports, __url) { 'use strict'; ${helpers}`,
  esm: `const __url = import.meta.url;
const require = process.getBuiltinModule('node:module').createRequire(__url); ${helpers}`,
};

/** `dist`: the folder with compiled packages; `plugins`: the names of the built-in ones. */
export async function bundle(dist, plugins) {
  for (const entry of ENTRIES) {
    const outfile = join(dist, entry);
    const format = entry === MAIN ? 'cjs' : 'esm';
    const { outputFiles } = await build({
      entryPoints: [outfile],
      outfile,
      write: false,
      bundle: true,
      format,
      platform: 'node',
      target: 'node22',
      external: EXTERNAL,
      banner: { js: HEADS[format] },
      minifyWhitespace: true,
      minifySyntax: true,
      lineLimit: 120,
      logLevel: 'warning',
      // `import.meta.url` alone is kept.
      logOverride: { 'empty-import-meta': 'error' },
      plugins: [inPlace(dist, entry, plugins), whenUsed],
    });
    const text = asAscii(outputFiles[0].text);
    if (format === 'esm') writeFileSync(outfile, text);
    else asScript(outfile, text);
  }
}

/** `file` becomes a module that runs the script next to it, which begins with its digest. */
function asScript(file, text) {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const script = `${basename(file, '.js')}.packed.js`;
  writeFileSync(join(dirname(file), script), `/*${digest}*/${text}})`);
  const address = `new URL('./${script}', import.meta.url)`;
  writeFileSync(
    file,
    `import { runScript } from '../bin/compiled.js';\nexport const { main } = runScript(${address});\n`,
  );
}

/** Node keeps text of ASCII alone once, in one byte a character; esbuild leaves other characters in regular expressions. */
const asAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Keeps addresses of modules, and names the built-in plugins, each loaded when it is asked for. */
const inPlace = (dist, entry, plugins) => ({
  name: 'in place',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const from = relative(dist, path).split(sep).join('/');
      if (!/^(?!node_modules|\.\.)/.test(from)) return undefined;
      const text = from === TABLE ? tableOf(plugins) : readFileSync(path, 'utf8');
      const [other] = /import\.meta\.(?!url\b)\w+/.exec(text) ?? [];
      if (other)
        return {
          errors: [{ text: `${from}: ${other} would be that of the bundle: use import.meta.url` }],
        };
      const contents = text.replaceAll('import.meta.url', () => addressIn(dist, entry, from));
      return { contents, loader: 'js' };
    });
  },
});

/** An expression for the address of a module: relative to the bundle in its own package, else in the package that it is of. */
function addressIn(dist, entry, from) {
  const folderOf = (file) => /^(?:plugins\/)?[^/]+/.exec(file)[0];
  const folder = folderOf(from);
  const relativePath = JSON.stringify(relative(dirname(entry), from).split(sep).join('/'));
  if (folder === folderOf(entry)) return `new URL(${relativePath}, __url).href`;
  const { name } = JSON.parse(readFileSync(join(dist, folder, 'package.json'), 'utf8'));
  const path = from.slice(folder.length + 1);
  return `__addressOf(${JSON.stringify(name)}, ${JSON.stringify(path)}, ${relativePath})`;
}

/**
 * Node's own parts without `import`, which reads every member that they export: those of `node:http` load the program
 * behind `fetch`, with a tenth of a start. Each is loaded where a member of it is first read: a server that speaks neither
 * TLS nor to other programs starts without those parts. The members are inherited, because esbuild makes for each file that
 * imports a part an object with a function for every member of its own, which came to ten thousand. Libraries that are
 * seldom used are loaded in the same way.
 */
const whenUsed = {
  name: 'when used',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: OTHER_DIALECTS }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /./ }, ({ path }) => {
      if (isBuiltin(path)) return { path: path.replace(/^node:/, ''), namespace: 'node' };
      return SELDOM.includes(path) ? { path, namespace: 'seldom' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: part(`process.getBuiltinModule('node:${path}')`, membersOf(path)),
    }));
    onLoad({ filter: /./, namespace: 'seldom' }, async ({ path }) => ({
      contents: part(`__outside('${path}')`, Object.keys(await import(path))),
    }));
  },
};

const part = (loaded, members) => `__part(module, () => ${loaded}, ${JSON.stringify(members)});`;

/**
 * Members of one of Node's parts that can be read by name; undefined where the part itself is what programs use, and for
 * `node:http`, which every start needs.
 */
function membersOf(path) {
  const part = process.getBuiltinModule(`node:${path}`);
  return typeof part === 'object' && path !== 'http' ? Object.keys(part) : undefined;
}

const TABLE = 'server/src/plugins/built-in.js';

const tableOf = (plugins) => `
const table = { ${plugins.map((name) => `'${name}': () => import('@svc/plugin-${name}')`).join(', ')} };
export const importBuiltIn = (name) => table[name]?.() ?? import('@svc/plugin-' + name);
`;
