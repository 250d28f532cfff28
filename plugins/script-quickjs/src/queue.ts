import { QUEUE_FULL, WAITED_TOO_LONG } from './api.ts';
import { ScriptThread } from './script-thread.ts';
import { KINDS, type Kind, type ThreadOptions, Threads, type Wanted } from './threads.ts';

/** Runs that may wait for one context (js-worker.md §1). */
const MOST_OF_CONTEXT = 256;
/** Contexts of one kind of work and one share that may wait for a thread. */
const MOST_OF_SHARE = 2_048;
const STOPPED = 'the server stops';

/** Context as the queue sees it. Its runs never overlap, and begin in the order in which they came. */
export interface Line {
  /** First the run that comes next. */
  readonly waiting: Job[];
  /** Runs that a thread has and that have not settled. */
  readonly active: Set<Job>;
  /** Thread that has the context. */
  ownThread(): ScriptThread | undefined;
  readonly context: number | undefined;
  /** Reads the script. @returns undefined when it is there, or on its way */
  prepare(): Promise<void> | undefined;
  readonly isPrepared: boolean;
  /** Called after each run of the context. */
  settled(): void;
}

/** A run or a compilation from its order to its end. */
export abstract class Job implements Wanted {
  abstract readonly line: Line;
  abstract readonly kind: Kind;
  abstract readonly level: number;
  abstract readonly share: string;
  /** Longest wait for its beginning, ms. */
  readonly wait_ms: number | undefined = undefined;
  /** Tells whether it may go to the thread of its context before its turn without a loss. */
  readonly ahead: boolean = false;
  /** Position in the order of arrival. */
  order = 0;
  isWaiting = true;
  deadline: NodeJS.Timeout | undefined;

  /** All earlier runs of its context have a thread. */
  admitted(): void {}
  /** Returns why it may not begin after all. */
  refusal(): string | undefined {
    return undefined;
  }
  abstract start(thread: ScriptThread): void;
  /** Posts it to the thread that has its context, after the present run. */
  startAhead(_thread: ScriptThread): void {}
  /** Takes it back from the thread. @returns false when it has begun */
  withdraw(): boolean {
    return false;
  }
  /** Ends it without a run. */
  abstract end(detail: string): void;
}

/**
 * The one place where runs and compilations wait: in order within a context, by kind and share between contexts. The next
 * few runs of a context that computes are with its thread already; what does not begin there comes back.
 */
export class RunQueue {
  readonly threads: Threads;
  /** The first jobs of contexts that have none under way, and since when; ms of the machine's monotonic clock. */
  readonly #first = new Map<Job, number>();
  #order = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isDispatching = false;
  #isDirty = false;

  constructor(options: ThreadOptions) {
    this.threads = new Threads(options, {
      freed: () => this.#dispatch(),
      failed: (error) => this.#endFirst(error.message),
    });
  }

