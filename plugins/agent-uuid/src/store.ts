import { type Database, guarded, marks, type QueryBuilder, RpcError } from '@svc/plugin-sdk';
import type { Agent } from './api.ts';
import { tooManyAgents } from './permissions.ts';

interface Row {
  readonly id: number;
  readonly uuid: string;
  readonly soft_delete: boolean | number;
  readonly deleted_at: number | null;
}

/** Every SQL statement of the registry. Failures of the database become 103 with a neutral text. */
export interface AgentStore {
  all(): Promise<Agent[]>;
  /** The rows of these UUIDs; unknown ones are left out. */
  byUuid(uuids: readonly string[]): Promise<Agent[]>;
  /** Inserts the agents or clears their soft-delete flag. @throws RpcError 103 */
  activate(uuids: readonly string[]): Promise<Agent[]>;
  /** The same for one agent. @throws RpcError 102 when more than `limit` agents would be active, 103 */
  activateWithin(uuid: string, limit: number): Promise<Agent>;
  /** @returns false when no such row exists */
  softDelete(uuid: string, at: number): Promise<boolean>;
  uuidSql(column: string): string;
}

export function openAgentStore(db: Database): AgentStore {
  const { uuid: key, uuidText: text } = db.forms;
  const columns = `id, ${text('uuid')} as uuid, soft_delete, deleted_at`;

  const byUuid = async (uuids: readonly string[]): Promise<Agent[]> => {
    if (uuids.length === 0) return [];
    const sql = `select ${columns} from monitoring_uuid where uuid in (${marks(uuids.length)})`;
    return (await db.all<Row>(sql, uuids.map(key))).map(agentOf);
  };

  return {
    async all() {
      return (await db.all<Row>(`select ${columns} from monitoring_uuid`)).map(agentOf);
    },

    byUuid: (uuids) => guarded('agent lookup failed', () => byUuid(uuids)),

    activate: (uuids) =>
      guarded(REGISTRATION, async () => {
        // Sorted, so that two servers cannot wait for each other's rows.
        const rows = [...uuids].sort().map((uuid) => ({ uuid: key(uuid), soft_delete: false }));
        await db.query('monitoring_uuid').insert(rows).onConflict('uuid').merge(ACTIVE);
        return byUuid(uuids);
      }),

    activateWithin: (uuid, limit) =>
      guarded(REGISTRATION, async () => {
        const row = { uuid: key(uuid), soft_delete: false };
        const add = async (trx: QueryBuilder) => {
          await trx('monitoring_uuid').insert(row).onConflict('uuid').merge(ACTIVE);
          await refuseBeyond(trx, limit);
        };
        // Alone: the count is exact over several servers.
        await db.transaction(add, { alone: 'monitoring_uuid' });
        const [agent] = await byUuid([uuid]);
        if (!agent) throw new Error('the registered agent is gone');
        return agent;
      }),

    softDelete: (uuid, at) =>
      guarded('Failed to soft delete agent UUID: update failed', async () => {
        const change = { soft_delete: true, deleted_at: at };
        return (
          (await db
            .query('monitoring_uuid')
            .where({ uuid: key(uuid) })
            .update(change)) > 0
        );
      }),

    uuidSql: (column) =>
      `(select ${text('monitoring_uuid.uuid')} from monitoring_uuid where monitoring_uuid.id = ${column})`,
  };
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
});

const REGISTRATION = 'UUID cache error: registration failed';
const ACTIVE = { soft_delete: false, deleted_at: null };
