import { type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Agent, FirstCheck } from './api.ts';
import { NOT_ADMITTED, tooManyAgents } from './permissions.ts';

interface Row {
  readonly id: number;
  readonly uuid: string;
  readonly soft_delete: boolean | number;
  readonly deleted_at: number | null;
  readonly first_seen: number | null;
}

/** Rows of `monitoring_uuid`. Failures of the database become 103 with a neutral text. */
export class AgentStore {
  readonly #db: Database;
  readonly #columns: string;
  readonly #checks: FirstCheck[] = [];

  constructor(db: Database) {
    this.#db = db;
    this.#columns = `id, ${db.forms.uuidText('uuid')} as uuid, soft_delete, deleted_at, first_seen`;
  }

  checkFirst(check: FirstCheck): void {
    this.#checks.push(check);
  }

  async all(): Promise<Agent[]> {
    const sql = `select ${this.#columns} from monitoring_uuid`;
    return (await this.#db.all<Row>(sql)).map(agentOf);
  }

  /** The rows of these UUIDs; unknown ones are left out. */
  byUuid(uuids: readonly string[]): Promise<Agent[]> {
    return guarded('agent lookup failed', () => this.#read(uuids));
  }

  /**
   * Inserts the agents, first seen at `now`, or clears their soft-delete flag. Those that a check refuses are left out.
   * @throws RpcError 103
   */
  activate(uuids: readonly string[], now: number): Promise<Agent[]> {
    const { forms, query } = this.#db;
    // Sorted, so that two servers cannot wait for each other's rows.
    const sorted = [...uuids].sort();
    const add = async (on: QueryBuilder) => {
      const refused = await this.#refused(on, sorted);
      const taken = sorted.filter((uuid) => !refused.has(uuid));
      const rows = taken.map((uuid) => newRow(forms.uuid(uuid), now));
      if (rows.length > 0)
        await on('monitoring_uuid').insert(rows).onConflict('uuid').merge(ACTIVE);
      return taken;
    };
    return guarded(REGISTRATION, async () =>
      this.#read(await (this.#checks.length > 0 ? this.#db.transaction(add) : add(query))),
    );
  }

  /** The same for one agent. @throws RpcError 102 when more than `limit` agents would be active, 103 */
  activateWithin(uuid: string, limit: number, now: number): Promise<Agent> {
    return guarded(REGISTRATION, async () => {
      const row = newRow(this.#db.forms.uuid(uuid), now);
      const add = async (trx: QueryBuilder) => {
        const refused = await this.#refused(trx, [uuid]);
        if (refused.has(uuid)) throw RpcError.denied(NOT_ADMITTED);
        await trx('monitoring_uuid').insert(row).onConflict('uuid').merge(ACTIVE);
        await refuseBeyond(trx, limit);
      };
      // Alone: the count is exact over several servers.
      await this.#db.transaction(add, { alone: 'monitoring_uuid' });
      const [agent] = await this.#read([uuid]);
      if (!agent) throw new Error('the registered agent is gone');
      return agent;
    });
  }

  /** @returns false when no such row exists */
  softDelete(uuid: string, at: number): Promise<boolean> {
    const { forms, query } = this.#db;
    return guarded('Failed to soft delete agent UUID: update failed', async () => {
      const rows = query('monitoring_uuid').where({ uuid: forms.uuid(uuid) });
      return (await rows.update({ soft_delete: true, deleted_at: at })) > 0;
    });
  }

  uuidSql(column: string): string {
    const uuid = this.#db.forms.uuidText('monitoring_uuid.uuid');
    return `(select ${uuid} from monitoring_uuid where monitoring_uuid.id = ${column})`;
  }

  isStoredSql(): string {
    return 'exists (select 1 from monitoring_uuid where monitoring_uuid.uuid = ?)';
  }

  async #refused(on: QueryBuilder, uuids: readonly string[]): Promise<ReadonlySet<string>> {
    const refused = new Set<string>();
    for (const check of this.#checks) for (const uuid of await check(on, uuids)) refused.add(uuid);
    return refused;
  }

  async #read(uuids: readonly string[]): Promise<Agent[]> {
    if (uuids.length === 0) return [];
    const sql = `select ${this.#columns} from monitoring_uuid where uuid in (${marks(uuids.length)})`;
    return (await this.#db.all<Row>(sql, uuids.map(this.#db.forms.uuid))).map(agentOf);
  }
}

async function refuseBeyond(trx: QueryBuilder, limit: number): Promise<void> {
  const [count] = await trx('monitoring_uuid').where({ soft_delete: false }).count({ n: '*' });
  if (Number(count?.['n']) > limit) throw RpcError.denied(tooManyAgents(limit));
}

const agentOf = (row: Row): Agent => ({
  id: row.id,
  uuid: row.uuid,
  soft_delete: Boolean(row.soft_delete),
  deleted_at: row.deleted_at,
  first_seen: row.first_seen,
});

const REGISTRATION = 'UUID cache error: registration failed';
const newRow = (uuid: SqlValue, now: number) => ({ uuid, soft_delete: false, first_seen: now });
const ACTIVE = { soft_delete: false, deleted_at: null };
