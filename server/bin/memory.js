/**
 * Memory of a flood goes back to the system when the flood is over.
 *
 * - By itself glibc keeps freed buffers for the next flood: the size from which it maps a buffer on its own rises up to
 *   32 MB with what is freed, and a free one stays where a small one in use lies above it. The settings keep that size
 *   fixed, and small enough that pieces of messages are mapped once the heap is full. Threads share one heap, because
 *   each keeps a spare, and what the connections of a whole fleet leave free in one is not at its end.
 * - V8's part stands in `garbage.js`: this file is read twice in a start, and loads nothing.
 */

const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_ARENA_MAX: '1',
};

/** Tells whether an environment says how memory is kept, be it with an empty `GLIBC_TUNABLES`: that is obeyed. */
const isSet = (env) => Object.keys(env).some((name) => /^(MALLOC_|GLIBC_TUNABLES$)/.test(name));

/** The environment for a server; undefined: it is as it should be. */
export function memorySettings(env) {
  if (process.platform !== 'linux' || isSet(env)) return undefined;
  return { ...env, ...ALLOCATOR };
}

/**
 * Begins `program` anew in this process with the settings, which are read only then, unless it has them or its parent talks
 * to it: that channel would be lost. The process keeps its number and its standard streams.
 */
export function beginAnew(program, args) {
  const env = memorySettings(process.env);
  if (!env || process.channel) return;
  const { execPath, execArgv } = process;
  process.execve(execPath, [execPath, ...execArgv, program, ...args], env);
}
