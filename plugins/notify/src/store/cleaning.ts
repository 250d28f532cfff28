import type { QueryBuilder, SqlValue } from '@svc/plugin-sdk/sql';
import type { Message } from '../api.ts';
import { DIGEST } from './outbox.ts';
import type { Statements } from './statements.ts';

/** Rows of one statement. */
const SLICE_ROWS = 500;
/** Messages that are over, and those about alerts that were dropped. Each has an index with this condition. */
const DONE = 'state <> 0 and (state <> 2 or priority = 3)';
const LOST = 'state = 2 and priority < 3';

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
    return this.#drop(`due > 0 and created_at < ? order by created_at limit ${SLICE_ROWS}`, [
      before,
    ]);
  }

  /** Drops some of the messages that wait: texts of the owner that has most of them; without texts, of the channel that has most. @returns as `dropBefore` */
  async dropSurplus(most: number): Promise<ReadonlyMap<number, number>> {
    const limit = Math.min(most, SLICE_ROWS);
    const texts = `select owner from notify_outbox where state = 0 and priority = 3 and owner is not null
      group by owner order by count(*) desc limit 1`;
    const [text] = await this.#on.rows<{ owner: string }>(texts);
    if (text)
      return this.#drop('priority = 3 and owner = ? order by id limit ?', [text.owner, limit]);
    const channels = `select channel_id from notify_outbox where state = 0 group by channel_id
      order by count(*) desc limit 1`;
    const [channel] = await this.#on.rows<{ channel_id: number }>(channels);
    if (!channel) return new Map();
    const which = 'channel_id = ? order by priority desc, id limit ?';
    return this.#drop(which, [channel.channel_id, limit]);
  }

  /**
   * Deletes some messages that do not wait, and were made before this time or are older than the newest `most`. Messages about
   * alerts that were dropped are counted apart, so that no sent ones push them out. @returns whether there may be more
   */
  async deleteDone(before: number, most: number): Promise<boolean> {
    const old = `delete from notify_outbox where id in (select id from notify_outbox
      where state <> 0 and created_at < ? order by created_at limit ${SLICE_ROWS}) returning id`;
    const gone = await this.#on.rows(old, [before]);
    let isMore = gone.length === SLICE_ROWS;
    for (const which of [DONE, LOST]) {
      const surplus = `delete from notify_outbox where id in (select id from notify_outbox where ${which} and id <=
        (select id from notify_outbox where ${which} order by id desc limit 1 offset ?) order by id limit ${SLICE_ROWS}) returning id`;
      const more = await this.#on.rows(surplus, [most]);
      isMore ||= more.length === SLICE_ROWS;
    }
    return isMore;
  }

  #drop(which: string, params: readonly SqlValue[]): Promise<ReadonlyMap<number, number>> {
    return this.#on.transaction(async (trx) => {
      const text = `update notify_outbox set state = 2, last_error = coalesce(last_error, 'it waited for too long') where id in
        (select id from notify_outbox where state = 0 and ${which}) and state = 0 returning id, channel_id, group_key, body, created_at`;
      const rows = await this.#on.rows<Dropped>(text, params, trx);
      const counts = new Map<number, number>();
      const ends = await this.#dropEnds(rows, trx);
      for (const row of rows) if (row.group_key === DIGEST) await this.#dropMerged(row, trx);
      for (const { channel_id } of [...rows, ...ends])
        counts.set(channel_id, (counts.get(channel_id) ?? 0) + 1);
      const count = 'update channel set dropped = dropped + ? where id = ? returning id';
      for (const [id, dropped] of counts) await this.#on.rows(count, [dropped, id], trx);
      return counts;
    });
  }

  /** Marks what a digest was made of as dropped with it: a digest is the oldest of its messages, and as new as the newest. */
  async #dropMerged({ id, channel_id, created_at }: Dropped, trx: QueryBuilder): Promise<void> {
    const text = `update notify_outbox set state = 2 where channel_id = ? and state = 3 and id > ?
      and created_at <= ? returning id`;
    await this.#on.rows(text, [channel_id, id, created_at], trx);
  }

  /** Drops ends that wait and whose openings were dropped: nobody hears that something is over that was never told. */
  async #dropEnds(dropped: readonly Dropped[], trx: QueryBuilder): Promise<Dropped[]> {
    const opened = new Map<string, Set<string>>();
    for (const row of dropped) {
      const { type, alerts } = messageOf(row);
      if (type !== 'alert.opened') continue;
      const ids = opened.get(placeOf(row)) ?? new Set();
      for (const { id } of alerts) ids.add(id);
      opened.set(placeOf(row), ids);
    }
    const gone: Dropped[] = [];
    for (const [place, ids] of opened) {
      const [channel, group] = JSON.parse(place) as [number, string];
      const text = `select id, channel_id, group_key, body, created_at from notify_outbox
        where channel_id = ? and state = 0 and group_key = ? order by id limit ${SLICE_ROWS}`;
      const waiting = await this.#on.rows<Dropped>(text, [channel, group], trx);
      for (const row of waiting) {
        const { type, alerts, more } = messageOf(row);
        // Another waiting message may still tell of it as open.
        if (type !== 'alert.closed') for (const { id } of alerts) ids.delete(id);
        else if (more === 0 && alerts.every(({ id }) => ids.has(id))) {
          const drop = `update notify_outbox set state = 2, last_error = 'its opening was dropped'
            where id = ? and state = 0 returning id`;
          if ((await this.#on.rows(drop, [row.id], trx)).length > 0) gone.push(row);
        }
      }
    }
    return gone;
  }
}

interface Dropped {
  readonly id: number;
  readonly created_at: number;
  readonly channel_id: number;
  readonly group_key: string;
  readonly body: string;
}

const messageOf = ({ body }: Dropped) => JSON.parse(body) as Message;
const placeOf = ({ channel_id, group_key }: Dropped) => JSON.stringify([channel_id, group_key]);
