import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Owners, Wanted } from '@svc/plugin-token/api';
import type { LoadedRule, Machines, Rule } from '../types.ts';
import { mayServe, mayWatch, readsOf } from './rights.ts';

/** Agents (`Agent.id`) that a rule applies to; `all`: every one. */
export type Members = 'all' | ReadonlySet<number>;

/** Rights that are asked for in one turn of the event loop. */
const CHUNK = 200;

export interface ScopeParts {
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  readonly machines: Pick<Machines, 'tagsOf'>;
}

/** Finds the agents that rules apply to: those that their scopes name and their owners may read. */
export class Scopes {
  readonly #parts: ScopeParts;
  #problems: ReadonlyMap<number, string> = new Map();

  constructor(parts: ScopeParts) {
    this.#parts = parts;
  }

  /** Returns the reason in the owner's rights for which a rule does not run; null: there is none. */
  problem(rule: number): string | null {
    return this.#problems.get(rule) ?? null;
  }

  /** Returns the agents by `Rule.id`. @throws RpcError 103 */
  async resolve(rules: readonly LoadedRule[]): Promise<ReadonlyMap<number, Members>> {
    const members = new Map<number, Members>();
    const problems = new Map<number, string>();
    const found = this.#agents();
    for (const loaded of rules) {
      const { id, owner, scope } = loaded.rule;
      const named = found(scope);
      // Which monitors there are, and which of them the owner may see, is known only when they are judged.
      const isAll = loaded.rule.source === 'monitor';
      if (owner === null) members.set(id, isAll ? 'all' : named);
      else if (await this.#parts.owners.isSuspended(owner))
        problems.set(id, 'the token that owns it was deleted or has expired');
      else if (isAll) {
        members.set(id, 'all');
        if (await this.#seesNone(owner, scope))
          problems.set(id, 'it applies to no monitor that its owner may see');
      } else members.set(id, await this.#readable(loaded, named === 'all' ? found.all() : named));
    }
    for (const { rule } of rules) {
      const nobody = rule.owner !== null && members.get(rule.id) !== 'all';
      if (
        nobody &&
        (members.get(rule.id) as Set<number> | undefined)?.size === 0 &&
        found.count > 0
      )
        problems.set(rule.id, 'it applies to no machine that its owner may read');
    }
    this.#problems = problems;
    return members;
  }

  #agents() {
    const { machines, registry } = this.#parts;
    const active = registry.list().filter(({ soft_delete }) => !soft_delete);
    const byTag = new Map<string, number[]>();
    for (const { id, uuid } of active)
      for (const tag of machines.tagsOf(uuid)) {
        const ids = byTag.get(tag);
        if (ids) ids.push(id);
        else byTag.set(tag, [id]);
      }
    const find = (scope: Rule['scope']): Members => {
      if ('all' in scope) return 'all';
      const named = (scope.agents ?? []).flatMap((uuid) => {
        const agent = registry.known(uuid);
        return agent && !agent.soft_delete ? agent.id : [];
      });
      return new Set([...named, ...(scope.tags ?? []).flatMap((tag) => byTag.get(tag) ?? [])]);
    };
    return Object.assign(find, {
      count: active.length,
      all: () => new Set(active.map(({ id }) => id)),
    });
  }

  /** Tells whether the scope names monitors only, none of which the owner may see. */
  async #seesNone(owner: string, scope: Rule['scope']): Promise<boolean> {
    if ('all' in scope || scope.tags || !scope.monitors) return false;
    for (const name of scope.monitors)
      if (await this.#parts.owners.may(owner, mayWatch(name))) return false;
    return true;
  }

  async #readable({ rule, condition }: LoadedRule, ids: ReadonlySet<number>): Promise<Members> {
    const { owners, registry } = this.#parts;
    if (rule.source === 'server')
      return (await owners.may(rule.owner, mayServe)) ? 'all' : new Set();
    const permissions = readsOf(rule.source, condition.variables);
    const whole: Wanted = { scopes: ['global'], permissions };
    if (await owners.may(rule.owner, whole)) return ids;
    const readable = new Set<number>();
    let asked = 0;
    for (const { id, uuid } of registry.list()) {
      if (!ids.has(id)) continue;
      if (await owners.may(rule.owner, { scopes: [{ agent_uuid: uuid }], permissions }))
        readable.add(id);
      if (++asked % CHUNK === 0) await setImmediate();
    }
    return readable;
  }
}
