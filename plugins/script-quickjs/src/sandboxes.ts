import type { Sandbox, Sandboxes, Script } from './api.ts';
import { ThreadSandbox } from './sandbox.ts';
import { type ThreadOptions, Threads } from './threads.ts';

/** Scripts on QuickJS in worker threads. */
export class QuickJsSandboxes implements Sandboxes {
  readonly #threads: Threads;

  constructor(options: ThreadOptions) {
    this.#threads = new Threads(options);
  }

  async compile(script: Script): Promise<Sandbox> {
    const sandbox = new ThreadSandbox(this.#threads, script, false);
    await sandbox.compile();
    return sandbox;
  }

  prepare(script: Script, { once = false }: { readonly once?: boolean } = {}): Sandbox {
    return new ThreadSandbox(this.#threads, script, once);
  }

  warm(): void {
    this.#threads.warm();
  }

  rest(): void {
    this.#threads.rest();
  }

  stop(): Promise<void> {
    return this.#threads.stop();
  }
}
