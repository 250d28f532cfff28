import { type Counting, type Database, uncounted } from '@svc/plugin-sdk';
import { guarded, type Integer, marks, rowsOf, type Sql, type SqlValue } from '@svc/plugin-sdk/sql';

/** Columns that show a change of a row. */
export interface Stamp {
  readonly id: Integer;
  /** Raised by every change but a run. */
  readonly version: number;
  /** Unix ms; null: never. */
  readonly last_run_time: Integer | null;
  /** The server that claimed the last run; null: the run was dispatched. */
  readonly claimed_by: string | null;
}

/** Columns that decide when the job runs. */
export interface PlanRow extends Stamp {
  readonly name: string;
  readonly enable: boolean;
  readonly cron_expression: string;
  /** Unix ms of the creation, of the last enabling or of the last new expression: earlier matches do not count. */
  readonly start_time: Integer;
}

/** A row of `crontab`. */
export interface JobRow extends PlanRow {
  /** JSON text. */
  readonly cron_type: string;
  /** Key of the token that wrote type and expression last; null: the Super Token, or a row from before owners were kept. */
  readonly owner: string | null;
}

export type JobContent = Pick<JobRow, 'cron_expression' | 'cron_type' | 'start_time' | 'owner'>;
export type JobChange = Partial<JobContent & Pick<JobRow, 'enable'>>;

const COLUMNS =
  'id, name, enable, cron_expression, cast(cron_type as text) as cron_type, last_run_time, start_time, version, claimed_by, owner';
const PLAN = 'id, name, enable, cron_expression, last_run_time, start_time, version, claimed_by';
/** Rows of one statement. */
const CHUNK = 500;
/** A longer type is read by itself, so that the rows of one statement stay small. */
const LONG = 16_384;
const TYPE = 'cast(cron_type as text)';
const SHORT = COLUMNS.replace(
  `${TYPE} as cron_type`,
  `case when length(${TYPE}) <= ${LONG} then ${TYPE} end as cron_type`,
);

type Stored<Row> = Omit<Row, 'enable'> & { readonly enable: boolean | number };
const rowOf = <Row extends PlanRow>(row: Stored<Row>): Row =>
  ({ ...row, enable: Boolean(row.enable) }) as Row;

/** Rows of `crontab`. Every method throws RpcError 103 with a neutral text when the database fails. */
export class JobStore {
  readonly #db: Database;
  readonly #server: string;
  readonly #claimSql: string;
  readonly #counting: Counting;

  /** @param server names this process in the rows that it claims */
  constructor(db: Database, server: string, counting = uncounted(db)) {
    this.#db = db;
    this.#counting = counting;
    this.#server = server;
    this.#claimSql = claimOf(db.forms.elements);
  }

  /** Reads what follows this id, ascending. The types, which may be long, are not read. */
  plans(after: Integer, most: number): Promise<PlanRow[]> {
    const text = `select ${PLAN} from crontab where id > ? order by id limit ?`;
    return this.#rows('jobs could not be read', text, [after, most]);
  }

