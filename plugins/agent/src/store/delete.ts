import type { Database } from '@svc/plugin-sdk';
import { parseJson, stringifyJson } from '@svc/plugin-sdk/json';
import { guarded, type Integer, rowsOf, type Sql, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Filter } from '../conditions.ts';
import { type Kind, STATIC } from '../kinds.ts';
import { newestSql } from './newest.ts';
import { bounded, whereOf } from './sql.ts';

/** Limit of the places of one batch as JSON; never reached. */
const MAX_BYTES = 2 ** 20;

export interface RemoveOptions {
  /** Id of the filter's agent. */
  readonly agent: number | undefined;
  /** Ids of agents whose rows stay. */
  readonly except: readonly number[];
  /** Rows of one statement: reports wait no longer than it takes to delete these. */
  readonly batch: number;
  /** Called between two statements; throws to give up. */
  readonly proceed: () => Promise<void> | void;
}

/** Deletes of one table. */
export class DeleteStore {
  readonly #db: Database;
  readonly #kind: Kind;
  readonly #deleteSql: string;
  /** Tells whether storage_time has an index that gives an order; where partitions may be, it has none. */
  readonly #isOrdered: boolean;

  readonly #now: () => number;

  constructor(db: Database, kind: Kind, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#kind = kind;
    this.#deleteSql = deleteOf(db, kind);
    this.#isOrdered = !db.timePartitions || kind === STATIC;
  }

