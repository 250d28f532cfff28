import type { LastReports } from '@svc/plugin-agent/api';
import type { Agent } from '@svc/plugin-agent-uuid/api';
import type { Clock, Logger } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';

/** An agent that was heard of this recently is there: dashboards count it as online for as long (clients.md §3.5). */
const ONLINE_MS = 30_000;
/** Reports that were on their way when the connection ended. */
const LATE_MS = 1_000;
/** Agents whose registrations have ended. */
const REMEMBERED = 10_000;

/** Reason why an agent takes no tasks: `data` of error 104. */
export type Absence = 'offline' | 'tasks are switched off on this agent';

export interface AbsencesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined: this server takes no reports. */
  readonly reports: LastReports | undefined;
}

/** Tells an agent that is gone from one that reports and has not registered for tasks. */
export class Absences {
  readonly #options: AbsencesOptions;
  /** Unix ms of the end of an agent's registration. */
  readonly #ended = new BoundedCache<string, number>({ most: REMEMBERED });

  constructor(options: AbsencesOptions) {
    this.#options = options;
  }

  /** The registration of an agent ended, here or on another server. */
  ended(uuid: string): void {
    this.#ended.set(uuid, this.#options.clock.now());
  }

  /** Tells of agents without a registration, in their order, which of them report. @throws RpcError 103 */
  async reporting(agents: readonly Agent[]): Promise<readonly boolean[]> {
    const heard = await this.#options.reports?.heard(agents);
    return agents.map(({ uuid }, at) => this.#reportsOnly(uuid, heard?.[at]));
  }

  #reportsOnly(uuid: string, heard = Number.NEGATIVE_INFINITY): boolean {
    const isOnline = this.#options.clock.now() - heard < ONLINE_MS;
    const ended = this.#ended.get(uuid) ?? Number.NEGATIVE_INFINITY;
    return isOnline && heard > ended + LATE_MS;
  }

  /** Returns the reason for an agent without a registration. Never rejects. */
  async of(uuid: string): Promise<Absence> {
    const { log, reports } = this.#options;
    try {
      const heard = await reports?.heardAt(uuid);
      return this.#reportsOnly(uuid, heard) ? 'tasks are switched off on this agent' : 'offline';
    } catch (error) {
      log.warn('last reports of an agent could not be read', { agent_uuid: uuid, error });
      return 'offline';
    }
  }
}
