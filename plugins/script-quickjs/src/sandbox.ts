import type { Call, Outcome, Sandbox, Script, ScriptHost } from './api.ts';
import { HostCalls } from './host-calls.ts';
import type { FromThread } from './messages.ts';
import type { ActiveRun, ScriptThread } from './script-thread.ts';
import type { Threads } from './threads.ts';

let lastBox = 0;
let lastRun = 0;

/** A script and, while it has one, its context on some thread. */
export class ThreadSandbox implements Sandbox {
  readonly #threads: Threads;
  readonly #script: Script;
  readonly #once: boolean;
  #place: { readonly thread: ScriptThread; readonly box: number } | undefined;
  #disposed = false;

  constructor(threads: Threads, script: Script, once: boolean) {
    this.#threads = threads;
    this.#script = script;
    this.#once = once;
  }

  /** @throws Error with the compiler's text */
  async compile(): Promise<void> {
    const thread = await this.#threads.acquire({
      home: () => undefined,
      box: undefined,
      kind: 'load',
      level: 0,
      share: this.#script.share ?? '',
    });
    const box = ++lastBox;
    try {
      const failure = await thread.load({ t: 'load', box, script: this.#script });
      if (failure !== null) {
        thread.drop(box);
        throw new Error(failure);
      }
    } finally {
      thread.release();
    }
    this.#place = { thread, box };
  }

  run(call: Call, host: ScriptHost): Promise<Outcome> {
    const home = () => this.#home();
    const box = this.#place?.box;
    const { share = '' } = call;
    // Without a turn of the event loop in between: the thread waits for this.
    const thread = this.#disposed ? undefined : this.#threads.now({ home, box, share });
    if (thread) return this.#start(thread, call, host);
    if (this.takesAhead && !call.body) return this.#start(undefined, call, host);
    const kind = call.level === 0 ? 'run' : 'inline';
    return this.#wait({ home, box, kind, level: call.level, share }, call, host);
  }

  get takesAhead(): boolean {
    const place = this.#home() && this.#place;
    return !!place && !this.#disposed && this.#threads.isCalm && place.thread.takesAhead(place.box);
  }

  async #wait(
    wanted: Parameters<Threads['acquire']>[0],
    call: Call,
    host: ScriptHost,
  ): Promise<Outcome> {
    let thread: ScriptThread;
    try {
      thread = await this.#threads.acquire(wanted);
    } catch (error) {
      return ended(host, (error as Error).message);
    }
    const reason = this.#refusal(host);
    if (reason === undefined) return this.#start(thread, call, host);
    thread.release();
    return ended(host, reason);
  }

  #refusal(host: ScriptHost): string | undefined {
    if (!(host.isWanted?.() ?? true)) return '[js_runner] the caller has ended';
    if (this.#disposed) return '[js_runner] JavaScript runtime was disposed';
    return host.refusal?.();
  }

  dispose(): void {
    this.#disposed = true;
    this.#leave();
  }

  #home(): ScriptThread | undefined {
    const place = this.#place;
    if (place && (place.thread.gone || !place.thread.boxes.has(place.box))) this.#place = undefined;
    return this.#place?.thread;
  }

  #leave(): void {
    const place = this.#place;
    this.#place = undefined;
    if (place) place.thread.drop(place.box);
  }

  /** `free`: a reserved thread; without one the run is posted ahead, to where the present one is. */
  #start(free: ScriptThread | undefined, call: Call, host: ScriptHost): Promise<Outcome> {
    const thread = free ?? (this.#home() as ScriptThread);
    if (this.#home() !== thread) {
      this.#leave();
      this.#place = { thread, box: ++lastBox };
      // The run that follows says how loading ended.
      void thread.load({ t: 'load', box: lastBox, script: this.#script });
    }
    const { box } = this.#place as { box: number };
    const id = ++lastRun;
    host.begun?.();
    const calls = new HostCalls(host);
    return new Promise((resolve, reject) => {
      const run: ActiveRun = {
        id,
        box,
        limit_ms: call.limit_ms,
        settle: resolve,
        op: (message) => void answer(thread, calls, message),
        released: (body) => calls.released(body),
        gone: (body) => {
          if (this.#place?.box === box) this.#place = undefined;
          this.run({ ...call, body }, host).then(resolve, reject);
        },
        log: (line) => host.log(line),
        quiet: (lost) => {
          calls.end();
          if (lost && this.#place?.box === box) this.#place = undefined;
          if (this.#once) this.dispose();
        },
      };
      const message = { t: 'run', box, run: id, call } as const;
      if (free) thread.run(run, message);
      else thread.runAhead(run, message);
    });
  }
}

function ended(host: ScriptHost, detail: string): Outcome {
  host.ended();
  return { kind: 'failure', detail, late: false };
}

async function answer(
  thread: ScriptThread,
  calls: HostCalls,
  { box, id, kind, text, bytes }: Extract<FromThread, { t: 'op' }>,
): Promise<void> {
  try {
    const given = await calls.answer(kind, text, bytes);
    thread.post({ t: 'settle', box, id, ok: true, ...given });
  } catch (thrown) {
    const { name, message, cause } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const error = [name, message, ...(cause === undefined ? [] : [String(cause)])];
    thread.post({ t: 'settle', box, id, ok: false, text: JSON.stringify(error) });
  }
}
