import type { Clock, Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import { DOWN, VERDICT_PLACE, type Verdict } from '../types.ts';
import { HOUR_MS } from './pack.ts';
import { COUNTED_HOURS } from './spans.ts';
import { among, member, readRows, slices, storable, writeRows } from './sql.ts';

const COLUMNS = 'monitor_id, state, since, up, down, unknown, detail, next_at, version';
const TYPES = ['bigint', 'smallint', 'bigint', 'integer', 'integer', 'integer', 'text', 'bigint'];
/** Verdicts of one read that are due. */
const DUE_ROWS = 1_000;

export interface StoredVerdict extends Verdict {
  /** Unix ms at which it has to be judged again without a new result; null: never. */
  readonly next_at: number | null;
}

/** Verdict that was judged from a row, or from none. Its `since` may lie before now. */
export interface VerdictChange {
  readonly from: Verdict | undefined;
  readonly to: Omit<StoredVerdict, 'version'>;
  /** Places that say down, kept with the outage that opens. */
  readonly places: readonly number[];
  /** Tells whether the outage may be shown to everybody. */
  readonly public: boolean;
}

export interface MadeVerdict {
  readonly made: boolean;
  /** Verdict that is there now; none where the monitor has gone. */
  readonly verdict: StoredVerdict | undefined;
}

/** Tables `monitor_verdict`, `monitor_change` and `monitor_outage`, as far as verdicts change them. */
export class VerdictStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  all(): Promise<StoredVerdict[]> {
    return this.#read('order by monitor_id', []);
  }

  ofMonitors(ids: readonly number[]): Promise<StoredVerdict[]> {
    return this.#read(`where ${among(this.#db, 'monitor_id')}`, [JSON.stringify(ids)]);
  }

  /** Verdicts that have to be judged again, the one that waits longest first, at most 1,000. */
  due(): Promise<StoredVerdict[]> {
    return this.#read(
      `where next_at is not null and next_at <= ? order by next_at limit ${DUE_ROWS}`,
      [this.#clock.now()],
    );
  }

  /**
   * Makes each change whose verdict is still the one that it was judged from: the verdict, from when on it holds, and the
   * outage that it opens or ends are one transaction. @returns an answer for each, in their order @throws RpcError 103
   */
  async change(changes: readonly VerdictChange[]): Promise<MadeVerdict[]> {
    const answers: MadeVerdict[] = [];
    for (const some of slices(changes)) answers.push(...(await this.#changeSome(some)));
    return answers;
  }

  async #changeSome(changes: readonly VerdictChange[]): Promise<MadeVerdict[]> {
    const first = new Map<number, VerdictChange>();
    for (const change of changes) {
      const { monitor_id } = change.to;
      if (!first.has(monitor_id)) first.set(monitor_id, change);
    }
    const made = await guarded('verdicts could not be changed', () =>
      this.#db.transaction((trx) => this.#write(trx, [...first.values()])),
    );
    const written = changes.map((change) =>
      first.get(change.to.monitor_id) === change ? made.get(change.to.monitor_id) : undefined,
    );
    const lost = changes.flatMap(({ to }, at) => (written[at] ? [] : [to.monitor_id]));
    const rows = lost.length > 0 ? await this.ofMonitors(lost) : [];
    const current = new Map(rows.map((row) => [row.monitor_id, row]));
    return changes.map(({ to }, at) => ({
      made: written[at] !== undefined,
      verdict: written[at] ?? current.get(to.monitor_id),
    }));
  }

  /** @returns the verdicts that were made */
  async #write(
    trx: QueryBuilder,
    judged: readonly VerdictChange[],
  ): Promise<Map<number, StoredVerdict>> {
    const changes = await this.#afterOutages(trx, judged);
    const { elements } = this.#db.forms;
    const values = [...TYPES, 'integer'].map((type, place) => member(place, type)).join(', ');
    const sets = COLUMNS.split(', ').slice(1);
    // Servers take rows in one order, so that none waits for another one's for ever.
    const text = `insert into monitor_verdict (${COLUMNS}) select ${values} from ${elements} as v
      where exists (select 1 from monitor m where m.id = ${member(0, 'bigint')}) order by 1
      on conflict (monitor_id) do update set ${sets.map((name) => `${name} = excluded.${name}`).join(', ')}
      where monitor_verdict.version = excluded.version - 1 returning ${COLUMNS}`;
    const rows = changes.map(({ from, to }) => {
      const { monitor_id, state, since, up, down, unknown, detail, next_at } = to;
      const version = (from?.version ?? 0) + 1;
      return [monitor_id, state, since, up, down, unknown, storable(detail), next_at, version];
    });
    const written = await writeRows<StoredVerdict>(trx, text, [JSON.stringify(rows)]);
    const made = new Map(written.map(verdictOf).map((row) => [row.monitor_id, row]));
    const different = changes.filter(
      ({ from, to }) => made.has(to.monitor_id) && from?.state !== to.state,
    );
    if (different.length > 0) await this.#record(trx, different);
    return made;
  }

  /** Returns the changes with none that holds from before the end of the monitor's last outage on: outages never overlap. */
  async #afterOutages(
    trx: QueryBuilder,
    changes: readonly VerdictChange[],
  ): Promise<VerdictChange[]> {
    const text = `select monitor_id, max(to_at) as ended from monitor_outage
      where ${among(this.#db, 'monitor_id')} group by monitor_id`;
    const ids = changes.map(({ to }) => to.monitor_id);
    const rows = await writeRows<{ monitor_id: number; ended: number | null }>(trx, text, [
      JSON.stringify(ids),
    ]);
    const ends = new Map(rows.map(({ monitor_id, ended }) => [Number(monitor_id), Number(ended)]));
    return changes.map((change) => {
      const since = Math.max(change.to.since, ends.get(change.to.monitor_id) ?? 0);
      return { ...change, to: { ...change.to, since } };
    });
  }

  /** Writes from when on the verdicts hold, in place of what was said of that time before, and the outages. */
  async #record(trx: QueryBuilder, changes: readonly VerdictChange[]): Promise<void> {
    const { elements } = this.#db.forms;
    const rows = JSON.stringify(changes.map(({ to }) => [to.monitor_id, to.since, to.state]));
    const later = `delete from monitor_change where (monitor_id, at) in (select c.monitor_id, c.at
      from ${elements} as v join monitor_change c on c.monitor_id = ${member(0, 'bigint')} and c.at >= ${member(1, 'bigint')})
      returning at`;
    await writeRows(trx, later, [rows]);
    const text = `insert into monitor_change (monitor_id, at, state) select ${member(0, 'bigint')},
      ${member(1, 'bigint')}, ${member(2, 'smallint')} from ${elements} as v where true returning at`;
    await writeRows(trx, text, [rows]);
    await this.#forgetHours(trx, changes);
    const opened = changes.filter(({ to }) => to.state === DOWN);
    const ended = changes.filter(({ from }) => from?.state === DOWN);
    if (opened.length > 0) await this.#open(trx, opened);
    if (ended.length > 0) await this.#end(trx, ended);
  }

  /** Has the seconds of hours that were counted before counted again. */
  async #forgetHours(trx: QueryBuilder, changes: readonly VerdictChange[]): Promise<void> {
    const now = Math.floor(this.#clock.now() / HOUR_MS);
    const past = changes.flatMap(({ to: { monitor_id, since } }) => {
      const hour = Math.max(Math.floor(since / HOUR_MS), now - COUNTED_HOURS + 1);
      return hour < now ? [[monitor_id, hour]] : [];
    });
    if (past.length === 0) return;
    const text = `delete from monitor_hour where (monitor_id, hour, place_id) in (select h.monitor_id, h.hour, h.place_id
      from ${this.#db.forms.elements} as v join monitor_hour h on h.monitor_id = ${member(0, 'bigint')}
        and h.hour >= ${member(1, 'integer')} where h.place_id = ${VERDICT_PLACE}) returning hour`;
    await writeRows(trx, text, [JSON.stringify(past)]);
  }

  async #open(trx: QueryBuilder, changes: readonly VerdictChange[]): Promise<void> {
    const rows = changes.map(({ to, places, public: isPublic }) => {
      const { monitor_id, since, detail } = to;
      return [monitor_id, since, storable(detail), JSON.stringify(places), Number(isPublic)];
    });
    const text = `insert into monitor_outage (monitor_id, from_at, cause, places, public) select ${member(0, 'bigint')},
      ${member(1, 'bigint')}, ${member(2, 'text')}, ${member(3, 'text')}, ${member(4, 'smallint')}
      from ${this.#db.forms.elements} as v where true returning id`;
    await writeRows(trx, text, [JSON.stringify(rows)]);
  }

  async #end(trx: QueryBuilder, changes: readonly VerdictChange[]): Promise<void> {
    const end = member(1, 'bigint');
    const text = `update monitor_outage set to_at = case when ${end} > from_at then ${end} else from_at end
      from ${this.#db.forms.elements} as v where monitor_id = ${member(0, 'bigint')} and to_at is null returning id`;
    const rows = changes.map(({ to }) => [to.monitor_id, to.since]);
    await writeRows(trx, text, [JSON.stringify(rows)]);
  }

  async #read(rest: string, params: readonly SqlValue[]): Promise<StoredVerdict[]> {
    const sql = `select ${COLUMNS} from monitor_verdict ${rest}`;
    const rows = await readRows<StoredVerdict>(this.#db, { columns: COLUMNS, sql, params });
    return rows.map(verdictOf);
  }
}

const verdictOf = (row: StoredVerdict): StoredVerdict => ({
  ...row,
  monitor_id: Number(row.monitor_id),
  since: Number(row.since),
  next_at: row.next_at === null ? null : Number(row.next_at),
});
