import type { Call, LogLine, Outcome, Script } from '../api.ts';
import type { Over } from '../messages.ts';
import { pulse } from '../pulse.ts';
import { Bodies } from './bodies.ts';
import type { Hearing } from './bridge.ts';
import type { EmptyContext } from './empty-contexts.ts';
import type { Engine } from './engine.ts';
import { HostSync } from './host-sync.ts';
import { ScriptLog } from './log.ts';
import { type Asker, Ops } from './ops.ts';
import { Output } from './output.ts';
import { Timers } from './timers.ts';
import { Vm } from './vm.ts';

/** A context with less room than this has run out of memory. */
const LEAST_ROOM = 196_608;
const FULL = '[js_invoke] InternalError: out of memory';

/** Reports of a context. */
export interface Reports {
  /** `over`: nothing of this run is left, and no `quiet` follows. */
  done(run: number, outcome: Outcome, over?: Over): void;
  /** End of all that this run left behind; `lost`: nor of its context, with all its runs. */
  quiet(run: number, lost: boolean): void;
  /** The context was lost before this run began. */
  gone(run: number, call: Call): void;
  /** A body that the main thread has sent is not held any more. */
  released(run: number, body: number): void;
  op(run: number, id: number, kind: string, text: string, bytes: Uint8Array | undefined): void;
  log(line: LogLine): void;
}

interface Run extends Asker {
  readonly id: number;
  readonly limit_ms: number;
  readonly limit: NodeJS.Timeout;
  outcome: Outcome | undefined;
  isReported: boolean;
}

/** Context of one script: compiles, runs one call at a time, and is lost after any breach (js-runtime.md §9). */
export class ScriptContext {
  readonly #engine: Engine;
  readonly #script: Script;
  readonly #reports: Reports;
  readonly #vm: Vm;
  readonly #bodies = new Bodies();
  readonly #sync = new HostSync((id) => this.#bodies.whole(id));
  readonly #timers: Timers;
  readonly #ops = new Ops();
  /** Answers that are there already: given as soon as the script has returned. */
  readonly #ready: (() => void)[] = [];
  #output = new Output('');
  #run: Run | undefined;
  /** Earlier runs that were answered and left calls behind; each is cut off at its own limit. */
  readonly #lingering = new Set<Run>();
  #evaluated = false;
  lost = false;

