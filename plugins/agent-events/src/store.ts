import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { guarded, marks, rowsOf, type SqlValue, whereAll } from '@svc/plugin-sdk/sql';
import { DAY_MS, type Uptime } from './sightings.ts';

export const KINDS = ['came', 'went', 'refused', 'address_changed', 'server_restarted'] as const;
export type EventKind = (typeof KINDS)[number];

/** Details of an event, stored next to its agent, kind and time. */
export interface Detail {
  readonly reason?: string;
  readonly code?: number;
  readonly address?: string;
  readonly old_address?: string;
  readonly version?: string;
}

export interface AgentEvent {
  /** `Agent.id`; null: of the server. */
  readonly id: number | null;
  readonly kind: EventKind;
  /** Unix ms. */
  readonly time: number;
  readonly detail: Detail;
}

export interface Presence {
  readonly uuid_id: number;
  readonly here: number;
  /** Unix ms: when it came, or of its last report before it went. */
  readonly last_seen: number;
}

export interface EventAsk {
  readonly ids: readonly number[] | undefined;
  readonly kinds: readonly EventKind[] | undefined;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** The caller for whom it reads. */
  readonly share?: string;
  /** Option of `Database.jsonArray`. */
  readonly short?: 'try';
}

export interface ArrayOptions extends ReadOptions {
  readonly maxBytes: number;
}

/** Rows of one statement. */
export const BATCH_ROWS = 200;
/** Rows of one delete. */
const SLICE_ROWS = 1_000;
/** Agents that are looked up one by one. */
const FEW_AGENTS = 200;
const MOST_BYTES = 64 * 2 ** 20;

/** Tables `agent_event`, `agent_presence`, `agent_uptime` and `agent_event_state`. */
export class Store {
  readonly #db: Database;

  /** SQL text: the UUID of the agent of a row. */
  readonly #uuidOf: string;

  constructor(db: Database, uuidSql: (column: string) => string) {
    this.#db = db;
    this.#uuidOf = uuidSql('uuid_id');
  }

  /** Returns when uptime was written last, by any server. */
  async counted(): Promise<number> {
    const rows = await this.#read<{ counted: number }>('select counted from agent_event_state', []);
    return rows[0]?.counted ?? 0;
  }

  /** @returns false when uptime was written after `before` */
  async setCounted(time: number, before: number): Promise<boolean> {
    const text = 'update agent_event_state set counted = ? where counted = ? returning id';
    return (await this.#write(text, [time, before])).length > 0;
  }

  /** Adds events, at most `BATCH_ROWS`. */
  async addEvents(events: readonly AgentEvent[]): Promise<void> {
    await this.#write(
      `insert into agent_event (uuid_id, kind, time, detail)
        values ${events.map(() => '(?, ?, ?, ?)').join(', ')} returning id`,
      events.flatMap(({ id, kind, time, detail }) => [id, kind, time, JSON.stringify(detail)]),
    );
  }

