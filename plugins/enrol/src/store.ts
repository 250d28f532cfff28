import type { Counting, Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Time for which codes that have ended are shown; a machine that came with one may still connect. */
export const KEPT_MS = 7 * 86_400_000;

/** A row of `enrol_code` without its hash. Times are Unix ms. */
export interface Code {
  readonly id: number;
  readonly name: string | null;
  readonly tags: readonly string[];
  /** Key of the token that made it; null: the Super Token. */
  readonly owner: string | null;
  readonly uses: number;
  readonly used: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly last_agent: string | null;
  readonly last_at: number | null;
}

export type NewCode = Pick<
  Code,
  'name' | 'tags' | 'owner' | 'uses' | 'created_at' | 'expires_at'
> & {
  readonly hash: string;
};

type Row = Omit<Code, 'tags'> & { readonly tags: string };

const COLUMNS =
  'id, name, tags, owner, uses, used, created_at, expires_at, revoked_at, last_agent, last_at';
const IS_VALID = 'id = ? and expires_at > ? and revoked_at is null';

/** Table `enrol_code`. Every method throws RpcError 103 when the database fails. */
export class Store {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  /** Inserts a code, and deletes those that ended some days ago. @throws RpcError 108 when its owner holds enough */
  insert({ tags, ...code }: NewCode): Promise<number> {
    const work = async (trx: QueryBuilder) => {
      const gone = 'delete from enrol_code where expires_at < ? returning id';
      await rowsOf(trx, { text: gone, params: [code.created_at - KEPT_MS] });
      const row = { ...code, used: 0, tags: JSON.stringify(tags) };
      const [made] = await trx('enrol_code').insert(row).returning('id');
      return Number((made as { id: number }).id);
    };
    return guarded('the enrolment code could not be stored', () =>
      this.#counting.within({ kind: 'enrolment-code', owner: code.owner }, work),
    );
  }

  /** Returns all codes, newest first. */
  async all(): Promise<Code[]> {
    return (await this.#rows(`select ${COLUMNS} from enrol_code order by id desc`, [])).map(codeOf);
  }

  async find(id: number): Promise<Code | undefined> {
    const [row] = await this.#rows(`select ${COLUMNS} from enrol_code where id = ?`, [id]);
    return row && codeOf(row);
  }

  /** Finds a code, valid or not. Index on `hash`. */
  async byHash(hash: string): Promise<Code | undefined> {
    const [row] = await this.#rows(`select ${COLUMNS} from enrol_code where hash = ?`, [hash]);
    return row && codeOf(row);
  }

  /**
   * Takes one use, in one statement: two machines with one code come one after the other. `also` is done in the same
   * transaction. @returns undefined: there is none
   */
  takeUse(
    id: number,
    now: number,
    also: (on: QueryBuilder) => Promise<void>,
  ): Promise<Code | undefined> {
    const text = `update enrol_code set used = used + 1 where ${IS_VALID} and used < uses returning ${COLUMNS}`;
    const work = async (trx: QueryBuilder) => {
      const [row] = await rowsOf<Row>(trx, { text, params: [id, now] });
      if (row) await also(trx);
      return row && codeOf(row);
    };
    return guarded('the use of an enrolment code could not be taken', () =>
      this.#db.transaction(work),
    );
  }

  async came(id: number, uuid: string, now: number): Promise<void> {
    const text = 'update enrol_code set last_agent = ?, last_at = ? where id = ? returning id';
    await this.#rows(text, [uuid, now, id]);
  }

  /** Revokes a code; one that was revoked before keeps its time. */
  async revoke(id: number, now: number): Promise<void> {
    const text =
      'update enrol_code set revoked_at = coalesce(revoked_at, cast(? as bigint)) where id = ? returning id';
    await this.#rows(text, [now, id]);
  }

  #rows(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('enrolment codes could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
  }
}

const codeOf = (row: Row): Code => ({
  ...row,
  id: Number(row.id),
  tags: JSON.parse(row.tags) as string[],
});