  /**
   * Deletes every row that matches, or the `limit` newest, in small statements.
   * @throws RpcError 103, and what `proceed` throws to give up
   */
  async remove(filter: Filter, options: RemoveOptions): Promise<number> {
    const { batch, proceed } = options;
    if (filter.limit === 1)
      return guarded('delete failed', () => this.#removeNewest(filter, options));
    const found = walkOf(this.#kind, filter, options);
    if (found.by === 'storage_time' && !this.#isOrdered) {
      const narrowed = await guarded('delete failed', () => this.#byTimestamp(filter));
      return narrowed ? this.remove(narrowed, options) : 0;
    }
    if (found.by === 'storage_time' && (await this.#isYoung(filter.storage.to))) return 0;
    const walk = found.descending ? found : { ...found, end: await this.#endOf(found) };
    let left = bounded(filter.limit ?? Number.POSITIVE_INFINITY);
    let deleted = 0;
    let after: Place | undefined;
    while (left > 0) {
      const count = left > batch ? batch : Number(left);
      const places = await guarded('delete failed', () => this.#places(walk, after, count));
      deleted += await guarded('delete failed', () => this.#removeAt(places));
      if (places.length < count) break;
      left = typeof left === 'bigint' ? left - BigInt(count) : left - count;
      after = places.at(-1);
      await proceed();
    }
    return deleted;
  }

  async #removeNewest(filter: Filter, { agent }: RemoveOptions): Promise<number> {
    const newest = newestSql(this.#db, this.#kind, { filter, whose: agent, now: this.#now() });
    const sql = `select ${placeSql('timestamp')} as json from (${newest.text}) m`;
    const found = await this.#db.jsonArray(sql, newest.params, { maxBytes: MAX_BYTES });
    return this.#removeAt(parseJson(Buffer.from(found.text as string).toString()) as Place[]);
  }

  /**
   * Tells whether no row is as old as that, the usual answer of a round of retention: a short read, where a long one would
   * start a thread.
   */
  async #isYoung(to: Integer | undefined): Promise<boolean> {
    if (to === undefined) return false;
    const sql = `select min(storage_time) as first from ${this.#kind.table}`;
    const row = await guarded('delete failed', () =>
      this.#db.first<{ first: Integer | null }>(sql),
    );
    return row?.first == null || row.first > to;
  }

  /** The filter with the times that its rows have, which are few where the storage times are few. */
  async #byTimestamp(filter: Filter): Promise<Filter | undefined> {
    const where = whereOf(filter, undefined);
    // A sum: the ends of the index on `timestamp` would tempt the planner to look there for a first row.
    const sql = `select concat('[', min(m.timestamp + 0), ',', max(m.timestamp + 0), ']') as json
      from ${this.#kind.table} m ${where.text} having count(*) > 0`;
    const { text } = await this.#db.jsonArray(sql, where.params, { maxBytes: MAX_BYTES });
    const [range] = parseJson(Buffer.from(text as string).toString()) as [Integer, Integer][];
    return range && { ...filter, timestamp: { from: range[0], to: range[1] } };
  }

  /** Returns where the walk ends now: rows that arrive while it is under way are not chased. */
  async #endOf(walk: Walk): Promise<Place | undefined> {
    const backwards = { ...walk, descending: true };
    return (await guarded('delete failed', () => this.#places(backwards, undefined, 1)))[0];
  }

  /** Reads the next places on a reading connection: a long search must not hold the one that writes. */
  async #places(walk: Walk, after: Place | undefined, count: number): Promise<Place[]> {
    const { text, params } = selectOf(walk, after, count);
    const found = await this.#db.jsonArray(text, params, { maxBytes: MAX_BYTES });
    return parseJson(Buffer.from(found.text as string).toString()) as Place[];
  }

  async #removeAt(places: readonly Place[]): Promise<number> {
    if (places.length === 0) return 0;
    const times = places.map(([, , , timestamp]) => timestamp as Integer);
    times.sort((a, b) => (a < b ? -1 : Number(a > b)));
    const ends = this.#db.dialect === 'postgres' ? [times[0], times.at(-1)] : [];
    const params = [stringifyJson(places), ...ends] as SqlValue[];
    return (await rowsOf(this.#db.query, { text: this.#deleteSql, params })).length;
  }
}

/** Walk over the table: along one index, in one direction. */
interface Walk {
  readonly table: string;
  readonly by: 'timestamp' | 'storage_time';
  readonly descending: boolean;
  readonly where: Sql;
  /** The last place to go to; undefined: as far as there are rows. */
  readonly end?: Place | undefined;
}

/** Place of a row on the walk, and the parts of its key. */
type Place = readonly [value: SqlValue, id: SqlValue, uuid_id: number, timestamp: SqlValue];

/** Chooses a walk: the newest come first where they are counted, otherwise any order will do, that of an index. */
function walkOf({ table }: Kind, filter: Filter, { agent, except }: RemoveOptions): Walk {
  const { from, to } = filter.timestamp;
  const storageOnly = agent === undefined && from === undefined && to === undefined;
  const anyOrder = filter.limit === undefined;
  const bounds = filter.storage.from ?? filter.storage.to;
  const by = anyOrder && storageOnly && bounds !== undefined ? 'storage_time' : 'timestamp';
  return { table, by, descending: !anyOrder, where: whereOf(filter, agent, { by, except }) };
}

const placeSql = (by: Walk['by']): string =>
  `concat('[', m.${by}, ',', m.id, ',', m.uuid_id, ',', m.timestamp, ']')`;

/** Places of one batch. Continues after the last one, so that the places of deleted rows are not walked again. */
function selectOf(walk: Walk, after: Place | undefined, count: number): Sql {
  const { table, by, where, descending, end } = walk;
  const direction = descending ? 'desc' : 'asc';
  // The first half says again what the pair says, for planners that choose partitions by it.
  const beyond = after
    ? `and m.${by} ${descending ? '<=' : '>='} ? and (m.${by}, m.id) ${descending ? '<' : '>'} (?, ?)`
    : '';
  const before = end ? `and m.${by} <= ? and (m.${by}, m.id) <= (?, ?)` : '';
  return {
    text: `select ${placeSql(by)} as json from ${table} m ${where.text} ${beyond} ${before}
      order by m.${by} ${direction}, m.id ${direction} limit ?`,
    params: [...where.params, ...pairOf(after), ...pairOf(end), count],
  };
}

const pairOf = (place: Place | undefined): SqlValue[] =>
  place ? [place[0], place[0], place[1]] : [];

/** Deletes the rows of a JSON list of places, by their keys; on Postgres the least and the greatest time follow. */
const deleteOf = ({ dialect }: Database, { table }: Kind): string =>
  dialect === 'sqlite'
    ? `delete from ${table} where id in (select value ->> 1 from json_each(?)) returning id`
    : `delete from ${table} m using json_array_elements(cast(? as json)) as place(value)
        where m.uuid_id = cast(place.value ->> 2 as integer) and m.timestamp = cast(place.value ->> 3 as bigint)
        and m.id = cast(place.value ->> 1 as bigint) and m.timestamp between ? and ? returning m.id`;
