import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Time for which a machine that came with a code keeps its place: it connects within seconds, and its installer waits 20 s. */
const HOLD_MS = 30_000;
/** Machines that are read at once. */
export const BATCH = 100;
const OLDEST = 'order by came_at, agent limit';
const REMOVE_KEPT =
  'delete from enrol_pending where (agent = ? or token_key = ?) and given_at is null returning agent';
const REMOVE = 'delete from enrol_pending where agent = ? returning agent';

/** The UUID of a machine, and the key of the token that was made for it. */
export interface Machine {
  readonly agent: string;
  readonly token_key: string;
}

/** A row of `enrol_pending`: a machine that came with a code and has not connected yet. */
export interface Pending extends Machine {
  /** Unix ms. */
  readonly came_at: number;
}

/** Table `enrol_pending`. Every method throws RpcError 103 when the database fails. */
export class PendingMachines {
  readonly #kernel: Kernel<unknown>;

  constructor(kernel: Kernel<unknown>) {
    this.#kernel = kernel;
  }

  /** Tells whether pending machines are stored: without reports it is unknown whether a machine has connected, and a use is final at once. */
  get areKept(): boolean {
    return this.#kernel.methods.has('agent_report_dynamic_summary');
  }

  /** Adds a machine in the transaction that takes a use: a reader that finds the use taken finds the machine, too. */
  async add(on: QueryBuilder, code: number, { agent, token_key }: Machine): Promise<void> {
    const text =
      'insert into enrol_pending (agent, code, token_key, came_at) values (?, ?, ?, ?) returning agent';
    const params = [agent, code, token_key, this.#kernel.clock.now()];
    if (this.areKept) await rowsOf(on, { text, params });
  }

  /** Tells whether a machine that came with a code can be replaced. `held`: it came a moment ago, and may be on its way; `none`: all have reported. */
  async state(code: number): Promise<'free' | 'held' | 'none'> {
    const oldest = await this.#oldest(code);
    if (!oldest) return 'none';
    return Number(oldest.came_at) <= this.#lastFree() ? 'free' : 'held';
  }

  /**
   * Gives the place of the oldest machine that never reported to `next`. Exchanges come one after the other here, and each
   * finds another place. @returns the machine that lost its place
   */
  takeOver(code: number, next: Machine): Promise<Pending | undefined> {
    const free = `select agent, token_key, came_at from enrol_pending where code = ? and came_at <= ? and given_at is null ${OLDEST} ${BATCH}`;
    return this.#alone('the place of an enrolled machine could not be given away', async (trx) => {
      const rows = await rowsOf<Pending>(trx, { text: free, params: [code, this.#lastFree()] });
      for (const row of rows) {
        if (!(await this.#giveUpPlace(trx, row))) continue;
        await this.add(trx, code, next);
        return row;
      }
      return undefined;
    });
  }

  /** Machines that never reported, whose code was over before `ended_before` (Unix ms): they lose their places. At most `BATCH`. */
  giveUp(ended_before: number): Promise<readonly Pending[]> {
    const left = `select agent, token_key, came_at from enrol_pending where given_at is null
      and code not in (select id from enrol_code where expires_at >= ?) ${OLDEST} ${BATCH}`;
    return this.#alone('enrolled machines could not be given up', async (trx) => {
      const given: Pending[] = [];
      for (const row of await rowsOf<Pending>(trx, { text: left, params: [ended_before] }))
        if (await this.#giveUpPlace(trx, row)) given.push(row);
        else await rowsOf(trx, { text: REMOVE, params: [row.agent] });
      return given;
    });
  }

  /** Machines that lost their places before `time` (Unix ms). At most `BATCH`. */
  givenBefore(time: number): Promise<readonly Pending[]> {
    const text = `select agent, token_key, came_at from enrol_pending where given_at < ? ${OLDEST} ${BATCH}`;
    return this.#rows(text, [time]);
  }

  /** Handles the first report of these agents: those that came with a code keep their places now. @returns those that have lost them */
  async reported(on: QueryBuilder, agents: readonly string[]): Promise<ReadonlySet<string>> {
    const among = `agent in (${marks(agents.length)})`;
    const remove = `delete from enrol_pending where ${among} and given_at is null returning agent`;
    await rowsOf(on, { text: remove, params: agents });
    const text = `select agent from enrol_pending where ${among}`;
    const lost = await rowsOf<Pick<Pending, 'agent'>>(on, { text, params: agents });
    return new Set(lost.map(({ agent }) => agent));
  }

  /** Removes a machine whose remains are deleted, and of which no report is on its way any more. */
  async forget(agent: string): Promise<void> {
    await this.#rows(REMOVE, [agent]);
  }

  /** Marks a place as given up, in one statement: a machine that reports now keeps its place. The row stays, so that a later report is refused. */
  async #giveUpPlace(trx: QueryBuilder, { agent }: Pending): Promise<boolean> {
    const { clock, db } = this.#kernel;
    const registry = this.#kernel.useOptional(AgentRegistry);
    const text = `update enrol_pending set given_at = ? where agent = ? and given_at is null
      ${registry ? `and not ${registry.isStoredSql()}` : ''} returning agent`;
    const params = [clock.now(), agent, ...(registry ? [db.forms.uuid(agent)] : [])];
    return (await rowsOf(trx, { text, params })).length > 0;
  }

  #alone<T>(what: string, work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    return guarded(what, () => this.#kernel.db.transaction(work, { alone: 'enrol_pending' }));
  }

  /** Removes a machine that has connected. `name` is its UUID or the key of its token; one that has lost its place stays. */
  async remove(name: string): Promise<void> {
    await this.#rows(REMOVE_KEPT, [name, name]);
  }

  /** Finds the oldest that has never reported. Those that have are removed, so that all lookups together are as many as the uses. */
  async #oldest(code: number): Promise<Pending | undefined> {
    const text = `select agent, token_key, came_at from enrol_pending where code = ? and given_at is null ${OLDEST} ${BATCH}`;
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
