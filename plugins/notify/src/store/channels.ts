import { type Counting, RpcError } from '@svc/plugin-sdk';
import type { QueryBuilder, SqlValue } from '@svc/plugin-sdk/sql';
import type { Channel } from '../api.ts';
import type { ChannelRow, Settings } from '../channel.ts';
import { KIND } from '../held.ts';
import type { Sealed, Values } from '../secrets.ts';
import type { Statements } from './statements.ts';

interface Row extends Omit<ChannelRow, 'config' | 'sealed' | 'enable'> {
  readonly config: string;
  readonly secret: Uint8Array | null;
  readonly enable: number;
}

export type Waiting = ChannelRow & { readonly waiting: number };

const COLUMNS = `id, name, kind, config, secret, language, zone, enable, owner, version, created_at, updated_at,
  failing_since, retry_at, tries, last_ok_at, last_status, last_error, sent, failed, dropped`;
const WAITING =
  '(select count(*) from notify_outbox o where o.channel_id = channel.id and o.state = 0) as waiting';
const MOST = 2_000;
/** Longest pause of a channel. A `retry_at` beyond it was written by a server whose clock was ahead. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Tells whether a channel waits for its receiver. */
export const isPaused = ({ retry_at }: Pick<ChannelRow, 'retry_at'>, now: number): boolean =>
  retry_at > now && retry_at <= now + LONGEST_PAUSE_MS;

/** Table `channel`. */
export class ChannelStore {
  readonly #on: Statements;
  readonly #counting: Counting;

  constructor(on: Statements, counting: Counting) {
    this.#on = on;
    this.#counting = counting;
  }

