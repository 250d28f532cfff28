import { type Clock, type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Monitor } from '../types.ts';
import {
  LISTED,
  LISTED_OF,
  type ListedMonitor,
  type ListedRow,
  listedOf,
  MONITOR,
  type MonitorRow,
  monitorOf,
  type NewMonitor,
  valuesOf,
} from './rows.ts';
import { among, readRows, SLICE_ROWS, writeRows } from './sql.ts';

/** Word of monitors among the holdings of tokens. */
export const HELD = 'monitor';
/** Whole monitors of one read. */
export const PAGE_ROWS = 500;

/** Tables of which rows hang on a monitor; they go when it has gone. */
const HANGING = [
  ['monitor_state', 'monitor_id, place_id'],
  ['monitor_verdict', 'monitor_id'],
  ['monitor_change', 'monitor_id, at'],
  ['monitor_result', 'monitor_id, at, place_id'],
  ['monitor_chunk', 'monitor_id, hour, place_id'],
  ['monitor_hour', 'monitor_id, hour, place_id'],
  ['monitor_day', 'monitor_id, day'],
  ['monitor_outage', 'id'],
  ['monitor_tls', 'monitor_id, place_id'],
  ['monitor_ping', 'id'],
  ['monitor_answer', 'monitor_id, place_id'],
  ['monitor_run', 'monitor_id, rid'],
] as const;

export interface WriteOptions {
  /** SHA-256 of the key of a heartbeat; absent: unchanged, of a new monitor none. */
  readonly key_hash?: string | null;
  /** Returns the sealed secrets, where sealing needs the id. */
  readonly seal?: (id: number) => Monitor['secret'];
}

/** Table `monitor`. Methods throw RpcError 103 when the database fails. */
export class MonitorStore {
  readonly #db: Database;
  readonly #counting: Counting;
  readonly #clock: Clock;

  constructor(db: Database, counting: Counting, clock: Clock) {
    this.#db = db;
    this.#counting = counting;
    this.#clock = clock;
  }

