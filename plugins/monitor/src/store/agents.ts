import type { Database } from '@svc/plugin-sdk';
import { member, readRows, slices, writeRows } from './sql.ts';

/** Agents that are read at most. */
const MOST = 20_000;

/** An agent that takes monitors. */
export interface SeenAgent {
  readonly agent_id: number;
  /** Unix ms at which some server had its registration last. */
  readonly seen_at: number;
  /** Kinds of tasks whose checks its own configuration allows. */
  readonly kinds: readonly string[];
}

/** Table `monitor_agent`, by which all servers choose the same agents. Methods throw RpcError 103 when the database fails. */
export class AgentStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Says that these agents are registered now. */
  async seen(agents: readonly SeenAgent[]): Promise<void> {
    const text = `insert into monitor_agent (agent_id, seen_at, kinds)
      select ${member(0, 'integer')}, ${member(1, 'bigint')}, ${member(2, 'text')}
      from ${this.#db.forms.elements} as v where true order by 1
      on conflict (agent_id) do update set seen_at = excluded.seen_at, kinds = excluded.kinds
      where monitor_agent.seen_at <= excluded.seen_at returning agent_id`;
    for (const some of slices(agents)) {
      const rows = some.map(({ agent_id, seen_at, kinds }) => [agent_id, seen_at, kinds.join(' ')]);
      await writeRows(this.#db.query, text, [JSON.stringify(rows)]);
    }
  }

  async all(): Promise<SeenAgent[]> {
    const columns = 'agent_id, seen_at, kinds';
    const sql = `select ${columns} from monitor_agent order by seen_at desc limit ${MOST}`;
    type Row = Omit<SeenAgent, 'kinds'> & { readonly kinds: string };
    const rows = await readRows<Row>(this.#db, { columns, sql, params: [] });
    return rows.map(({ agent_id, seen_at, kinds }) => ({
      ...{ agent_id, seen_at: Number(seen_at) },
      kinds: kinds.split(' ').filter(Boolean),
    }));
  }
}
