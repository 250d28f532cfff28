import type { Channel } from './channel.ts';
import { type Clock, sleep, within } from './clock.ts';
import type { Logger } from './log.ts';
import type { Report, Segment, Spool } from './spool.ts';

export interface CatchUpOptions {
  readonly spool: Spool;
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Logger;
  /** A request of this report with this id. */
  readonly compose: (report: Report, id: number) => string;
  readonly random: () => number;
}

/** Wait after a connection, 2 to 5 s: the agents of a server that was away come back together. */
const FIRST_MS = 2000;
const SPREAD_MS = 3000;
/** Wait between two segments: about 32 reports a second, so that live reports do not wait. */
const PAUSE_MS = 1000;
/** Wait after an error of the server, and before the next try when nothing waits. */
const LATER_MS = 60_000;
const ANSWER_LIMIT_MS = 30_000;
/** The requests of the main loop all have the id 1. */
const FIRST_ID = 2;
/** Errors by which the server says that it will never take this report. */
const FINAL = new Set<unknown>([-32602, -32601, 108]);

/** Sends what waits on the disk, oldest first, at the same time as the live reports. A report goes from the disk when it is answered. */
export class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #stop = new AbortController();
  #waiting = new Map<number, Report>();
  #refused = false;
  #wake = () => {};
  #sent = 0;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    void options.channel.closed.then(() => this.#stop.abort());
  }

  /** Runs until the connection ends. */
  async run(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#stop;
    let wait_ms = FIRST_MS + SPREAD_MS * random();
    while (!signal.aborted) {
      await sleep(clock, 'catch-up', wait_ms, signal);
      if (!signal.aborted) wait_ms = await this.#next();
    }
  }

  /** Handles the answer to one of these requests. `code` is that of an error. */
  answered(id: number, code: unknown): void {
    if (!this.#waiting.has(id)) return;
    if (code === undefined || FINAL.has(code)) this.#waiting.delete(id);
    else this.#refused = true;
    if (this.#refused || this.#waiting.size === 0) this.#wake();
  }

  /** Sends one segment; the wait before the next. */
  async #next(): Promise<number> {
    const { spool, channel, log } = this.#options;
    if (channel.backlog > 0) return PAUSE_MS;
    const segment = await spool.oldest();
    if (!segment) {
      if (this.#sent > 0) log.info('the reports that waited are sent', { count: this.#sent });
      this.#sent = 0;
      return LATER_MS;
    }
    await this.#send(segment);
    const unanswered = [...this.#waiting.values()];
    this.#sent += segment.reports.length - unanswered.length;
    await spool.retain(segment, unanswered);
    return unanswered.length > 0 ? LATER_MS : PAUSE_MS;
  }

  async #send({ reports }: Segment): Promise<void> {
    const { channel, clock, compose } = this.#options;
    this.#refused = false;
    this.#waiting = new Map(reports.map((report, at) => [FIRST_ID + at, report]));
    if (reports.length === 0) return;
    const answered = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    for (const [id, report] of this.#waiting) channel.send(compose(report, id));
    await within(clock, 'answers', ANSWER_LIMIT_MS, Promise.race([answered, channel.closed]));
  }
}
