import { Refusals } from '@svc/plugin-admission/api';
import { type Auth, type Kernel, type Principal, RpcError, type Scope } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { mayDo, mayWriteAll, RUN } from './permissions.ts';
import type { Owned, WorkerStore } from './store/workers.ts';

const NOT_ITS_OWNERS = 'inlineCall that the token behind the script may not make';

/** Rights of the owner at the time when it wrote the worker. They bound what the worker does for as long as it stands. */
interface OwnerRights {
  /** Scopes in which it could run workers. */
  readonly runs: readonly Scope[];
  /** Tells whether it could write every worker there is. */
  readonly global: boolean;
}

/** The share that a run counts for which no token has started: one of a route or a job. Empty: the Super Token. */
export const shareOf = ({ owner }: Owned): string => owner ?? '';

/** The share of what this caller starts. */
export const shareOfCaller = (caller: Principal): string => (caller.super ? '' : caller.id);

type Parts = Pick<Kernel<unknown>, 'auth' | 'useOptional'>;

/** Questions about the tokens behind workers. */
export class WorkerOwners {
  readonly #kernel: Parts;

  constructor(kernel: Parts) {
    this.#kernel = kernel;
  }

  /** Returns what to store with a worker that this caller writes. */
  async of(caller: Principal): Promise<Owned> {
    if (caller.super) return { owner: null, owner_rights: null };
    const { auth } = this.#kernel;
    const rights: OwnerRights = {
      runs: await this.#runs(caller, auth),
      global: await auth.allows(caller, mayWriteAll()),
    };
    return { owner: caller.id, owner_rights: JSON.stringify(rights) };
  }

  /**
   * Tells whether this worker may start a run of another one: its owner could when it wrote it, and still can. Of a token that was
   * deleted, and whose workers go on, the rights at the time of writing are left.
   */
  async mayRun(worker: Owned & { readonly name: string }, target: string): Promise<boolean> {
    const may = await this.#mayRun(worker, target);
    if (!may) this.#kernel.useOptional(Refusals)?.refused(NOT_ITS_OWNERS, '');
    return may;
  }

  async #mayRun(worker: Owned & { readonly name: string }, target: string): Promise<boolean> {
    if (worker.owner === null || worker.name === target) return true;
    if (!rightsOf(worker).runs.some((scope) => covers(scope, target))) return false;
    const owners = this.#kernel.useOptional(Owners);
    if (!owners || (await owners.state(worker.owner)) === 'deleted')
      return !(await this.isSuspended(worker));
    return await owners.may(worker.owner, mayDo('run_defined_js_worker', target));
  }

  /** Tells whether no run of this worker may start: its owner has gone, and the operator wants that (`[token] on_delete`). */
  async isSuspended({ owner }: Pick<Owned, 'owner'>): Promise<boolean> {
    return (await this.#kernel.useOptional(Owners)?.isSuspended(owner)) ?? false;
  }

  /** Tells the plugin of tokens what hangs on them. */
  register(workers: WorkerStore, drop: (id: Integer, cancel: string) => void): void {
    const owners = this.#kernel.useOptional(Owners);
    owners?.register({
      kind: 'worker',
      list: async (owner) => (await workers.ofOwner(owner)).map(({ name }) => name),
      async suspend(owner) {
        for (const worker of await workers.ofOwner(owner))
          drop(worker.id, suspended(worker).message);
      },
    });
    owners?.register({
      kind: 'route',
      list: async (owner) =>
        (await workers.ofOwner(owner)).flatMap(({ route_name }) => route_name ?? []).sort(),
    });
  }

  /** Tells whether the worker's answers to browsers may be trusted: no, if they come from a token that could write some workers only. */
  isTrusted(worker: Owned): boolean {
    return worker.owner === null || rightsOf(worker).global;
  }

  async #runs(caller: Principal, auth: Auth): Promise<readonly Scope[]> {
    const tokens = this.#kernel.useOptional(Tokens);
    if (tokens?.record(caller)) return tokens.scopes(caller, RUN).filter(isOfWorkers);
    return (await auth.allows(caller, mayDo('run_defined_js_worker', '*'))) ? ['global'] : [];
  }
}

/** The error of a run that may not start. */
export const suspended = ({ name }: { readonly name: string }): RpcError =>
  RpcError.denied(
    `js_worker '${name}' is suspended, because the token that wrote it is deleted or expired; write it again with another token`,
  );

const isOfWorkers = (scope: Scope): boolean => scope === 'global' || 'js_worker' in scope;

function covers(scope: Scope, name: string): boolean {
  if (scope === 'global') return true;
  const pattern = scope['js_worker'];
  if (pattern === undefined) return false;
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Rows are written by this plugin alone; one that was changed by hand and cannot be read gives no right. */
function rightsOf({ owner_rights }: Owned): OwnerRights {
  try {
    const { runs, global } = JSON.parse(owner_rights ?? '{}');
    return { runs: Array.isArray(runs) ? runs : [], global: global === true };
  } catch {
    return { runs: [], global: false };
  }
}
