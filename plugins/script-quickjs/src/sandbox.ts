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
  /** Settles with the latest run. */
  #latest: Promise<unknown> = Promise.resolve();
  /** Runs that came back from a thread and wait for those before them. */
  #back = 0;

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
    const isOpen = !this.#disposed && this.#back === 0 && this.#threads.isCalm;
    return !!place && isOpen && place.thread.takesAhead(place.box);
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
    if (!(host.isWanted?.() ?? true)) return UNWANTED;
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
    const before = free ? undefined : this.#latest;
    const outcome = new Promise<Outcome>((resolve, reject) => {
      const gone: ActiveRun['gone'] = (body, lost) => {
        if (lost && this.#place?.box === box) this.#place = undefined;
        this.#again({ ...call, body }, host, before).then(resolve, reject);
      };
      const run = this.#active(
        { box, limit_ms: call.limit_ms, settle: resolve, gone },
        thread,
        host,
      );
      const message = { t: 'run', box, run: run.id, call } as const;
      if (free) {
        host.begun?.();
        thread.run(run, message);
        return;
      }
      const withdraw = thread.runAhead(run, message);
      host.queued?.(() => {
        const isBack = withdraw();
        if (isBack) resolve(ended(host, UNWANTED));
        return isBack;
      });
    });
    this.#latest = outcome.then(nothing, nothing);
    return outcome;
  }

  #active(
    given: Pick<ActiveRun, 'box' | 'limit_ms' | 'settle' | 'gone'>,
    thread: ScriptThread,
    host: ScriptHost,
  ): ActiveRun {
    const calls = new HostCalls(host);
    return {
      ...given,
      id: ++lastRun,
      op: (message) => void answer(thread, calls, message),
      released: (body) => calls.released(body),
      log: (line) => host.log(line),
      begun: () => host.begun?.(),
      quiet: (lost) => {
        calls.end();
        if (lost && this.#place?.box === given.box) this.#place = undefined;
        if (this.#once) this.dispose();
      },
    };
  }

  /** One that has not begun runs after those `before` it: calls of one sandbox never overlap. */
  async #again(call: Call, host: ScriptHost, before: Promise<unknown> | undefined) {
    host.queued?.(undefined);
    this.#back++;
    await before;
    this.#back--;
    const isWanted = host.isWanted?.() ?? true;
    return isWanted ? this.run(call, host) : ended(host, UNWANTED);
  }
}

const UNWANTED = '[js_runner] the caller has ended';
const nothing = () => {};

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
