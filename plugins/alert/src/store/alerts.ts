import type { Clock, Database } from '@svc/plugin-sdk';
import {
  guarded,
  marks,
  type QueryBuilder,
  rowsOf,
  type SqlValue,
  whereAll,
} from '@svc/plugin-sdk/sql';
import type { Alert, AlertDetail, AlertEvent, EventKind, ListedAlert } from '../types.ts';
import { withSubject } from './next-row.ts';
import { readRows } from './read.ts';
import { ALERT, type AlertRow, alertOf, EVENT, type EventRow, eventOf } from './rows.ts';
import { CLOSED_MS } from './transitions.ts';

/** Rows that one call reads, of which the caller may see some. */
const MOST_READ = 100_000;
/** Rows of one delete. */
const SLICE_ROWS = 1_000;
/** Alerts of one read by id. */
export const PAGE_ROWS = 1_000;

export interface HistoryAsk {
  /** undefined: everything. */
  readonly agents: readonly string[] | undefined;
  readonly rule: number | undefined;
  readonly kinds: readonly EventKind[] | undefined;
  readonly from: number;
  readonly to: number;
}

type ListedRow = Omit<ListedAlert, 'detail'> & { readonly detail: string };
const COLUMNS =
  'id, rule_id, subject_kind, subject_id, part, state, since, opened_at, acked_by, acked_until, detail';
/** Tags of agents are known without what was stored. */
const LISTED = COLUMNS.replace(
  'detail',
  "case when subject_kind = 'agent' then '{}' else detail end as detail",
);
const listedOf = (row: ListedRow): ListedAlert => ({
  ...row,
  detail: row.detail === '{}' ? NO_DETAIL : (JSON.parse(row.detail) as AlertDetail),
});
const NO_DETAIL: AlertDetail = {};

/** Acknowledgement of an alert; null: it ends. */
export interface Ack {
  readonly by: string;
  readonly until: number | null;
  readonly note: string | null;
}

