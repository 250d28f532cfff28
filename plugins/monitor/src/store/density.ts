import type { Database } from '@svc/plugin-sdk';
import { HOUR_MS } from './pack.ts';
import { member, readRows } from './sql.ts';

/** Results whose neighbours are counted on the main thread. */
const FEW = 20;

/** Result of which the neighbours are counted, at the place that is asked about. */
export interface Spot {
  readonly monitor_id: number;
  readonly at: number;
}

/** What is stored around a result. */
export interface Neighbours {
  /** Results within the span, at most as many as were asked for. */
  readonly near: number;
  /** 1: it is there itself. */
  readonly itself: number;
  /** Packed results of its hour. */
  readonly packed: number;
}

/** How close results of a monitor at a place lie together. Methods throw RpcError 103 when the database fails. */
export class DensityStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the neighbours of each, in their order: those within so many ms before and after it. Primary keys. */
  async around(
    place_id: number,
    spots: readonly (Spot & { readonly span_ms: number })[],
    most: number,
  ): Promise<Neighbours[]> {
    const monitor = member(1, 'bigint');
    const [at, span] = [member(2, 'bigint'), member(3, 'bigint')];
    const place = Math.trunc(place_id);
    const sql = `select ${member(0, 'integer')} as n,
        (select count(*) from (select 1 from monitor_result r where r.monitor_id = ${monitor}
          and r.at > ${at} - ${span} and r.at < ${at} + ${span} and r.place_id = ${place} limit ${most}) s) as near,
        (select count(*) from monitor_result r where r.monitor_id = ${monitor} and r.at = ${at}
          and r.place_id = ${place}) as itself,
        coalesce((select c.n from monitor_chunk c where c.monitor_id = ${monitor}
          and c.hour = ${at} / ${HOUR_MS} and c.place_id = ${place}), 0) as packed
      from ${this.#db.forms.elements} as v order by 1`;
    const rows = spots.map(({ monitor_id, at, span_ms }, n) => [n, monitor_id, at, span_ms]);
    return readRows<Neighbours>(this.#db, {
      columns: 'n, near, itself, packed',
      ...{ sql, params: [JSON.stringify(rows)], long: spots.length > FEW },
    });
  }
}
