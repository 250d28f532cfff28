import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { readByIds } from '../store/slices.ts';
import type { MaintenanceWindow, Matcher } from '../types.ts';

export const HELD_WINDOWS = 'alert-window';
/** Windows of one read: those of all tokens, and as many of the Super Token. */
const MOST_WINDOWS = 400;

type Row = Omit<MaintenanceWindow, 'scope' | 'public' | 'enable'> & {
  readonly scope: string;
  readonly public: string;
  readonly enable: number;
};
export type WindowContent = Omit<MaintenanceWindow, 'id' | 'version'>;

const COLUMNS =
  'id, name, scope, zone, once_from, once_to, cron, duration_s, effect, public, enable, owner, version';

/** Table `alert_window`. Every method throws RpcError 103 when the database fails. */
export class WindowStore {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  /** Versions of the windows that are on. */
  async versions(): Promise<Pick<MaintenanceWindow, 'id' | 'version'>[]> {
    const text = `select id, version from alert_window where enable = 1 order by name limit ${MOST_WINDOWS}`;
    const rows = await guarded(FAILED, () =>
      rowsOf<Pick<Row, 'id' | 'version'>>(this.#db.query, { text, params: [] }),
    );
    return rows.map(({ id, version }) => ({ id: Number(id), version }));
  }

  /** Every window, by name. */
  async all(): Promise<MaintenanceWindow[]> {
    const text = `select id from alert_window order by name limit ${MOST_WINDOWS}`;
    const rows = await guarded(FAILED, () =>
      rowsOf<{ id: number }>(this.#db.query, { text, params: [] }),
    );
    return this.byIds(rows.map(({ id }) => Number(id)));
  }

  /** Windows with these ids, in their order. */
  byIds(ids: readonly number[]): Promise<MaintenanceWindow[]> {
    return readByIds(ids, (some) =>
      this.#rows(`select ${COLUMNS} from alert_window where id in (${marks(some.length)})`, some),
    );
  }

  async ownedBy(owner: string): Promise<string[]> {
    const text = `select name from alert_window where owner = ? order by name limit ${MOST_WINDOWS}`;
    const sql = { text, params: [owner] };
    const rows = await guarded(FAILED, () => rowsOf<Pick<Row, 'name'>>(this.#db.query, sql));
    return rows.map(({ name }) => name);
  }

  async find(name: string): Promise<MaintenanceWindow | undefined> {
    const [window] = await this.#rows(`select ${COLUMNS} from alert_window where name = ?`, [name]);
    return window;
  }

  /** @throws RpcError 108 where the name is taken, or its owner has too many */
  insert(window: WindowContent, now: number): Promise<MaintenanceWindow> {
    return this.#within(window.owner, async (trx) => {
      const [added] = await this.#rows(
        `insert into alert_window (name, scope, zone, once_from, once_to, cron, duration_s, effect, public, enable, owner, version, updated_at)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
          on conflict (name) do nothing returning ${COLUMNS}`,
        [...valuesOf(window), now],
        trx,
      );
      if (!added) throw taken(window.name);
      return added;
    });
  }

  /** @returns undefined: it was changed meanwhile, or has gone @throws RpcError 108 as `insert` */
  change(window: MaintenanceWindow, now: number): Promise<MaintenanceWindow | undefined> {
    return this.#within(window.owner, async (trx) => {
      await this.demandName(window.name, window.id, trx);
      const [changed] = await this.#rows(
        `update alert_window set name = ?, scope = ?, zone = ?, once_from = ?, once_to = ?, cron = ?, duration_s = ?,
            effect = ?, public = ?, enable = ?, owner = ?, version = version + 1, updated_at = ?
          where id = ? and version = ? returning ${COLUMNS}`,
        [...valuesOf(window), now, window.id, window.version],
        trx,
      );
      return changed;
    });
  }

  /** @throws RpcError 108 when another window has this name */
  async demandName(name: string, id = 0, on: QueryBuilder = this.#db.query): Promise<void> {
    const named = `select ${COLUMNS} from alert_window where name = ? and id <> ?`;
    if ((await this.#rows(named, [name, id], on)).length > 0) throw taken(name);
  }

  async remove(name: string): Promise<boolean> {
    const text = `delete from alert_window where name = ? returning ${COLUMNS}`;
    return (await this.#rows(text, [name])).length > 0;
  }

  #within<T>(owner: string | null, work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    const change = { kind: HELD_WINDOWS, owner, alone: 'alert_window' };
    return guarded(FAILED, () => this.#counting.within(change, work));
  }

  async #rows(
    text: string,
    params: readonly SqlValue[],
    on: QueryBuilder = this.#db.query,
  ): Promise<MaintenanceWindow[]> {
    const rows = await guarded(FAILED, () => rowsOf<Row>(on, { text, params }));
    return rows.map(windowOf);
  }
}

const FAILED = 'windows could not be read or changed';

const valuesOf = (window: WindowContent): SqlValue[] => [
  ...[window.name, JSON.stringify(window.scope), window.zone, window.once_from, window.once_to],
  ...[window.cron, window.duration_s, window.effect, JSON.stringify(window.public)],
  ...[window.enable ? 1 : 0, window.owner],
];

const windowOf = (row: Row): MaintenanceWindow => ({
  ...row,
  id: Number(row.id),
  scope: JSON.parse(row.scope) as Matcher,
  public: JSON.parse(row.public) as string[],
  enable: row.enable === 1,
});

const taken = (name: string) => RpcError.invalid(`the window '${name}' is there already`);
