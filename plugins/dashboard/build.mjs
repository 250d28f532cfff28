/**
 * Builds the page into `public/`: `web/` with the client's sources, each file with its brotli and gzip forms.
 * Alone: `node plugins/dashboard/build.mjs`; `npm start`, `npm run build` and tests call `buildDashboard`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = import.meta.dirname;
const web = join(folder, 'web');
const out = join(folder, 'public');
const root = resolve(folder, '..', '..');
const stamp = join(out, '.built');
/** Smaller files do not get smaller on the wire. */
const COMPRESS_FROM = 512;

/**
 * Builds when a source is newer than the last build. Looking costs some milliseconds, building about two seconds, in a
 * process of its own: a server that is about to start keeps nothing of it.
 */
export async function buildDashboard() {
  if (!isStale()) return;
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the dashboard could not be built (status ${code})`);
}

function isStale() {
  const cron = join(root, 'plugins', 'crontab', 'src', 'cron');
  const sources = [web, cron, join(root, 'client', 'src'), join(root, 'package-lock.json')];
  return newest(stamp) < Math.max(...[...sources, import.meta.filename].map(newest));
}

async function main() {
  if (!isStale()) return;
  const begun = new Date();
  // Several tests may build at once: each into a folder of its own, the last one stays.
  const made = `${out}.${process.pid}`;
  try {
    await build(made);
    compress(made);
    writeFileSync(join(made, '.built'), '');
    utimesSync(join(made, '.built'), begun, begun);
    replace(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

async function build(outDir) {
  const { build: viteBuild } = await import('vite');
  await viteBuild({
    root: web,
    configFile: false,
    envDir: false,
    // The server says in `<base>` where the page lives.
    base: './',
    logLevel: 'warn',
    publicDir: join(web, 'public'),
    cacheDir: join(root, 'node_modules', '.cache', 'vite'),
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    html: { cspNonce: '__NONCE__' },
    plugins: [{ name: 'fetch-first', transformIndexHtml: { order: 'post', handler: withFirst } }],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      manifest: 'manifest.json',
      rolldownOptions: { output: { codeSplitting: { groups: GROUPS }, chunkFileNames } },
    },
  });
}

/** Names the words of a page by page and language: `jobs-zh`. */
function chunkFileNames({ facadeModuleId }) {
  const words = /pages.(\w+).(en|zh)\.ts$/.exec(facadeModuleId ?? '');
  return `assets/${words ? `${words[1]}-${words[2]}` : '[name]'}-[hash].js`;
}

/** Few files before the first picture: browsers fetch six at a time. What logs in is small and begins alone. */
const GROUPS = [
  { name: 'start', test: /web.frame.(?:server|preferences)\.ts$|vite.preload-helper/, priority: 2 },
  // The icons of all pages, too: one that two pages share would be a file of its own.
  {
    name: 'first',
    test: /web.(?:frame.(?:shell|login|view)|pages.fleet.index)\.tsx$|fleet.en\.ts$|node_modules.lucide/,
    priority: 1,
  },
];

/** Adds preloads for the chunks that the first script imports later, and their style sheets. */
function withFirst(html, { bundle }) {
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
  const first = chunks.filter(({ name }) => name === 'first' || name === 'app');
  const link = (attrs) => ({
    tag: 'link',
    attrs: { crossorigin: true, ...attrs },
    injectTo: 'head',
  });
  const isNew = (name, at, all) => all.indexOf(name) === at && !html.includes(name);
  return [
    ...first
      .flatMap(({ fileName, imports }) => [fileName, ...imports])
      .filter(isNew)
      .map((name) => link({ rel: 'modulepreload', href: `./${name}` })),
    ...first
      .flatMap(({ viteMetadata }) => [...viteMetadata.importedCss])
      .filter(isNew)
      .map((name) => link({ rel: 'stylesheet', href: `./${name}` })),
  ];
}

function compress(directory) {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|css|svg|json|txt)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    if (bytes.length < COMPRESS_FROM) continue;
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  }
}

/** A folder cannot be renamed over a full one, so the old one steps aside first. */
function replace(made) {
  const old = `${out}.${process.pid}.old`;
  try {
    if (existsSync(out)) renameSync(out, old);
    renameSync(made, out);
  } catch (error) {
    // Another process was quicker; what it has put there was made from the same sources.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM'].includes(error.code)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

/** Newest modification in a file or folder, ms; 0 when there is none. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

if (process.argv[1] === import.meta.filename) await main();