  /** Returns what `agent_events` answers, the newest first. Index (uuid_id, time), or (time). @throws RpcError 103, -32008 */
  events({ ids, kinds, from, to, limit }: EventAsk, how: ArrayOptions): Promise<RawJson> {
    const { jsonPlain, jsonText } = this.#db.forms;
    const { text, params } = whereAll([
      ['time >= ? and time < ?', from, to],
      ...(ids ? [[`uuid_id in (${marks(ids.length)})`, ...ids] as const] : []),
      ...(kinds ? [[`kind in (${marks(kinds.length)})`, ...kinds] as const] : []),
    ]);
    return this.#json(
      `select concat('{"time":', ${jsonPlain('time')}, ',"kind":', ${jsonText('kind')},
          case when uuid is null then '' else concat(',"uuid":', ${jsonText('uuid')}) end,
          case when detail = '{}' then '}' else concat(',', substr(detail, 2)) end)
        from (select id, kind, time, detail, ${this.#uuidOf} as uuid from agent_event ${text}
          order by time desc, id desc limit ?) e order by time desc, id desc`,
      [...params, limit],
      how,
    );
  }

  async presences(): Promise<Presence[]> {
    const { jsonPlain } = this.#db.forms;
    const rows = await this.#array<[number, number, number]>(
      `select concat('[', ${jsonPlain('uuid_id')}, ',', ${jsonPlain('here')}, ',', ${jsonPlain('last_seen')}, ']')
        from agent_presence`,
      [],
      // Asked at the start, before anything else needs the thread of long reads.
      { short: 'try' },
    );
    return rows.map(([uuid_id, here, last_seen]) => ({ uuid_id, here, last_seen }));
  }

  /** Sets presences, at most `BATCH_ROWS`. */
  async setPresences(rows: readonly Presence[]): Promise<void> {
    await this.#write(
      `insert into agent_presence (uuid_id, here, last_seen) values ${rows.map(() => '(?, ?, ?)').join(', ')}
        on conflict (uuid_id) do update set here = excluded.here, last_seen = excluded.last_seen returning uuid_id`,
      rows.flatMap(({ uuid_id, here, last_seen }) => [uuid_id, here, last_seen]),
    );
  }

  /** Returns the stored addresses of at most `BATCH_ROWS` agents. */
  async addresses(ids: readonly number[]): Promise<Map<number, string | null>> {
    const rows = await this.#read<{ uuid_id: number; address: string | null }>(
      `select uuid_id, address from agent_presence where uuid_id in (${marks(ids.length)})`,
      ids,
    );
    return new Map(rows.map(({ uuid_id, address }) => [uuid_id, address]));
  }

  /** `[id, address]` of those of these agents that have one; of others, too, where many are asked for. */
  knownAddresses(
    ids: readonly number[],
    call: ReadOptions,
  ): Promise<[id: number, address: string][]> {
    const { jsonPlain, jsonText } = this.#db.forms;
    const { text, params } = some('uuid_id', ids);
    return this.#array(
      `select concat('[', ${jsonPlain('uuid_id')}, ',', ${jsonText('address')}, ']')
        from agent_presence where address is not null ${text}`,
      params,
      call,
    );
  }

  /** `[id, time, detail]` of the last refusals, as `knownAddresses`. Index (uuid_id, id) of refusals. */
  lastRefusals(
    ids: readonly number[],
    call: ReadOptions,
  ): Promise<[id: number, time: number, detail: Detail][]> {
    const { jsonPlain } = this.#db.forms;
    const { text, params } = some('uuid_id', ids);
    return this.#array(
      `select concat('[', ${jsonPlain('uuid_id')}, ',', ${jsonPlain('time')}, ',', detail, ']')
        from agent_event where id in (select max(id) from agent_event
          where kind = 'refused' ${text} group by uuid_id)`,
      params,
      call,
    );
  }

  /** Sets addresses, at most `BATCH_ROWS`. */
  async setAddresses(rows: readonly (readonly [id: number, address: string])[]): Promise<void> {
    await this.#write(
      `insert into agent_presence (uuid_id, address) values ${rows.map(() => '(?, ?)').join(', ')}
        on conflict (uuid_id) do update set address = excluded.address returning uuid_id`,
      rows.flat(),
    );
  }

  /** Adds uptime, at most `BATCH_ROWS`. */
  async addUptime(rows: readonly Uptime[]): Promise<void> {
    await this.#write(
      `insert into agent_uptime (uuid_id, day, ms) values ${rows.map(() => '(?, ?, ?)').join(', ')}
        on conflict (uuid_id, day) do update set ms = agent_uptime.ms + excluded.ms returning day`,
      rows.flatMap(({ id, day, ms }) => [id, day, ms]),
    );
  }

  /**
   * Returns what `agent_query_uptime` answers, in the order of agents and days. Index (uuid_id, day). @throws RpcError
   * 103, -32008
   */
  uptime(
    { ids, first, end }: { ids: readonly number[]; first: number; end: number },
    how: ArrayOptions,
  ): Promise<RawJson> {
    return this.#json(
      `select concat('{"uuid":', ${this.#db.forms.jsonText(this.#uuidOf)},
          ',"day":', cast(day as bigint) * ${DAY_MS},
          ',"seconds":', (case when ms < ${DAY_MS} then ms else ${DAY_MS} end + 500) / 1000, '}')
        from agent_uptime where uuid_id in (${marks(ids.length)}) and day >= ? and day < ?
        order by uuid_id, day`,
      [...ids, first, end],
      how,
    );
  }

  /** Deletes some of the events that are older than this, or beyond the newest `most`. @returns whether there may be more */
  async dropEvents(before: number, most: number): Promise<boolean> {
    const old = await this.#write(
      `delete from agent_event where id in
        (select id from agent_event where time < ? order by time limit ${SLICE_ROWS}) returning id`,
      [before],
    );
    const surplus = await this.#write(
      `delete from agent_event where id in (select id from agent_event
        where id <= (select max(id) from agent_event) - ? order by id limit ${SLICE_ROWS}) returning id`,
      [most],
    );
    return old.length === SLICE_ROWS || surplus.length === SLICE_ROWS;
  }

  /** Deletes some of the days before this one. @returns whether there may be more */
  async dropUptime(before: number): Promise<boolean> {
    const gone = await this.#write(
      `delete from agent_uptime where (uuid_id, day) in
        (select uuid_id, day from agent_uptime where day < ? limit ${SLICE_ROWS}) returning day`,
      [before],
    );
    return gone.length === SLICE_ROWS;
  }

  /** Deletes some of what is known of these agents, at most `BATCH_ROWS`. @returns whether there may be more */
  async erase(ids: readonly number[]): Promise<boolean> {
    const these = `uuid_id in (${marks(ids.length)})`;
    const events = await this.#write(
      `delete from agent_event where id in
        (select id from agent_event where ${these} limit ${SLICE_ROWS}) returning id`,
      ids,
    );
    const days = await this.#write(
      `delete from agent_uptime where (uuid_id, day) in
        (select uuid_id, day from agent_uptime where ${these} limit ${SLICE_ROWS}) returning day`,
      ids,
    );
    await this.#write(`delete from agent_presence where ${these} returning uuid_id`, ids);
    return events.length === SLICE_ROWS || days.length === SLICE_ROWS;
  }

  #write(text: string, params: readonly SqlValue[]): Promise<object[]> {
    return guarded('the history of agents could not be changed', () =>
      rowsOf<object>(this.#db.query, { text, params }),
    );
  }

  /** A JSON array, made away from the event loop. */
  #json(sql: string, params: readonly SqlValue[], how: ArrayOptions): Promise<RawJson> {
    return guarded('the history of agents could not be read', () =>
      this.#db.jsonArray(sql, params, how),
    );
  }

  async #array<Row>(sql: string, params: readonly SqlValue[], call?: ReadOptions): Promise<Row[]> {
    const { text } = await this.#json(sql, params, { maxBytes: MOST_BYTES, ...call });
    return JSON.parse(Buffer.from(text as string).toString()) as Row[];
  }

  #read<Row extends object>(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('the history of agents could not be read', () => this.#db.all<Row>(sql, params));
  }
}

/** A condition on few agents; none where a walk through all of them is shorter. */
const some = (column: string, ids: readonly number[]) =>
  ids.length > FEW_AGENTS
    ? { text: '', params: [] }
    : { text: `and ${column} in (${marks(ids.length)})`, params: ids };
