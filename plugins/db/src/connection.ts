import type { SqliteFile } from '@svc/plugin-sdk';
import type { Job } from './job.ts';

/** One connection of a database, in a process of its own. */
export class Connection {
  readonly file: SqliteFile;
  /** What it does just now. */
  job: Job<never> | undefined;
  /** Whose transaction is open in it. */
  owner: string | undefined;
  /** Something in it outlives a text: a temporary table, an option. */
  traces = false;
  /** Clock's ms of its last use. */
  used_at: number;
  /** Cancels the wait for the next text of an open transaction. */
  cancel: (() => void) | undefined;

  constructor(file: SqliteFile, now: number) {
    this.file = file;
    this.used_at = now;
  }

  get idle(): boolean {
    return this.job === undefined && this.owner === undefined;
  }
}