  /** Every monitor in the order of ids, without what only its checks need: page by page, so that many hold nobody up. */
  async list(): Promise<ListedMonitor[]> {
    const all: ListedMonitor[] = [];
    for (let isMore = true; isMore; ) {
      const page = await this.#listed(`where id > ? order by id limit ${PAGE_ROWS}`, [
        all.at(-1)?.id ?? 0,
      ]);
      all.push(...page);
      isMore = page.length === PAGE_ROWS;
    }
    return all;
  }

  /** Ids and versions of all, in the order of ids. */
  async versions(): Promise<Pick<Monitor, 'id' | 'version'>[]> {
    const sql = 'select id, version from monitor order by id';
    const rows = await readRows<Pick<Monitor, 'id' | 'version'>>(this.#db, {
      ...{ columns: 'id, version', sql, params: [], long: true },
    });
    return rows.map(({ id, version }) => ({ id: Number(id), version }));
  }

  /** Monitors as `list` has them, at most `PAGE_ROWS`; those that are not there are left out. */
  listed(ids: readonly number[]): Promise<ListedMonitor[]> {
    return this.#listed(`where ${among(this.#db, 'id')}`, [JSON.stringify(ids)]);
  }

  /** Whole monitors behind this id, at most `PAGE_ROWS`, in the order of ids. */
  after(id: number): Promise<Monitor[]> {
    return this.#whole(`where id > ? order by id limit ${PAGE_ROWS}`, [id]);
  }

  /** At most `PAGE_ROWS`; those that are not there are left out. */
  byIds(ids: readonly number[]): Promise<Monitor[]> {
    return this.#whole(`where ${among(this.#db, 'id')}`, [JSON.stringify(ids)]);
  }

  async byId(id: number): Promise<Monitor | undefined> {
    return (await this.#whole('where id = ?', [id]))[0];
  }

  async byName(name: string): Promise<Monitor | undefined> {
    return (await this.#whole('where name = ?', [name]))[0];
  }

  async byKeyHash(hash: string): Promise<Monitor | undefined> {
    return (await this.#whole('where key_hash = ?', [hash]))[0];
  }

  async byImported(from: string): Promise<Monitor | undefined> {
    return (await this.#whole('where imported_from = ?', [from]))[0];
  }

  /** @throws RpcError 108 when the name is taken, or the owner holds enough */
  create(monitor: NewMonitor, { key_hash = null, seal }: WriteOptions = {}): Promise<Monitor> {
    return this.#within(monitor, async (trx) => {
      await demandFree(trx, monitor, 0);
      const now = this.#clock.now();
      const times = { version: 1, created_at: now, updated_at: now };
      const values = { ...valuesOf(monitor), key_hash, ...times };
      const names = Object.keys(values);
      const text = `insert into monitor (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning ${MONITOR}`;
      const [row] = await writeRows<MonitorRow>(trx, text, Object.values(values));
      const created = monitorOf(row as MonitorRow);
      if (!seal) return created;
      const secret = seal(created.id);
      const sealed = 'update monitor set secret = ? where id = ? returning id';
      await writeRows(trx, sealed, [JSON.stringify(secret), created.id]);
      return { ...created, secret };
    });
  }

  /**
   * Changes the monitor of this id and version; the next version is counted here.
   * @returns undefined when it has gone, or has another version @throws RpcError 108 as `create`
   */
  change(monitor: Monitor, { key_hash }: WriteOptions = {}): Promise<Monitor | undefined> {
    const { id, version } = monitor;
    return this.#within(monitor, async (trx) => {
      await demandFree(trx, monitor, id);
      const key = key_hash === undefined ? {} : { key_hash };
      const values = { ...valuesOf(monitor), ...key, updated_at: this.#clock.now() };
      const sets = Object.keys(values).map((name) => `${name} = ?`);
      const text = `update monitor set ${sets.join(', ')}, version = version + 1
        where id = ? and version = ? returning ${MONITOR}`;
      const [row] = await writeRows<MonitorRow>(trx, text, [...Object.values(values), id, version]);
      return row && monitorOf(row);
    });
  }

  /**
   * Deletes a monitor; those that it was the parent of have none then. `sweep` deletes what hung on it.
   * @returns false when it had gone
   */
  remove(id: number): Promise<boolean> {
    return guarded('the monitor could not be deleted', () =>
      this.#db.transaction(async (trx) => {
        const gone = await writeRows(trx, 'delete from monitor where id = ? returning id', [id]);
        const child =
          'update monitor set parent = null, version = version + 1 where parent = ? returning id';
        await writeRows(trx, child, [id]);
        return gone.length > 0;
      }),
    );
  }

  /** Deletes some of what hung on monitors that have gone. @returns whether there may be more */
  async sweep(): Promise<boolean> {
    let more = false;
    for (const [table, key] of HANGING) {
      for (const id of await this.#withoutMonitor(table)) {
        const text = `delete from ${table} where (${key}) in
          (select ${key} from ${table} where monitor_id = ? limit ${SLICE_ROWS}) returning monitor_id`;
        const gone = await writeRows(this.#db.query, text, [id]);
        more ||= gone.length === SLICE_ROWS;
      }
    }
    return more;
  }

  /** Ids of a table that are no monitors: one step of its index for each distinct one. */
  async #withoutMonitor(table: string): Promise<number[]> {
    const sql = `with recursive found (id) as (select min(monitor_id) from ${table} union all
        select (select min(t.monitor_id) from ${table} t where t.monitor_id > found.id) from found where found.id is not null)
      select id from found where id is not null and not exists (select 1 from monitor m where m.id = found.id) limit ${PAGE_ROWS}`;
    const rows = await readRows<{ id: number }>(this.#db, {
      ...{ columns: 'id', sql, params: [], long: true },
    });
    return rows.map(({ id }) => Number(id));
  }

  async #listed(rest: string, params: readonly SqlValue[]): Promise<ListedMonitor[]> {
    const sql = `select ${LISTED_OF} from monitor ${rest}`;
    const rows = await readRows<ListedRow>(this.#db, { columns: LISTED, sql, params, long: true });
    return rows.map(listedOf);
  }

  async #whole(rest: string, params: readonly SqlValue[]): Promise<Monitor[]> {
    const sql = `select ${MONITOR} from monitor ${rest}`;
    const rows = await readRows<MonitorRow>(this.#db, { columns: MONITOR, sql, params });
    return rows.map(monitorOf);
  }

  #within<T>({ owner }: NewMonitor, work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    return guarded('the monitor could not be stored', () =>
      this.#counting.within({ kind: HELD, owner, alone: 'monitor' }, work),
    );
  }
}

async function demandFree(
  trx: QueryBuilder,
  { name, imported_from }: NewMonitor,
  id: number,
): Promise<void> {
  const named = 'select id from monitor where name = ? and id <> ?';
  if ((await writeRows(trx, named, [name, id])).length > 0)
    throw RpcError.invalid(`there is a monitor '${name}' already: choose another name`);
  if (imported_from === null) return;
  const imported = 'select id from monitor where imported_from = ? and id <> ?';
  if ((await writeRows(trx, imported, [imported_from, id])).length > 0)
    throw RpcError.invalid(`'${imported_from}' was imported already: change that monitor instead`);
}
