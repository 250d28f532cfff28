import type { EgressClient } from '@svc/plugin-egress/api';
import type { Call, Mode, Outcome, Sandbox, Sandboxes } from '@svc/plugin-script-quickjs/api';
import type { Clock, Logger } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import { type Ceilings, type Effective, effective } from '../limits.ts';
import { shareOf, suspended, type WorkerOwners } from '../owners.ts';
import type { Ended, ResultStore, Running, RunType } from '../store/results.ts';
import type { Owned, Worker, WorkerStore } from '../store/workers.ts';
import type { FetchWarnings } from './fetch-warnings.ts';
import { RunHost } from './host.ts';
import type { InlineOrder } from './inline-order.ts';
import type { RunMeter } from './meter.ts';
import type { ContextPool } from './pool.ts';
import { type Execution, failure, failureText, responseJson } from './texts.ts';
import type { WorkerLog } from './worker-log.ts';

const MOST_LEVELS = 16;
const UNHOLDABLE = /[\0\p{Cs}]/u;
/** Another attempt to store how a run ended, ms. */
const RETRY_MS = [1_000, 5_000, 30_000];

export interface RunnerOptions {
  readonly contexts: Sandboxes;
  readonly pool: ContextPool;
  readonly workers: WorkerStore;
  readonly results: ResultStore;
  readonly owners: WorkerOwners;
  readonly egress: EgressClient;
  readonly fetchWarnings: FetchWarnings;
  readonly workerLog: WorkerLog;
  readonly meter: RunMeter;
  readonly ceilings: () => Ceilings;
  /** Responses may set cookies. */
  readonly cookies: () => boolean;
  readonly request: (request: unknown) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One run as it was asked for. */
export interface Order {
  readonly runType: RunType;
  /** JSON text. */
  readonly params: string;
  /** JSON text; null: the stored one. */
  readonly env: string | null;
  /** The token that causes the run. */
  readonly share: string;
}

const handlers: { readonly [type in RunType]: string } = {
  call: 'onCall',
  cron: 'onCron',
  route: 'onRoute',
  inline_call: 'onInlineCall',
};

interface Caller extends Owned {
  readonly name: string;
  /** Share of the run that was started from outside, as in `Order`. */
  readonly share: string;
  /** Inline calls above this run. */
  readonly level: number;
  /** Tells whether the caller still waits for what it calls. */
  readonly isWanted?: () => boolean;
}

const OUTSIDE = { name: null, level: 0 };

/** Runs scripts and records how they ended. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #recording = new Map<Integer, Promise<void>>();
  #stopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Stores the row of a run and starts it; does not wait for its end. @returns id of the result */
  async start(worker: Worker, order: Order, mode: 'bytecode' | 'source'): Promise<Integer> {
    if (await this.#options.owners.isSuspended(worker)) throw suspended(worker);
    const id = await this.#begin(worker, order);
    const execution = mode === 'source' ? 'source' : 'pooled';
    this.#record(id, worker, execution, () => this.#outcome(worker, order, execution));
    return id;
  }

  /** One HTTP request, which waits for its turn no longer than `wait_ms`; leaves no row. */
  route(
    worker: Worker,
    params: string,
    { body, wait_ms }: { readonly body: Uint8Array | undefined; readonly wait_ms: number },
  ): Promise<Outcome> {
    const share = shareOf(worker);
    const host = this.#host(worker, { ...ownedBy(worker), share, level: 0 });
    const order: Order = { runType: 'route', params, env: null, share };
    const call = { ...this.#call(worker, order, 'request'), body, wait_ms, ahead: true };
    return this.#pooled(worker, call, host);
  }

  /** Results of the runs that have not ended. */
  running(): Integer[] {
    return [...this.#recording.keys()];
  }

  /** Runs under way are ended by the engine; their rows are stored before this resolves. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.pool.clear(INTERRUPTED);
    await this.#options.contexts.stop();
    await Promise.all(this.#recording.values());
  }

  #begin({ id, name }: Worker, { runType, params }: Order): Promise<Integer> {
    return this.#options.results.insert({
      js_worker_id: id,
      js_worker_name: name,
      run_type: runType,
      start_time: this.#options.clock.now(),
      param: params,
    });
  }

  #outcome(worker: Worker, order: Order, execution: Execution): Promise<Outcome> {
    const mode = order.runType === 'route' ? 'request-json' : 'json';
    const call = this.#call(worker, order, mode);
    const { share } = order;
    const host = this.#host(worker, { ...ownedBy(worker), share, level: 0 });
    if (execution === 'pooled') return this.#pooled(worker, call, host);
    const file = `${worker.name.replace(/^\.+/, '')}.js`;
    return this.#once(worker, call, { file, host });
  }

  #pooled(worker: Worker, call: Call, host: RunHost): Promise<Outcome> {
    return this.#measured(call, host, () => this.#options.pool.run(worker, call, host));
  }

  async #once(
    worker: Worker,
    call: Call,
    { file, host }: { readonly file: string; readonly host: RunHost },
  ): Promise<Outcome> {
    const row = await this.#options.workers.script(worker);
    if (!row) return failure(`js_worker not found: ${worker.name}`);
    const { heap, stack } = this.#limits(worker);
    const order = { source: row.script, file, heap, stack };
    const context: Sandbox = this.#options.contexts.prepare(order, { once: true });
    host.room = this.#options.pool.roomFor(heap);
    return this.#measured(call, host, () => context.run(call, host));
  }

  #measured({ handler }: Call, host: RunHost, run: () => Promise<Outcome>): Promise<Outcome> {
    return this.#options.meter.measure(handler, (admitted) => {
      host.admitted = admitted;
      return run();
    });
  }

  #limits(worker: Worker): Effective {
    return effective(worker, this.#options.ceilings());
  }

  #call(
    worker: Worker,
    { runType, params, env, share }: Order,
    mode: Mode,
    { name: caller, level }: { readonly name: string | null; readonly level: number } = OUTSIDE,
  ): Call {
    const handler = handlers[runType];
    return {
      handler,
      mode,
      level,
      share,
      cookies: this.#options.cookies(),
      params,
      env: env ?? worker.env ?? '{}',
      context: { runType: handler, workerName: worker.name, inlineCaller: caller },
      limit_ms: this.#limits(worker).run_ms,
    };
  }

  /** `run`: itself as a caller, and what has called it. */
  #host(worker: Worker, run: Caller): RunHost {
    const { egress, fetchWarnings, request, workerLog } = this.#options;
    const host: RunHost = new RunHost({
      egress,
      share: run.share,
      fetchFailed: (url, error) => fetchWarnings.failed(worker.name, url, error),
      request,
      isWanted: run.isWanted,
      inline: (order) => this.#inline({ ...run, isWanted: () => host.isWanted() }, order),
      log: (line) => workerLog.write(worker.name, line),
    });
    return host;
  }

  /** @returns JSON text of the inner handler's value. @throws Error with the whole reason */
  async #inline(caller: Caller, { worker: name, seconds, params }: InlineOrder): Promise<string> {
    const level = caller.level + 1;
    if (level > MOST_LEVELS) throw new Error(`inlineCall is nested more than ${MOST_LEVELS} deep`);
    // Before the look-up: names that the owner has no right to are not told from those that do not exist.
    if (!(await this.#options.owners.mayRun(caller, name))) throw plain(mayNotRun(caller, name));
    // No database could hold the others.
    const worker = UNHOLDABLE.test(name) ? undefined : await this.#options.workers.byName(name);
    if (!worker) throw plain(RpcError.notFound(`js_worker not found: ${name}`));
    if (await this.#options.owners.isSuspended(worker)) throw plain(suspended(worker));
    const { share } = caller;
    const order: Order = { runType: 'inline_call', params, env: null, share };
    const call = this.#call(worker, order, 'json', { name: caller.name, level });
    const limit_ms = Math.max(
      1,
      Math.min(call.limit_ms, (seconds ?? Number.POSITIVE_INFINITY) * 1000),
    );
    const id = await this.#begin(worker, order).catch((error: Error) => {
      throw plain(error);
    });
    const host = this.#host(worker, { ...caller, ...ownedBy(worker), level });
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#record(id, worker, 'inline', async () => {
        const run = this.#once(worker, { ...call, limit_ms }, { file: 'js_worker.js', host });
        const ended = await run.catch((error: Error) => failure(error.message));
        resolve(ended);
        return ended;
      });
    });
    if (outcome.kind === 'json') return outcome.text;
    const detail = outcome.kind === 'failure' ? outcome.detail : 'no value';
    throw new Error(failureText('inline', detail));
  }

  /** Owns the run from here on: the row is finished whatever happens to the caller. */
  #record(id: Integer, { name }: Worker, execution: Execution, run: () => Promise<Outcome>): void {
    const { log } = this.#options;
    log.target('js_runtime').debug('run started', { worker: name, result: id, execution });
    const work = run()
      .catch((error: Error) => failure(error.message))
      .then((outcome) => {
        const ended = this.#ended(outcome, execution);
        const facts = { worker: name, result: id };
        if ('error' in ended) log.info('worker run failed', { ...facts, reason: ended.error });
        log.target('js_result').debug('run ended', facts);
        return this.#finish({ id, name }, ended);
      })
      .catch((error: unknown) => {
        log.error('the end of a run could not be stored', { result: id, error });
      })
      .finally(() => this.#recording.delete(id));
    this.#recording.set(id, work);
  }

  #ended(outcome: Outcome, execution: Execution): Ended {
    if (outcome.kind === 'json') return { result: outcome.text };
    if (outcome.kind === 'response') return { result: responseJson(outcome) };
    const { detail, late } = outcome;
    return { error: failureText(execution, this.#stopping && !late ? INTERRUPTED : detail) };
  }

  async #finish(run: Running, ended: Ended): Promise<void> {
    const { results, clock } = this.#options;
    for (const wait of [...RETRY_MS, undefined]) {
      try {
        return await results.finish(run, ended, clock.now());
      } catch (error) {
        if (wait === undefined || this.#stopping) throw error;
        await new Promise<void>((resolve) => void clock.timeout(resolve, wait));
      }
    }
  }
}

export const INTERRUPTED = 'interrupted by server restart';

const ownedBy = ({ name, owner, owner_rights }: Worker) => ({ name, owner, owner_rights });

const mayNotRun = ({ name }: Caller, target: string): RpcError =>
  RpcError.denied(
    `the token that wrote js_worker '${name}' had no permission RunDefinedJsWorker for js_worker '${target}'`,
  );

/** Error as a script sees it: the text, nothing of the server. */
const plain = (error: Error): Error => new Error(error.message);
