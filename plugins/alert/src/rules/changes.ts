import { compile, type Fault } from '@svc/conditions';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Auth, type Clock, type Principal, RpcError, type Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { summaryFault } from '../alerts/summary.ts';
import { LEAST_REPEAT_S } from '../dispatch/schedule.ts';
import { VOCABULARIES } from '../evaluate/variables.ts';
import type { NewRule, RuleChange } from '../schemas.ts';
import type { StoredRule } from '../store/rows.ts';
import type { RuleStore } from '../store/rules.ts';
import type { Rule, RuleScope, Source } from '../types.ts';
import { noRule } from './access.ts';
import { changesMeaning, DEFAULTS, differences, type Field, firstRule, UNSET } from './defaults.ts';
import { mayDo, mayRule } from './rights.ts';
import { scopeOf } from './scope.ts';

/** Several callers may change one rule at the same time. */
const ATTEMPTS = 5;

export interface ChangesParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  readonly store: RuleStore;
  /** Reads the rules again, and tells the other servers. */
  readonly changed: () => Promise<void>;
}

/** Changes of rules that the methods make. Whoever changes a rule owns it. */
export class RuleChanges {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** The right to the scope is asked before. @throws RpcError 106 unknown agent, 108 */
  async create(
    given: Static<typeof NewRule>,
    caller: Principal,
    isDry: boolean,
  ): Promise<StoredRule> {
    const { clock, owners, store, changed } = this.#parts;
    const settings = settingsOf(given);
    await this.#demandPolicy(settings.policy, caller);
    await this.#check(settings);
    const first = firstRule(settings, { owner: owners.of(caller), now: clock.now() });
    if (isDry) {
      await store.demandName(first.name);
      return { ...first, id: 0 };
    }
    const rule = await store.insert(first);
    await changed();
    return rule;
  }

  /** @throws RpcError 102, 105 unknown rule, 106 unknown agent, 108 */
  update(
    name: string,
    {
      dry_run,
      ...given
    }: Static<typeof RuleChange> & { readonly dry_run?: boolean | null | undefined },
    caller: Principal,
  ): Promise<StoredRule> {
    const next = (old: StoredRule) => {
      const settings = settingsOf({ ...given, source: old.source }, old);
      const touched = old.shipped ? differences(old, settings) : [];
      return { ...settings, touched: [...new Set([...old.touched, ...touched])] };
    };
    return this.#change(name, caller, next, dry_run === true);
  }

