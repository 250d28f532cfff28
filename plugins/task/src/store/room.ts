import type { Database } from '@svc/plugin-sdk';
import { guarded, marks } from '@svc/plugin-sdk/sql';

/** Agents of one statement. */
const CHUNK = 500;

/** Limit of the bytes that the tasks of one agent may take. The database itself counts them, in table `task_usage`. */
export class Room {
  readonly #db: Database;
  readonly #maxBytes: () => number;

  /** `maxBytes`: of the tasks of one agent; 0: no limit. */
  constructor(db: Database, maxBytes: () => number) {
    this.#db = db;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns those of these agents that have no room for so many bytes more. Rows that are written at the same moment may
   * exceed the limit together. @throws RpcError 103
   */
  async without(uuids: readonly string[], bytes: number): Promise<ReadonlySet<string>> {
    const full = new Set<string>();
    const most = this.#maxBytes();
    if (most === 0) return full;
    const { uuid: bound, uuidText } = this.#db.forms;
    for (let at = 0; at < uuids.length; at += CHUNK) {
      const some = uuids.slice(at, at + CHUNK);
      const text = `select ${uuidText('owner')} as uuid from task_usage
        where owner in (${marks(some.length)}) and bytes >= ?`;
      const params = [...some.map(bound), most - bytes];
      const found = await guarded('the size of the tasks could not be read', () =>
        this.#db.all<{ uuid: string }>(text, params),
      );
      for (const { uuid } of found) full.add(uuid);
      if (bytes >= most) for (const uuid of some) full.add(uuid);
    }
    return full;
  }

  /** Text for callers about what `without` found. */
  text(uuid: string): string {
    return `the tasks of agent ${uuid} hold as many bytes as max_result_bytes under [task] allows (${this.#maxBytes()}): delete some with task_delete, limit their age with database_limit_task, or have the key raised`;
  }
}
