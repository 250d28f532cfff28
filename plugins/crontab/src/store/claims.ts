import { type Database, guarded, type Integer, rowsOf } from '@svc/plugin-sdk';

/** A run that some server claimed. */
export interface Claim {
  readonly id: Integer;
  readonly name: string;
  readonly claimed_by: string;
  /** Unix ms. */
  readonly last_run_time: Integer;
  /** When the next run was claimed; undefined: it was the last one. */
  readonly before?: number;
}

/** Whose the last runs are. Failures of the database are 103 with a neutral text. */
export interface ClaimStore {
  /** Runs after `since` (Unix ms) that other servers claimed. */
  ofOthers(since: number): Promise<Claim[]>;
  /** Takes a run over: of several servers one succeeds. */
  adopt(claim: Claim): Promise<boolean>;
  /** True when records of this run are stored. */
  isRecorded(claim: Claim): Promise<boolean>;
  /** From now on the run that this server claimed last may have been started: nobody makes up for it. */
  begin(id: Integer): Promise<void>;
  /** Everything that this server claimed has been dispatched. */
  release(): Promise<void>;
}

export function openClaimStore({ query }: Database, server: string): ClaimStore {
  return {
    ofOthers: (since) =>
      guarded('claims could not be read', () =>
        rowsOf<Claim>(query, {
          text: `select id, name, claimed_by, last_run_time from crontab
            where claimed_by <> ? and last_run_time > ? order by id`,
          params: [server, since],
        }),
      ),

    adopt: ({ id, claimed_by, last_run_time }) =>
      guarded('a claim could not be taken over', async () => {
        const text = `update crontab set claimed_by = ?
          where id = ? and claimed_by = ? and last_run_time = ? returning id`;
        const params = [server, id, claimed_by, last_run_time];
        return (await rowsOf(query, { text, params })).length > 0;
      }),

    isRecorded: ({ id, last_run_time, before = null }) =>
      guarded('records could not be read', async () => {
        // Index (cron_id, run_time).
        const text = `select id from crontab_result where cron_id = ? and run_time >= ?
          and run_time < coalesce(?, ${Number.MAX_SAFE_INTEGER}) limit 1`;
        return (await rowsOf(query, { text, params: [id, last_run_time, before] })).length > 0;
      }),

    begin: (id) =>
      guarded('a claim could not be changed', async () => {
        const text = `update crontab set claimed_by = null
          where id = ? and claimed_by = ? returning id`;
        await rowsOf(query, { text, params: [id, server] });
      }),

    release: () =>
      guarded('claims could not be released', async () => {
        const text = 'update crontab set claimed_by = null where claimed_by = ? returning id';
        await rowsOf(query, { text, params: [server] });
      }),
  };
}