  /** Returns all channels by name, with the messages that wait. */
  async all(): Promise<Waiting[]> {
    const text = `select ${COLUMNS}, ${WAITING} from channel order by name limit ${MOST}`;
    return (await this.#on.rows<Row & { waiting: number }>(text)).map(waitingOf);
  }

  /** Returns all channels by name, as other plugins see them. */
  async list(): Promise<Channel[]> {
    const text = `select id, name, kind, enable, failing_since from channel order by name limit ${MOST}`;
    const rows = await this.#on.rows<Omit<Channel, 'enable'> & { enable: number }>(text);
    return rows.map((row) => ({ ...row, enable: row.enable === 1 }));
  }

  async find(name: string): Promise<Waiting | undefined> {
    const text = `select ${COLUMNS}, ${WAITING} from channel where name = ?`;
    const [row] = await this.#on.rows<Row & { waiting: number }>(text, [name]);
    return row && waitingOf(row);
  }

  /** Returns ids of the channels that have something to send now. */
  async sendable(now: number): Promise<number[]> {
    const text = `select id from channel where enable = 1 and (retry_at <= ? or retry_at > ?)
      and exists (select 1 from notify_outbox o where o.channel_id = channel.id and o.state = 0) limit ${MOST}`;
    return (await this.#on.read<{ id: number }>(text, [now, now + LONGEST_PAUSE_MS])).map(
      ({ id }) => id,
    );
  }

  async byId(id: number): Promise<ChannelRow | undefined> {
    const [row] = await this.#on.rows<Row>(`select ${COLUMNS} from channel where id = ?`, [id]);
    return row && channelOf(row);
  }

  /** @param seal makes the sealed values, which need the id @throws RpcError 108 when the name is taken, or its owner holds enough */
  insert(given: Settings, now: number, seal: (id: number) => Sealed): Promise<void> {
    const { owner, name } = given;
    return this.#counting.within({ kind: KIND, owner, alone: 'channel' }, async (trx) => {
      await this.demandName(name, trx);
      const [made] = await trx('channel').insert(newRow(given, now)).returning('id');
      const id = Number((made as { id: number }).id);
      const secret = bytesOf(seal(id));
      if (secret) await trx('channel').where({ id }).update({ secret });
    });
  }

  /** @throws RpcError 108 when the name is taken */
  async demandName(name: string, trx?: QueryBuilder): Promise<void> {
    const found = await this.#on.rows('select id from channel where name = ?', [name], trx);
    if (found.length > 0) throw RpcError.invalid(`the channel '${name}' is there already`);
  }

  /** @returns false when it has gone, or another caller was first @throws RpcError 108 when its new owner holds enough */
  change(row: ChannelRow, given: Settings, sealed: Sealed, now: number): Promise<boolean> {
    const { config, language, zone, enable, owner } = given;
    const text = `update channel set config = ?, secret = ?, language = ?, zone = ?, enable = ?, owner = ?,
      version = version + 1, updated_at = ?, retry_at = 0,
      last_error = case when coalesce(owner, '') = coalesce(?, '') then last_error end where id = ? and version = ? returning id`;
    const secret = bytesOf(sealed);
    const params: SqlValue[] = [JSON.stringify(config), secret, language, zone, enable ? 1 : 0];
    const write = async (trx: QueryBuilder) => {
      const all = [...params, owner, now, owner, row.id, row.version];
      if ((await this.#on.rows(text, all, trx)).length === 0) return false;
      // The new owner does not learn the answers that the earlier one got.
      const forget = `update notify_outbox set last_error = null
        where channel_id = ? and status is not null and last_error is not null returning id`;
      if (owner !== row.owner) await this.#on.rows(forget, [row.id], trx);
      return true;
    };
    return this.#counting.within({ kind: KIND, owner }, write);
  }

  /** Deletes a channel and drops its messages. @returns how many waited; undefined: there is none of this name */
  remove(name: string): Promise<number | undefined> {
    return this.#on.transaction(async (trx) => {
      const gone = 'delete from channel where name = ? returning id';
      const [row] = await this.#on.rows<{ id: number }>(gone, [name], trx);
      if (!row) return undefined;
      const drop = `update notify_outbox set state = 2, last_error = 'the channel was deleted'
        where channel_id = ? and state = 0 returning id`;
      const dropped = await this.#on.rows(drop, [row.id], trx);
      // Its history is found by the name that it had.
      const keep = 'update notify_outbox set gone = ? where channel_id = ? returning id';
      await this.#on.rows(keep, [name, row.id], trx);
      return dropped.length;
    });
  }

  /** Has the channel try again at once. */
  async retry(id: number): Promise<number> {
    return this.#on.transaction(async (trx) => {
      const channel = 'update channel set retry_at = 0, tries = 0 where id = ? returning id';
      await this.#on.rows(channel, [id], trx);
      // `due` as at the beginning: see `OutboxStore.failed`.
      const rows = `update notify_outbox set due = case when due = 0 then 0 else created_at end
        where channel_id = ? and state = 0 returning id`;
      return (await this.#on.rows(rows, [id], trx)).length;
    });
  }

  async taken(id: number, now: number, status: number | null): Promise<void> {
    const text = `update channel set sent = sent + 1, last_ok_at = ?, last_status = ?, last_error = null,
      tries = 0, retry_at = 0, failing_since = null where id = ? returning id`;
    await this.#on.rows(text, [now, status, id]);
  }

  /** Counts a failure, and messages that were dropped for it. */
  async failed(id: number, failure: ChannelFailure): Promise<void> {
    const { status, error, failing_since, retry_at, tries, dropped } = failure;
    const text = `update channel set failed = failed + 1, last_status = ?, last_error = ?, failing_since = ?,
      retry_at = ?, tries = ?, dropped = dropped + ? where id = ? returning id`;
    await this.#on.rows(text, [status, error, failing_since, retry_at, tries, dropped, id]);
  }

  /** Names of the channels that the token with this key wrote last. */
  async ownedBy(owner: string): Promise<string[]> {
    const text = `select name from channel where owner = ? order by name limit ${MOST}`;
    return (await this.#on.rows<{ name: string }>(text, [owner])).map(({ name }) => name);
  }
}

export type ChannelFailure = Pick<
  ChannelRow,
  'failing_since' | 'retry_at' | 'tries' | 'dropped'
> & {
  readonly status: number | null;
  readonly error: string;
};

const bytesOf = (sealed: Sealed): Buffer | null =>
  Object.keys(sealed).length === 0 ? null : Buffer.from(JSON.stringify(sealed));

const newRow = ({ config, enable, ...given }: Settings, now: number) => ({
  ...given,
  config: JSON.stringify(config),
  enable: enable ? 1 : 0,
  ...{ version: 1, created_at: now, updated_at: now, retry_at: 0, tries: 0 },
  ...{ sent: 0, failed: 0, dropped: 0 },
});

const channelOf = ({ config, secret, enable, ...row }: Row): ChannelRow => ({
  ...row,
  config: JSON.parse(config) as Values,
  sealed: secret === null ? {} : (JSON.parse(Buffer.from(secret).toString()) as Sealed),
  enable: enable === 1,
});

const waitingOf = ({ waiting, ...row }: Row & { waiting: number }): Waiting => ({
  ...channelOf(row),
  waiting: Number(waiting),
});
