import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { guarded, type Integer, marks, rowsOf, type SqlValue, whereAll } from '@svc/plugin-sdk/sql';
import type { Mark, Row, SignedMark } from './entry.ts';

/** Signed end of a chain as it is stored, and what the open segment holds. */
export interface ChainRow extends SignedMark {
  readonly id: number;
  readonly chain: string;
  readonly server_uuid: string;
  readonly public_key: string;
  readonly segment_bytes: number;
  /** Unix ms of the first row of the open segment; 0: it has none. */
  readonly segment_at: number;
  /** 1: the end is stored in a file of its server, too. */
  readonly outside: number;
  /** Last row that the outlet has taken; -1: there was no outlet yet. */
  readonly sent: number;
}

/** Signed end of a segment. */
export interface Checkpoint extends SignedMark {
  /** Bytes of the rows of the segment. */
  readonly bytes: number;
}

export interface Filter {
  readonly from?: Integer | null | undefined;
  readonly to?: Integer | null | undefined;
  readonly token?: string | null | undefined;
  readonly method?: string | null | undefined;
  readonly target?: string | null | undefined;
  readonly address?: string | null | undefined;
  readonly server_uuid?: string | null | undefined;
  /** Filter: true for successful events only, false for refused ones only. */
  readonly success?: boolean | null | undefined;
}

/** Position in the order of answers. */
export interface Place {
  readonly at: number;
  readonly chain: number;
  readonly seq: number;
}

const MARK = 'seq, hash, at, base, signature';
const CHAIN = `id, chain, server_uuid, public_key, ${MARK}, segment_bytes, segment_at, outside, sent`;
const COLUMNS = 'seq at token name method target address transport outcome count hash'.split(' ');
const NUMBERS = new Set(['chain_id', 'seq', 'at', 'outcome', 'count']);
const ROW = COLUMNS.join(', ');
/** Rows of one deleting statement: reports wait no longer than these take. */
const BATCH_ROWS = 100;

/** Every SQL statement of this plugin. Failures of the database are 103 with a neutral text. */
export class Store {
  readonly #db: Database;
  readonly #insert: string;

  constructor(db: Database) {
    this.#db = db;
    // One text for any number of rows: a list of values costs three times as much to make.
    const values = COLUMNS.map((column) =>
      NUMBERS.has(column) ? `cast(value->>'${column}' as bigint)` : `value->>'${column}'`,
    );
    this.#insert = `insert into audit (chain_id, ${ROW}) select cast(? as bigint), ${values.join(', ')} from ${db.forms.elements}`;
  }

  chains(): Promise<ChainRow[]> {
    return this.#all(`select ${CHAIN} from audit_chain order by id`);
  }

