import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import { type Alert, CLOSED, type Transition, type Transitions } from '../types.ts';
import { adopt, type Live } from './live.ts';
import type { Held } from './machine.ts';

/** Changes of one statement. */
const BATCH = 200;
/** Distance of two warnings about alerts that are left out, ms. */
const WARN_MS = 3_600_000;

interface Change {
  readonly live: Live;
  readonly transition: Transition;
  /** State to which the alert returns where the change cannot be stored. */
  readonly before: Held;
}

/** Queue of changes on their way to the database: each alert has at most one in it. */
export class Changes {
  readonly #transitions: Transitions;
  readonly #clock: Kernel['clock'];
  readonly #log: Kernel['log'];
  readonly #warnings: Throttle;
  readonly #leftOutWarnings: Throttle;
  /** Alerts that could not begin because their agent has too many, since the start. */
  leftOut = 0;
  #queue: Change[] = [];
  #running: Promise<void> | undefined;

  constructor({ clock, log }: Pick<Kernel, 'clock' | 'log'>, transitions: Transitions) {
    this.#clock = clock;
    this.#log = log;
    this.#warnings = new Throttle(clock);
    this.#leftOutWarnings = new Throttle(clock, WARN_MS);
    this.#transitions = transitions;
  }

  add(live: Live, transition: Transition, before: Held): void {
    live.isWriting = true;
    this.#queue.push({ live, transition, before });
    this.#running ??= this.#run();
  }

  /** Counts an alert that does not begin because its agent has too many, or too many parts with alerts. */
  leaveOut(agent: string): void {
    this.leftOut++;
    if (this.#leftOutWarnings.pass() === undefined) return;
    this.#log.warn('a machine has too many alerts: no further one of it begins', { agent });
  }

  /** Resolves when everything that was added before is stored or given up. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Changes of one turn of the event loop are stored together.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) await this.#store(this.#queue.splice(0, BATCH));
    this.#running = undefined;
  }

  async #store(batch: readonly Change[]): Promise<void> {
    try {
      const results = await this.#transitions.apply(batch.map(({ transition }) => transition));
      for (const [index, { live, transition }] of batch.entries()) {
        const result = results[index];
        if (result) this.#settle(live, transition, result);
      }
    } catch (error) {
      // The next report tries again.
      for (const { live, before } of batch) live.held = before;
      const more = this.#warnings.pass();
      if (more !== undefined)
        this.#log.warn('changes of alerts could not be stored', { error, more });
    } finally {
      for (const { live } of batch) live.isWriting = false;
    }
  }

  #settle(
    live: Live,
    transition: Transition,
    result: { readonly alert: Alert; readonly made: boolean },
  ): void {
    live.storedAt = this.#clock.monotonic();
    const isUnknown = transition.from === undefined && result.alert.state === CLOSED;
    if (result.made) live.row = result.alert;
    // There is an ended row of which nothing was known here: the next report begins from it.
    else if (isUnknown && result.alert.id > 0) live.row = result.alert;
    else adopt(live, result.alert);
  }
}
