import type { Statements } from './statements.ts';

/** Rows of one statement. */
const SLICE_ROWS = 500;

/** Messages that wait. */
export interface Depth {
  readonly waiting: number;
  /** Unix ms; null: none waits. */
  readonly oldest: number | null;
}

/** Rows of `notify_outbox` that go: in small statements. */
export class CleaningStore {
  readonly #on: Statements;

  constructor(on: Statements) {
    this.#on = on;
  }

  async depth(): Promise<Depth> {
    const text = `select count(*) as waiting, min(created_at) as oldest from notify_outbox where state = 0`;
    const [row] = await this.#on.rows<Depth>(text);
    return { waiting: Number(row?.waiting ?? 0), oldest: row?.oldest ?? null };
  }

  /** Drops some of the messages that wait since before this time. @returns channels, and how many of each */
  dropBefore(before: number): Promise<ReadonlyMap<number, number>> {
    return this.#drop(`created_at < ? order by created_at limit ${SLICE_ROWS}`, before);
  }

  /** Drops the oldest of the messages that wait. @returns as `dropBefore` */
  dropOldest(most: number): Promise<ReadonlyMap<number, number>> {
    return this.#drop('true order by id limit ?', Math.min(most, SLICE_ROWS));
  }

  /** Deletes some messages that do not wait, and were made before this time or are older than the newest `most`. @returns whether there may be more */
  async deleteDone(before: number, most: number): Promise<boolean> {
    const old = `delete from notify_outbox where id in (select id from notify_outbox
      where state <> 0 and created_at < ? order by created_at limit ${SLICE_ROWS}) returning id`;
    const gone = await this.#on.rows(old, [before]);
    const surplus = `delete from notify_outbox where id in (select id from notify_outbox
      where state <> 0 and id <= (select max(id) from notify_outbox) - ? order by id limit ${SLICE_ROWS}) returning id`;
    const more = await this.#on.rows(surplus, [most]);
    return gone.length === SLICE_ROWS || more.length === SLICE_ROWS;
  }

  #drop(which: string, param: number): Promise<ReadonlyMap<number, number>> {
    return this.#on.transaction(async (trx) => {
      const text = `update notify_outbox set state = 2, last_error = coalesce(last_error, 'it waited for too long') where id in
        (select id from notify_outbox where state = 0 and ${which}) and state = 0 returning channel_id`;
      const rows = await this.#on.rows<{ channel_id: number }>(text, [param], trx);
      const counts = new Map<number, number>();
      for (const { channel_id } of rows) counts.set(channel_id, (counts.get(channel_id) ?? 0) + 1);
      const count = 'update channel set dropped = dropped + ? where id = ? returning id';
      for (const [id, dropped] of counts) await this.#on.rows(count, [dropped, id], trx);
      return counts;
    });
  }
}
