import { randomUUID } from 'node:crypto';
import { marks, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Delivery, Message, Outgoing } from '../api.ts';
import { PRIORITY, priorityOf } from './priority.ts';
import type { Statements } from './statements.ts';

export const STATES = ['waiting', 'sent', 'dropped', 'merged'] as const;
export type State = (typeof STATES)[number];

/** A message that waits. Times are Unix ms. */
export interface Candidate {
  readonly id: number;
  readonly group_key: string;
  /** `priorityOf` */
  readonly priority: number;
  /** Later than `created_at` only after a refusal for good: see `Failure`. 0: the sender has not seen it yet. */
  readonly due: number;
  readonly tries: number;
  /** 1: a request left and no answer came, so that the receiver may have it. */
  readonly uncertain: number;
  readonly created_at: number;
}

/** Result of a try that failed. */
export interface Failure {
  readonly state: 0 | 2;
  readonly tries: number;
  /** null: as at the beginning. */
  readonly due: number | null;
  readonly uncertain: number;
  readonly status: number | null;
  readonly error: string;
}

/** A message that was sent once, whatever became of it. */
export interface Tried {
  readonly channel: number;
  readonly id: string;
  readonly message: Message;
  readonly status: number | null;
  /** null: it was taken. */
  readonly error: string | null;
}

/** A message of the outbox for a page. */
export interface OutboxRow {
  readonly id: number;
  readonly channel: string | null;
  readonly owner: string | null;
  readonly message_id: string;
  readonly body: string;
  readonly state: number;
  readonly tries: number;
  readonly due: number;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly status: number | null;
  readonly last_error: string | null;
}

/** Waiting messages of a channel that are looked at together: so many about alerts, so many texts. */
const CANDIDATES = 1_000;
/** Critical openings beyond those. */
const MORE_CRITICAL = 50;
/** Messages that the sender sees for the first time, in one statement. */
const SEEN_ROWS = 1_000;
/** Rows of one insert, and names of one question. */
const BATCH_ROWS = 50;
const QUESTION = 500;

/** Table `notify_outbox`. `holder` is who has the turn to send; changes of another server change nothing. */
export class OutboxStore {
  readonly #on: Statements;
  readonly #mine: string;
  readonly #holder: readonly SqlValue[];

  constructor(on: Statements, holder: string) {
    const { severalServers } = on.db;
    this.#on = on;
    this.#mine = severalServers
      ? 'and exists (select 1 from notify_state where id = 1 and holder = ?)'
      : '';
    this.#holder = severalServers ? [holder] : [];
  }

  /** Adds messages; one of a batch that the channel has already adds nothing. Their age begins when the sender sees them: clocks of servers differ. @param owner of texts */
  async add(
    on: QueryBuilder,
    messages: readonly Outgoing[],
    now: number,
    owner: string | null = null,
  ): Promise<void> {
    for (let at = 0; at < messages.length; at += BATCH_ROWS) {
      const rows = messages.slice(at, at + BATCH_ROWS).map((one) => ({
        channel_id: one.channel,
        message_id: randomUUID(),
        batch: one.batch,
        group_key: one.group_key,
        body: JSON.stringify(one.message),
        ...{ priority: priorityOf(one.message), owner },
        ...{ due: 0, created_at: now, tries: 0, state: 0, uncertain: 0 },
      }));
      await on('notify_outbox').insert(rows).onConflict(['batch', 'channel_id']).ignore();
    }
  }

  /** Adds a message that was sent without waiting, with its result: it is shown, and never sent again. */
  async addTried({ channel, id, message, status, error }: Tried, now: number): Promise<void> {
    const text = `insert into notify_outbox (channel_id, message_id, batch, group_key, body, due, created_at, tries, state,
        uncertain, priority, sent_at, status, last_error) values (?, ?, ?, ?, ?, ?, ?, 1, ?, 0, ${PRIORITY.text}, ?, ?, ?) returning id`;
    const batch = `test ${id}`;
    const place = [channel, id, batch, `${TEXT}${batch}`, JSON.stringify(message), now, now];
    const result = error === null ? [1, now, status, null] : [2, null, status, error];
    await this.#on.rows(text, [...place, ...result]);
  }

