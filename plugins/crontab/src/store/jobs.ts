import {
  type Database,
  guarded,
  type Integer,
  marks,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk';

/** What tells whether a row has changed. */
export interface Stamp {
  readonly id: Integer;
  /** Raised by every change but a run. */
  readonly version: number;
  /** Unix ms; null: never. */
  readonly last_run_time: Integer | null;
}

/** A row of `crontab`. */
export interface JobRow extends Stamp {
  readonly name: string;
  readonly enable: boolean;
  readonly cron_expression: string;
  /** JSON text. */
  readonly cron_type: string;
  /** Unix ms from which on matches count: creation, enabling, another expression. */
  readonly start_time: Integer;
  /** The server that claimed the last run; null: it has ended since, in order. */
  readonly claimed_by: string | null;
}

export type JobContent = Pick<JobRow, 'cron_expression' | 'cron_type' | 'start_time'>;
export type JobChange = Partial<JobContent & Pick<JobRow, 'enable'>>;

/** Every SQL statement on jobs. Failures of the database are 103 with a neutral text. */
export interface JobStore {
  all(): Promise<JobRow[]>;
  stamps(): Promise<Stamp[]>;
  byIds(ids: readonly Integer[]): Promise<JobRow[]>;
  byName(name: string): Promise<JobRow | undefined>;
  /** @returns undefined when the name is taken */
  insert(job: JobContent & { readonly name: string }): Promise<JobRow | undefined>;
  /** Changes the row if it is still of this version. */
  change(row: Stamp, change: JobChange): Promise<JobRow | undefined>;
  /** Deletes the row if it is still of this version. */
  remove(row: Stamp): Promise<boolean>;
  /**
   * Sets `last_run_time` of those jobs that are enabled and unchanged since these stamps were read: of several
   * servers one succeeds for each run. @returns ids of the jobs that are this server's to run
   */
  claim(stamps: readonly Stamp[], now: number): Promise<Set<Integer>>;
}

const COLUMNS =
  'id, name, enable, cron_expression, cast(cron_type as text) as cron_type, last_run_time, start_time, version, claimed_by';
/** Rows of one statement. */
const CHUNK = 500;

type Stored = Omit<JobRow, 'enable'> & { readonly enable: boolean | number };
const rowOf = (row: Stored): JobRow => ({ ...row, enable: Boolean(row.enable) });

/** `server` names this process in the rows that it claims. */
export function openJobStore({ query, forms }: Database, server: string): JobStore {
  const rows = async (text: string, params: readonly SqlValue[] = []): Promise<JobRow[]> =>
    (await rowsOf<Stored>(query, { text, params })).map(rowOf);
  const claimSql = claimOf(forms.elements);
  const { boolean } = forms;

  return {
    all: () => guarded('jobs could not be read', () => rows(`select ${COLUMNS} from crontab`)),

    stamps: () =>
      guarded('jobs could not be read', () =>
        rowsOf<Stamp>(query, {
          text: 'select id, version, last_run_time from crontab',
          params: [],
        }),
      ),

    byIds: (ids) =>
      guarded('jobs could not be read', async () => {
        const found: JobRow[] = [];
        for (let at = 0; at < ids.length; at += CHUNK) {
          const some = ids.slice(at, at + CHUNK);
          const where = `where id in (${marks(some.length)})`;
          found.push(...(await rows(`select ${COLUMNS} from crontab ${where}`, some)));
        }
        return found;
      }),

    byName: (name) =>
      guarded('job could not be read', async () => {
        const [row] = await rows(`select ${COLUMNS} from crontab where name = ?`, [name]);
        return row;
      }),

    insert: ({ name, cron_expression, cron_type, start_time }) =>
      guarded('job could not be stored', async () => {
        const columns = 'name, cron_expression, cron_type, start_time, enable';
        const [row] = await rows(
          `insert into crontab (${columns}) values (?, ?, ?, ?, ?)
            on conflict (name) do nothing returning ${COLUMNS}`,
          [name, cron_expression, cron_type, start_time, boolean(true)],
        );
        return row;
      }),

    change: ({ id, version }, { enable, ...texts }) =>
      guarded('job could not be changed', async () => {
        const values: Record<string, SqlValue> = { ...texts };
        if (enable !== undefined) values['enable'] = boolean(enable);
        const sets = Object.keys(values).map((column) => `${column} = ?, `);
        const [row] = await rows(
          `update crontab set ${sets.join('')}version = version + 1
            where id = ? and version = ? returning ${COLUMNS}`,
          [...Object.values(values), id, version],
        );
        return row;
      }),

    remove: ({ id, version }) =>
      guarded('job could not be deleted', async () => {
        const text = 'delete from crontab where id = ? and version = ? returning id';
        return (await rowsOf(query, { text, params: [id, version] })).length > 0;
      }),

    claim: (stamps, now) =>
      guarded('runs could not be claimed', async () => {
        const seen = stamps.map((s) => `[${s.id},${s.version},${s.last_run_time}]`);
        const params = [now, server, `[${seen.join(',')}]`];
        const claimed = await rowsOf<{ id: Integer }>(query, { text: claimSql, params });
        return new Set(claimed.map(({ id }) => id));
      }),
  };
}

/** Compare and set over a JSON list of `[id, version, last_run_time]`. */
function claimOf(elements: string): string {
  const member = (at: number) => `cast(l.value ->> ${at} as bigint)`;
  return `update crontab as c set last_run_time = ?, claimed_by = ?
    from (select ${member(0)} as job, ${member(1)} as seen, ${member(2)} as ran from ${elements} as l) as s
    where c.id = s.job and c.version = s.seen and c.enable
      and c.last_run_time is not distinct from s.ran
    returning id`;
}
