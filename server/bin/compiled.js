/**
 * Code that V8 has compiled is kept beside the program for the next start, which takes about half the time then. Where the
 * folder cannot be written, as in an installation that belongs to another user, nothing is kept; NODE_COMPILE_CACHE names
 * another folder. Whoever can write there can run code in the server, so it is never one that users share.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/** To be called before the program is loaded; threads and processes that it starts find the folder in the environment. */
export function useCompiled() {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** Writes what is not there yet: now, because a server that is killed could not do it at its end. */
export const keepCompiled = () => flushCompileCache();