  async idOf(channel: number, batch: string, on?: QueryBuilder): Promise<string | undefined> {
    const text = 'select message_id from notify_outbox where batch = ? and channel_id = ?';
    const [row] = await this.#on.rows<{ message_id: string }>(text, [batch, channel], on);
    return row?.message_id;
  }

  /** Has the ages of messages begin that the sender sees for the first time. @param now of the sender */
  async see(now: number): Promise<void> {
    const text = `update notify_outbox set due = ?, created_at = ? where id in (select id from notify_outbox
      where state = 0 and due = 0 order by id limit ${SEEN_ROWS}) and state = 0 and due = 0 ${this.#mine} returning id`;
    while ((await this.#on.rows(text, [now, now, ...this.#holder])).length === SEEN_ROWS);
  }

  /**
   * Returns messages of a channel that wait, the oldest first: those about alerts, critical openings that nothing of their
   * group is before, and texts. Each kind has its own limit, so that none hides another.
   */
  async candidates(channel: number): Promise<Candidate[]> {
    const columns = 'id, group_key, priority, due, tries, uncertain, created_at';
    const waiting = `select ${columns} from notify_outbox o where channel_id = ? and state = 0`;
    const alerts = await this.#on.rows<Candidate>(
      `${waiting} and priority < ${PRIORITY.text} order by id limit ${CANDIDATES}`,
      [channel],
    );
    const last = alerts.length < CANDIDATES ? undefined : alerts.at(-1);
    const critical = last
      ? await this.#on.rows<Candidate>(
          `${waiting} and priority = ${PRIORITY.critical} and id > ? and not exists (select 1 from notify_outbox p
            where p.channel_id = o.channel_id and p.group_key = o.group_key and p.state = 0 and p.id < o.id)
            order by id limit ${MORE_CRITICAL}`,
          [channel, last.id],
        )
      : [];
    const texts = await this.#on.rows<Candidate>(
      `${waiting} and priority = ${PRIORITY.text} order by id limit ${CANDIDATES}`,
      [channel],
    );
    return [...alerts, ...critical, ...texts];
  }

  /** Counts texts of a channel that wait, of tokens or of the Super Token, and those of one owner among them. */
  async texts(
    channel: number,
    owner: string,
    on: QueryBuilder,
  ): Promise<{ readonly all: number; readonly own: number }> {
    const text = `select count(*) as "all", coalesce(sum(case when owner = ? then 1 else 0 end), 0) as own from notify_outbox
      where channel_id = ? and state = 0 and priority = ${PRIORITY.text} and owner ${owner === '' ? '=' : '<>'} ''`;
    const [row] = await this.#on.rows<{ all: number; own: number }>(text, [owner, channel], on);
    return { all: Number(row?.all ?? 0), own: Number(row?.own ?? 0) };
  }

  /** Returns messages by the ids of their rows. */
  async messages(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, { id: string; message: Message }>> {
    const text = `select id, message_id, body from notify_outbox where id in (${marks(ids.length)})`;
    const rows = await this.#on.rows<{ id: number; message_id: string; body: string }>(text, ids);
    return new Map(
      rows.map(({ id, message_id, body }) => [
        id,
        { id: message_id, message: JSON.parse(body) as Message },
      ]),
    );
  }

  /** Records that a message was taken. @returns false when it waits no more, or this server lost its turn */
  async sent(
    id: number,
    { now, status, remote }: { now: number; status: number | null; remote: string | null },
  ): Promise<boolean> {
    const text = `update notify_outbox set state = 1, sent_at = ?, status = ?, remote_id = ?, tries = tries + 1,
      last_error = null where id = ? and state = 0 ${this.#mine} returning id`;
    return (await this.#on.rows(text, [now, status, remote, id, ...this.#holder])).length > 0;
  }

  /** Records a try that failed. @returns as `sent` */
  async failed(id: number, failure: Failure, now: number) {
    const { state, tries, due, uncertain, status, error } = failure;
    const began = 'case when due = 0 then ? else created_at end';
    const text = `update notify_outbox set state = ?, tries = ?, due = coalesce(?, ${began}), created_at = ${began},
      uncertain = ?, status = ?, last_error = ? where id = ? and state = 0 ${this.#mine} returning id`;
    const times = [due, now, now];
    const params = [state, tries, ...times, uncertain, status, error, id, ...this.#holder];
    return (await this.#on.rows(text, params)).length > 0;
  }

  /** Turns the oldest of these messages into their digest; the others are merged into it. @returns false: one of them waits no more */
  merge(ids: readonly number[], digest: Message, created_at: number): Promise<boolean> {
    const [first = 0, ...others] = ids;
    return this.#on.transaction(async (trx) => {
      const locked = `update notify_outbox set state = 3 where id in (${marks(others.length)}) and state = 0
        and uncertain = 0 ${this.#mine} returning id`;
      const merged = await this.#on.rows(locked, [...others, ...this.#holder], trx);
      const text = `update notify_outbox set message_id = ?, group_key = ?, body = ?, priority = ?, created_at = ?, due = ?,
        tries = 0 where id = ? and state = 0 and uncertain = 0 returning id`;
      const made = [randomUUID(), DIGEST, JSON.stringify(digest), priorityOf(digest)];
      const kept = await this.#on.rows(text, [...made, created_at, created_at, first], trx);
      if (merged.length === others.length && kept.length === 1) return true;
      throw new Error('messages changed while they were merged');
    });
  }

  /** Returns messages, newest first; `channels`: of these names only. */
  async list({ channels, state, limit }: OutboxAsk): Promise<OutboxRow[]> {
    const names = channels && JSON.stringify(channels);
    const among = `in (select value from ${this.#on.db.forms.elementTexts})`;
    const text = `select o.id, coalesce(c.name, o.gone) as channel, c.owner, o.message_id, o.body, o.state, o.tries,
        o.due, o.created_at, o.sent_at, o.status, o.last_error
      from notify_outbox o left join channel c on c.id = o.channel_id
      where ${state === undefined ? 'true' : `o.state = ${STATES.indexOf(state)}`} and ${names === undefined ? 'true' : `coalesce(c.name, o.gone) ${among}`}
      order by o.id desc limit ?`;
    return this.#on.rows<OutboxRow>(text, [...(names === undefined ? [] : [names]), limit]);
  }

  /** Returns names of deleted channels whose messages are kept. */
  async goneNames(): Promise<string[]> {
    const text = `select distinct gone from notify_outbox where gone is not null limit ${CANDIDATES}`;
    return (await this.#on.rows<{ gone: string }>(text)).map(({ gone }) => gone);
  }

  /** Returns deliveries of these batches. */
  async deliveries(batches: readonly string[]): Promise<Delivery[]> {
    const found: Delivery[] = [];
    for (let at = 0; at < batches.length; at += QUESTION) {
      const some = batches.slice(at, at + QUESTION);
      const text = `select o.batch, coalesce(c.name, o.gone) as channel, o.state, o.created_at, o.sent_at, o.status, o.tries
        from notify_outbox o left join channel c on c.id = o.channel_id where o.batch in (${marks(some.length)}) order by o.id`;
      const rows = await this.#on.rows<Stored>(text, some);
      for (const row of rows)
        found.push({ ...row, channel: row.channel ?? '', state: STATES[row.state] ?? 'dropped' });
    }
    return found;
  }
}

type Stored = Omit<Delivery, 'state' | 'channel'> & {
  readonly state: number;
  readonly channel: string | null;
};

export interface OutboxAsk {
  readonly channels: readonly string[] | undefined;
  readonly state: State | undefined;
  readonly limit: number;
}

/** Group of a digest: what comes after it waits for it, and it waits for what came before. */
export const DIGEST = 'digest';
/** Begins the groups of messages that are no alerts: they are never merged. */
export const TEXT = 'text ';
