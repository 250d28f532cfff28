import {
  type Auth,
  canonicalUuid,
  type Principal,
  type Requirement,
  RpcError,
} from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
import type { Job } from './job.ts';
import { type JobType, storedJobType } from './job-type.ts';
import { globally, type JobRight, mayDo, mayRun, noRight } from './permissions.ts';
import type { JobRow, JobStore } from './store/jobs.ts';

/** Which jobs `crontab_get` shows: all, or those with one of these agents (crontab.md §5.3). */
export type Visible = 'all' | ReadonlySet<string>;

/** Who may do what with which job. */
export interface JobAccess {
  /** @throws RpcError 102, 108 for a blank script name */
  demandNew(caller: Principal, type: JobType): Promise<void>;
  /**
   * The stored job, if the caller has this right to it.
   * @throws RpcError 105 unknown (102 for callers without any right to jobs), 101 unreadable, 102, 103
   */
  demandStored(caller: Principal, name: string, right: JobRight): Promise<JobRow>;
  /** @throws RpcError 102 */
  visible(caller: Principal): Promise<Visible>;
}

export function createAccess(
  auth: Auth,
  tokens: Tokens,
  store: Pick<JobStore, 'byName'>,
): JobAccess {
  const demand = async (caller: Principal, requirement: Requirement): Promise<void> => {
    if (!(await auth.allows(caller, requirement))) throw RpcError.denied(requirement.denied);
  };

  /** True when some limit entry holds the right, in whatever scope. */
  const holds = async (caller: Principal, right: JobRight): Promise<boolean> => {
    if (!tokens.record(caller)) return auth.allows(caller, globally(right));
    const scopes = tokens.scopes(caller, { crontab: right });
    return scopes.length > 0 && tokens.validity(caller) === 'ok';
  };

  const holdsAny = async (caller: Principal): Promise<boolean> =>
    caller.super ||
    (await holds(caller, 'read')) ||
    (await holds(caller, 'write')) ||
    (await holds(caller, 'delete'));

  return {
    async demandNew(caller, type) {
      await demand(caller, mayDo('write', type));
      if (type.kind === 'worker' && type.worker.trim() === '') {
        throw RpcError.invalid('the name of the script worker is blank');
      }
      await demand(caller, mayRun(type));
    },

    async demandStored(caller, name, right) {
      const row = await store.byName(name);
      if (!row) {
        // Who has no right to any job does not learn which names exist.
        if (!(await holdsAny(caller))) throw RpcError.denied(noRight(right));
        throw RpcError.notFound(`no job is named '${name}'`);
      }
      const type = storedJobType(row.cron_type);
      if (!type) {
        if (!(await holdsAny(caller))) throw RpcError.denied(noRight(right));
        throw RpcError.parse(`the stored type of the job '${name}' is unreadable`);
      }
      await demand(caller, mayDo(right, type));
      return row;
    },

    async visible(caller) {
      if (caller.super) return 'all';
      if (!tokens.record(caller)) {
        await demand(caller, globally('read'));
        return 'all';
      }
      const validity = tokens.validity(caller);
      if (validity === 'early') throw RpcError.denied('Token is not yet valid');
      if (validity === 'late') throw RpcError.denied('Token has expired');
      const scopes = tokens.scopes(caller, { crontab: 'read' });
      if (scopes.length === 0) throw RpcError.denied(noRight('read'));
      if (scopes.includes('global')) return 'all';
      const agents = scopes.flatMap((scope) => (scope === 'global' ? [] : [scope['agent_uuid']]));
      return new Set(agents.filter((uuid) => uuid !== undefined).map(canonicalUuid));
    },
  };
}

/** True for what `crontab_get` shows of these. */
export const isVisible = ({ type }: Job, visible: Visible): boolean =>
  visible === 'all' || (type.kind === 'agent' && type.agents.some((uuid) => visible.has(uuid)));
