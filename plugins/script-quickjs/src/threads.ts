import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kind, ScriptThread, type ScriptThreadData } from './script-thread.ts';
import { wasm } from './wasm.ts';

/** A run waits this long for the thread that has its context before the context is made anew elsewhere, ms. */
const MOVE_MS = 250;
/** Threads beyond the first ones end when they have been idle and without contexts for this long, ms. */
const IDLE_MS = 30_000;
/** Works of one kind that may wait for a thread, of all workers. */
const MOST_WAITING = 2_048;
/**
 * Inline calls get threads beyond the limit: their callers hold one each. Each level may take one more thread than the
 * one above it, so that whatever the others hold, the call that began last finds a thread for what it calls.
 */
const INLINE_THREADS = 16;
/** Scripts that are compiled at the same time. */
const LOAD_THREADS = 2;

interface Waiter {
  /** The thread that has this context. */
  readonly home: () => ScriptThread | undefined;
  readonly box: number | undefined;
  readonly since: number;
  readonly kind: Kind;
  /** Runs above this one. */
  readonly level: number;
  take(thread: ScriptThread): void;
  fail(error: Error): void;
}

export interface ThreadOptions {
  /** The owner's globals. */
  readonly globals: string;
  /** Threads that stay. */
  readonly least: number;
  readonly most: () => number;
  readonly onStarted: () => void;
  readonly onLost: (error: Error) => void;
}

/** The bounded pool of script threads. It starts with the first script: a server without scripts pays nothing. */
export class Threads {
  readonly #options: ThreadOptions;
  readonly #threads: ScriptThread[] = [];
  readonly #waiting: Waiter[] = [];
  #data: Promise<ScriptThreadData> | undefined;
  #starting = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Threads that are being ended. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Starts the threads that stay. */
  warm(): void {
    while (this.#count < this.#options.least) this.#start();
  }

  /** The context's own thread, reserved, when it is free and no call waits for a thread. */
  now({ home, box }: Pick<Waiter, 'home' | 'box'>): ScriptThread | undefined {
    const own = this.#waiting.length === 0 && !this.#stopped ? home() : undefined;
    if (!own?.ready || (own.busy && !own.lingersFor(box))) return undefined;
    if (!own.busy && this.#used('run') >= this.#options.most()) return undefined;
    own.reserve('run');
    return own;
  }

  /** No call waits whose turn would come first. */
  get isCalm(): boolean {
    return this.#waiting.length === 0 && !this.#stopped;
  }

  /** A free thread, reserved for the caller: the context's own if possible. No kind of work can take the others' share. */
  acquire(wanted: Pick<Waiter, 'home' | 'box' | 'kind' | 'level'>): Promise<ScriptThread> {
    if (this.#stopped) return Promise.reject(new Error('the server stops'));
    if (this.#waiting.filter(({ kind }) => kind === wanted.kind).length >= MOST_WAITING)
      return Promise.reject(new Error('Worker queue full, request rejected'));
    this.warm();
    return new Promise((take, fail) => {
      this.#waiting.push({ ...wanted, since: performance.now(), take, fail });
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

  #used(kind: Kind): number {
    return this.#threads.filter((thread) => thread.busy && thread.kind === kind).length;
  }

  #most({ kind, level }: Waiter): number {
    if (kind === 'inline') return INLINE_THREADS + level - 1;
    return kind === 'load' ? LOAD_THREADS : this.#options.most();
  }

  #dispatch(): void {
    let soonest = Number.POSITIVE_INFINITY;
    let wantsMore = false;
    const used = {
      run: this.#used('run'),
      inline: this.#used('inline'),
      load: this.#used('load'),
    };
    for (const waiter of [...this.#waiting]) {
      if (used[waiter.kind] >= this.#most(waiter)) continue;
      const thread = this.#choose(waiter);
      if (thread instanceof ScriptThread) {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        used[waiter.kind]++;
        thread.reserve(waiter.kind);
        waiter.take(thread);
      } else if (thread === undefined) wantsMore = true;
      else soonest = Math.min(soonest, thread);
    }
    clearTimeout(this.#timer);
    if (soonest < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#dispatch(), soonest + 1);
    if (wantsMore && this.#starting === 0 && this.#isBooting() === 0) this.#start();
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
