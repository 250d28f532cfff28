import type { Database } from '@svc/plugin-sdk';
import { guarded, type Integer, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** A run that a server claimed. */
export interface Claim {
  readonly id: Integer;
  readonly name: string;
  readonly claimed_by: string;
  /** Unix ms. */
  readonly last_run_time: Integer;
}

/** The servers that claimed the last runs of jobs. Every method throws RpcError 103 when the database fails. */
export class ClaimStore {
  readonly #db: Database;
  readonly #server: string;

  constructor(db: Database, server: string) {
    this.#db = db;
    this.#server = server;
  }

  /** Runs after `since` (Unix ms) that other servers claimed. */
  ofOthers(since: number): Promise<Claim[]> {
    const text = `select id, name, claimed_by, last_run_time from crontab
      where claimed_by <> ? and last_run_time > ? order by id`;
    return this.#rows<Claim>('claims could not be read', text, [this.#server, since]);
  }

  /** Takes a run over: of several servers one succeeds. */
  async takeOver({ id, claimed_by, last_run_time }: Claim): Promise<boolean> {
    const text = `update crontab set claimed_by = ?
      where id = ? and claimed_by = ? and last_run_time = ? returning id`;
    const params = [this.#server, id, claimed_by, last_run_time];
    return (await this.#rows('a claim could not be taken over', text, params)).length > 0;
  }

  /** Tells whether records of this run are stored. Rows that 0.6.0 wrote name no run: their time decides. */
  async isRecorded({ id, last_run_time }: Claim): Promise<boolean> {
    // Index (cron_id, run_time).
    const text = `select id from crontab_result where cron_id = ? and run_time >= ?
      and coalesce(claimed_at, ?) = ? limit 1`;
    const params = [id, last_run_time, last_run_time, last_run_time];
    return (await this.#rows('records could not be read', text, params)).length > 0;
  }

  /** The run that this server claimed last may have been started: from now on no other server dispatches it. */
  async begin(id: Integer): Promise<void> {
    const text =
      'update crontab set claimed_by = null where id = ? and claimed_by = ? returning id';
    await this.#rows('a claim could not be changed', text, [id, this.#server]);
  }

  /** Every run that this server claimed has been dispatched. */
  async release(): Promise<void> {
    const text = 'update crontab set claimed_by = null where claimed_by = ? returning id';
    await this.#rows('claims could not be released', text, [this.#server]);
  }

  #rows<T>(failure: string, text: string, params: readonly SqlValue[]): Promise<T[]> {
    return guarded(failure, () => rowsOf<T>(this.#db.query, { text, params }));
  }
}
