import { SEVERITIES } from '@svc/plugin-notify/api';
import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { lookAgain } from './look-again.ts';
import { readRows } from './read.ts';
import { RULE, type RuleRow, ruleOf, type StoredRule } from './rows.ts';

export const HELD = 'alert-rule';

/** Rule as it is written: without what the database gives. */
export type NewStoredRule = Omit<StoredRule, 'id'>;

/** Table `alert_rule`. Each change moves `rules_version`, by which servers see that they have to read again. */
export class RuleStore {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  /** Every rule, default ones that were deleted included. */
  async all(): Promise<StoredRule[]> {
    const rows = await readRows<RuleRow>(
      this.#db,
      RULE,
      `select ${RULE} from alert_rule order by name`,
      [],
    );
    return rows.map(ruleOf);
  }

  async named(name: string): Promise<StoredRule | undefined> {
    const text = `select ${RULE} from alert_rule where name = ? and deleted = 0`;
    const [row] = await this.#rows<RuleRow>(text, [name]);
    return row && ruleOf(row);
  }

  async version(): Promise<number> {
    const text = 'select rules_version from alert_state where id = 1';
    const [row] = await readRows<{ rules_version: number }>(this.#db, 'rules_version', text, []);
    return Number(row?.rules_version ?? 0);
  }

  async hasPolicy(name: string): Promise<boolean> {
    return (await this.#rows('select id from alert_policy where name = ?', [name])).length > 0;
  }

  /** @throws RpcError 108 when the name is taken, or the owner holds enough */
  insert(rule: NewStoredRule): Promise<StoredRule> {
    return this.#within('the rule could not be stored', rule.owner, async (trx) => {
      await this.demandName(rule.name, 0, trx);
      const names = Object.keys(valuesOf(rule));
      const text = `insert into alert_rule (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning ${RULE}`;
      const [row] = await rowsOf<RuleRow>(trx, { text, params: Object.values(valuesOf(rule)) });
      return ruleOf(row as RuleRow);
    });
  }

  /** Adds default rules that are not there yet; a name that people took gets a number. */
  insertShipped(rules: readonly NewStoredRule[]): Promise<void> {
    return guarded('the default rules could not be stored', () =>
      this.#db.transaction(
        async (trx) => {
          for (const rule of rules) {
            const shipped = {
              text: 'select id from alert_rule where shipped = ?',
              params: [rule.shipped],
            };
            if ((await rowsOf(trx, shipped)).length > 0) continue;
            const name = await this.#freeName(trx, rule.name);
            await trx('alert_rule').insert(valuesOf({ ...rule, name }));
          }
          await moveVersion(trx);
        },
        { alone: 'alert_rule' },
      ),
    );
  }

  /**
   * Stores a rule over its version before. After a change of its policy channels that are new to it hear of what is open.
   * @returns undefined when it has gone, or is of another version than the one before. @throws RpcError 108 as `insert`
   */
  change(rule: StoredRule, hasNewPolicy = false): Promise<StoredRule | undefined> {
    return this.#within('the rule could not be changed', rule.owner, async (trx) => {
      await this.demandName(rule.name, rule.id, trx);
      const values = Object.entries(valuesOf(rule));
      const text = `update alert_rule set ${values.map(([name]) => `${name} = ?`).join(', ')}
        where id = ? and version = ? returning ${RULE}`;
      const params = [...values.map(([, value]) => value), rule.id, rule.version - 1];
      const [row] = await rowsOf<RuleRow>(trx, { text, params });
      const open = { where: 'id = ?', params: [rule.id] };
      if (row && hasNewPolicy) await lookAgain(trx, this.#db, open, rule.updated_at);
      return row && ruleOf(row);
    });
  }

  /** @returns false when it has gone */
  remove(id: number): Promise<boolean> {
    return guarded('the rule could not be deleted', () =>
      this.#db.transaction(async (trx) => {
        const text = 'delete from alert_rule where id = ? returning id';
        const gone = await rowsOf(trx, { text, params: [id] });
        await moveVersion(trx);
        return gone.length > 0;
      }),
    );
  }

  #within<T>(what: string, owner: string | null, work: (trx: QueryBuilder) => Promise<T>) {
    return guarded(what, () =>
      this.#counting.within({ kind: HELD, owner, alone: 'alert_rule' }, async (trx) => {
        const result = await work(trx);
        await moveVersion(trx);
        return result;
      }),
    );
  }

  /** @throws RpcError 108 when another rule has this name */
  async demandName(name: string, id = 0, on: QueryBuilder = this.#db.query): Promise<void> {
    const sql = {
      text: 'select id from alert_rule where name = ? and id <> ?',
      params: [name, id],
    };
    if ((await rowsOf(on, sql)).length > 0)
      throw RpcError.invalid(`there is a rule '${name}' already: choose another name`);
  }

  async #freeName(trx: QueryBuilder, name: string): Promise<string> {
    for (let n = 1; ; n++) {
      const wanted = n === 1 ? name : `${name} (${n})`;
      const sql = { text: 'select id from alert_rule where name = ?', params: [wanted] };
      if ((await rowsOf(trx, sql)).length === 0) return wanted;
    }
  }

  #rows<Row = object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('rules could not be read', () => rowsOf<Row>(this.#db.query, { text, params }));
  }
}

const moveVersion = (trx: QueryBuilder) =>
  rowsOf(trx, {
    text: 'update alert_state set rules_version = rules_version + 1 where id = 1 returning id',
    params: [],
  });

function valuesOf(rule: NewStoredRule): Record<string, SqlValue> {
  const { name, source, condition, clear, for_s, clear_for_s, policy, repeat_s } = rule;
  const { summary, runbook, shipped, owner, version, meaning, created_at, updated_at } = rule;
  const { slow_at } = rule;
  const texts = { name, source, condition, clear, policy, summary, runbook, shipped, owner };
  return {
    ...texts,
    ...{ for_s, clear_for_s, repeat_s, version, meaning, created_at, updated_at, slow_at },
    enable: Number(rule.enable),
    notify: Number(rule.notify),
    deleted: Number(rule.deleted),
    severity: SEVERITIES.indexOf(rule.severity),
    scope: JSON.stringify(rule.scope),
    labels: JSON.stringify(rule.labels),
    touched: JSON.stringify(rule.touched),
  };
}