/** Tables `alert` and `alert_event`, besides their transitions. Every method throws RpcError 103 when the database fails. */
export class AlertStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Active alerts of at least this state, in slices; of these agents only, where some are named. Ends after `MOST_READ`. */
  async *active(
    least: number,
    agents: readonly string[] | undefined,
  ): AsyncGenerator<readonly ListedAlert[]> {
    for (let read = 0, after = 0; read < MOST_READ; ) {
      const { text, params } = whereAll([
        ['state > 0 and state >= ? and id > ?', least, after],
        ...(agents ? [this.#ofAgents(agents)] : []),
      ]);
      const sql = `select ${LISTED} from alert ${text} order by id limit ${PAGE_ROWS}`;
      const rows = await this.#read<ListedRow>(COLUMNS, sql, params);
      yield rows.map(listedOf);
      if (rows.length < PAGE_ROWS) return;
      read += rows.length;
      after = rows.at(-1)?.id ?? 0;
    }
  }

  /** Active alerts behind this id, at most `PAGE_ROWS`; of these rules only, where some are named. */
  activeAfter(id: number, rules?: readonly number[]): Promise<Alert[]> {
    const ofRules = rules ? `and rule_id in (${marks(rules.length)})` : '';
    const sql = `where state > 0 and id > ? ${ofRules} order by id limit ${PAGE_ROWS}`;
    return this.#alerts(sql, [id, ...(rules ?? [])]);
  }

  async byId(id: number): Promise<Alert | undefined> {
    return (await this.byIds([id]))[0];
  }

  /** Alerts with these ids, at most `PAGE_ROWS`. */
  byIds(ids: readonly number[]): Promise<Alert[]> {
    return this.#alerts(`where id in (${marks(ids.length)})`, ids);
  }

  /** Ends of alerts within a week, in slices as `history`. */
  ends(agents: readonly string[] | undefined): AsyncGenerator<readonly AlertEvent[]> {
    const now = this.#clock.now();
    const times = { from: now - CLOSED_MS, to: now + 1 };
    return this.history({ agents, rule: undefined, kinds: ['closed', 'expired'], ...times }, 20);
  }

  /** Open alerts by rule. */
  async openByRule(): Promise<ReadonlyMap<number, number>> {
    const text =
      'select rule_id, count(*) as n from alert where state > 0 and state > 1 group by rule_id';
    const rows = await this.#read<{ rule_id: number; n: number }>('rule_id, n', text, []);
    return new Map(rows.map(({ rule_id, n }) => [Number(rule_id), Number(n)]));
  }

  /** Newest events of an alert, oldest first. */
  async eventsOf(id: number, limit: number): Promise<AlertEvent[]> {
    const text = `select ${EVENT} from alert_event where alert_id = ? order by id desc limit ?`;
    return (await this.#read<EventRow>(EVENT, text, [id, limit])).map(eventOf).toReversed();
  }

  /**
   * Events, the newest first, in slices: the first has at most `few` rows. Ends after `MOST_READ`. Index (subject_kind, subject_id, at),
   * or (at).
   */
  async *history(ask: HistoryAsk, few: number): AsyncGenerator<readonly AlertEvent[]> {
    let limit = Math.min(few, PAGE_ROWS);
    let last: AlertEvent | undefined;
    for (let read = 0; read < MOST_READ; ) {
      const { text, params } = this.#historyBefore(ask, last);
      const sql = `select ${EVENT} from alert_event ${text} order by at desc, id desc limit ?`;
      const events = (await this.#read<EventRow>(EVENT, sql, [...params, limit])).map(eventOf);
      yield events;
      if (events.length < limit) return;
      read += events.length;
      limit = PAGE_ROWS;
      last = events.at(-1);
    }
  }

  #historyBefore({ agents, rule, kinds, from, to }: HistoryAsk, last: AlertEvent | undefined) {
    return whereAll([
      ['at >= ? and at < ?', from, to],
      ...(last ? [['at <= ? and (at, id) < (?, ?)', last.at, last.at, last.id] as const] : []),
      ...(agents ? [this.#ofAgents(agents)] : []),
      ...(rule === undefined ? [] : [['rule_id = ?', rule] as const]),
      ...(kinds ? [[`kind in (${marks(kinds.length)})`, ...kinds] as const] : []),
    ]);
  }

  /** Sets or ends an acknowledgement, with its row of history. @returns undefined when the alert is not open */
  acknowledge(id: number, ack: Ack | null, by: string): Promise<Alert | undefined> {
    return guarded('the alert could not be changed', () =>
      this.#db.transaction(async (trx) => {
        const now = this.#clock.now();
        const values = ack ? [ack.by, now, ack.until, ack.note] : [null, null, null, null];
        const text = `update alert set acked_by = ?, acked_at = ?, acked_until = ?, ack_note = ?, updated_at = ?,
          version = version + 1 where id = ? and state > 1 returning ${ALERT}`;
        const [row] = await rowsOf<AlertRow>(trx, { text, params: [...values, now, id] });
        if (!row) return undefined;
        const alert = alertOf(row);
        const detail = ack ? { until: ack.until, note: ack.note } : {};
        await this.#addEvent(trx, alert, { kind: ack ? 'acked' : 'unacked', by, detail });
        return alert;
      }),
    );
  }

  /** Adds a note to the history. @returns undefined when the episode has so many */
  note(
    alert: Alert,
    by: string,
    { text, most }: { readonly text: string; readonly most: number },
  ): Promise<AlertEvent | undefined> {
    // The row is locked, so that notes of one alert are counted one after the other.
    const lock = `select id from alert where id = ? ${this.#db.dialect === 'postgres' ? 'for update' : ''}`;
    const count = `select id from alert_event where alert_id = ? and episode = ? and kind = 'note' limit ?`;
    return guarded('the note could not be stored', () =>
      this.#db.transaction(async (trx) => {
        await rowsOf(trx, { text: lock, params: [alert.id] });
        const params = [alert.id, alert.episode, most];
        if ((await rowsOf(trx, { text: count, params })).length >= most) return undefined;
        return this.#addEvent(trx, alert, { kind: 'note', by, detail: { text } });
      }),
    );
  }

  /** Deletes some of what is past. @returns whether there may be more */
  async clean(keep_days: number, most: number): Promise<boolean> {
    const now = this.#clock.now();
    const slices = [
      await this.#rows(
        `delete from alert where id in (select id from alert where state = 0 and updated_at < ? limit ${SLICE_ROWS}) returning id`,
        [now - CLOSED_MS],
      ),
      await this.#rows(
        `delete from alert_event where id in (select id from alert_event where at < ? order by at limit ${SLICE_ROWS}) returning id`,
        [now - keep_days * 86_400_000],
      ),
      await this.#rows(
        `delete from alert_event where id in (select id from alert_event
          where id <= (select max(id) from alert_event) - ? order by id limit ${SLICE_ROWS}) returning id`,
        [most],
      ),
    ];
    return slices.some(({ length }) => length === SLICE_ROWS);
  }

  async #addEvent(
    on: QueryBuilder,
    alert: Alert,
    { kind, by, detail }: Pick<AlertEvent, 'kind' | 'by' | 'detail'>,
  ): Promise<AlertEvent> {
    const text = `insert into alert_event (alert_id, rule_id, subject_kind, subject_id, part, episode, at, kind, by_whom, detail)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${EVENT}`;
    const { id, rule_id, subject_kind, subject_id, part, episode } = alert;
    const place = [id, rule_id, subject_kind, subject_id, part, episode];
    const facts = JSON.stringify(withSubject(alert, detail));
    const params = [...place, this.#clock.now(), kind, by, facts];
    const [row] = await rowsOf<EventRow>(on, { text, params });
    return eventOf(row as EventRow);
  }

  async #alerts(rest: string, params: readonly SqlValue[]): Promise<Alert[]> {
    const text = `select ${ALERT} from alert ${rest}`;
    return (await this.#read<AlertRow>(ALERT, text, params)).map(alertOf);
  }

  #ofAgents(agents: readonly string[]) {
    const among = `in (select v.value from ${this.#db.forms.elementTexts} as v)`;
    return [`subject_kind = 'agent' and subject_id ${among}`, JSON.stringify(agents)] as const;
  }

  #read<Row>(columns: string, text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return readRows<Row>(this.#db, columns, text, params);
  }

  #rows<Row = object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('alerts could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
  }
}