  /** Switches a rule on or off; its owner stays. @throws RpcError 102, 105 */
  setEnable(name: string, enable: boolean, caller: Principal): Promise<StoredRule> {
    return this.#change(name, caller, (old) => {
      const touched = old.shipped ? [...new Set([...old.touched, 'enable'])] : [];
      return { ...old, enable, touched, owner: old.owner };
    });
  }

  /** Switches off a rule that the server cannot afford; one that somebody changed meanwhile stays. @throws RpcError 103 */
  async switchOff(rule: StoredRule): Promise<void> {
    const { clock, store, changed } = this.#parts;
    const now = clock.now();
    const off = { enable: false, slow_at: now, version: rule.version + 1, updated_at: now };
    await store.change({ ...rule, ...off });
    await changed();
  }

  /** Gives a default rule its default settings back, also a deleted one. @throws RpcError 102, 105, 108 */
  async reset(name: string, caller: Principal): Promise<StoredRule> {
    const { clock, owners, store, changed } = this.#parts;
    const old = await this.resettable(name);
    const settings = DEFAULTS.get(old?.shipped ?? '');
    if (!old) throw noRule(name);
    if (!settings) throw RpcError.invalid(`the rule '${name}' is no default rule`);
    for (const scope of [old.scope, settings.scope]) await this.#demand(scope, caller);
    const next = { version: old.version + 1, meaning: old.meaning + 1, updated_at: clock.now() };
    const fresh = { touched: [], deleted: false, slow_at: null, owner: owners.of(caller), ...next };
    const rule = await store.change({ ...old, ...settings, ...fresh });
    if (!rule) throw busy();
    await changed();
    return rule;
  }

  /** Rule of this name, else the deleted default rule that had it. */
  async resettable(name: string): Promise<StoredRule | undefined> {
    const all = await this.#parts.store.all();
    const isMeant = (rule: StoredRule) =>
      rule.deleted ? DEFAULTS.get(rule.shipped ?? '')?.name === name : rule.name === name;
    return all.find((rule) => !rule.deleted && isMeant(rule)) ?? all.find(isMeant);
  }

  /** @throws RpcError 102, 105 */
  async remove(name: string, caller: Principal): Promise<void> {
    const { store, changed } = this.#parts;
    const rule = await this.rule(name);
    await this.#demand(rule.scope, caller);
    // A default rule stays as a mark, so that no start makes it again.
    const version = rule.version + 1;
    const gone = rule.shipped
      ? await store.change({ ...rule, version, deleted: true, name: `deleted: ${rule.shipped}` })
      : await store.remove(rule.id);
    if (!gone) throw noRule(name);
    await changed();
  }

  find(name: string): Promise<StoredRule | undefined> {
    return this.#parts.store.named(name);
  }

  /** @throws RpcError 105 */
  async rule(name: string): Promise<StoredRule> {
    const rule = await this.find(name);
    if (!rule) throw noRule(name);
    return rule;
  }

  async #change(
    name: string,
    caller: Principal,
    next: (old: StoredRule) => Partial<StoredRule> & Pick<Rule, Field | 'source'>,
    isDry = false,
  ): Promise<StoredRule> {
    const { clock, owners, store, changed } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.rule(name);
      await this.#demand(old.scope, caller);
      const wanted = { ...old, owner: owners.of(caller), ...next(old) };
      // The rule may have got another scope since the call was admitted.
      await this.#demand(wanted.scope, caller);
      if (wanted.policy !== old.policy) await this.#demandPolicy(wanted.policy, caller);
      await this.#check(wanted, old);
      const meaning = old.meaning + Number(changesMeaning(differences(old, wanted)));
      const times = { version: old.version + 1, updated_at: clock.now(), slow_at: null };
      if (isDry) {
        await store.demandName(wanted.name, old.id);
        return { ...wanted, meaning, ...times };
      }
      const rule = await store.change(
        { ...wanted, meaning, ...times },
        wanted.policy !== old.policy,
      );
      if (!rule) continue;
      await changed();
      return rule;
    }
    throw busy();
  }

  async #demand(scope: RuleScope, caller: Principal): Promise<void> {
    const wanted = mayRule('write', scope);
    if (!(await this.#parts.auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
  }

  /** Whoever may not list policies names none, and learns of none. @throws RpcError 102 */
  async #demandPolicy(policy: string | null, caller: Principal): Promise<void> {
    if (policy === null || (await this.#parts.auth.allows(caller, mayDo('write')))) return;
    const wanted = mayDo('read');
    if (!(await this.#parts.auth.allows(caller, wanted)))
      throw RpcError.denied('Missing alert read permission in the scope global, to name a policy');
  }

  /** @throws RpcError 106, 108 for what cannot run */
  async #check(rule: Pick<Rule, Field | 'source'>, old?: StoredRule): Promise<void> {
    const { registry, store } = this.#parts;
    for (const name of ['condition', 'clear'] as const) {
      const text = rule[name];
      const result = text === null ? undefined : compile(text, VOCABULARIES[rule.source]);
      if (result && 'faults' in result) throw faulty(name, result.faults);
    }
    const texts = old ? differences(old, rule) : ['summary'];
    const isNew = texts.includes('summary') || texts.includes('labels');
    const fault = isNew ? summaryFault(rule) : undefined;
    if (fault !== undefined) throw RpcError.invalid(fault);
    const agents = 'all' in rule.scope ? [] : (rule.scope.agents ?? []);
    if (rule.source === 'monitor' && agents.length > 0)
      throw RpcError.invalid(
        'scope.agents: a rule of the source monitor looks at monitors; name monitors or their tags',
      );
    for (const uuid of agents) if (!(await registry.find(uuid))) throw RpcError.uuid(uuid);
    if (rule.policy !== null && !(await store.hasPolicy(rule.policy)))
      throw RpcError.invalid(`there is no policy '${rule.policy}': make it first`);
  }
}

function faulty(name: string, faults: readonly Fault[]): RpcError {
  const [{ message, from, to } = { message: 'it cannot be read', from: 0, to: 0 }] =
    faults as Fault[];
  return RpcError.invalid(`${name}, characters ${from} to ${to}: ${message}`);
}

const busy = () => RpcError.other('the rule is being changed by others; try again');

type Given = Static<typeof RuleChange> & { readonly source: Source };

/** Settings of a rule from what a caller gives: absent members stay as they were, null takes the default. @throws RpcError 108 */
function settingsOf(given: Given, old?: StoredRule): Pick<Rule, Field | 'source'> {
  const member = <Name extends keyof typeof UNSET>(name: Name) =>
    (given[name] ?? (given[name] === null || !old ? UNSET[name] : old[name])) as Rule[Name];
  const { name = old?.name, condition = old?.condition } = given;
  const scope = given.scope ? scopeOf(given.scope) : old?.scope;
  if (name === undefined || condition === undefined || scope === undefined)
    throw RpcError.invalid('a rule needs name, source, scope and condition');
  if (name.trim() !== name) throw RpcError.invalid('name must not begin or end with a space');
  const rule = {
    ...{ name, source: given.source, condition, scope, clear: member('clear') },
    ...{ for_s: member('for_s'), clear_for_s: member('clear_for_s') },
    ...{ severity: member('severity'), enable: member('enable'), notify: member('notify') },
    ...{ policy: member('policy'), repeat_s: member('repeat_s'), summary: member('summary') },
    ...{ runbook: member('runbook'), labels: member('labels') },
  };
  if (rule.repeat_s && rule.repeat_s < LEAST_REPEAT_S)
    throw RpcError.invalid(`repeat_s must be 0 (never) or at least ${LEAST_REPEAT_S}`);
  if (rule.runbook !== '' && !/^https?:\/\/[^\s]+$/.test(rule.runbook))
    throw RpcError.invalid('runbook must be an address that begins with https:// or http://');
  return rule;
}