  add(job: Job): void {
    const { waiting, active } = job.line;
    // One that was posted ahead still waits.
    if (waiting.length + Math.max(0, active.size - 1) >= MOST_OF_CONTEXT) {
      job.end(QUEUE_FULL);
      return;
    }
    job.order = ++this.#order;
    waiting.push(job);
    this.#advance(job.line);
    if (job.wait_ms !== undefined && job.isWaiting)
      job.deadline = setTimeout(() => this.#expire(job), job.wait_ms);
  }

  /** The job has ended: the next one of its context begins, before anyone hears of the end. */
  settled(job: Job): void {
    const { line } = job;
    queueMicrotask(() => {
      line.active.delete(job);
      this.#advance(line);
      line.settled();
    });
  }

  /** The job has not begun on its thread and needs another one; its place in the order stays. */
  putBack(job: Job): void {
    const { waiting, active } = job.line;
    active.delete(job);
    const later = waiting.findIndex(({ order }) => order > job.order);
    waiting.splice(later < 0 ? waiting.length : later, 0, job);
    queueMicrotask(() => this.#advance(job.line));
  }

  /** Ends the jobs of a context that have not begun. */
  cancel({ waiting, active }: Line, detail: string): void {
    const posted = [...active].filter((job) => job.withdraw());
    for (const job of posted) active.delete(job);
    for (const job of [...posted, ...waiting.splice(0)]) {
      this.#first.delete(job);
      job.end(detail);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#endFirst(STOPPED);
    await this.threads.stop();
  }

  #expire(job: Job): void {
    const { line } = job;
    const at = line.waiting.indexOf(job);
    if (at >= 0) line.waiting.splice(at, 1);
    else if (job.withdraw()) line.active.delete(job);
    else return;
    this.#first.delete(job);
    job.end(WAITED_TOO_LONG);
    this.settled(job);
  }

  #advance(line: Line): void {
    for (let [job] = line.waiting; job && !this.#first.has(job); [job] = line.waiting) {
      if (line.active.size > 0) {
        if (!this.#postAhead(job)) return;
      } else if (this.#isStopped) this.#end(job, STOPPED);
      else if (line.isPrepared) this.#admit(job);
      else {
        void this.#prepare(line);
        return;
      }
    }
  }

  async #prepare(line: Line): Promise<void> {
    try {
      const preparing = line.prepare();
      if (!preparing) return;
      await preparing;
    } catch (error) {
      const [job] = line.waiting;
      if (job) this.#end(job, (error as Error).message);
    }
    this.#advance(line);
  }

  #postAhead(job: Job): boolean {
    const { context, waiting, active } = job.line;
    const thread = job.ahead && this.#first.size === 0 ? job.line.ownThread() : undefined;
    if (context === undefined || !thread?.acceptsAhead(context) || this.#isStopped) return false;
    waiting.shift();
    active.add(job);
    job.admitted();
    job.startAhead(thread);
    return true;
  }

  /** The job is the first one of its context: only a thread is missing. */
  #admit(job: Job): void {
    job.admitted();
    const thread = this.#first.size === 0 ? this.threads.ofContext(job) : undefined;
    if (thread) {
      this.#begin(job, thread);
      return;
    }
    let before = 0;
    for (const { kind, share } of this.#first.keys())
      if (kind === job.kind && share === job.share) before++;
    if (before >= MOST_OF_SHARE) {
      this.#end(job, QUEUE_FULL);
      return;
    }
    this.#first.set(job, performance.now());
    this.threads.warm();
    this.threads.recall();
    this.#dispatch();
  }

  #begin(job: Job, thread: ScriptThread): void {
    const refusal = job.refusal();
    if (refusal !== undefined) {
      this.#end(job, refusal);
      return;
    }
    this.#remove(job);
    job.line.active.add(job);
    this.threads.reserve(thread, job);
    job.start(thread);
  }

  #end(job: Job, detail: string): void {
    this.#remove(job);
    job.end(detail);
    this.settled(job);
  }

  /** Takes the first job of a context out. */
  #remove(job: Job): void {
    this.#first.delete(job);
    job.line.waiting.shift();
  }

  #endFirst(detail: string): void {
    for (const job of [...this.#first.keys()]) this.#end(job, detail);
  }

  #dispatch(): void {
    this.#isDirty = true;
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    while (this.#isDirty) {
      this.#isDirty = false;
      this.#assign();
    }
    this.#isDispatching = false;
  }

  /** Gives free threads to the jobs whose turn it is. */
  #assign(): void {
    if (this.#isStopped) return;
    let soonest = Number.POSITIVE_INFINITY;
    let isShort = false;
    const first = [...this.#first.keys()];
    for (const job of KINDS.flatMap((kind) => this.threads.order(kind, first))) {
      const since = this.#first.get(job);
      if (since === undefined || !this.threads.hasPlace(job)) continue;
      const thread = this.threads.choose(job.line, since);
      if (thread instanceof ScriptThread) this.#begin(job, thread);
      else if (thread === undefined) isShort = true;
      else soonest = Math.min(soonest, thread);
    }
    clearTimeout(this.#timer);
    if (soonest < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#dispatch(), soonest + 1);
    this.threads.grow(isShort);
  }
}
