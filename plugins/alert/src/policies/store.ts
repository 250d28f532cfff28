import type { Counting, Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { lookAgain } from '../store/look-again.ts';
import type { Policy, PolicyStep } from '../types.ts';

export const DEFAULT_POLICY = 'default';
export const HELD_POLICIES = 'alert-policy';
/** Policies of all tokens, as many of the Super Token, and the first one. */
const MOST_POLICIES = 101;

type Row = Omit<Policy, 'steps' | 'repeat_s' | 'quiet' | 'send_close'> & {
  readonly steps: string;
  readonly repeat_s: string;
  readonly quiet: string | null;
  readonly send_close: number;
};
export type NewPolicy = Omit<Policy, 'id' | 'version'>;

const COLUMNS =
  'id, name, steps, group_by, wait_s, interval_s, repeat_s, quiet, send_close, owner, version';

/** Table `alert_policy`. Every method throws RpcError 103 when the database fails. */
export class PolicyStore {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  all(): Promise<Policy[]> {
    return this.#rows(
      `select ${COLUMNS} from alert_policy order by name limit ${MOST_POLICIES}`,
      [],
    );
  }

  async ownedBy(owner: string): Promise<string[]> {
    const text = `select ${COLUMNS} from alert_policy where owner = ? order by name limit ${MOST_POLICIES}`;
    return (await this.#rows(text, [owner])).map(({ name }) => name);
  }

  /** Stores a policy over the one of its name. @throws RpcError 108 where its owner has too many */
  set(policy: NewPolicy, now: number): Promise<Policy> {
    const { name, steps, group_by, wait_s, interval_s, repeat_s, quiet, send_close, owner } =
      policy;
    const text = `insert into alert_policy (name, steps, group_by, wait_s, interval_s, repeat_s, quiet, send_close, owner, version, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
        on conflict (name) do update set steps = excluded.steps, group_by = excluded.group_by,
          wait_s = excluded.wait_s, interval_s = excluded.interval_s, repeat_s = excluded.repeat_s,
          quiet = excluded.quiet, send_close = excluded.send_close, owner = excluded.owner,
          version = alert_policy.version + 1, updated_at = excluded.updated_at
        returning ${COLUMNS}`;
    const params = [
      ...[name, JSON.stringify(steps), group_by, wait_s, interval_s, JSON.stringify(repeat_s)],
      ...[quiet && JSON.stringify(quiet), send_close ? 1 : 0, owner, now],
    ];
    const change = { kind: HELD_POLICIES, owner, alone: 'alert_policy' };
    return guarded(FAILED, () =>
      this.#counting.within(change, async (trx) => {
        const [stored] = await this.#rows(text, params, trx);
        const where = `coalesce(policy, '${DEFAULT_POLICY}') = ?`;
        await lookAgain(trx, this.#db, { where, params: [name] }, now);
        return stored as Policy;
      }),
    );
  }

  /** Makes the policy of rules that name none, unless it is there. */
  async makeDefault(policy: NewPolicy, now: number): Promise<void> {
    const { name, steps, group_by, wait_s, interval_s, repeat_s, send_close } = policy;
    const row = { name, steps: JSON.stringify(steps), group_by, wait_s, interval_s };
    const more = { repeat_s: JSON.stringify(repeat_s), send_close: send_close ? 1 : 0 };
    await guarded('the policy could not be stored', () =>
      this.#db
        .query('alert_policy')
        .insert({ ...row, ...more, quiet: null, owner: null, version: 1, updated_at: now })
        .onConflict('name')
        .ignore(),
    );
  }

  /** Removes a policy that no rule names. @returns `used`: some rule does; false: there is none */
  async remove(name: string): Promise<boolean | 'used'> {
    const gone = await this.#rows(
      `delete from alert_policy where name = ? and not exists
        (select 1 from alert_rule where policy = ? and deleted = 0) returning ${COLUMNS}`,
      [name, name],
    );
    if (gone.length > 0) return true;
    const there = await this.#rows(`select ${COLUMNS} from alert_policy where name = ?`, [name]);
    return there.length > 0 ? 'used' : false;
  }

  async #rows(
    text: string,
    params: readonly SqlValue[],
    on: QueryBuilder = this.#db.query,
  ): Promise<Policy[]> {
    const rows = await guarded(FAILED, () => rowsOf<Row>(on, { text, params }));
    return rows.map(policyOf);
  }
}

const FAILED = 'policies could not be read or changed';

const policyOf = (row: Row): Policy => ({
  ...row,
  id: Number(row.id),
  steps: JSON.parse(row.steps) as PolicyStep[],
  repeat_s: JSON.parse(row.repeat_s) as Policy['repeat_s'],
  quiet: row.quiet === null ? null : (JSON.parse(row.quiet) as Policy['quiet']),
  send_close: row.send_close === 1,
});
