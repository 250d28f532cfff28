import type { Database } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Counted } from '../traffic/growth.ts';

/** Bytes of an agent on a UTC day, counted since 1970. */
export interface TrafficDay {
  readonly id: number;
  readonly day: number;
  readonly received: number;
  readonly transmitted: number;
}

/** Additions of a slice of arrivals. */
export interface Slice {
  /** Reports that were stored before are counted. */
  readonly from: number | undefined;
  readonly to: number;
  readonly days: readonly TrafficDay[];
  readonly counters: ReadonlyMap<number, Counted>;
}

/** Rows of one statement. */
const BATCH_ROWS = 200;
const MOST_BYTES = 16 * 1024 * 1024;

/** Tables `traffic_day` and `traffic_counter`. */
export class TrafficStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The last counted report of each of these agents. Keep the list short. */
  async counters(ids: readonly number[]): Promise<Map<number, Counted>> {
    const sql = `select uuid_id, state from traffic_counter where uuid_id in (${marks(ids.length)})`;
    const rows = await guarded('traffic could not be read', () =>
      this.#db.all<{ uuid_id: number; state: string }>(sql, ids),
    );
    return new Map(rows.map(({ uuid_id, state }) => [uuid_id, JSON.parse(state) as Counted]));
  }

  /** All of it or nothing: a slice that another server has counted is refused. @returns whether it was added */
  add({ from, to, days, counters }: Slice): Promise<boolean> {
    return guarded('traffic could not be stored', () =>
      this.#db.transaction(async (trx) => {
        const text = `update series_state set value = ? where name = 'traffic'
          and ${from === undefined ? 'value is null' : 'value = ?'} returning name`;
        const params = [String(to), ...(from === undefined ? [] : [String(from)])];
        if ((await rowsOf(trx, { text, params })).length === 0) return false;
        await inBatches(days, (some) => addDays(trx, some));
        await inBatches([...counters], (some) => setCounters(trx, some));
        return true;
      }),
    );
  }

  /** Returns the traffic of these agents on days from the first one until before the end, in the order of days. Index (uuid_id, day). */
  async days(
    ids: readonly number[],
    { first, end }: { readonly first: number; readonly end: number },
    how: { readonly signal?: AbortSignal; readonly share?: string },
  ): Promise<TrafficDay[]> {
    const sql = `select '[' || uuid_id || ',' || day || ',' || received || ',' || transmitted || ']' as json
      from traffic_day where uuid_id in (${marks(ids.length)}) and day >= ? and day < ? order by uuid_id, day`;
    const options = { maxBytes: MOST_BYTES, ...how };
    const { text } = await guarded('traffic could not be read', () =>
      this.#db.jsonArray(sql, [...ids, first, end], options),
    );
    const rows: [number, number, number, number][] = JSON.parse(
      Buffer.from(text as string).toString(),
    );
    return rows.map(([id, day, received, transmitted]) => ({ id, day, received, transmitted }));
  }

  /** Forgets an agent, or the days of all before one. */
  async erase(which: { readonly id: number } | { readonly before: number }): Promise<void> {
    const of =
      'id' in which
        ? { text: 'uuid_id = ?', value: which.id }
        : { text: 'day < ?', value: which.before };
    await guarded('traffic could not be deleted', async () => {
      const params = [of.value];
      await rowsOf(this.#db.query, {
        text: `delete from traffic_day where ${of.text} returning day`,
        params,
      });
      if (!('id' in which)) return;
      await rowsOf(this.#db.query, {
        text: 'delete from traffic_counter where uuid_id = ? returning uuid_id',
        params,
      });
    });
  }
}

async function inBatches<T>(rows: readonly T[], write: (some: readonly T[]) => Promise<unknown>) {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) await write(rows.slice(at, at + BATCH_ROWS));
}

/** A sum that stays one of the integers that JSON carries, whatever an agent reports: an overflow would stop all counting. */
const sumOf = (name: string) =>
  `${name} = case when traffic_day.${name} + excluded.${name} > ${Number.MAX_SAFE_INTEGER}
    then ${Number.MAX_SAFE_INTEGER} else traffic_day.${name} + excluded.${name} end`;

function addDays(trx: QueryBuilder, rows: readonly TrafficDay[]) {
  const text = `insert into traffic_day (uuid_id, day, received, transmitted)
    values ${rows.map(() => '(?, ?, ?, ?)').join(', ')} on conflict (uuid_id, day) do update set
    ${sumOf('received')}, ${sumOf('transmitted')} returning day`;
  const params = rows.flatMap(({ id, day, received, transmitted }): SqlValue[] => [
    id,
    day,
    Math.min(received, Number.MAX_SAFE_INTEGER),
    Math.min(transmitted, Number.MAX_SAFE_INTEGER),
  ]);
  return rowsOf(trx, { text, params });
}

function setCounters(trx: QueryBuilder, rows: readonly (readonly [number, Counted])[]) {
  const text = `insert into traffic_counter (uuid_id, state) values ${rows.map(() => '(?, ?)').join(', ')}
    on conflict (uuid_id) do update set state = excluded.state returning uuid_id`;
  const params = rows.flatMap(([id, counted]): SqlValue[] => [id, JSON.stringify(counted)]);
  return rowsOf(trx, { text, params });
}
