import type {
  Call,
  Outcome,
  Sandbox,
  Sandboxes,
  Script,
  ScriptHost,
} from '@svc/plugin-script-quickjs/api';
import type { Integer } from '@svc/plugin-sdk/sql';
import { type Ceilings, effective } from '../limits.ts';
import type { Worker, WorkerStore } from '../store/workers.ts';

/** Name that stack frames show, except in source mode. */
export const FILE = 'js_worker.js';

export interface PoolOptions {
  readonly contexts: Sandboxes;
  readonly store: Pick<WorkerStore, 'script'>;
  readonly ceilings: () => Ceilings & {
    readonly max_contexts: number;
    readonly max_total_heap: number;
  };
  readonly now: () => number;
}

/** Context as `js-worker_get_rt_pool` shows it. */
export interface PoolEntry {
  readonly script_name: string;
  readonly active_requests: number;
  readonly last_used_ms: number;
  readonly idle_ms: number;
  readonly runtime_clean_time_ms: number | null;
}

/** Heap of a context for one run, in addition to the long-lived ones. */
export interface Room {
  /** @returns why the context cannot be made; undefined: it may be */
  acquire(): string | undefined;
  release(): void;
}

/** The long-lived context of one worker. */
interface Pooled {
  readonly name: string;
  /** Version of the row that the context was made from. */
  readonly version: number;
  readonly heap: number;
  readonly context: Sandbox;
  /** Running and waiting. */
  requests: number;
  /** Some run was tried; before, the context is only there in advance. */
  used: boolean;
  /** Unix ms. */
  lastUsed: number;
  /** ms as stored, of the latest run; null: never cleaned. */
  clean_ms: number | null;
}

/** Long-lived contexts, a bounded number of them; the one that was idle longest goes first (js-worker.md §4). */
export class ContextPool {
  readonly #options: PoolOptions;
  /** Contexts by worker id, least recently used first. */
  readonly #entries = new Map<Integer, Pooled>();

  /** Heap limits of the contexts for one run. */
  #singleHeap = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Room for a context of one run: idle contexts go for it, those of other runs do not. */
  roomFor(heap: number): Room {
    let held = 0;
    return {
      acquire: () => {
        this.#makeRoom(heap, 0);
        const { max_total_heap } = this.#options.ceilings();
        if (this.#loaded + this.#singleHeap + heap > max_total_heap && this.#singleHeap > 0)
          return `[js_runner] the contexts that run take the whole heap for scripts (max_total_heap under [js-worker], ${max_total_heap} bytes)`;
        held = heap;
        this.#singleHeap += heap;
        return undefined;
      },
      release: () => {
        this.#singleHeap -= held;
        held = 0;
      },
    };
  }

  async run(worker: Worker, call: Call, host: ScriptHost): Promise<Outcome> {
    const pooled = this.#entry(worker);
    const { runtime_clean_time: clean } = worker;
    pooled.clean_ms = clean === null || clean < 0 ? null : Number(clean);
    pooled.used = true;
    this.#entries.delete(worker.id);
    this.#entries.set(worker.id, pooled);
    pooled.requests++;
    try {
      return await pooled.context.run(call, host);
    } finally {
      pooled.requests--;
      pooled.lastUsed = this.#options.now();
    }
  }

  /** A context made in advance, for the worker's next run. */
  adopt(worker: Worker, context: Sandbox): void {
    this.drop(worker.id);
    this.#add(worker, context);
  }

  has(id: Integer): boolean {
    return this.#entries.has(id);
  }

  /** Drops a worker's context; `cancel`: the text with which the runs that wait for it end. */
  drop(id: Integer, cancel?: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.context.retire(cancel);
  }

  /** Drops contexts that have been idle for as long as their workers say, and those that came while all were busy. */
  sweep(): void {
    const now = this.#options.now();
    for (const [id, { clean_ms, lastUsed, requests }] of [...this.#entries])
      if (clean_ms && clean_ms > 0 && requests === 0 && now - lastUsed >= clean_ms) this.drop(id);
    this.#shrink(this.#options.ceilings());
  }

  list(): PoolEntry[] {
    const now = this.#options.now();
    return [...this.#entries.values()]
      .filter(({ used }) => used)
      .map(({ name, requests, lastUsed, clean_ms }) => ({
        script_name: name,
        active_requests: requests,
        last_used_ms: lastUsed,
        idle_ms: now - lastUsed,
        runtime_clean_time_ms: clean_ms,
      }));
  }

  clear(cancel: string): void {
    for (const id of [...this.#entries.keys()]) this.drop(id, cancel);
  }

  #entry(worker: Worker): Pooled {
    const pooled = this.#entries.get(worker.id);
    if (pooled?.version === worker.update_at) return pooled;
    // Runs that were accepted before still execute the old script.
    this.drop(worker.id);
    return this.#add(worker);
  }

  #add(worker: Worker, made?: Sandbox): Pooled {
    const { heap } = effective(worker, this.#options.ceilings());
    this.#makeRoom(heap, 1);
    const entry: Pooled = {
      name: worker.name,
      version: worker.update_at,
      heap,
      context: made ?? this.#options.contexts.prepare(() => this.#script(worker)),
      requests: 0,
      used: false,
      lastUsed: this.#options.now(),
      clean_ms: null,
    };
    this.#entries.set(worker.id, entry);
    return entry;
  }

  async #script(worker: Worker): Promise<Script> {
    const row = await this.#options.store.script(worker);
    if (!row) {
      // It was deleted while a request for it was on its way.
      this.drop(worker.id);
      throw new Error(`js_worker not found: ${worker.name}`);
    }
    const { heap, stack } = effective(worker, this.#options.ceilings());
    return { source: row.script, file: FILE, heap, stack };
  }

  #makeRoom(heap: number, contexts: 0 | 1): void {
    const { max_contexts, max_total_heap } = this.#options.ceilings();
    this.#shrink({ max_contexts: max_contexts - contexts, max_total_heap: max_total_heap - heap });
  }

  get #loaded(): number {
    let total = 0;
    for (const { heap } of this.#entries.values()) total += heap;
    return total;
  }

  /** Drops idle contexts, the longest idle first, until no more than this is left. */
  #shrink(most: { readonly max_contexts: number; readonly max_total_heap: number }): void {
    let total = this.#loaded + this.#singleHeap;
    for (const [id, { heap, requests }] of [...this.#entries]) {
      if (this.#entries.size <= most.max_contexts && total <= most.max_total_heap) return;
      if (requests > 0) continue;
      total -= heap;
      this.drop(id);
    }
  }
}
