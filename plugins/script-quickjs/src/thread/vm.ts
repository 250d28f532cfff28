import type { QuickJSHandle } from 'quickjs-emscripten-core';
import type { Script } from '../api.ts';
import { pulse } from '../pulse.ts';
import type { Driver } from './bridge.ts';
import type { Engine } from './engine.ts';

/** Jobs between two looks at the clock. */
const CHUNK = 64;
/** Chunks after which a result that is there is handed over although the script goes on. */
const PATIENCE = 16;
const COMPILE_MS = 10_000;
const GATE = '<gate>';
const COMPILE = '<compile>';
const RUNTIME = '<runtime>';
const FOREIGN = '<foreign> ';

/** The engine of one context with its clock: everything that enters the script goes through here. */
export class Vm {
  readonly #engine: Engine;
  readonly #driver: Driver;
  /** ms of the machine's monotonic clock. */
  deadline = Number.POSITIVE_INFINITY;
  /** The deadline passed while the script was computing. */
  hit = false;
  /** The engine's stack or memory gave way inside the bridge. */
  broken = false;

  constructor(engine: Engine, driver: Driver) {
    this.#engine = engine;
    this.#driver = driver;
    engine.runtime.setInterruptHandler(() => this.isLate());
  }

  get isOver(): boolean {
    return this.hit || this.broken;
  }

  isLate(): boolean {
    pulse.beat();
    this.hit ||= performance.now() >= this.deadline;
    return this.hit;
  }

  /**
   * Compiles and links the module without running it: a module that imports it stops at another import before.
   * (The engine's own compile-only evaluation reads an unset pointer for modules.)
   * @returns why the script does not compile
   */
  compile({ source, file, stack }: Script): string | undefined {
    const { context, runtime } = this.#engine;
    runtime.setMaxStackSize(stack);
    runtime.setModuleLoader(
      (name) => {
        if (name === file) return source;
        return name === GATE ? `throw '${GATE}';` : { error: this.#missing(name) };
      },
      // What a script imports never has the name of a module that the engine knows.
      (from, name) => (from === COMPILE || from === RUNTIME ? name : `${FOREIGN}${name}`),
    );
    this.deadline = performance.now() + COMPILE_MS;
    try {
      const text = `import '${GATE}'; import ${JSON.stringify(file)};`;
      const made = context.evalCode(text, COMPILE, { type: 'module' });
      return made.error ? this.#reason(context.dump(made.error)) : undefined;
    } catch (error) {
      this.broken = true;
      return `InternalError: ${(error as Error).message}`;
    } finally {
      this.deadline = Number.POSITIVE_INFINITY;
    }
  }

  #missing(name: string): QuickJSHandle | Error {
    const text = JSON.stringify(`could not load module '${name.slice(FOREIGN.length)}'`);
    const { context } = this.#engine;
    const made = context.evalCode(`new ReferenceError(${text})`, RUNTIME);
    return made.error ?? made.value;
  }

  #reason(thrown: unknown): string | undefined {
    if (thrown === GATE) return undefined;
    if (this.hit) return 'InternalError: compilation takes too long';
    const { name, message, stack } = (thrown ?? {}) as { [part: string]: string | undefined };
    if (message === undefined) return 'InternalError: out of memory';
    // Frames of the runtime say nothing about the script.
    const at = stack
      ?.split('\n')
      .filter((line) => line !== '' && !/<compile>|<runtime>/.test(line));
    return at?.length ? `${name}: ${message}\n${at.join('\n')}\n` : `${name}: ${message}`;
  }

  /** Runs the top level of the compiled module; the driver goes on with the handler. */
  evaluate(file: string, strings: readonly QuickJSHandle[]): void {
    const { context } = this.#engine;
    const source = `import * as script from ${JSON.stringify(file)}; export default script.default;`;
    const made = context.evalCode(source, RUNTIME, { type: 'module' });
    if (made.error) this.call('failed', context.newString('js_eval'), made.error);
    else {
      this.call('loaded', made.value, ...strings);
      made.value.dispose();
    }
  }

  call(name: keyof Driver, ...args: QuickJSHandle[]): void {
    const { context } = this.#engine;
    const result = context.callFunction(this.#driver[name], context.undefined, ...args);
    // The driver catches what scripts throw: what arrives here is the limit, or the bridge out of memory.
    if (result.error) this.broken ||= !this.hit;
    else result.value.dispose();
  }

  /** @throws RangeError when it does not fit */
  string(text: string): QuickJSHandle {
    const made = this.#engine.string(text);
    if (!made) throw new RangeError('Failed to build input params in JS: out of memory');
    return made;
  }

  fire(id: number): void {
    this.call('fire', this.#engine.context.newNumber(id));
  }

  settle(id: number, ok: boolean, text: string, bytes: Uint8Array | undefined): void {
    const { context } = this.#engine;
    const given = this.#engine.string(text);
    const buffer = bytes ? this.#engine.buffer(bytes) : context.undefined;
    if (given && buffer) {
      const outcome = ok ? context.true : context.false;
      this.call('settle', context.newNumber(id), outcome, given, buffer);
      given.dispose();
      if (bytes) buffer.dispose();
      return;
    }
    const full = this.string('["InternalError","out of memory"]');
    this.call('settle', context.newNumber(id), context.false, full, context.undefined);
  }

  /** Runs the jobs that wait; `patience` is called when they do not come to an end. */
  pump(patience: () => void): void {
    const { runtime } = this.#engine;
    for (let chunks = 0; runtime.hasPendingJob() && !this.isOver; chunks++) {
      const result = runtime.executePendingJobs(CHUNK);
      // A job's own exception is an unhandled rejection: ignored (js-runtime.md §7).
      if (result.error) result.error.dispose();
      if (chunks > PATIENCE) patience();
      this.isLate();
    }
  }
}
