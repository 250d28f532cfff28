import {
  type Auth,
  canonicalUuid,
  type Principal,
  type Requirement,
  RpcError,
} from '@svc/plugin-sdk';
import { trim } from '@svc/plugin-sdk/util';
import type { Tokens } from '@svc/plugin-token/api';
import type { Job } from './job.ts';
import { type JobType, storedJobType } from './job-type.ts';
import { globally, type JobRight, mayDo, mayRun, noRight } from './permissions.ts';
import type { JobRow, JobStore } from './store/jobs.ts';

/** Jobs that `crontab_get` shows: all, or those with one of these agents (crontab.md §5.3). */
export type Visible = 'all' | ReadonlySet<string>;

/** Checks the rights of callers to jobs. */
export class JobAccess {
  readonly #auth: Auth;
  readonly #tokens: Tokens;
  readonly #store: Pick<JobStore, 'byName'>;

  constructor(auth: Auth, tokens: Tokens, store: Pick<JobStore, 'byName'>) {
    this.#auth = auth;
    this.#tokens = tokens;
    this.#store = store;
  }

  /** @throws RpcError 102, 108 for a blank script name */
  async demandNew(caller: Principal, type: JobType): Promise<void> {
    await this.#demand(caller, mayDo('write', type));
    if (type.kind === 'worker' && trim(type.worker) === '') {
      throw RpcError.invalid('the name of the script worker is blank');
    }
    await this.#demand(caller, mayRun(type));
  }

  /**
   * The stored job, if the caller has this right to it.
   * @throws RpcError 105 unknown (102 for callers without any right to jobs), 101 unreadable, 102, 103
   */
  async demandStored(caller: Principal, name: string, right: JobRight): Promise<JobRow> {
    const row = await this.#store.byName(name);
    const type = row && storedJobType(row.cron_type);
    if (row && type) {
      await this.#demand(caller, mayDo(right, type));
      return row;
    }
    // A caller without a right to any job must not find out which names exist.
    if (!(await this.#holdsAny(caller))) throw RpcError.denied(noRight(right));
    if (row) throw RpcError.parse(`the stored type of the job '${name}' is unreadable`);
    throw RpcError.notFound(`no job is named '${name}'`);
  }

  /** @throws RpcError 102 */
  async visible(caller: Principal): Promise<Visible> {
    if (caller.super) return 'all';
    if (!this.#tokens.record(caller)) {
      await this.#demand(caller, globally('read'));
      return 'all';
    }
    const validity = this.#tokens.validity(caller);
    if (validity === 'early') throw RpcError.denied('Token is not yet valid');
    if (validity === 'late') throw RpcError.denied('Token has expired');
    const scopes = this.#tokens.scopes(caller, { crontab: 'read' });
    if (scopes.length === 0) throw RpcError.denied(noRight('read'));
    if (scopes.includes('global')) return 'all';
    const agents = scopes.flatMap((scope) => (scope === 'global' ? [] : [scope['agent_uuid']]));
    return new Set(agents.filter((uuid) => uuid !== undefined).map(canonicalUuid));
  }

  async #demand(caller: Principal, requirement: Requirement): Promise<void> {
    if (!(await this.#auth.allows(caller, requirement))) throw RpcError.denied(requirement.denied);
  }

  async #holdsAny(caller: Principal): Promise<boolean> {
    if (caller.super) return true;
    for (const right of ['read', 'write', 'delete'] as const) {
      if (await this.#holds(caller, right)) return true;
    }
    return false;
  }

  /** Tells whether some limit entry holds the right, in whatever scope. */
  async #holds(caller: Principal, right: JobRight): Promise<boolean> {
    if (!this.#tokens.record(caller)) return this.#auth.allows(caller, globally(right));
    const scopes = this.#tokens.scopes(caller, { crontab: right });
    return scopes.length > 0 && this.#tokens.validity(caller) === 'ok';
  }
}

/** Tells whether `crontab_get` shows this job. */
export const isVisible = ({ type }: Job, visible: Visible): boolean =>
  visible === 'all' || (type.kind === 'agent' && type.agents.some((uuid) => visible.has(uuid)));