  async plansOf(ids: readonly Integer[]): Promise<PlanRow[]> {
    const found: PlanRow[] = [];
    for (let at = 0; at < ids.length; at += CHUNK) {
      const some = ids.slice(at, at + CHUNK);
      const text = `select ${PLAN} from crontab where id in (${marks(some.length)})`;
      found.push(...(await this.#rows<PlanRow>('jobs could not be read', text, some)));
    }
    return found;
  }

  /** Reads the stamps of what follows this id, ascending. */
  stamps(after: Integer, most: number): Promise<Stamp[]> {
    const text =
      'select id, version, last_run_time, claimed_by from crontab where id > ? order by id limit ?';
    return guarded('jobs could not be read', () =>
      rowsOf<Stamp>(this.#db.query, { text, params: [after, most] }),
    );
  }

  /** Reads whole rows that follow this id, ascending; long ones one at a time. */
  async *after(id: Integer, most: number): AsyncGenerator<JobRow> {
    const text = `select ${SHORT} from crontab where id > ? order by id limit ?`;
    const rows = await this.#rows<Omit<JobRow, 'cron_type'> & { cron_type: string | null }>(
      'jobs could not be read',
      text,
      [id, most],
    );
    for (const row of rows) {
      const { cron_type } = row;
      if (cron_type !== null) yield { ...row, cron_type };
      else yield* await this.byIds([row.id]);
    }
  }

  async byIds(ids: readonly Integer[]): Promise<JobRow[]> {
    const found: JobRow[] = [];
    for (let at = 0; at < ids.length; at += CHUNK) {
      const some = ids.slice(at, at + CHUNK);
      const text = `select ${COLUMNS} from crontab where id in (${marks(some.length)})`;
      found.push(...(await this.#rows('jobs could not be read', text, some)));
    }
    return found;
  }

  async byName(name: string): Promise<JobRow | undefined> {
    const text = `select ${COLUMNS} from crontab where name = ?`;
    const [row] = await this.#rows('job could not be read', text, [name]);
    return row;
  }

  /** Names of the jobs that a token wrote last, ascending; 5,000 at most. */
  namesOf(owner: string): Promise<string[]> {
    const text = 'select name from crontab where owner = ? order by name limit 5000';
    return guarded('jobs could not be read', async () => {
      const rows = await rowsOf<{ name: string }>(this.#db.query, { text, params: [owner] });
      return rows.map(({ name }) => name);
    });
  }

  /** @returns undefined when the name is taken. @throws RpcError 108 when its owner holds enough */
  async insert(job: JobContent & { readonly name: string }): Promise<JobRow | undefined> {
    const { name, cron_expression, cron_type, start_time, owner } = job;
    const text = `insert into crontab (name, cron_expression, cron_type, start_time, owner, enable)
      values (?, ?, ?, ?, ?, ?) on conflict (name) do nothing returning ${COLUMNS}`;
    const enable = this.#db.forms.boolean(true);
    const params = [name, cron_expression, cron_type, start_time, owner, enable];
    return this.#counted('job could not be stored', { text, params }, owner);
  }

  /** Changes the row if it is still of this version. @throws RpcError 108 when that makes its owner hold too much */
  async change(
    { id, version }: Stamp,
    { enable, ...texts }: JobChange,
  ): Promise<JobRow | undefined> {
    const values: Record<string, SqlValue> = { ...texts };
    if (enable !== undefined) values['enable'] = this.#db.forms.boolean(enable);
    const sets = Object.keys(values).map((column) => `${column} = ?, `);
    const text = `update crontab set ${sets.join('')}version = version + 1
      where id = ? and version = ? returning ${COLUMNS}`;
    const params = [...Object.values(values), id, version];
    const failure = 'job could not be changed';
    if (texts.owner !== undefined) return this.#counted(failure, { text, params }, texts.owner);
    const [row] = await this.#rows(failure, text, params);
    return row;
  }

  /** Deletes the row if it is still of this version. */
  remove({ id, version }: Stamp): Promise<boolean> {
    return guarded('job could not be deleted', async () => {
      const text = 'delete from crontab where id = ? and version = ? returning id';
      return (await rowsOf(this.#db.query, { text, params: [id, version] })).length > 0;
    });
  }

  /**
   * Sets `last_run_time` of those jobs that are enabled and unchanged since these stamps were read: of several
   * servers one succeeds for each run. A run that another server took over meanwhile is that server's. @returns ids of the jobs that this server must run
   */
  claim(stamps: readonly Stamp[], now: number): Promise<Set<Integer>> {
    return guarded('runs could not be claimed', async () => {
      const seen = stamps.map(
        (s) => `[${s.id},${s.version},${s.last_run_time},${JSON.stringify(s.claimed_by)}]`,
      );
      const params = [now, this.#server, `[${seen.join(',')}]`];
      const sql = { text: this.#claimSql, params };
      const claimed = await rowsOf<{ id: Integer }>(this.#db.query, sql);
      return new Set(claimed.map(({ id }) => id));
    });
  }

  #counted(failure: string, sql: Sql, owner: string | null): Promise<JobRow | undefined> {
    return guarded(failure, () =>
      this.#counting.within({ kind: 'job', owner }, async (on) => {
        const [row] = await rowsOf<Stored<JobRow>>(on, sql);
        return row && rowOf(row);
      }),
    );
  }

  #rows<Row extends PlanRow = JobRow>(
    failure: string,
    text: string,
    params: readonly SqlValue[],
  ): Promise<Row[]> {
    return guarded(failure, async () =>
      (await rowsOf<Stored<Row>>(this.#db.query, { text, params })).map(rowOf<Row>),
    );
  }
}

/** Compare and set over a JSON list of `[id, version, last_run_time, claimed_by]`. */
function claimOf(elements: string): string {
  const member = (at: number) => `cast(l.value ->> ${at} as bigint)`;
  return `update crontab as c set last_run_time = ?, claimed_by = ?
    from (select ${member(0)} as job, ${member(1)} as seen, ${member(2)} as ran,
      l.value ->> 3 as by_server from ${elements} as l) as s
    where c.id = s.job and c.version = s.seen and c.enable
      and c.last_run_time is not distinct from s.ran
      and (c.claimed_by is null or c.claimed_by is not distinct from s.by_server)
    returning id`;
}
