import type { Clock, Database, Logger } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { Throttle } from '@svc/plugin-sdk/util';
import {
  type Alert,
  type AlertKey,
  CLOSED,
  FRESH,
  PENDING,
  type Rule,
  type Transition,
  type Transitions,
} from '../types.ts';
import { ends, eventKind, keyOf, nextRow, vanishes } from './next-row.ts';
import { readRows } from './read.ts';
import { begins, MOST_ACTIVE, MOST_OF_AGENT, Room, type Share } from './room.ts';
import { ALERT, type AlertRow, alertOf } from './rows.ts';
import { slices } from './slices.ts';
import { statementsOf } from './transition-sql.ts';

/** Changes of one transaction. */
const BATCH_ROWS = 200;
const COUNT_MS = 10_000;
/** Distance of two warnings about one bound, ms. */
const WARN_MS = 3_600_000;
/** Time for which closed alerts stay known. */
export const CLOSED_MS = 7 * 86_400_000;

export interface Made {
  readonly alert: Alert;
  readonly made: boolean;
}

export interface TransitionParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ruleOf: (id: number) => Rule | undefined;
  /** Hears, after the commit, of the changes that were made. */
  readonly onMade: (
    made: readonly { readonly alert: Alert; readonly change: Transition }[],
  ) => void;
}

/** Changes of alerts, each by compare and set (`Transitions`). */
export class StoredTransitions implements Transitions {
  readonly #parts: TransitionParts;
  readonly #sql: ReturnType<typeof statementsOf>;
  /** Alerts that are open or clearing. */
  #active = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  readonly #warnings: Throttle;
  /** Changes that were refused because too many alerts are active, since the start. */
  refused = 0;

  constructor(parts: TransitionParts) {
    this.#parts = parts;
    this.#sql = statementsOf(parts.db);
    this.#warnings = new Throttle(parts.clock, WARN_MS);
  }

