import type { Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { type IsVisible, readable } from '../alerts/visible.ts';
import { keyOf, withSubject } from '../store/next-row.ts';
import { readRows } from '../store/read.ts';
import { ALERT, type AlertRow, alertOf, EVENT, type EventRow, eventOf } from '../store/rows.ts';
import { slices } from '../store/slices.ts';
import type { Alert, AlertEvent, EventKind } from '../types.ts';
import type { DownAlert } from './explained.ts';

/** Events of one reading. */
export const PAGE = 500;

/** Reminders of one round: what they say of a group is one message. */
const MOST_NEXT = 2_000;

/** Alert with what only the dispatcher writes. */
export interface Told extends Alert {
  /** Text of what keeps it from being told (`suppress.ts`); null: nothing. */
  readonly suppressed_by: string | null;
}
type ToldRow = AlertRow & { readonly suppressed_by: string | null };

/** A further row of history. */
export type NewEvent = Pick<
  Alert,
  'rule_id' | 'subject_kind' | 'subject_id' | 'part' | 'episode'
> & {
  readonly alert_id: number;
  readonly at: number;
  readonly kind: EventKind;
  readonly detail: object;
  readonly batch: string | null;
};

/** Returns a further row of history of an alert, in the episode that it is in. */
export const eventFor = (
  alert: Alert,
  { detail, ...event }: Pick<NewEvent, 'at' | 'kind' | 'detail' | 'batch'>,
): NewEvent => ({
  ...keyOf(alert),
  alert_id: alert.id,
  episode: alert.episode,
  ...event,
  detail: withSubject(alert, detail),
});

const COLUMNS = `${ALERT}, suppressed_by`;
const toldOf = (row: ToldRow): Told => ({ ...alertOf(row), suppressed_by: row.suppressed_by });

/** Reads and writes what is still to be told. Every method throws RpcError 103 when the database fails. */
export class DispatchStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Events that are due, in the order of their ids, at most `PAGE` after this one. Index on `due`. */
  async due(now: number, after: number): Promise<AlertEvent[]> {
    const text = `select ${EVENT} from alert_event where due is not null and due <= ? and id > ?
      order by id limit ${PAGE}`;
    return (await this.#read<EventRow>(EVENT, text, [now, after])).map(eventOf);
  }

  /** Unix ms at which the next event or the next reminder is due; undefined: nothing waits. Indexes on `due` and `next_at`. */
  async nextAt(): Promise<number | undefined> {
    const text = `select (select min(due) from alert_event where due is not null) as due,
      (select min(next_at) from alert where next_at is not null) as next_at`;
    const [row] = await this.#read<{ due: number | null; next_at: number | null }>(
      'due, next_at',
      text,
      [],
    );
    const times = [row?.due, row?.next_at].flatMap((time) => time ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Events of these alerts that are due at any time. Indexes (alert_id, id) and `due`. */
  async waiting(alerts: readonly number[]): Promise<AlertEvent[]> {
    const found: AlertEvent[] = [];
    for (const some of slices(alerts, PAGE)) {
      const text = `select ${EVENT} from alert_event where due is not null and alert_id in
        (${this.#ids}) order by id`;
      found.push(...(await this.#read<EventRow>(EVENT, text, [JSON.stringify(some)])).map(eventOf));
    }
    return found;
  }

  async alerts(ids: readonly number[]): Promise<Map<number, Told>> {
    const found = new Map<number, Told>();
    for (const some of slices(ids, PAGE)) {
      const text = `select ${COLUMNS} from alert where id in (${this.#ids})`;
      for (const row of await this.#read<ToldRow>(COLUMNS, text, [JSON.stringify(some)])) {
        const alert = toldOf(row);
        found.set(alert.id, alert);
      }
    }
    return found;
  }

  /** Open alerts whose repetition or next step is due. Index on `next_at`. */
  async next(now: number): Promise<Told[]> {
    const text = `select ${COLUMNS} from alert where next_at is not null and next_at <= ?
      order by next_at, id limit ${MOST_NEXT}`;
    return (await this.#read<ToldRow>(COLUMNS, text, [now])).map(toldOf);
  }

  /** History of these alerts of these kinds, oldest first. Index (alert_id, id). */
  async history(alerts: readonly number[], kinds: readonly EventKind[]): Promise<AlertEvent[]> {
    const found: AlertEvent[] = [];
    const words = kinds.map((kind) => `'${kind}'`).join(', ');
    for (const some of slices(alerts, PAGE)) {
      const text = `select ${EVENT} from alert_event where alert_id in (${this.#ids})
        and kind in (${words}) order by id desc limit 5000`;
      const rows = await this.#read<EventRow>(EVENT, text, [JSON.stringify(some)]);
      found.push(...rows.reverse().map(eventOf));
    }
    return found;
  }

  /** Places of open alerts of a rule, `kind id part` as JSON. Index on `state`. */
  async places(rule: number): Promise<Set<string>> {
    const text = `select subject_kind, subject_id, part from alert
      where state > 0 and state >= 2 and rule_id = ? limit 50000`;
    const rows = await this.#read<{ subject_kind: string; subject_id: string; part: string }>(
      'subject_kind, subject_id, part',
      text,
      [rule],
    );
    return new Set(rows.map((row) => placeOf(row)));
  }

  /** Open alerts that say that these monitors are down, the oldest first. Indexes on the subject and (alert_id, id). */
  async downAlerts(monitors: readonly string[]): Promise<DownAlert[]> {
    const columns = 'rule_id, subject_id, told, detail, waits';
    const text = `select a.rule_id, a.subject_id, a.told, a.detail, case when a.suppressed_by is null and exists
        (select 1 from alert_event e where e.alert_id = a.id and e.episode = a.episode
          and e.kind = 'opened' and e.due is not null) then 1 else 0 end as waits
      from alert a where a.state > 0 and a.state >= 2 and a.subject_kind = 'monitor' and a.subject_id in
        (select v.value from ${this.#db.forms.elementTexts} as v) and a.detail like ?
      order by a.id limit 5000`;
    const params = [JSON.stringify(monitors), '%"state":"down"%'];
    const rows = await this.#read<DownRow>(columns, text, params);
    return rows.map(({ told, detail, waits, ...row }) => ({
      ...{ subject_id: row.subject_id, rule_id: Number(row.rule_id), waits: Number(waits) === 1 },
      ...{ told: told === null ? null : JSON.parse(told), detail: JSON.parse(detail) },
    }));
  }

  /** Numbers of open alerts of these rules (and of this subject) that were told, by the ids of the channels. Index on `state`. */
  async openTold(
    rules: readonly number[],
    subject: Pick<Alert, 'subject_kind' | 'subject_id'> | undefined,
  ): Promise<{ readonly told: readonly number[]; readonly n: number }[]> {
    const own = subject ? 'and subject_kind = ? and subject_id = ?' : '';
    const text = `select told, count(*) as n from alert where state > 0 and state >= 2
      and told is not null and rule_id in (${this.#ids}) ${own} group by told`;
    const params = subject ? [subject.subject_kind, subject.subject_id] : [];
    const rows = await this.#rows<{ told: string; n: number }>(text, [
      JSON.stringify(rules),
      ...params,
    ]);
    return rows.map(({ told, n }) => ({ told: JSON.parse(told), n: Number(n) }));
  }

  /** Numbers of open alerts whose opening was told in this group, as `openTold`. Indexes on `state` and (alert_id, id). */
  async openInGroup(
    key: string,
  ): Promise<{ readonly told: readonly number[]; readonly n: number }[]> {
    const text = `select a.told, count(*) as n from alert a join alert_event e
      on e.alert_id = a.id and e.episode = a.episode and e.kind = 'opened'
      where a.state > 0 and a.state >= 2 and a.told is not null and e.detail like ? group by a.told`;
    const rows = await this.#rows<{ told: string; n: number }>(text, [
      `%"group":${JSON.stringify(key)}%`,
    ]);
    return rows.map(({ told, n }) => ({ told: JSON.parse(told), n: Number(n) }));
  }

  /** Number of open alerts that each of these suppresses. */
  async below(suppressors: readonly string[]): Promise<Map<string, number>> {
    if (suppressors.length === 0) return new Map();
    const text = `select suppressed_by as name, count(*) as n from alert
      where state > 0 and state >= 2 and suppressed_by in
        (select v.value from ${this.#db.forms.elementTexts} as v) group by suppressed_by`;
    const params = [JSON.stringify(suppressors)];
    const rows = await this.#read<{ name: string; n: number }>('name, n', text, params);
    return new Map(rows.map(({ name, n }) => [name, Number(n)]));
  }

  /** Numbers as `below`, of the alerts that the caller may read. */
  async visibleBelow(
    suppressors: readonly string[],
    isVisible: IsVisible,
  ): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    if (suppressors.length === 0) return counts;
    const columns = 'name, subject_kind, subject_id, n';
    const text = `select suppressed_by as name, subject_kind, subject_id, count(*) as n from alert
      where state > 0 and state >= 2 and suppressed_by in
        (select v.value from ${this.#db.forms.elementTexts} as v)
      group by suppressed_by, subject_kind, subject_id limit 50000`;
    const rows = await this.#read<Hidden>(columns, text, [JSON.stringify(suppressors)]);
    for (const row of await readable(rows, isVisible, rows.length))
      counts.set(row.name, (counts.get(row.name) ?? 0) + Number(row.n));
    return counts;
  }

  /** Number of open alerts that each suppressor hides now, at most some thousand suppressors. */
  async allBelow(): Promise<Map<string, number>> {
    const text = `select suppressed_by as name, count(*) as n from alert
      where state > 0 and state >= 2 and suppressed_by is not null group by suppressed_by limit 5000`;
    const rows = await this.#read<{ name: string; n: number }>('name, n', text, []);
    return new Map(rows.map(({ name, n }) => [name, Number(n)]));
  }

  /** Times at which these groups were told of last, Unix ms. */
  async sentAt(keys: readonly string[]): Promise<Map<string, number>> {
    const text = `select key, sent_at from alert_group where key in
      (select v.value from ${this.#db.forms.elementTexts} as v)`;
    const params = [JSON.stringify(keys)];
    const rows = await this.#read<{ key: string; sent_at: number }>('key, sent_at', text, params);
    return new Map(rows.map(({ key, sent_at }) => [key, Number(sent_at)]));
  }

  /** Deletes groups that have been still for a day, and those beyond the newest thousands. */
  async dropGroups(before: number): Promise<void> {
    const text = 'delete from alert_group where sent_at < ? returning key';
    await this.#rows(text, [before]);
  }

  /** Writes a row, as an alert would. */
  async prove(now: number): Promise<void> {
    const text = `insert into alert_group (key, policy_id, sent_at) values ('watchdog', 0, ?)
      on conflict (key) do update set sent_at = excluded.sent_at returning key`;
    await this.#rows(text, [now]);
  }

  /** Decides for all events that are due that nobody is told. @returns of how many; undefined: there is no such table */
  async dropRestored(): Promise<number | undefined> {
    if (!(await this.#db.query.schema.hasTable('alert_event'))) return undefined;
    const text = 'update alert_event set due = null where due is not null returning id';
    return (await this.#rows(text, [])).length;
  }

  transaction<T>(work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    return guarded('what was decided to be sent could not be stored', () =>
      this.#db.transaction(work),
    );
  }

  get #ids(): string {
    return `select cast(v.value as bigint) from ${this.#db.forms.elementTexts} as v`;
  }

  #read<Row>(columns: string, text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return readRows<Row>(this.#db, columns, text, params);
  }

  #rows<Row extends object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('alerts could not be read', () => rowsOf<Row>(this.#db.query, { text, params }));
  }
}

export const placeOf = ({ subject_kind, subject_id, part }: Place): string =>
  JSON.stringify([subject_kind, subject_id, part]);
interface DownRow {
  readonly rule_id: number;
  readonly subject_id: string;
  readonly told: string | null;
  readonly detail: string;
  readonly waits: number;
}
type Hidden = Pick<Alert, 'subject_kind' | 'subject_id'> & {
  readonly name: string;
  readonly n: number;
};
interface Place {
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly part: string;
}
