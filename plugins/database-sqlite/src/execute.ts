import { type ShareRules, Turns } from '@svc/fair-turns';
import type { ScriptResult } from '@svc/plugin-sdk/driver';
import { type Answer, fromPlain } from './answer.ts';
import type { ConnectionSettings } from './connection.ts';
import type { ExecuteAnswer } from './execute-thread.ts';
import type { Script } from './script.ts';
import { ScriptProcess } from './script-process.ts';

const PROCESSES = 2;
/** More of them, one for each caller that has none: the first ones may be busy until their time is over. */
const SPARE_PROCESSES = 2;
/** A process is up, and its turn comes, within this time or the caller's, which counts from its statement on. */
const START_MS = 60_000;
/** A process without work ends after this time. */
const IDLE_MS = 30_000;

export interface ExecuteLimits {
  /** Deadline from the moment at which the text begins to run; one that writes begins when nothing else does. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
  /** The caller. */
  readonly share?: string;
}

/** Runs a statement that writes, while all other writes wait. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs SQL of callers in processes of their own, which are killed when a statement does not end in time. */
export class Executor {
  readonly #settings: ConnectionSettings;
  readonly #turns: Turns;
  /** Every process; one that waits for work has a timer. */
  readonly #processes = new Map<ScriptProcess, NodeJS.Timeout | undefined>();

  constructor(settings: ConnectionSettings, standing: ShareRules['standing']) {
    this.#settings = settings;
    this.#turns = new Turns({ most: () => PROCESSES, spare: () => SPARE_PROCESSES, standing });
  }

  /** @throws the driver's error; one that says so when the time is over, or no process could begin with it */
  run(script: Script, alone: Alone, limits: ExecuteLimits): Promise<ScriptResult> {
    const { timeout_ms, signal, share = '' } = limits;
    const start_ms = Math.max(START_MS, timeout_ms);
    const busy = () => new Error(`the statement could not begin within ${start_ms} ms`);
    const late = () => new Error(`the statement was ended after ${timeout_ms} ms`);
    return this.#turns.run(share, { timeout_ms: start_ms, late: busy, signal }, async () => {
      signal?.throwIfAborted();
      const runner = this.#acquire();
      const ask = async (write: boolean): Promise<ExecuteAnswer> => {
        const options = { ...limits, late, yields: !write };
        return answered(await runner.ask({ ...script, write }, options));
      };
      try {
        const first = { ...script, sql: '', write: false };
        if (!runner.isUp)
          answered(await runner.ask(first, { ...limits, timeout_ms: start_ms, late: busy }));
        runner.isUp = true;
        // A text that writes is only looked at: that brings the process up, so that no other write waits for it.
        const read = await ask(false);
        if (read !== 'writes') return read;
        return (await alone(() => ask(true))) as ScriptResult;
      } finally {
        if (runner.usable && !runner.slowed) this.#processes.set(runner, this.#rest(runner));
        else await this.#end(runner);
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.keys()].map((runner) => this.#end(runner)));
  }

  #acquire(): ScriptProcess {
    for (const [runner, timer] of this.#processes) {
      if (!timer) continue;
      clearTimeout(timer);
      this.#processes.set(runner, undefined);
      if (runner.usable) return runner;
      this.#processes.delete(runner);
    }
    const runner = new ScriptProcess(this.#settings);
    this.#processes.set(runner, undefined);
    return runner;
  }

  #rest(runner: ScriptProcess): NodeJS.Timeout {
    return setTimeout(() => void this.#end(runner), IDLE_MS).unref();
  }

  async #end(runner: ScriptProcess): Promise<void> {
    clearTimeout(this.#processes.get(runner));
    this.#processes.delete(runner);
    await runner.end();
  }
}

function answered(answer: Answer): ExecuteAnswer {
  if ('error' in answer) throw fromPlain(answer.error);
  return answer.result as ExecuteAnswer;
}