  async chain(name: string): Promise<ChainRow | undefined> {
    const [row] = await this.#all<ChainRow>(`select ${CHAIN} from audit_chain where chain = ?`, [
      name,
    ]);
    return row;
  }

  /** Tells whether each migration was applied. */
  async isComplete(): Promise<boolean> {
    const { schema } = this.#db.query;
    return (await schema.hasTable('audit_chain')) && schema.hasColumn('audit_chain', 'sent');
  }

  /** Marks the files of all servers as those of another database: each begins a new one. */
  async forgetOutside(): Promise<void> {
    await this.#db.query('audit_chain').update({ outside: 0 });
  }

  /** Adds a chain, unless another process of the server was first. */
  async addChain(row: Omit<ChainRow, 'id' | 'outside' | 'sent'>): Promise<void> {
    await guarded('the chain could not be stored', async () => {
      await this.#db
        .query('audit_chain')
        .insert({ ...row })
        .onConflict('chain')
        .ignore();
    });
  }

  async last(chain: number): Promise<Pick<Row, 'seq' | 'hash'> | undefined> {
    const text = 'select seq, hash from audit where chain_id = ? order by seq desc limit 1';
    return (await this.#all<Row>(text, [chain]))[0];
  }

  async keepSent(id: number, sent: number): Promise<void> {
    await this.#db.query('audit_chain').where({ id }).update({ sent });
  }

  async hashOf(chain: number, seq: number): Promise<string | undefined> {
    const text = 'select seq, hash from audit where chain_id = ? and seq = ?';
    return (await this.#all<Row>(text, [chain, seq]))[0]?.hash;
  }

  /** Rows after this one, in their order. Index (chain_id, seq). */
  rows(chain: number, after: number, most: number): Promise<Row[]> {
    const text = `select ${ROW} from audit where chain_id = ? and seq > ? order by seq limit ?`;
    return this.#all(text, [chain, after, most]);
  }

  /** Rows from this one on, in their order. */
  checkpoints(chain: number, from: number, to = Number.MAX_SAFE_INTEGER): Promise<Checkpoint[]> {
    const text = `select ${MARK}, bytes from audit_checkpoint
      where chain_id = ? and seq >= ? and seq <= ? order by seq`;
    return this.#all(text, [chain, from, to]);
  }

  /**
   * Appends rows to a chain, with its new end and the checkpoint of a segment that is full.
   * @returns false: another process of this server has changed the chain since `from` was read
   */
  append(
    id: number,
    from: Mark,
    {
      to,
      rows,
      checkpoint,
    }: {
      readonly to: Partial<ChainRow>;
      readonly rows: readonly Row[];
      readonly checkpoint?: Checkpoint | undefined;
    },
  ): Promise<boolean> {
    const { seq, hash, base } = from;
    return this.#db.transaction(async (trx) => {
      const moved = await trx('audit_chain').where({ id, seq, hash, base }).update(to);
      if (moved === 0) return false;
      if (rows.length > 0) await trx.raw(this.#insert, [id, JSON.stringify(rows)]);
      if (checkpoint) await trx('audit_checkpoint').insert({ chain_id: id, ...checkpoint });
      return true;
    });
  }

  /** Tells whether another row has the position: the table does not match its chain. */
  isTaken(error: unknown): boolean {
    return this.#db.isUniqueViolation(error);
  }

  /** Logins since then, of all servers, newest first. Index (at desc). */
  async logins(since: number, most: number): Promise<Pick<Row, 'token' | 'address' | 'at'>[]> {
    const text = `select token, address, at from audit where at >= ? and method = 'login' and outcome = 0
      order by at desc limit ?`;
    const rows = await this.#all<Row>(text, [since, most]);
    return rows.map(({ token, address, at }) => ({ token, address, at: Number(at) }));
  }

  /** Bytes of all rows that no retention has removed, as checkpoints count them. */
  async bytes(): Promise<number> {
    const [sum] = await this.#all<{ bytes: number }>(`select cast(
      (select coalesce(sum(c.bytes), 0) from audit_checkpoint c
        join audit_chain h on h.id = c.chain_id where c.seq > h.base) +
      (select coalesce(sum(segment_bytes), 0) from audit_chain) as bigint) as bytes`);
    return Number(sum?.bytes ?? 0);
  }

  /** Deletes some rows up to this one. @returns whether there may be more */
  async removeRows(chain: number, upTo: number): Promise<boolean> {
    const text = `delete from audit where chain_id = ? and seq in
      (select seq from audit where chain_id = ? and seq <= ? order by seq limit ${BATCH_ROWS})
      returning seq`;
    const gone = await guarded('old rows could not be deleted', () =>
      rowsOf(this.#db.query, { text, params: [chain, chain, upTo] }),
    );
    return gone.length === BATCH_ROWS;
  }

  async removeCheckpoints(chain: number, before: number): Promise<void> {
    const text = 'delete from audit_checkpoint where chain_id = ? and seq < ?';
    await this.#db.query.raw(text, [chain, before]);
  }

  async removeChain(id: number): Promise<void> {
    await this.#db.query('audit_chain').where({ id }).delete();
  }

  /** Ids of chains that have rows, among them those whose chain is gone. */
  async chainsOfRows(): Promise<number[]> {
    const found: number[] = [];
    for (let after = 0; ; ) {
      const text = 'select min(chain_id) as id from audit where chain_id > ?';
      const [row] = await this.#all<{ id: number | null }>(text, [after]);
      if (row?.id === null || row === undefined) return found;
      after = Number(row.id);
      found.push(after);
    }
  }

  /** Rows, newest first, each an array in the order of `QUERY_COLUMNS`; off the event loop. Index (at desc, chain_id, seq). */
  query(
    filter: Filter,
    before: Place | undefined,
    { limit, ...options }: { limit: number; maxBytes: number; signal: AbortSignal },
  ): Promise<RawJson> {
    const where = whereAll(conditionsOf(filter, before));
    const { jsonText, jsonPlain } = this.#db.forms;
    const columns = QUERY_COLUMNS.map((column) =>
      NUMBERS.has(column.slice(2)) ? jsonPlain(column) : jsonText(column),
    );
    const text = `select concat('[', ${columns.join(", ',', ")}, ']') as json
      from audit r join audit_chain h on h.id = r.chain_id ${where.text}
      order by r.at desc, r.chain_id desc, r.seq desc limit ?`;
    const params = [...where.params, limit];
    return guarded('query failed', () => this.#db.jsonArray(text, params, options));
  }

  #all<T extends object>(text: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return guarded('the audit could not be read', () => this.#db.all<T>(text, params));
  }
}

/** Columns in the order of `StoredRow`. */
export const QUERY_COLUMNS = [
  ...['r.chain_id', 'h.chain', 'h.server_uuid', 'r.seq', 'r.at', 'r.token', 'r.name', 'r.method'],
  ...['r.target', 'r.address', 'r.transport', 'r.outcome', 'r.count', 'r.hash'],
];

type Condition = readonly [text: string, ...values: SqlValue[]];

function conditionsOf(filter: Filter, before: Place | undefined): Condition[] {
  const { from, to, token, method, target, address, server_uuid, success } = filter;
  const found: Condition[] = [];
  const add = (text: string, ...values: readonly (SqlValue | undefined)[]) => {
    if (values.every((value) => value !== undefined && value !== null))
      found.push([text, ...(values as SqlValue[])]);
  };
  add('r.at >= ?', from);
  add('r.at <= ?', to);
  add('r.token = ?', token);
  add('r.method = ?', method);
  add('r.target = ?', target);
  add('r.address = ?', address);
  add('h.server_uuid = ?', server_uuid);
  if (typeof success === 'boolean') found.push([`r.outcome ${success ? '=' : '<>'} 0`]);
  if (before) {
    const { at, chain, seq } = before;
    add('r.at <= ?', at);
    add(`(r.at, r.chain_id, r.seq) < (${marks(3)})`, at, chain, seq);
  }
  return found;
}
