import type { Database, Logger } from '@svc/plugin-sdk';
import { guarded, marks, rowsOf } from '@svc/plugin-sdk/sql';
import type { TaskResult } from '../result.ts';

/** A longer text is no version. */
const MOST_CHARS = 100;
/** Agents that are looked up one by one: of more, all are read. */
const FEW_AGENTS = 200;
const MOST_BYTES = 64 * 2 ** 20;

/** Table `task_version`. */
export class VersionStore {
  readonly #db: Database;

  readonly #log: Logger;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Stores the version that a result reports, if it does. Never rejects: the result is stored already. */
  async record(uuid: string, result: TaskResult): Promise<void> {
    if (!('version' in result) || result.version.cargo_version.length > MOST_CHARS) return;
    try {
      await this.#put(uuid, result.version.cargo_version);
    } catch (error) {
      this.#log.warn('the version of an agent could not be stored', { agent_uuid: uuid, error });
    }
  }

  async #put(uuid: string, version: string): Promise<void> {
    const text = `insert into task_version (uuid, version) values (?, ?)
      on conflict (uuid) do update set version = excluded.version returning version`;
    const params = [this.#db.forms.uuid(uuid), version];
    await rowsOf(this.#db.query, { text, params });
  }

  /** `[uuid, version]` of those that have said one; of others, too, where many are asked for. @throws RpcError 103 */
  read(
    uuids: readonly string[],
    call: { readonly signal: AbortSignal; readonly share: string },
  ): Promise<[uuid: string, version: string][]> {
    const { forms } = this.#db;
    const isFew = uuids.length <= FEW_AGENTS;
    const where = isFew ? `where uuid in (${marks(uuids.length)})` : '';
    const sql = `select concat('[', ${forms.jsonText(forms.uuidText('uuid'))}, ',',
      ${forms.jsonText('version')}, ']') from task_version ${where}`;
    return guarded('versions could not be read', async () => {
      const options = { maxBytes: MOST_BYTES, ...call };
      const { text } = await this.#db.jsonArray(sql, isFew ? uuids.map(forms.uuid) : [], options);
      return JSON.parse(Buffer.from(text as string).toString());
    });
  }
}
