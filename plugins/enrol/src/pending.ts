import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { guarded, type Kernel, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk';

/** A machine that came with a code connects within seconds: its installer waits 20 s for it. */
const HOLD_MS = 30_000;
/** Machines that are read at once. */
const BATCH = 100;
const OLDEST = 'order by came_at, agent limit';

/** A row of `enrol_pending`: a machine that came with a code and has not reported yet. */
export interface Pending {
  readonly agent: string;
  /** Empty while its token is being made. */
  readonly token_key: string;
  /** Unix ms. */
  readonly came_at: number;
}

/** Table `enrol_pending`. Every method throws RpcError 103 when the database fails. */
export class PendingMachines {
  readonly #kernel: Kernel<unknown>;

  constructor(kernel: Kernel<unknown>) {
    this.#kernel = kernel;
  }

  /** Without reports nobody knows whether a machine has connected: a use is for good at once. */
  get areKept(): boolean {
    return this.#kernel.methods.has('agent_report_dynamic_summary');
  }

  /** In the transaction that takes a use: whoever finds the use taken finds the machine, too. */
  async add(on: QueryBuilder, code: number, agent: string): Promise<void> {
    const text =
      "insert into enrol_pending (agent, code, token_key, came_at) values (?, ?, '', ?) returning agent";
    if (this.areKept) await rowsOf(on, { text, params: [agent, code, this.#kernel.clock.now()] });
  }

  /** @returns false: its place was given to another machine meanwhile */
  async setToken(agent: string, token_key: string): Promise<boolean> {
    if (!this.areKept) return true;
    const text = 'update enrol_pending set token_key = ? where agent = ? returning agent';
    return (await this.#rows(text, [token_key, agent])).length > 0;
  }

  /** Whether a machine that came with a code can be replaced. `held`: it came a moment ago, and may be on its way; `none`: all have reported. */
  async state(code: number): Promise<'free' | 'held' | 'none'> {
    const oldest = await this.#oldest(code);
    if (!oldest) return 'none';
    return Number(oldest.came_at) <= this.#lastFree() ? 'free' : 'held';
  }

  /**
   * Gives the place of the oldest machine that never reported to `agent`. Exchanges come one after the other here, and each
   * finds another place. @returns the machine that lost its place
   */
  takeOver(code: number, agent: string): Promise<Pending | undefined> {
    const { clock, db } = this.#kernel;
    const free = `select agent, token_key, came_at from enrol_pending where code = ? and came_at <= ? ${OLDEST} ${BATCH}`;
    const registry = this.#kernel.useOptional(AgentRegistry);
    // In one statement: a machine that reports now keeps its place.
    const give = `update enrol_pending set agent = ?, token_key = '', came_at = ? where agent = ?
      ${registry ? `and not ${registry.isStoredSql()}` : ''} returning agent`;
    const work = async (trx: QueryBuilder) => {
      const rows = await rowsOf<Pending>(trx, { text: free, params: [code, this.#lastFree()] });
      for (const row of rows) {
        const stored = registry ? [db.forms.uuid(row.agent)] : [];
        const params = [agent, clock.now(), row.agent, ...stored];
        if ((await rowsOf(trx, { text: give, params })).length > 0) return row;
      }
      return undefined;
    };
    return guarded('the place of an enrolled machine could not be given away', () =>
      db.transaction(work, { alone: 'enrol_pending' }),
    );
  }

  /** @returns false: it was not there any more */
  async remove(agent: string): Promise<boolean> {
    const text = 'delete from enrol_pending where agent = ? returning agent';
    return (await this.#rows(text, [agent])).length > 0;
  }

  /** The oldest that has never reported. Those that have are not looked at again, so that all looks together are as many as the uses. */
  async #oldest(code: number): Promise<Pending | undefined> {
    const text = `select agent, token_key, came_at from enrol_pending where code = ? ${OLDEST} ${BATCH}`;
    let rows: Pending[];
    do {
      rows = await this.#rows(text, [code]);
      for (const row of rows) {
        if (!(await this.#hasReported(row.agent))) return row;
        await this.remove(row.agent);
      }
    } while (rows.length === BATCH);
    return undefined;
  }

  #lastFree(): number {
    return this.#kernel.clock.now() - HOLD_MS;
  }

  async #hasReported(agent: string): Promise<boolean> {
    return (await this.#kernel.useOptional(AgentRegistry)?.find(agent)) !== undefined;
  }

  #rows(text: string, params: readonly SqlValue[]): Promise<Pending[]> {
    return guarded('enrolled machines could not be read or changed', () =>
      rowsOf<Pending>(this.#kernel.db.query, { text, params }),
    );
  }
}