  async apply(changes: readonly Transition[]): Promise<Made[]> {
    const made: Made[] = [];
    for (const some of slices(changes, BATCH_ROWS)) made.push(...(await this.#applySome(some)));
    return made;
  }

  async progress(alerts: Parameters<Transitions['progress']>[0]): Promise<void> {
    for (const some of slices(alerts, BATCH_ROWS)) {
      const rows = some.map(({ id, version, since, true_ms, false_ms, value }) => [
        id,
        version,
        since,
        true_ms,
        false_ms,
        value,
      ]);
      await this.#rows(this.#parts.db.query, this.#sql.progress, [
        this.#parts.clock.now(),
        JSON.stringify(rows.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))),
      ]);
    }
  }

  async load(kind: Transition['subject_kind'], subjects: readonly string[]): Promise<Alert[]> {
    const found: Alert[] = [];
    for (const some of slices(subjects, BATCH_ROWS)) {
      const params = [kind, JSON.stringify(some), this.#parts.clock.now() - CLOSED_MS];
      const rows = await readRows<AlertRow>(this.#parts.db, ALERT, this.#sql.load, params);
      found.push(...rows.map(alertOf));
    }
    return found;
  }

  async #applySome(changes: readonly Transition[]): Promise<Made[]> {
    const { clock, db, onMade } = this.#parts;
    const free = await this.#free();
    const begun: Map<Transition, Alert> = new Map();
    const current = await guarded('alerts could not be changed', () =>
      db.transaction(async (trx) => {
        begun.clear();
        return this.#change(trx, changes, { free, now: clock.now(), begun });
      }),
    );
    const answers = changes.map((change) => {
      const alert = begun.get(change);
      return alert
        ? { alert, made: true }
        : { alert: current.get(placeOf(change)) ?? unmade(change), made: false };
    });
    for (const { from, to } of begun.keys())
      this.#active += Number(to > PENDING) - Number((from?.state ?? CLOSED) > PENDING);
    const made = [...begun].map(([change, alert]) => ({ change, alert }));
    if (made.length > 0) onMade(made);
    return answers;
  }

  /** Changes rows whose version is still the one that was judged. @returns the current rows of all places */
  async #change(
    trx: QueryBuilder,
    changes: readonly Transition[],
    { free, now, begun }: { free: number; now: number; begun: Map<Transition, Alert> },
  ): Promise<Map<string, Alert>> {
    const { lock, insert, update } = this.#sql;
    const keys = changes.map(partsOf);
    const locked = await this.#rows<AlertRow>(trx, lock, [JSON.stringify(keys)]);
    const current = new Map(locked.map(alertOf).map((alert) => [placeOf(alert), alert]));
    const first: Transition[] = [];
    const next: Transition[] = [];
    const seen = new Set<string>();
    const room = new Room(free, await this.#shares(trx, changes, current));
    for (const change of changes) {
      const place = placeOf(change);
      const alert = current.get(place);
      // A row that was deleted after seven days begins anew.
      const fits = alert
        ? alert.version === change.from?.version && alert.id === change.from.id
        : true;
      if (!fits || seen.has(place)) continue;
      if (change.to === CLOSED && !alert) continue;
      const full = room.take(change, alert);
      if (full) {
        this.#refuse(full, change);
        continue;
      }
      seen.add(place);
      if (alert) next.push({ ...change, from: alert });
      else first.push({ ...change, from: undefined });
    }
    const written = [
      ...(await this.#write(trx, insert, first, now)),
      ...(await this.#write(trx, update, next.filter(stays), now)),
      ...(await this.#remove(trx, next.filter(vanishes))),
    ];
    const made = new Map(written.map((alert) => [placeOf(alert), alert]));
    for (const change of changes) {
      const place = placeOf(change);
      const alert = seen.delete(place) ? made.get(place) : undefined;
      if (alert) begun.set(change, alert);
    }
    await this.#addEvents(trx, [...first, ...next], made);
    if (written.length < first.length + next.length) {
      const missed = first.filter((change) => !made.has(placeOf(change))).map(partsOf);
      const rows = await this.#rows<AlertRow>(trx, lock, [JSON.stringify(missed)]);
      for (const alert of rows.map(alertOf)) current.set(placeOf(alert), alert);
    }
    return current;
  }

  async #write(trx: QueryBuilder, sql: string, changes: readonly Transition[], now: number) {
    if (changes.length === 0) return [];
    // Servers insert in one order, too.
    const ordered = changes.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const rows = ordered.map((change) => {
      const { told, flaps, detail, ...row } = nextRow(change, now);
      const texts = { flaps: JSON.stringify(flaps), detail: JSON.stringify(detail) };
      const id = change.from?.id ?? null;
      return { ...row, ...texts, told: told && JSON.stringify(told), id };
    });
    return (await this.#rows<AlertRow>(trx, sql, [JSON.stringify(rows)])).map(alertOf);
  }

  /** Removes rows that never opened: nothing refers to them. @returns them as closed */
  async #remove(trx: QueryBuilder, changes: readonly Transition[]): Promise<Alert[]> {
    if (changes.length === 0) return [];
    const ids = JSON.stringify(changes.map(({ from }) => [from?.id]));
    const rows = await this.#rows<AlertRow>(trx, this.#sql.remove, [ids]);
    return rows.map(alertOf).map((row) => ({ ...row, state: CLOSED, version: row.version + 1 }));
  }

  async #addEvents(
    trx: QueryBuilder,
    changes: readonly Transition[],
    made: ReadonlyMap<string, Alert>,
  ): Promise<void> {
    const rows = changes.flatMap((change) => {
      const alert = made.get(placeOf(change));
      const kind = eventKind(change);
      if (!alert || !kind) return [];
      const told = ends(change.from, change.to) ? alert.told : null;
      const { at, by = null, value, detail, ended_at: closed_at } = change;
      const facts = JSON.stringify({ value, ...detail, since: alert.since, closed_at });
      const due = this.#isTold(change, told) ? FRESH : null;
      const texts = { detail: facts, told: told && JSON.stringify(told) };
      const { id: alert_id, episode } = alert;
      return [{ alert_id, ...keyOf(change), episode, at, kind, by, due, ...texts }];
    });
    if (rows.length > 0) await this.#rows(trx, this.#sql.events, [JSON.stringify(rows)]);
  }

  /** Tells whether it has to be decided who hears of it: of an end whoever heard of the opening does, whatever the rule says now. */
  #isTold({ rule_id, to, quiet }: Transition, told: readonly number[] | null): boolean {
    if (quiet) return false;
    const rule = this.#parts.ruleOf(rule_id);
    return rule ? rule.notify || told !== null : to === CLOSED;
  }

  /** Alerts that may still open. */
  async #free(): Promise<number> {
    const { clock, db } = this.#parts;
    const now = clock.monotonic();
    if (now - this.#countedAt >= COUNT_MS) {
      const [row] = await readRows<{ n: number }>(db, 'n', this.#sql.count, []);
      this.#active = Number(row?.n ?? 0);
      this.#countedAt = now;
    }
    return MOST_ACTIVE - this.#active;
  }

  /** Counts the alerts of agents of which one begins. */
  async #shares(
    trx: QueryBuilder,
    changes: readonly Transition[],
    current: ReadonlyMap<string, Alert>,
  ): Promise<Map<string, Share>> {
    const beginning = changes.filter((one) => begins(current.get(placeOf(one)), one.to));
    const subjects = [...new Set(beginning.map(({ subject_id }) => subject_id))];
    if (subjects.length === 0) return new Map();
    const rows = await this.#rows<{ subject_id: string; active: number; pending: number }>(
      trx,
      this.#sql.shares,
      [JSON.stringify(subjects)],
    );
    return new Map(
      rows.map(({ subject_id, active, pending }) => [
        subject_id,
        { active: Number(active), pending: Number(pending) },
      ]),
    );
  }

  #refuse(full: 'fleet' | 'agent', { subject_id }: Transition): void {
    this.refused++;
    if (this.#warnings.pass(full) === undefined) return;
    const { log } = this.#parts;
    if (full === 'fleet')
      log.warn(`more than ${MOST_ACTIVE} alerts are open: no further one opens`);
    else
      log.warn(
        `a machine has ${MOST_OF_AGENT} alerts, or half of that pending: no further one begins`,
        {
          agent: subject_id,
        },
      );
  }

  #rows<Row = object>(on: QueryBuilder, text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('alerts could not be read or changed', () => rowsOf<Row>(on, { text, params }));
  }
}

const partsOf = ({ rule_id, subject_kind, subject_id, part }: AlertKey) => [
  rule_id,
  subject_kind,
  subject_id,
  part,
];
const placeOf = (key: AlertKey): string => JSON.stringify(partsOf(key));

const stays = (change: Transition): boolean => !vanishes(change);

/** Answer for a change that was refused where no row is. */
const unmade = (change: Transition): Alert => ({
  ...nextRow({ ...change, from: undefined, to: CLOSED }, change.at),
  id: 0,
  version: 0,
});
