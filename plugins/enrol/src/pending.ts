import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { guarded, type Kernel, rowsOf, type SqlValue } from '@svc/plugin-sdk';

/** A machine that came with a code connects within seconds: its installer waits 20 s for it. */
const HOLD_MS = 30_000;
/** Machines that are looked at in one exchange. */
const MOST_LOOKED_AT = 100;

/** A row of `enrol_pending`: a machine that has a token and has not reported yet. */
export interface Pending {
  readonly agent: string;
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

  async add(code: number, { agent, token_key, came_at }: Pending): Promise<void> {
    const text =
      'insert into enrol_pending (agent, code, token_key, came_at) values (?, ?, ?, ?) returning agent';
    await this.#rows(text, [agent, code, token_key, came_at]);
  }

  /** The oldest machine that came with a code and has never reported; `held`: it came a moment ago, and may be on its way. */
  async of(code: number): Promise<Pending | 'held' | undefined> {
    const text = `select agent, token_key, came_at from enrol_pending where code = ?
      order by came_at limit ${MOST_LOOKED_AT}`;
    for (const row of await this.#rows(text, [code])) {
      if (await this.#hasReported(row.agent)) await this.remove(row.agent);
      else if (Number(row.came_at) + HOLD_MS > this.#kernel.clock.now()) return 'held';
      else return row;
    }
    return undefined;
  }

  /** @returns false: another server has done it */
  async remove(agent: string): Promise<boolean> {
    const text = 'delete from enrol_pending where agent = ? returning agent';
    return (await this.#rows(text, [agent])).length > 0;
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
