import { type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { MaintenanceWindow, Matcher } from '../types.ts';

const MOST_WINDOWS = 200;

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

  constructor(db: Database) {
    this.#db = db;
  }

  all(): Promise<MaintenanceWindow[]> {
    return this.#rows(
      `select ${COLUMNS} from alert_window order by name limit ${MOST_WINDOWS}`,
      [],
    );
  }

  async find(name: string): Promise<MaintenanceWindow | undefined> {
    const [window] = await this.#rows(`select ${COLUMNS} from alert_window where name = ?`, [name]);
    return window;
  }

  /** @throws RpcError 108 where the name is taken, or there are too many */
  async insert(window: WindowContent, now: number): Promise<MaintenanceWindow> {
    const [added] = await this.#rows(
      `insert into alert_window (name, scope, zone, once_from, once_to, cron, duration_s, effect, public, enable, owner, version, updated_at)
        select ?, ?, ?, cast(? as bigint), cast(? as bigint), ?, cast(? as integer), ?, ?, cast(? as smallint), ?, 1, cast(? as bigint)
        where (select count(*) from alert_window) < ${MOST_WINDOWS}
        on conflict (name) do nothing returning ${COLUMNS}`,
      [...valuesOf(window), now],
    );
    if (added) return added;
    if (await this.find(window.name)) throw taken(window.name);
    throw RpcError.invalid(`there are ${MOST_WINDOWS} windows already: delete one first`);
  }

  /** @returns undefined: it was changed meanwhile, or has gone @throws RpcError 108 where the name is taken */
  async change(window: MaintenanceWindow, now: number): Promise<MaintenanceWindow | undefined> {
    const there = await this.find(window.name);
    if (there && there.id !== window.id) throw taken(window.name);
    const [changed] = await this.#rows(
      `update alert_window set name = ?, scope = ?, zone = ?, once_from = ?, once_to = ?, cron = ?, duration_s = ?,
          effect = ?, public = ?, enable = ?, owner = ?, version = version + 1, updated_at = ?
        where id = ? and version = ? returning ${COLUMNS}`,
      [...valuesOf(window), now, window.id, window.version],
    );
    return changed;
  }

  async remove(name: string): Promise<boolean> {
    const text = `delete from alert_window where name = ? returning ${COLUMNS}`;
    return (await this.#rows(text, [name])).length > 0;
  }

  async #rows(text: string, params: readonly SqlValue[]): Promise<MaintenanceWindow[]> {
    const rows = await guarded('windows could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
    return rows.map(windowOf);
  }
}

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
