/**
 * Bundles the agent into `public/svc-agent.mjs`, one file that needs nothing but Node, with its version next to it, and the
 * program that checks signatures on machines into `public/verify.mjs`.
 * Alone: `node plugins/enrol/build.mjs`; `npm run build` calls `buildAgent`, and a server among sources runs this file.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const agent = join(root, 'agent');
const out = join(import.meta.dirname, 'public', 'svc-agent.mjs');

/** Optional: without it agents open no terminals. */
const PTY = '@lydell/node-pty';
const isInstalled = (name) => existsSync(join(root, 'node_modules', name));

/** Builds when a source is newer than the last build. */
export async function buildAgent() {
  const sources = [
    join(agent, 'src'),
    join(root, 'checks', 'src'),
    join(root, 'conditions', 'src'),
    join(agent, 'package.json'),
    join(agent, 'systemd'),
    join(root, 'package-lock.json'),
  ];
  if (newest(out) >= Math.max(...[...sources, import.meta.filename].map(newest))) return;
  const begun = new Date();
  // Several processes may build at once: each a file of its own, the last one stays.
  const made = `${out}.${process.pid}`;
  mkdirSync(join(import.meta.dirname, 'public'), { recursive: true });
  try {
    await bundleVerifier(join(import.meta.dirname, 'public', 'verify.mjs'), `${made}.verify`);
    await bundle(made);
    utimesSync(made, begun, begun);
    cpSync(join(agent, 'systemd'), join(import.meta.dirname, 'public', 'systemd'), {
      recursive: true,
    });
    renameSync(made, out);
  } finally {
    rmSync(made, { force: true });
    rmSync(`${made}.verify`, { force: true });
  }
}

/** Short enough to be a part of the installer. */
async function bundleVerifier(outfile, half) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: [join(agent, 'src', 'signed', 'verify.ts')],
    outfile: half,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  });
  renameSync(half, outfile);
}

async function bundle(outfile) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(agent, 'src', 'main.ts')],
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    define: { SVC_AGENT_VERSION: JSON.stringify(version) },
    // Addons that `ws` takes where they are installed. That of terminals has a name that is made when it is loaded.
    external: ['bufferutil', 'utf-8-validate', ...(isInstalled(PTY) ? [] : [PTY])],
    plugins: [withoutWindows, withNamesAlone],
    banner: {
      js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  writeFileSync(outfile, outputFiles[0].text + licencesOf(Object.keys(metafile.inputs)));
}

/** Terminals on Windows have threads in files of their own: there the package itself has to be installed. */
const withoutWindows = {
  name: 'without Windows',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/windowsTerminal$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** `import { type A, b as c } from 'node:fs';`, `import * as os from 'node:os';` */
const BUILTIN = /^import (?:\* as (\w+)|\{([^}]*)\}) from '(node:[^']+)';$/gm;

/**
 * An import statement reads every export of a module of Node, also those that are made when they are read: `node:http` and
 * `node:util` would bring an HTTP/2 client, fetch and worker threads, which the agent never uses. Names alone do not.
 */
const withNamesAlone = {
  name: 'names of modules of Node',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\](?:agent|checks|conditions)[/\\]src[/\\].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(BUILTIN, (_, whole, listed = '', module) => {
        const names = listed.split(',').filter((name) => name.trim() && !/^\s*type /.test(name));
        const taken = whole ?? `{${names.join(',').replaceAll(' as ', ': ')}}`;
        return `const ${taken} = process.getBuiltinModule('${module}');`;
      }),
    }));
  },
};

/** Texts of the licences of the packages inside: the licences ask that they go with every copy. */
function licencesOf(inputs) {
  const inside = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(inside)].sort().map((folder) => {
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    return `${folder.split('node_modules/').at(-1)}\n\n${readFileSync(join(root, folder, file), 'utf8')}`;
  });
  return `/*\nInside, under these licences:\n\n${texts.join('\n')}*/\n`;
}

/** Newest modification in a file or folder, ms; 0 when there is none. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

if (process.argv[1] === import.meta.filename) await buildAgent();
