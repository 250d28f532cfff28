import { type Clock, UserError } from '@svc/plugin-sdk';

/** Time after which a step that waits for a plugin ends, with an error that names the step. */
const LIMIT_MS = 120_000;

interface Step {
  readonly name: string;
  readonly depth: number;
  took_ms: number;
}

/** The steps of a start and a stop, one after the other: the log shows what each took. */
export class Timeline {
  readonly #clock: Clock;
  readonly #early: AbortSignal | undefined;
  readonly #steps: Step[] = [];
  #depth = 0;

  /** Begins no step once `early` is aborted. */
  constructor(clock: Clock, early?: AbortSignal) {
    this.#clock = clock;
    this.#early = early;
  }

  /** Runs one step; steps within it are shown below it. */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    this.#early?.throwIfAborted();
    const step: Step = { name, depth: this.#depth++, took_ms: 0 };
    this.#steps.push(step);
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#depth--;
      step.took_ms = performance.now() - begun;
    }
  }

  /** Runs work of a plugin as `step` does. @throws UserError that names the step when it takes longer, by default 120 s */
  limited<T>(name: string, work: () => T | Promise<T>, limit_ms = LIMIT_MS): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.timeout(
      () => reject(new UserError(`${name} took longer than ${limit_ms} ms`)),
      limit_ms,
    );
    return this.step(name, () => Promise.race([work(), late])).finally(cancel);
  }

  /** The steps so far as a tree, a line each: `  setup of 'token' 1.2 ms`. */
  toString(): string {
    return this.#steps
      .map(({ name, depth, took_ms }) => `${'  '.repeat(depth)}${name} ${took_ms.toFixed(1)} ms`)
      .join('\n');
  }
}
