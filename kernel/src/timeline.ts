import { inTime, UserError } from '@svc/plugin-sdk';

/** A step that waits for a plugin ends after this time, with an error that names the step. */
const STEP_TIMEOUT_MS = 120_000;

interface Step {
  readonly name: string;
  readonly depth: number;
  took_ms: number;
}

/** The steps of a start and a stop: each has a deadline, and the log shows what each took. */
export class Timeline {
  readonly #steps: Step[] = [];
  #depth = 0;

  /** Runs one step; steps within it are shown below it. @throws UserError that names the step when it takes too long */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const step: Step = { name, depth: this.#depth++, took_ms: 0 };
    this.#steps.push(step);
    const begun = performance.now();
    const late = () => new UserError(`${name} took longer than ${STEP_TIMEOUT_MS} ms`);
    try {
      return await inTime(STEP_TIMEOUT_MS, Promise.resolve(work()), late);
    } finally {
      this.#depth--;
      step.took_ms = performance.now() - begun;
    }
  }

  /** The steps so far as a tree, a line each: `  setup of 'token' 1.2 ms`. */
  toString(): string {
    return this.#steps
      .map(({ name, depth, took_ms }) => `${'  '.repeat(depth)}${name} ${took_ms.toFixed(1)} ms`)
      .join('\n');
  }
}
