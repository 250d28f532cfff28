/**
 * Bundles the agent into `public/svc-agent.mjs`, one file that needs nothing but Node, with its version beside it.
 * Alone: `node plugins/enrol/build.mjs`; `npm run build` calls `buildAgent`, and a server among sources runs this file.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const agent = join(root, 'agent');
const out = join(import.meta.dirname, 'public', 'svc-agent.mjs');

/** Builds when a source is newer than the last build. */
export async function buildAgent() {
  const sources = [
    join(agent, 'src'),
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
    await bundle(made);
    utimesSync(made, begun, begun);
    cpSync(join(agent, 'systemd'), join(import.meta.dirname, 'public', 'systemd'), {
      recursive: true,
    });
    renameSync(made, out);
  } finally {
    rmSync(made, { force: true });
  }
}

async function bundle(outfile) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'));
  await build({
    entryPoints: [join(agent, 'src', 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    define: { SVC_AGENT_VERSION: JSON.stringify(version) },
    // Addons that `ws` takes where they are installed, and the one of terminals.
    external: ['bufferutil', 'utf-8-validate', '@lydell/node-pty'],
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** Newest modification in a file or folder, ms; 0 when there is none. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

if (process.argv[1] === import.meta.filename) await buildAgent();
