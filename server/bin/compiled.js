/**
 * Code that V8 has compiled is kept next to the program for the next start, which takes about half the time then. Where the
 * folder cannot be written, as in an installation that belongs to another user, nothing is kept; NODE_COMPILE_CACHE names
 * another folder. Anyone who can write there can run code in the server, so it is never one that users share.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  createRequire,
  enableCompileCache,
  flushCompileCache,
  getCompileCacheDir,
} from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/** Code of the functions of the packed program, in addition to what Node keeps. */
const KEPT = 'packed';

/** The script, when it ran without kept code. */
let fresh;

/** Turns the cache on; must run before the program is loaded. Threads and processes that it starts find the folder in the environment. */
export function useCompiled() {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/**
 * Runs the packed program. Node keeps what V8 compiles when it loads a file; that leaves out the functions in it, which are
 * compiled when they are first called. Here theirs is kept as well. @returns the exports
 */
export function runScript(address) {
  const text = readFileSync(address, 'latin1');
  const [, digest] = /^\/\*(\w+)/.exec(text);
  const folder = getCompileCacheDir();
  const file = folder && join(folder, KEPT);
  const script = new Script(text, {
    filename: address.href,
    cachedData: file && codeOf(digest, file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (file && script.cachedDataRejected !== false) fresh = { file, digest, script };
  const module = { exports: {} };
  const run = script.runInThisContext();
  run(createRequire(address), module, module.exports, address.href);
  return module.exports;
}

/** Compiled code of a file. The cache file ends with the digest of its text, so code of another text is never used. */
function codeOf(digest, file) {
  try {
    const kept = readFileSync(file);
    const end = kept.length - digest.length;
    return kept.toString('latin1', end) === digest ? kept.subarray(0, end) : undefined;
  } catch {
    // Nothing is kept yet.
    return undefined;
  }
}

/** Writes what is not there yet: now, because a server that is killed could not do it at its end. */
export function keepCompiled() {
  flushCompileCache();
  if (fresh) write(fresh);
  fresh = undefined;
}

function write({ file, digest, script }) {
  const code = Buffer.concat([script.createCachedData(), Buffer.from(digest)]);
  // Another server may be reading or writing it.
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, code, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch {
    // Without it the next start takes longer, no more.
  }
}
