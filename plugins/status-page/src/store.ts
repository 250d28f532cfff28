import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Impact, Incident, Page, Settings } from './page.ts';
import { MOST_INCIDENTS } from './schemas.ts';

interface PageRow extends Omit<Page, 'settings'> {
  readonly settings: string;
}
interface IncidentRow extends Omit<Incident, 'impact' | 'draft' | 'auto'> {
  readonly impact: string;
  /** 0: public; 1: a draft; 2: taken away, and kept for its outage. */
  readonly hidden: number;
  readonly outage: number | null;
}

const KIND = 'status-page';
const PAGE = 'slug, settings, logo, owner, version, updated_at';
const INCIDENT = 'id, title, text, impact, begins_at, ends_at, updated_at, hidden, outage';

/** Deletes incidents beyond the newest public ones of a page, and beyond the newest others; those of an outage that goes on stay. */
export async function trimIncidents(on: QueryBuilder, slug: string): Promise<void> {
  for (const hidden of ['hidden = 0', 'hidden > 0']) {
    const text = `delete from status_page_incident where slug = ? and ${hidden} and id not in (
      select id from status_page_incident where slug = ? and ${hidden}
      order by case when outage is not null and ends_at is null then 0 else 1 end, begins_at desc, id desc
      limit ${MOST_INCIDENTS}) returning id`;
    await rowsOf(on, { text, params: [slug, slug] });
  }
}

/** Tables `status_page` and `status_page_incident`. Every method throws RpcError 103 when the database fails. */
export class Store {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  async all(): Promise<Page[]> {
    return (await this.#rows<PageRow>(`select ${PAGE} from status_page order by slug`, [])).map(
      pageOf,
    );
  }

  async page(slug: string): Promise<Page | undefined> {
    const text = `select ${PAGE} from status_page where slug = ?`;
    const [row] = await this.#rows<PageRow>(text, [slug]);
    return row && pageOf(row);
  }

  /** @throws RpcError 108 when the slug is taken, or its owner holds enough */
  insert(page: Page): Promise<void> {
    const { slug, settings, logo, owner, version, updated_at } = page;
    const row = { slug, settings: JSON.stringify(settings), logo, owner, version, updated_at };
    const work = async (trx: QueryBuilder) => {
      if (await trx('status_page').where({ slug }).first('slug'))
        throw RpcError.invalid(`the page '${slug}' is there already`);
      await trx('status_page').insert(row);
    };
    return guarded('the page could not be stored', () =>
      this.#counting.within({ kind: KIND, owner, alone: 'status_page' }, work),
    );
  }

  /** @returns false when the page has gone, or is of another version than the one before. @throws RpcError 108 when its new owner holds enough */
  change({ slug, settings, logo, owner, version, updated_at }: Page): Promise<boolean> {
    const text = `update status_page set settings = ?, logo = ?, owner = ?, version = ?, updated_at = ?
      where slug = ? and version = ? returning slug`;
    const values = [JSON.stringify(settings), logo, owner, version, updated_at];
    const sql = { text, params: [...values, slug, version - 1] };
    return guarded('the page could not be changed', () =>
      this.#counting.within(
        { kind: KIND, owner },
        async (on) => (await rowsOf(on, sql)).length > 0,
      ),
    );
  }

  /** Removes a page with its incidents. @returns false: there was none */
  async remove(slug: string): Promise<boolean> {
    return (
      (await this.#rows('delete from status_page where slug = ? returning slug', [slug])).length > 0
    );
  }

  /** Newest first: what is public, or drafts as well. Index (slug, begins_at). */
  async incidents(slug: string, which: 'public' | 'all'): Promise<Incident[]> {
    const [hidden, most] = which === 'public' ? [0, MOST_INCIDENTS] : [1, 2 * MOST_INCIDENTS];
    const text = `select ${INCIDENT} from status_page_incident where slug = ? and hidden <= ${hidden}
      order by begins_at desc, id desc limit ${most}`;
    return (await this.#rows<IncidentRow>(text, [slug])).map(incidentOf);
  }

  async incident(slug: string, id: number): Promise<Incident | undefined> {
    const text = `select ${INCIDENT} from status_page_incident where slug = ? and id = ? and hidden < 2`;
    const [row] = await this.#rows<IncidentRow>(text, [slug, id]);
    return row && incidentOf(row);
  }

  /** Adds an incident, and deletes those beyond the newest ones of the page. @returns undefined when the page has gone */
  async addIncident(slug: string, incident: Omit<Incident, 'id'>): Promise<Incident | undefined> {
    const { title, text, impact, begins_at, ends_at, updated_at, draft } = incident;
    const [row] = await this.#rows<IncidentRow>(
      `insert into status_page_incident (slug, title, text, impact, begins_at, ends_at, updated_at, hidden)
        select slug, ?, ?, ?, cast(? as bigint), cast(? as bigint), cast(? as bigint), cast(? as smallint) from status_page where slug = ?
        returning ${INCIDENT}`,
      [title, text, impact, begins_at, ends_at, updated_at, Number(draft), slug],
    );
    await guarded('old incidents could not be deleted', () => trimIncidents(this.#db.query, slug));
    return row && incidentOf(row);
  }

  /** @returns false when it has gone */
  async changeIncident(slug: string, incident: Incident): Promise<boolean> {
    const { id, title, text, impact, begins_at, ends_at, updated_at, draft } = incident;
    const sql = `update status_page_incident set title = ?, text = ?, impact = ?, begins_at = ?, ends_at = ?, updated_at = ?,
      hidden = ? where slug = ? and id = ? and hidden < 2 returning id`;
    const values = [title, text, impact, begins_at, ends_at, updated_at, Number(draft), slug, id];
    return (await this.#rows(sql, values)).length > 0;
  }

  /** Removes an incident; one that an outage made is hidden, so that it does not come back. @returns false: there was none */
  async removeIncident(slug: string, id: number): Promise<boolean> {
    const hide = `update status_page_incident set hidden = 2
      where slug = ? and id = ? and outage is not null and hidden < 2 returning id`;
    if ((await this.#rows(hide, [slug, id])).length > 0) return true;
    const text =
      'delete from status_page_incident where slug = ? and id = ? and outage is null returning id';
    return (await this.#rows(text, [slug, id])).length > 0;
  }

  #rows<Row = object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('status pages could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
  }
}

const pageOf = (row: PageRow): Page => ({
  ...row,
  // Pages of earlier versions have no zone.
  settings: { zone: 'UTC', ...(JSON.parse(row.settings) as Omit<Settings, 'zone'>) },
});
const incidentOf = ({ hidden, outage, ...row }: IncidentRow): Incident => ({
  ...row,
  draft: hidden === 1,
  auto: outage !== null,
  id: Number(row.id),
  impact: row.impact as Impact,
});
