import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ShareRules, Shares } from '@svc/fair-turns';
import { ScriptThread, type ScriptThreadData } from './script-thread.ts';
import { wasm } from './wasm.ts';

/** A run waits this long for the thread that has its context before the context is made anew elsewhere, ms. */
const MOVE_MS = 250;
/** Threads beyond the first ones end when they have been idle and without contexts for this long, ms. */
const IDLE_MS = 30_000;
/**
 * Inline calls get threads beyond the limit: their callers hold one each. Each level may take one more thread than the
 * one above it, so that whatever the others hold, the call that began last finds a thread for what it calls.
 */
const INLINE_THREADS = 16;
/** Scripts that are compiled at the same time. */
const LOAD_THREADS = 2;
/** More of these, and of inline calls, for shares that have none. */
const SPARE_THREADS = 2;

/** Work that a thread is reserved for: a run that was started from outside, one that another run waits for, or the compiler. */
export type Kind = 'run' | 'inline' | 'load';
/** The order in which they get threads: some run waits for an inline call. */
export const KINDS = ['inline', 'load', 'run'] as const;

/** Needs of a job. */
export interface Wanted {
  readonly kind: Kind;
  /** Runs above this one. */
  readonly level: number;
  readonly share: string;
}

/** Context that wants a thread. */
interface Wanting {
  /** The thread that has the context. */
  ownThread(): ScriptThread | undefined;
  readonly context: number | undefined;
}

export interface ThreadOptions {
  /** The owner's globals. */
  readonly globals: string;
  /** Threads that stay. */
  readonly least: number;
  readonly most: () => number;
  readonly spare?: (() => number) | undefined;
  readonly standing?: ShareRules['standing'];
  readonly onStarted: () => void;
  readonly onLost: (error: Error) => void;
}

/** Events that the queue hears of. */
interface ThreadEvents {
  /** Called when a thread is free or has gone. */
  freed(): void;
  /** Called when no thread can be started. */
  failed(error: Error): void;
}

/** The bounded pool of script threads. It starts with the first script: a server without scripts pays nothing. */
export class Threads {
  readonly #options: ThreadOptions;
  readonly #events: ThreadEvents;
  readonly #threads: ScriptThread[] = [];
  readonly #shares: { readonly [K in Kind]: Shares };
  #data: Promise<ScriptThreadData> | undefined;
  #starting = 0;
  #stopped = false;
  /** Threads that are being ended. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: ThreadOptions, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
    const { most, spare = () => 0, standing } = options;
    const few = { spare: () => SPARE_THREADS, standing };
    this.#shares = {
      run: new Shares({ most, spare, standing }),
      load: new Shares({ most: () => LOAD_THREADS, ...few }),
      // How many there may be depends on the level.
      inline: new Shares({ most: () => Number.POSITIVE_INFINITY, ...few }),
    };
  }

  /** Starts the threads that stay; none once they have been stopped. */
  warm(): void {
    while (!this.#stopped && this.#count < this.#options.least) this.#start();
  }

  /** The thread that has the context, when it is free. */
  ofContext(job: Wanted & { readonly line: Wanting }): ScriptThread | undefined {
    const { context } = job.line;
    const own = job.line.ownThread();
    if (!own?.ready || (own.busy && !own.lingersFor(context))) return undefined;
    // The work that lingers goes on at the same time as the run: both have one place.
    own.releasePlace();
    return this.hasPlace(job) ? own : undefined;
  }

  /** Others wait for a thread: runs that were posted ahead come back, except for the next one. */
  recall(): void {
    for (const thread of this.#threads) thread.recall();
  }

  /** Ends threads that have been idle. */
  rest(): void {
    const long = performance.now() - IDLE_MS;
    const idle = this.#threads.filter(
      (thread) =>
        thread.ready && !thread.busy && thread.contexts.size === 0 && thread.idleSince < long,
    );
    const surplus = this.#count - this.#options.least;
    for (const thread of idle.slice(0, Math.max(0, surplus))) thread.kill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#data?.catch(() => undefined);
    for (const thread of [...this.#threads]) thread.kill();
    await Promise.all(this.#ending);
  }

  get #count(): number {
    return this.#threads.length + this.#starting;
  }

  /** Tells whether there is a place: no kind of work can occupy the places of the others. */
  hasPlace({ kind, level, share }: Wanted): boolean {
    const shares = this.#shares[kind];
    if (kind !== 'inline') return shares.hasPlace(share);
    const spare = shares.held(share) === 0 ? SPARE_THREADS : 0;
    return shares.used < INLINE_THREADS + level - 1 + spare;
  }

  reserve(thread: ScriptThread, { kind, share }: Wanted): void {
    const shares = this.#shares[kind];
    thread.releasePlace();
    shares.acquire(share);
    thread.reserve(() => shares.release(share));
  }

  /** Returns the jobs of this kind that have a place now, in their order. */
  order<Job extends Wanted>(kind: Kind, jobs: readonly Job[]): Job[] {
    const these = jobs.filter((job) => job.kind === kind && this.hasPlace(job));
    return this.#shares[kind].order(these);
  }

  /** Starts one more thread where one `isShort`, or soon will be. */
  grow(isShort: boolean): void {
    const isBooting = this.#starting > 0 || this.#threads.some(({ ready }) => !ready);
    if (!isBooting && (isShort || this.#wantsOneReady())) this.#start();
  }

  /** Every place is taken: the first run of another share does not wait for its thread. */
  #wantsOneReady(): boolean {
    const { most, spare } = this.#options;
    const { used } = this.#shares.run;
    if (used < most() || used >= most() + (spare?.() ?? 0)) return false;
    return this.#threads.every(({ busy }) => busy);
  }

  /** A thread; how long to wait for the context's own, ms; undefined: there is none. */
  choose(line: Wanting, since: number): ScriptThread | number | undefined {
    const own = line.ownThread();
    if (own?.ready) {
      if (!own.busy || own.lingersFor(line.context)) return own;
      const left = since + MOVE_MS - performance.now();
      if (left > 0) return left;
    }
    const free = this.#threads.filter((thread) => thread.ready && !thread.busy);
    // Threads that stay come first; among them the one with the fewest contexts.
    const rank = (thread: ScriptThread) =>
      Number(this.#threads.indexOf(thread) >= this.#options.least) * 1e6 + thread.contexts.size;
    return free.sort((a, b) => rank(a) - rank(b))[0];
  }

  #start(): void {
    if (this.#stopped) return;
    this.#starting++;
    this.#data ??= compile(this.#options.globals);
    this.#data
      .then(async (data) => {
        // Starting it takes a while: what the thread that ended before has to say goes out first.
        await nextTurn();
        if (this.#stopped) return;
        const gone = (thread: ScriptThread, error: Error | undefined) => this.#gone(thread, error);
        this.#threads.push(new ScriptThread(data, this.#events.freed, gone));
        this.#options.onStarted();
      })
      .catch((error: Error) => {
        this.#data = undefined;
        this.#options.onLost(error);
        this.#events.failed(error);
      })
      .finally(() => {
        this.#starting--;
      });
  }

  #gone(thread: ScriptThread, error: Error | undefined): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    const ending = thread.ended.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    if (this.#stopped) return;
    if (error) this.#options.onLost(error);
    if (error && !thread.started) {
      // It would not start the next time either.
      this.#events.failed(error);
      return;
    }
    this.warm();
    this.#events.freed();
  }
}

async function compile(globals: string): Promise<ScriptThreadData> {
  const require = createRequire(import.meta.url);
  const bytes = await readFile(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  return { module: await wasm.compile(bytes), globals };
}
