import type { Database } from '@svc/plugin-sdk';
import { guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Incident } from '../page.ts';
import { trimIncidents } from '../store.ts';

/** Incident that an outage made. */
export interface OutageIncident {
  readonly id: number;
  readonly slug: string;
  readonly monitor: number;
  /** Id of the outage that it is about, the newest one where several followed. */
  readonly outage: number;
  readonly text: string;
  readonly ends_at: number | null;
}

const COLUMNS = 'id, slug, monitor, outage, text, ends_at';

/** Incidents of outages in `status_page_incident`. Several servers may write at once: each change is made once. */
export class OutageIncidents {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Incidents that go on. Index (id), partial. @throws RpcError 103 */
  open(): Promise<OutageIncident[]> {
    return this.#read('outage is not null and ends_at is null order by id', []);
  }

  /** The newest one of a monitor on a page. Index (slug, monitor, outage). @throws RpcError 103 */
  async newest(slug: string, monitor: number): Promise<OutageIncident | undefined> {
    const where = 'slug = ? and monitor = ? and outage is not null order by outage desc limit 1';
    return (await this.#read(where, [slug, monitor]))[0];
  }

  /** @returns false: there is one of this outage, or of a later one, or the page has gone @throws RpcError 103 */
  async add(
    { slug, monitor, outage }: Pick<OutageIncident, 'slug' | 'monitor' | 'outage'>,
    incident: Omit<Incident, 'id' | 'auto'>,
  ): Promise<boolean> {
    const { title, text, impact, begins_at, updated_at, draft } = incident;
    const sql = `insert into status_page_incident (slug, title, text, impact, begins_at, updated_at, hidden, monitor, outage)
      select slug, ?, ?, ?, cast(? as bigint), cast(? as bigint), cast(? as smallint), cast(? as bigint), cast(? as bigint)
      from status_page where slug = ? and not exists (select 1 from status_page_incident i
        where i.slug = ? and i.monitor = ? and i.outage >= ?) on conflict do nothing returning id`;
    const values = [title, text, impact, begins_at, updated_at, Number(draft), monitor, outage];
    const params = [...values, slug, slug, monitor, outage];
    if ((await this.#write(sql, params)).length === 0) return false;
    await guarded('old incidents could not be deleted', () => trimIncidents(this.#db.query, slug));
    return true;
  }

  /** Has an incident that ended go on with a later outage. @returns false: it became different @throws RpcError 103 */
  async reopen(
    { id, slug, monitor, outage }: OutageIncident,
    change: { readonly outage: number; readonly text: string; readonly updated_at: number },
  ): Promise<boolean> {
    const sql = `update status_page_incident set outage = ?, text = ?, updated_at = ?, ends_at = null
      where id = ? and outage = ? and ends_at is not null and not exists (select 1 from status_page_incident i
        where i.slug = ? and i.monitor = ? and i.outage >= ?) returning id`;
    const { outage: next, text, updated_at } = change;
    const params = [next, text, updated_at, id, outage, slug, monitor, next];
    return (await this.#write(sql, params)).length > 0;
  }

  /** @returns false: somebody ended it, or it goes on with a later outage @throws RpcError 103 */
  async end(
    { id, outage }: OutageIncident,
    { ends_at, updated_at }: { readonly ends_at: number; readonly updated_at: number },
  ): Promise<boolean> {
    const sql = `update status_page_incident set updated_at = ?,
      ends_at = case when begins_at > cast(? as bigint) then begins_at else cast(? as bigint) end
      where id = ? and outage = ? and ends_at is null returning id`;
    return (await this.#write(sql, [updated_at, ends_at, ends_at, id, outage])).length > 0;
  }

  async #read(where: string, params: readonly SqlValue[]): Promise<OutageIncident[]> {
    const text = `select ${COLUMNS} from status_page_incident where ${where}`;
    const rows = await guarded('incidents could not be read', () =>
      rowsOf<OutageIncident>(this.#db.query, { text, params }),
    );
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      monitor: Number(row.monitor),
      outage: Number(row.outage),
      ends_at: row.ends_at === null ? null : Number(row.ends_at),
    }));
  }

  #write(text: string, params: readonly SqlValue[]): Promise<object[]> {
    return guarded('incidents could not be changed', () =>
      rowsOf(this.#db.query, { text, params }),
    );
  }
}
