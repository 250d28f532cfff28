import type { Database } from '@svc/plugin-sdk';
import { type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { slices } from '../store/slices.ts';
import { type NewEvent, PAGE } from './store.ts';

/** An alert as it becomes; only members that are present change. */
export interface AlertChange {
  readonly id: number;
  readonly version: number;
  readonly told: readonly number[] | null;
  readonly next_at: number | null;
}

/** An event that is decided. */
export interface Decided {
  readonly id: number;
  readonly batch: string | null;
  /** Facts that its row of history gets; undefined: those that it has. */
  readonly detail?: object;
}

/** An event that is looked at again later. */
export interface Moved {
  readonly id: number;
  readonly due: number;
}

/** Error that says that an alert was changed meanwhile: the decision is made anew. */
export class Conflict extends Error {}

/** Writes of one decision, in its transaction. */
export class DecisionWriter {
  readonly #trx: QueryBuilder;
  readonly #db: Database;

  constructor(db: Database, trx: QueryBuilder) {
    this.#db = db;
    this.#trx = trx;
  }

  /** Tells alerts apart that were told: compare and set on `version`. @throws Conflict */
  async told(changes: readonly AlertChange[]): Promise<void> {
    for (const some of slices(changes, PAGE)) {
      await this.#lock(some);
      const rows = some.map(({ id, told, next_at }) => ({
        id,
        told: told && JSON.stringify(told),
        next_at,
      }));
      await this.#run(
        `update alert set told = v.value ->> 'told', suppressed_by = null, version = alert.version + 1,
            next_at = cast(v.value ->> 'next_at' as bigint)
          from ${this.#elements} as v where alert.id = cast(v.value ->> 'id' as bigint) returning alert.id`,
        [JSON.stringify(rows)],
      );
    }
  }

  /** Ends acknowledgements whose time is over. @throws Conflict */
  async unacked(changes: readonly Pick<AlertChange, 'id' | 'version'>[]): Promise<void> {
    for (const some of slices(changes, PAGE)) {
      await this.#lock(some);
      await this.#run(
        `update alert set acked_by = null, acked_at = null, acked_until = null, ack_note = null
          where id in (${this.#ids}) returning id`,
        [JSON.stringify(some.map(({ id }) => id))],
      );
    }
  }

  /** Sets when alerts are looked at again; only those that are still open. */
  async next(changes: readonly Pick<AlertChange, 'id' | 'next_at'>[]): Promise<void> {
    for (const some of slices(changes, PAGE)) {
      await this.#run(
        `update alert set next_at = cast(v.value ->> 'next_at' as bigint)
          from ${this.#elements} as v
          where alert.id = cast(v.value ->> 'id' as bigint) and alert.state >= 2 returning alert.id`,
        [JSON.stringify(some)],
      );
    }
  }

  async suppressed(
    changes: readonly { readonly id: number; readonly suppressed_by: string | null }[],
  ): Promise<void> {
    for (const some of slices(changes, PAGE)) {
      await this.#run(
        `update alert set suppressed_by = v.value ->> 'suppressed_by'
          from ${this.#elements} as v
          where alert.id = cast(v.value ->> 'id' as bigint) and alert.state >= 2 returning alert.id`,
        [JSON.stringify(some)],
      );
    }
  }

  /** Marks events as decided. @throws Conflict where another server was first */
  async decided(events: readonly Decided[]): Promise<void> {
    for (const some of slices(events, PAGE)) {
      const rows = some.map(({ id, batch, detail }) => ({
        id,
        batch,
        detail: detail === undefined ? null : JSON.stringify(detail),
      }));
      const done = await this.#run(
        `update alert_event set due = null, batch = v.value ->> 'batch',
            detail = coalesce(v.value ->> 'detail', alert_event.detail)
          from ${this.#elements} as v
          where alert_event.id = cast(v.value ->> 'id' as bigint) and alert_event.due is not null
          returning alert_event.id`,
        [JSON.stringify(rows)],
      );
      if (done.length < some.length) throw new Conflict('another server decided first');
    }
  }

  /** Gives openings that nobody heard of yet the step that tells of them. */
  async first(events: readonly Decided[]): Promise<void> {
    for (const { id, batch, detail } of events) {
      const text = `update alert_event set batch = ?, detail = ? where id = ? returning id`;
      await this.#run(text, [batch, JSON.stringify(detail), id]);
    }
  }

  async moved(events: readonly Moved[]): Promise<void> {
    for (const some of slices(events, PAGE)) {
      await this.#run(
        `update alert_event set due = cast(v.value ->> 'due' as bigint) from ${this.#elements} as v
          where alert_event.id = cast(v.value ->> 'id' as bigint) and alert_event.due is not null
          returning alert_event.id`,
        [JSON.stringify(some)],
      );
    }
  }

  async add(events: readonly NewEvent[]): Promise<void> {
    for (const some of slices(events, PAGE)) {
      await this.#trx('alert_event').insert(
        some.map(({ detail, ...event }) => ({ ...event, detail: JSON.stringify(detail) })),
      );
    }
  }

  async sent(groups: ReadonlyMap<string, number>, now: number): Promise<void> {
    for (const [key, policy_id] of groups) {
      await this.#trx('alert_group')
        .insert({ key, policy_id, sent_at: now })
        .onConflict('key')
        .merge(['sent_at']);
    }
  }

  /** Holds the rows in one order, so that servers do not wait for each other for ever. @throws Conflict */
  async #lock(changes: readonly Pick<AlertChange, 'id' | 'version'>[]): Promise<void> {
    const rows = await this.#run<{ id: number; version: number; state: number }>(
      `select id, version, state from alert where id in (${this.#ids}) order by id
        ${this.#db.dialect === 'postgres' ? 'for update' : ''}`,
      [JSON.stringify(changes.map(({ id }) => id))],
    );
    const versions = new Map(rows.map((row) => [Number(row.id), Number(row.version)]));
    const stale = changes.find(({ id, version }) => versions.get(id) !== version);
    if (stale) throw new Conflict(`alert ${stale.id} was changed meanwhile`);
  }

  get #elements(): string {
    return this.#db.forms.elements;
  }

  get #ids(): string {
    return `select cast(v.value as bigint) from ${this.#db.forms.elementTexts} as v`;
  }

  #run<Row extends object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return rowsOf<Row>(this.#trx, { text, params });
  }
}
