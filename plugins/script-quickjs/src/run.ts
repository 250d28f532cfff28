import type { Call, Outcome, ScriptHost } from './api.ts';
import { HostCalls } from './host-calls.ts';
import type { FromThread, RunMessage } from './messages.ts';
import { Job, type Line, type RunQueue } from './queue.ts';
import type { ActiveRun, ScriptThread } from './script-thread.ts';
import type { Kind } from './threads.ts';

let lastRun = 0;
const UNWANTED = '[js_runner] the caller has ended';
const DISPOSED = '[js_runner] JavaScript runtime was disposed';

/** Context as its runs see it. */
export interface RunLine extends Line {
  readonly isDisposed: boolean;
  /** Makes the context on this thread when it is not there. @returns its number */
  place(thread: ScriptThread): number;
  /** The context with this number is not there any more. */
  lost(context: number): void;
  /** Called when nothing of a run is left. */
  quiet(): void;
}

/** One call of a script, from its order until nothing of it is left. */
export class Run extends Job implements ActiveRun {
  id = 0;
  context = 0;
  readonly line: RunLine;
  readonly kind: Kind;
  override readonly wait_ms: number | undefined;
  override readonly ahead: boolean;
  readonly #queue: RunQueue;
  #call: Call;
  readonly #host: ScriptHost;
  readonly #calls: HostCalls;
  readonly #resolve: (outcome: Outcome) => void;
  #thread: ScriptThread | undefined;
  #takeBack: (() => boolean) | undefined;
  #isAdmitted = false;

  constructor(
    { queue, line }: { readonly queue: RunQueue; readonly line: RunLine },
    call: Call,
    host: ScriptHost,
    resolve: (outcome: Outcome) => void,
  ) {
    super();
    this.#queue = queue;
    this.line = line;
    this.#call = call;
    this.#host = host;
    this.#calls = new HostCalls(host);
    this.#resolve = resolve;
    this.kind = call.level === 0 ? 'run' : 'inline';
    this.wait_ms = call.wait_ms;
    this.ahead = call.ahead === true && !call.body;
  }

  get level(): number {
    return this.#call.level;
  }

  get share(): string {
    return this.#call.share ?? '';
  }

  get limit_ms(): number {
    return this.#call.limit_ms;
  }

  override admitted(): void {
    if (!this.#isAdmitted) this.#host.admitted?.();
    this.#isAdmitted = true;
  }

  override refusal(): string | undefined {
    if (!(this.#host.isWanted?.() ?? true)) return UNWANTED;
    return this.line.isDisposed ? DISPOSED : this.#host.refusal?.();
  }

  start(thread: ScriptThread): void {
    this.begun();
    thread.run(this, this.#message(thread));
  }

  override startAhead(thread: ScriptThread): void {
    this.#takeBack = thread.runAhead(this, this.#message(thread));
  }

  override withdraw(): boolean {
    return this.#takeBack?.() ?? false;
  }

  end(detail: string): void {
    this.begun();
    this.#calls.end();
    this.#resolve({ kind: 'failure', detail, late: false });
  }

  begun(): void {
    this.isWaiting = false;
    this.#takeBack = undefined;
    clearTimeout(this.deadline);
  }

  settle(outcome: Outcome): void {
    this.begun();
    this.#queue.settled(this);
    this.#resolve(outcome);
  }

  gone(body: Uint8Array | undefined, lost: boolean): void {
    this.#takeBack = undefined;
    if (lost) this.line.lost(this.context);
    this.#call = { ...this.#call, body };
    this.#queue.putBack(this);
  }

  quiet(lost: boolean): void {
    this.#calls.end();
    if (lost) this.line.lost(this.context);
    this.line.quiet();
  }

  log(line: Extract<FromThread, { t: 'log' }>): void {
    this.#host.log(line);
  }

  released(body: number): void {
    this.#calls.released(body);
  }

  async op({ context, id, kind, text, bytes }: Extract<FromThread, { t: 'op' }>): Promise<void> {
    const thread = this.#thread;
    try {
      const given = await this.#calls.answer(kind, text, bytes);
      thread?.post({ t: 'settle', context, id, ok: true, ...given });
    } catch (thrown) {
      const { name, message, cause } = thrown instanceof Error ? thrown : new Error(String(thrown));
      const error = [name, message, ...(cause === undefined ? [] : [String(cause)])];
      thread?.post({ t: 'settle', context, id, ok: false, text: JSON.stringify(error) });
    }
  }

  #message(thread: ScriptThread): RunMessage {
    this.#thread = thread;
    this.id = ++lastRun;
    this.context = this.line.place(thread);
    return { t: 'run', context: this.context, run: this.id, call: this.#call };
  }
}
