/**
 * Memory of a flood goes back to the system when the flood is over.
 *
 * - By itself glibc keeps freed buffers for the next flood: the size from which it maps a buffer on its own rises up to
 *   32 MB with what is freed, and a free one stays where a small one in use lies above it. The settings keep that size
 *   fixed, and small enough that pieces of messages are mapped once the heap is full. Threads share two heaps, because
 *   each keeps a spare.
 * - Buffers that were in use at the last collection of garbage wait for the next one, which comes when as much again was
 *   allocated: with little work, after minutes.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_ARENA_MAX: '2',
};

/**
 * Young objects of a server die soon: more room for them than this, MB, spares hardly any work, and a flood makes V8 take
 * three times as much.
 */
export const YOUNG_GENERATION = '--max-semi-space-size=16';

const LOOK_MS = 3_000;
/**
 * Left-over buffers are collected when so many looks in a row found more than `SURPLUS` bytes of them and hardly anything
 * changed: under load V8 collects often enough, in small steps.
 */
const LOOKS = 3;
const SURPLUS = 16 * 2 ** 20;
const CHANGE = 8 * 2 ** 20;

/** True for an environment that says how memory is kept, be it with an empty `GLIBC_TUNABLES`: that is obeyed. */
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
  // A later argument of the same name wins.
  process.execve(execPath, [execPath, YOUNG_GENERATION, ...execArgv, program, ...args], env);
}

/** Collects garbage while the process lives, when buffers are left over and little happens. */
export function collectLeftOver() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // What runs in contexts to come finds no such function.
  setFlagsFromString('--no-expose-gc');
  const held = () => process.memoryUsage().arrayBuffers;
  let kept = held();
  let seen = [];
  const look = async () => {
    const now = held();
    kept = Math.min(kept, now);
    seen = [...seen, now].slice(-LOOKS);
    const [least, most] = [Math.min(...seen), Math.max(...seen)];
    if (seen.length < LOOKS || least - kept < SURPLUS || most - least > CHANGE) return;
    seen = [];
    await collect({ type: 'major', execution: 'async' });
    kept = held();
  };
  setInterval(look, LOOK_MS).unref();
}
