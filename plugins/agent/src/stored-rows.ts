import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { StoredReports } from './api.ts';
import type { Row } from './kinds.ts';

/** Rows that may wait for the listeners: four commits of the largest size. */
const MOST_ROWS = 4_000;

type Listener = (rows: readonly Row[]) => void;

/**
 * Hands committed rows to listeners, those of one turn of the event loop together, after the answers to their senders. Nothing
 * that a listener does reaches a report.
 */
export class StoredRows implements StoredReports {
  readonly #log: Kernel['log'];
  readonly #warnings: Throttle;
  readonly #listeners = new Set<Listener>();
  #rows: Row[] = [];
  #left = 0;
  #failed = 0;

  constructor({ clock, log }: Pick<Kernel, 'clock' | 'log'>) {
    this.#log = log;
    this.#warnings = new Throttle(clock);
  }

  get left(): number {
    return this.#left;
  }

  get failed(): number {
    return this.#failed;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Adds a committed row. */
  add(row: Row): void {
    if (this.#listeners.size === 0) return;
    if (this.#rows.length === 0) setImmediate(() => this.#hand());
    if (this.#rows.length < MOST_ROWS) this.#rows.push(row);
    else this.#left++;
  }

  #hand(): void {
    const rows = this.#rows;
    this.#rows = [];
    for (const listener of this.#listeners) {
      try {
        listener(rows);
      } catch (error) {
        this.#failed++;
        const more = this.#warnings.pass();
        if (more !== undefined)
          this.#log.error('a listener to stored reports failed', { error, more });
      }
    }
  }
}
