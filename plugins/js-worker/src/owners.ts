import type { Auth, Kernel, Principal, Scope } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { mayDo, mayWriteAll, RUN } from './permissions.ts';

/** Who wrote a worker last. */
export interface Owned {
  /** Key of a token; null: the Super Token, or a row from before owners were kept. No restriction then. */
  readonly owner: string | null;
  /** JSON text of `OwnerRights`; null with `owner`. */
  readonly owner_rights: string | null;
}

/** What the owner could do when it wrote the worker. What the worker does is bounded by this for as long as it stands. */
interface OwnerRights {
  /** Where it could run workers. */
  readonly runs: readonly Scope[];
  /** It could write every worker there is. */
  readonly global: boolean;
}

type Parts = Pick<Kernel<unknown>, 'auth' | 'useOptional'>;

/** Questions about the tokens behind workers. */
export class WorkerOwners {
  readonly #kernel: Parts;

  constructor(kernel: Parts) {
    this.#kernel = kernel;
  }

  /** What to store with a worker that this caller writes. */
  async of(caller: Principal): Promise<Owned> {
    if (caller.super) return { owner: null, owner_rights: null };
    const { auth } = this.#kernel;
    const rights: OwnerRights = {
      runs: await this.#runs(caller, auth),
      global: await auth.allows(caller, mayWriteAll()),
    };
    return { owner: caller.id, owner_rights: JSON.stringify(rights) };
  }

  /** Whether this worker may start a run of another one: its owner could when it wrote it. */
  mayRun(worker: Owned & { readonly name: string }, target: string): boolean {
    if (worker.owner === null || worker.name === target) return true;
    return rightsOf(worker).runs.some((scope) => covers(scope, target));
  }

  /** False: whatever the worker answers to browsers comes from a token that could write some workers only. */
  isTrusted(worker: Owned): boolean {
    return worker.owner === null || rightsOf(worker).global;
  }

  async #runs(caller: Principal, auth: Auth): Promise<readonly Scope[]> {
    const tokens = this.#kernel.useOptional(Tokens);
    if (tokens?.record(caller)) return tokens.scopes(caller, RUN).filter(isOfWorkers);
    return (await auth.allows(caller, mayDo('run_defined_js_worker', '*'))) ? ['global'] : [];
  }
}

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
