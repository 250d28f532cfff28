import { type Auth, type Principal, RpcError } from '@svc/plugin-sdk';
import { mayDo } from './permissions.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { Monitor } from './types.ts';

/** Monitors one above the other at most. */
const MOST_ABOVE = 20;

export interface NameParts {
  readonly auth: Auth;
  readonly monitors: Pick<MonitorStore, 'byId' | 'byIds' | 'byName'>;
}

/** Other monitors that a monitor names. Whoever may not read one learns nothing of it. */
export class Names {
  readonly #parts: NameParts;

  constructor(parts: NameParts) {
    this.#parts = parts;
  }

  /** Returns the id of a parent. @throws RpcError 108 where there is none, or where it would be above itself */
  async parent(name: string, id: number | undefined, caller: Principal): Promise<number> {
    const parent = await this.#named(name, caller);
    if (!parent) throw RpcError.invalid(`parent: there is no monitor '${name}' that you may read`);
    let above: Monitor | undefined = parent;
    for (let count = 0; above; count++) {
      if (above.id === id) throw RpcError.invalid(`parent: '${name}' lies below this monitor`);
      if (count === MOST_ABOVE)
        throw RpcError.invalid(`parent: more than ${MOST_ABOVE} monitors lie above '${name}'`);
      above = above.parent === null ? undefined : await this.#parts.monitors.byId(above.parent);
    }
    return parent.id;
  }

  /** Returns the ids of the members of a group. @throws RpcError 108 */
  async members(names: readonly string[], caller: Principal): Promise<number[]> {
    const ids: number[] = [];
    for (const name of new Set(names)) {
      const member = await this.#named(name, caller);
      if (!member)
        throw RpcError.invalid(`members: there is no monitor '${name}' that you may read`);
      if (member.kind === 'group')
        throw RpcError.invalid(`members: '${name}' is a group itself: name its members`);
      ids.push(member.id);
    }
    return ids;
  }

  /** Returns names by ids, of those that the caller may read. */
  async of(ids: readonly number[], caller: Principal): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    if (ids.length === 0) return found;
    for (const { id, name } of await this.#parts.monitors.byIds(ids))
      if (await this.#parts.auth.allows(caller, mayDo('read', name))) found.set(id, name);
    return found;
  }

  async #named(name: string, caller: Principal): Promise<Monitor | undefined> {
    const may = await this.#parts.auth.allows(caller, mayDo('read', name));
    return may ? this.#parts.monitors.byName(name) : undefined;
  }
}