  constructor({ engine, driver, listen }: EmptyContext, script: Script, reports: Reports) {
    this.#engine = engine;
    this.#script = script;
    this.#reports = reports;
    this.#vm = new Vm(engine, driver);
    this.#timers = new Timers((id) => this.#fire(id));
    listen(this.#hearing());
  }

  /** @returns why the script does not compile */
  compile(): string | undefined {
    return this.#vm.compile(this.#script);
  }

  /** A handler has not settled yet. */
  get isBusy(): boolean {
    return this.#run !== undefined && !this.#run.isReported;
  }

  start(id: number, call: Call): void {
    if (this.lost) {
      this.#reports.gone(id, call);
      return;
    }
    const { handler, mode, context, cookies } = call;
    this.#begin(id, call);
    if (call.body) this.#bodies.put(Bodies.REQUEST, call.body);
    const text = JSON.stringify({ handler, mode, context, cookies });
    this.#enter(() => {
      const strings = [text, call.params, call.env].map((each) => this.#vm.string(each));
      if (this.#evaluated) this.#vm.call('run', ...strings);
      else {
        this.#evaluated = true;
        this.#vm.evaluate(this.#script.file, strings);
      }
      for (const string of strings) string.dispose();
    });
  }

  /** The answer to an op. `text` is JSON: the value, or name and message of an error. */
  settle(id: number, ok: boolean, text: string, bytes?: Uint8Array): void {
    if (this.lost || !this.#ops.close(id)) return;
    this.#enter(() => this.#vm.settle(id, ok, text, bytes));
  }

  /** Keeps a body that the main thread has sent. */
  keepBody(id: number, bytes: Uint8Array): void {
    if (!this.lost) this.#bodies.put(id, bytes);
  }

  dispose(): void {
    this.lost = true;
    const run = this.#run;
    this.#run = undefined;
    for (const each of run ? [run, ...this.#lingering] : this.#lingering) clearTimeout(each.limit);
    this.#lingering.clear();
    this.#timers.clear();
    this.#ops.clear();
    this.#ready.length = 0;
    this.#bodies.clear();
    if (run) this.#over(run, true);
  }

  #begin(id: number, { handler, limit_ms }: Call): void {
    if (this.#run) this.#lingering.add(this.#run);
    const limit = setTimeout(() => this.#expire(run), limit_ms);
    const run: Run = { id, limit_ms, limit, outcome: undefined, isReported: false, open: 0 };
    this.#run = run;
    pulse.begin(id);
    this.#output = new Output(handler);
    this.#engine.exhausted = false;
    this.#vm.deadline = performance.now() + limit_ms;
  }

  #fire(id: number): void {
    if (this.#run) this.#enter(() => this.#vm.fire(id));
  }

  /** Every way into the script: jobs and answers that wait follow, then what became of the run. */
  #enter(work: () => void): void {
    const report = () => this.#report();
    pulse.enter();
    try {
      work();
      this.#vm.pump(report);
      for (let next = this.#ready.shift(); next && !this.#vm.isOver; next = this.#ready.shift()) {
        next();
        this.#vm.pump(report);
      }
    } catch (error) {
      this.#vm.broken = true;
      const { message } = error as Error;
      this.#fail(message.startsWith('Failed to build') ? `[js_runner] ${message}` : FULL);
    }
    this.#review();
    // Only now: a thread that gets no processor before it has said how the run ended did compute beyond its limit.
    pulse.exit();
  }

  #fail(detail: string, late = false): void {
    if (this.#run) this.#run.outcome ??= { kind: 'failure', detail, late };
  }

  /** Settles what is settled after the script has returned to the host. */
  #review(): void {
    const run = this.#run;
    if (!run) return;
    const { hit, broken } = this.#vm;
    if (hit) {
      const text = `JavaScript execution exceeded max_run_time_ms=${run.limit_ms}`;
      this.#fail(`[js_runner] ${text}`, true);
    } else if (broken) this.#fail(FULL);
    for (const earlier of this.#lingering) if (earlier.open === 0) this.#cutOff(earlier);
    if (!run.outcome && this.#isFull()) this.#fail(FULL);
    if (!run.outcome) return;
    if (hit || broken) this.dispose();
    else if (this.#ops.count === 0) this.#end(run, run.outcome);
    else {
      this.#report();
      this.#timers.clear();
    }
  }

  #over(run: Run, lost: boolean): void {
    // One message instead of two: each wakes the other thread.
    if (run.outcome && !run.isReported) this.#reports.done(run.id, run.outcome, { lost });
    else this.#reports.quiet(run.id, lost);
  }

  #report(): void {
    const run = this.#run;
    if (!run?.outcome || run.isReported) return;
    run.isReported = true;
    this.#reports.done(run.id, run.outcome);
  }

  #cutOff(run: Run): void {
    this.#lingering.delete(run);
    clearTimeout(run.limit);
    this.#reports.quiet(run.id, false);
  }

  /** Ends a run of which nothing is left. */
  #end(run: Run, outcome: Outcome): void {
    if (this.#isExhausted(outcome) || !this.#clearTimers()) {
      this.dispose();
      return;
    }
    this.#run = undefined;
    this.#vm.deadline = Number.POSITIVE_INFINITY;
    clearTimeout(run.limit);
    this.#bodies.clear();
    this.#sync.forget();
    this.#engine.tidy();
    this.#over(run, false);
  }

  /** @returns false when the script side could not even do that */
  #clearTimers(): boolean {
    this.#timers.clear();
    if (!this.#timers.used) return true;
    this.#timers.used = false;
    try {
      this.#vm.call('clearTimers');
      return !this.#vm.isOver;
    } catch {
      return false;
    }
  }

  /** Cuts off what an answered run has left behind; one without an answer has failed, and its context with it. */
  #expire(run: Run): void {
    this.#ops.drop(run);
    if (run === this.#run && !run.outcome) {
      this.#fail('[js_runner] JavaScript execution timed out', true);
      this.dispose();
    } else this.#review();
  }

  /** A module that failed to load would fail the same way every time; in a full heap no run succeeds. */
  #isExhausted(outcome: Outcome): boolean {
    if (outcome.kind === 'failure' && outcome.detail.startsWith('[js_eval]')) return true;
    return this.#engine.exhausted || !this.#engine.fits(LEAST_ROOM);
  }

  /** Tells whether there is no room left for an answer either: the run could never say how it ended. */
  #isFull(): boolean {
    return this.#engine.exhausted && !this.#engine.fits(LEAST_ROOM);
  }

  #hearing(): Hearing {
    const log = new ScriptLog((line) => this.#reports.log(line));
    return {
      sync: this.#sync,
      late: () => this.#vm.isLate(),
      op: (id, kind, text, bytes) => this.#op(id, kind, text, bytes),
      done: (kind, text, bytes) => {
        const run = this.#run;
        const of = { bodies: this.#bodies, exhausted: this.#engine.exhausted };
        if (run) run.outcome ??= this.#output.outcome(kind, text, bytes, of);
      },
      out: (bytes) => this.#output.add(bytes),
      pieces: () => this.#output.drain(),
      own: (kind, value) =>
        this.#timers.answer(kind, value) ?? log.answer(kind, value) ?? this.#release(kind, value),
      broken: () => {
        this.#vm.broken = true;
      },
    };
  }

  #release(kind: string, body: unknown): { readonly value: null } | undefined {
    if (kind !== 'release') return undefined;
    const wasHeld = this.#bodies.release(body as number);
    if (wasHeld && body !== Bodies.REQUEST && this.#run)
      this.#reports.released(this.#run.id, body as number);
    return { value: null };
  }

  #op(id: number, kind: string, text: string, bytes: Uint8Array | undefined): string {
    const run = this.#run;
    if (!run) return 'nothing is running';
    const refused = this.#ops.add(id, run, text.length + (bytes?.length ?? 0));
    if (refused !== '') return refused;
    const local = this.#bodies.answer(kind, text, bytes);
    if (local === undefined) this.#reports.op(run.id, id, kind, text, bytes);
    else if (local instanceof Promise) {
      local.then(
        ({ text: answer, bytes: content }) => this.settle(id, true, answer, content),
        (error: Error) => this.settle(id, false, JSON.stringify(['TypeError', error.message])),
      );
    } else {
      this.#ready.push(() => {
        if (this.#ops.close(id)) this.#vm.settle(id, true, local.text, local.bytes);
      });
    }
    return '';
  }
}
