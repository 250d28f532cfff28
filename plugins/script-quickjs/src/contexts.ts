import type { Sandbox, Sandboxes, Script } from './api.ts';
import { ThreadContext } from './context.ts';
import { RunQueue } from './queue.ts';
import type { ThreadOptions } from './threads.ts';

/** Scripts on QuickJS in worker threads. */
export class ThreadContexts implements Sandboxes {
  readonly #queue: RunQueue;

  constructor(options: ThreadOptions) {
    this.#queue = new RunQueue(options);
  }

  async compile(script: Script): Promise<Sandbox> {
    const context = new ThreadContext({ queue: this.#queue, script, once: false });
    await context.compile();
    return context;
  }

  prepare(
    script: Script | (() => Promise<Script>),
    { once = false }: { readonly once?: boolean } = {},
  ): Sandbox {
    return new ThreadContext({ queue: this.#queue, script, once });
  }

  warm(): void {
    this.#queue.threads.warm();
  }

  rest(): void {
    this.#queue.threads.rest();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
