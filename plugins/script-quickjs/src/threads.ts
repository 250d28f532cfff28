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
/** Works of one kind and share that may wait for a thread. */
const MOST_WAITING = 2_048;
/**
 * Inline calls get threads beyond the limit: their callers hold one each. Each level may take one more thread than the
 * one above it, so that whatever the others hold, the call that began last finds a thread for what it calls.
 */
const INLINE_THREADS = 16;
/** Scripts that are compiled at the same time. */
const LOAD_THREADS = 2;
/** More of these, and of inline calls, for shares that have none. */
const SPARE_THREADS = 2;

/** What a thread is taken for: a run that was started from outside, one that another run waits for, or the compiler. */
type Kind = 'run' | 'inline' | 'load';
/** The order in which they get threads: some run waits for an inline call. */
const KINDS = ['inline', 'load', 'run'] as const;

interface Waiter {
  /** The thread that has this context. */
  readonly home: () => ScriptThread | undefined;
  readonly box: number | undefined;
  readonly since: number;
  readonly kind: Kind;
  /** Runs above this one. */
  readonly level: number;
  readonly share: string;
  take(thread: ScriptThread): void;
  fail(error: Error): void;
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

/** The bounded pool of script threads. It starts with the first script: a server without scripts pays nothing. */
export class Threads {
  readonly #options: ThreadOptions;
  readonly #threads: ScriptThread[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #shares: { readonly [K in Kind]: Shares };
  #data: Promise<ScriptThreadData> | undefined;
  #starting = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Threads that are being ended. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: ThreadOptions) {
    this.#options = options;
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

  /** The context's own thread, reserved, when it is free and no call waits for a thread. */
  now({ home, box, share }: Pick<Waiter, 'home' | 'box' | 'share'>): ScriptThread | undefined {
    const own = this.isCalm ? home() : undefined;
    if (!own?.ready || (own.busy && !own.lingersFor(box))) return undefined;
    // The work that lingers goes on beside the run: both have one place.
    own.leave();
    if (!this.#shares.run.mayTake(share)) return undefined;
    this.#reserve(own, 'run', share);
    return own;
  }

  /** No call waits whose turn would come first. */
  get isCalm(): boolean {
    return this.#waiting.length === 0 && !this.#stopped;
  }

  /** A free thread, reserved for the caller: the context's own if possible. No kind of work can take the others' share. */
  acquire(
    wanted: Pick<Waiter, 'home' | 'box' | 'kind' | 'level' | 'share'>,
  ): Promise<ScriptThread> {
    if (this.#stopped) return Promise.reject(new Error('the server stops'));
    const { kind, share } = wanted;
    const before = this.#waiting.filter((one) => one.kind === kind && one.share === share);
    if (before.length >= MOST_WAITING)
      return Promise.reject(new Error('Worker queue full, request rejected'));
    this.warm();
    return new Promise((take, fail) => {
      this.#waiting.push({ ...wanted, since: performance.now(), take, fail });
      for (const thread of this.#threads) thread.recall();
      this.#dispatch();
    });
  }

  /** Ends threads that have been idle. */
  rest(): void {
    const long = performance.now() - IDLE_MS;
    const idle = this.#threads.filter(
      (thread) =>
        thread.ready && !thread.busy && thread.boxes.size === 0 && thread.idleSince < long,
    );
    const surplus = this.#count - this.#options.least;
    for (const thread of idle.slice(0, Math.max(0, surplus))) thread.kill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiting.splice(0)) waiter.fail(new Error('the server stops'));
    await this.#data?.catch(() => undefined);
    for (const thread of [...this.#threads]) thread.kill();
    await Promise.all(this.#ending);
  }

  get #count(): number {
    return this.#threads.length + this.#starting;
  }

  #hasPlace({ kind, level, share }: Waiter): boolean {
    const shares = this.#shares[kind];
    if (kind !== 'inline') return shares.mayTake(share);
    const spare = shares.held(share) === 0 ? SPARE_THREADS : 0;
    return shares.used < INLINE_THREADS + level - 1 + spare;
  }

  #reserve(thread: ScriptThread, kind: Kind, share: string): void {
    const shares = this.#shares[kind];
    thread.leave();
    shares.take(share);
    thread.reserve(() => shares.give(share));
  }

  /** Those that have a place now, in their order. */
  #first(kind: Kind): Waiter[] {
    const waiting = this.#waiting.filter((one) => one.kind === kind && this.#hasPlace(one));
    return this.#shares[kind].order(waiting);
  }

  #dispatch(): void {
    let soonest = Number.POSITIVE_INFINITY;
    let wantsMore = false;
    for (const waiter of KINDS.flatMap((kind) => this.#first(kind))) {
      if (!this.#hasPlace(waiter)) continue;
      const thread = this.#choose(waiter);
      if (thread instanceof ScriptThread) {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        this.#reserve(thread, waiter.kind, waiter.share);
        waiter.take(thread);
      } else if (thread === undefined) wantsMore = true;
      else soonest = Math.min(soonest, thread);
    }
    clearTimeout(this.#timer);
    if (soonest < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#dispatch(), soonest + 1);
    if ((wantsMore || this.#wantsOneReady()) && this.#starting === 0 && this.#isBooting() === 0)
      this.#start();
  }

  /** Every place is taken: the first run of another share does not wait for its thread. */
  #wantsOneReady(): boolean {
    const { most, spare } = this.#options;
    const { used } = this.#shares.run;
    if (used < most() || used >= most() + (spare?.() ?? 0)) return false;
    return this.#threads.every(({ busy }) => busy);
  }

  #isBooting(): number {
    return this.#threads.filter(({ ready }) => !ready).length;
  }

  /** A thread; how long to wait for the context's own, ms; undefined: there is none. */
  #choose({ home, box, since }: Waiter): ScriptThread | number | undefined {
    const own = home();
    if (own?.ready) {
      if (!own.busy || own.lingersFor(box)) return own;
      const left = since + MOVE_MS - performance.now();
      if (left > 0) return left;
    }
    const free = this.#threads.filter((thread) => thread.ready && !thread.busy);
    // Threads that stay come first; among them the one with the fewest contexts.
    const rank = (thread: ScriptThread) =>
      Number(this.#threads.indexOf(thread) >= this.#options.least) * 1e6 + thread.boxes.size;
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
        this.#threads.push(new ScriptThread(data, () => this.#dispatch(), gone));
        this.#options.onStarted();
      })
      .catch((error: Error) => {
        this.#data = undefined;
        this.#options.onLost(error);
        for (const waiter of this.#waiting.splice(0)) waiter.fail(error);
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
      for (const waiter of this.#waiting.splice(0)) waiter.fail(error);
      return;
    }
    this.warm();
    if (this.#waiting.length > 0) this.#dispatch();
  }
}

async function compile(globals: string): Promise<ScriptThreadData> {
  const require = createRequire(import.meta.url);
  const bytes = await readFile(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  return { module: await wasm.compile(bytes), globals };
}
