import type { Call, Outcome, Sandbox, Script, ScriptHost } from './api.ts';
import { Job, type RunQueue } from './queue.ts';
import { Run, type RunLine } from './run.ts';
import type { ScriptThread } from './script-thread.ts';

let lastContext = 0;

export interface ContextOptions {
  readonly queue: RunQueue;
  /** A function reads it before the first run. */
  readonly script: Script | (() => Promise<Script>);
  /** Tells whether it is for one run. */
  readonly once: boolean;
}

/** A script with its runs and, while it has one, its context on some thread. */
export class ThreadContext implements Sandbox, RunLine {
  readonly waiting: Job[] = [];
  readonly active = new Set<Job>();
  isDisposed = false;
  readonly #options: ContextOptions;
  #script: Script | undefined;
  /** Reads the script at its first run; undefined: it was given. */
  readonly #source: (() => Promise<Script>) | undefined;
  #isReading = false;
  #isRetired = false;
  #placed: { readonly thread: ScriptThread; readonly context: number } | undefined;

  constructor(options: ContextOptions) {
    this.#options = options;
    const { script } = options;
    if (typeof script === 'function') this.#source = script;
    else this.#script = script;
  }

  /** @throws Error with the compiler's text */
  compile(): Promise<void> {
    const script = this.#script as Script;
    return new Promise((resolve, reject) => {
      const compiled = async (thread: ScriptThread) => {
        const context = ++lastContext;
        const failure = await thread.load({ t: 'load', context, script });
        if (failure === null) this.#placed = { thread, context };
        else thread.drop(context);
        thread.release();
        this.#options.queue.settled(job);
        if (failure === null) resolve();
        else reject(new Error(failure));
      };
      const job = new Compilation(this, script, { compiled, reject });
      this.#options.queue.add(job);
    });
  }

  run(call: Call, host: ScriptHost): Promise<Outcome> {
    const { queue } = this.#options;
    return new Promise((resolve) => {
      queue.add(new Run({ queue, line: this }, call, host, resolve));
    });
  }

  retire(cancel?: string): void {
    this.#isRetired = true;
    if (cancel !== undefined) this.#options.queue.cancel(this, cancel);
    this.settled();
  }

  dispose(): void {
    this.isDisposed = true;
    this.#drop();
  }

  settled(): void {
    if (this.#isRetired && this.active.size === 0 && this.waiting.length === 0) this.dispose();
  }

  get isPrepared(): boolean {
    return this.#script !== undefined;
  }

  prepare(): Promise<void> | undefined {
    if (this.#isReading) return undefined;
    this.#isReading = true;
    return this.#read();
  }

  async #read(): Promise<void> {
    try {
      this.#script = await this.#source?.();
    } finally {
      this.#isReading = false;
    }
  }

  get context(): number | undefined {
    return this.#placed?.context;
  }

  ownThread(): ScriptThread | undefined {
    const placed = this.#placed;
    if (placed && (placed.thread.gone || !placed.thread.contexts.has(placed.context)))
      this.#placed = undefined;
    return this.#placed?.thread;
  }

  place(thread: ScriptThread): number {
    if (this.ownThread() !== thread) {
      this.#drop();
      this.#placed = { thread, context: ++lastContext };
      // The run that follows says how loading ended.
      void thread.load({ t: 'load', context: lastContext, script: this.#script as Script });
    }
    return (this.#placed as { readonly context: number }).context;
  }

  lost(context: number): void {
    if (this.#placed?.context === context) this.#placed = undefined;
  }

  quiet(): void {
    if (this.#options.once) this.dispose();
  }

  #drop(): void {
    const placed = this.#placed;
    this.#placed = undefined;
    if (placed) placed.thread.drop(placed.context);
  }
}

interface Handlers {
  compiled(thread: ScriptThread): Promise<void>;
  reject(error: Error): void;
}

/** The compiler's work on a script that is to be stored. */
class Compilation extends Job {
  readonly line: ThreadContext;
  readonly kind = 'load';
  readonly level = 0;
  readonly share: string;
  readonly #handlers: Handlers;

  constructor(line: ThreadContext, { share = '' }: Script, handlers: Handlers) {
    super();
    this.line = line;
    this.share = share;
    this.#handlers = handlers;
  }

  start(thread: ScriptThread): void {
    void this.#handlers.compiled(thread);
  }

  end(detail: string): void {
    this.#handlers.reject(new Error(detail));
  }
}
