import { setImmediate } from 'node:timers/promises';
import { type Condition, compile } from '@svc/conditions';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Logger } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Owners } from '@svc/plugin-token/api';
import { VOCABULARIES } from '../evaluate/variables.ts';
import type { StoredRule } from '../store/rows.ts';
import type { RuleStore } from '../store/rules.ts';
import type { LoadedRule, Machines, Rule, Rules, Source } from '../types.ts';
import { type Members, Scopes } from './scopes.ts';
import { isSlow, needsSeries } from './slow.ts';

export interface RulesParts {
  readonly log: Logger;
  readonly store: Pick<RuleStore, 'all' | 'version'>;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  readonly machines: Pick<Machines, 'tagsOf'>;
  /** Tells whether rules run at all: `enable` under `[alert]`. */
  readonly isOn: () => boolean;
  /** Tells whether the plugin `series` is there, which knows traffic and long windows. */
  readonly hasSeries: boolean;
  /** Tells whether the plugin `monitor` is there. */
  readonly hasMonitors: () => boolean;
}

const NONE: readonly LoadedRule[] = [];
/** Problem of rules about monitors where there are none. */
export const NO_MONITORS = 'the plugin monitor is off';
const SLOW =
  'it was switched off because it takes longer than the server can afford (slow_rule_us under [alert]): make its condition simpler, or switch it on again';

/** Rules in memory, with the agents that each applies to (`Rules`). */
export class LoadedRules implements Rules {
  readonly #parts: RulesParts;
  readonly #scopes: Scopes;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  #resolving: Promise<void> | undefined;
  #version = -1;
  #all: readonly StoredRule[] = [];
  #byId: ReadonlyMap<number, StoredRule> = new Map();
  /** Rules whose conditions are sound, those that are off included. */
  #sound: ReadonlyMap<number, LoadedRule> = new Map();
  #running: ReadonlyMap<number, LoadedRule> = new Map();
  #faults: ReadonlyMap<number, string> = new Map();
  #members: ReadonlyMap<number, Members> = new Map();
  #machine: readonly LoadedRule[] = [];
  #part: readonly LoadedRule[] = [];
  /** Arrays by agent, and by the rules in them: agents with the same rules share one. */
  readonly #ofAgent = {
    machine: new Map<number, readonly LoadedRule[]>(),
    part: new Map<number, readonly LoadedRule[]>(),
  };
  readonly #shared = new Map<string, readonly LoadedRule[]>();

  constructor(parts: RulesParts) {
    this.#parts = parts;
    this.#scopes = new Scopes(parts);
  }

  list(): readonly StoredRule[] {
    return this.#all;
  }

  byId(id: number): StoredRule | undefined {
    return this.#byId.get(id);
  }

  named(name: string): StoredRule | undefined {
    return this.#all.find((rule) => rule.name === name);
  }

  ofMachine(agent: number): readonly LoadedRule[] {
    return this.#forAgent('machine', this.#machine, agent);
  }

  ofParts(agent: number): readonly LoadedRule[] {
    return this.#forAgent('part', this.#part, agent);
  }

  get anyParts(): boolean {
    return this.#part.length > 0 && this.#parts.isOn();
  }

  usesReports(id: number): boolean {
    const loaded = this.#sound.get(id);
    if (!loaded) return false;
    const { source } = loaded.rule;
    return source === 'part' || (source === 'machine' && !isSlow(loaded));
  }

  slow(source: Source): readonly LoadedRule[] {
    const found = [...this.#running.values()].filter(({ rule }) => rule.source === source);
    return source === 'machine' ? found.filter(isSlow) : found;
  }

  applies(rule: Rule, agent: number): boolean {
    const members = this.#running.has(rule.id) ? this.#members.get(rule.id) : undefined;
    return members === 'all' || (members?.has(agent) ?? false);
  }

  /** Condition of a rule; undefined: it is not sound. */
  conditionOf(id: number): Condition | undefined {
    return this.#sound.get(id)?.condition;
  }

  /** Tells whether it is switched on, its condition is sound, and its owner may have it run. */
  runs(id: number): boolean {
    return this.#running.has(id);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the reason for which a rule does not run although somebody wants it to; null: it runs. */
  problem({ id, scope, slow_at, source }: StoredRule): string | null {
    if (slow_at !== null) return SLOW;
    const fault = this.#faults.get(id);
    if (fault) return fault;
    const { monitors, agents, tags } = 'all' in scope ? {} : scope;
    if (source === 'monitor' && !this.#parts.hasMonitors()) return NO_MONITORS;
    if (source !== 'monitor' && monitors && !agents && !tags)
      return 'its scope names monitors only, which rules of the source monitor look at';
    const loaded = this.#sound.get(id);
    if (loaded && !this.#parts.hasSeries && needsSeries(loaded))
      return 'the plugin series is off: traffic, predictions and windows of more than an hour have no value';
    return this.#scopes.problem(id);
  }

  /** Reads the rules again where another server or this one changed them. @throws RpcError 103 */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      const version = await this.#parts.store.version();
      if (version !== this.#version) await this.#load(version);
      await this.#resolve();
    });
  }

  /** All rules were switched on or off by the configuration. */
  switched(): void {
    this.#changed();
  }

  /** Finds out again which agents each rule applies to: their tags or rights have changed, or one is new. */
  resolve(): Promise<void> {
    // A thousand machines that come at once are one change.
    this.#resolving ??= setImmediate().then(() => {
      this.#resolving = undefined;
      return this.#queue.run(() => this.#resolve());
    });
    return this.#resolving;
  }

  async #load(version: number): Promise<void> {
    const all = (await this.#parts.store.all()).filter(({ deleted }) => !deleted);
    const sound = new Map<number, LoadedRule>();
    const faults = new Map<number, string>();
    for (const rule of all) {
      const before = this.#sound.get(rule.id);
      const loaded = before?.rule.version === rule.version ? before : compiled(rule);
      if (typeof loaded !== 'string') sound.set(rule.id, loaded);
      else {
        faults.set(rule.id, loaded);
        if (rule.enable && this.#faults.get(rule.id) !== loaded)
          this.#parts.log.warn(`the rule '${rule.name}' is off: ${loaded}`);
      }
    }
    const running = new Map([...sound].filter(([, { rule }]) => rule.enable));
    const instant = [...running.values()].filter((loaded) => !isSlow(loaded));
    this.#machine = instant.filter(({ rule }) => rule.source === 'machine');
    this.#part = instant.filter(({ rule }) => rule.source === 'part');
    this.#byId = new Map(all.map((rule) => [rule.id, rule]));
    [this.#all, this.#sound, this.#running] = [all, sound, running];
    [this.#faults, this.#version] = [faults, version];
    this.#changed();
  }

  async #resolve(): Promise<void> {
    const members = await this.#scopes.resolve([...this.#running.values()]);
    if (isSame(members, this.#members)) return;
    this.#members = members;
    this.#changed();
  }

  #changed(): void {
    this.#ofAgent.machine.clear();
    this.#ofAgent.part.clear();
    this.#shared.clear();
    for (const listener of this.#listeners) listener();
  }

  #forAgent(source: 'machine' | 'part', rules: readonly LoadedRule[], agent: number) {
    if (!this.#parts.isOn()) return NONE;
    const known = this.#ofAgent[source].get(agent);
    if (known) return known;
    const found = rules.filter(({ rule }) => this.applies(rule, agent));
    const key = `${source} ${found.map(({ rule }) => rule.id).join(' ')}`;
    const shared = found.length === 0 ? NONE : (this.#shared.get(key) ?? found);
    this.#shared.set(key, shared);
    this.#ofAgent[source].set(agent, shared);
    return shared;
  }
}

/** @returns what is wrong with it, where something is */
function compiled(rule: StoredRule): LoadedRule | string {
  const vocabulary = VOCABULARIES[rule.source];
  const condition = compile(rule.condition, vocabulary);
  if ('faults' in condition) return `its condition: ${condition.faults[0]?.message}`;
  const clear = rule.clear === null ? undefined : compile(rule.clear, vocabulary);
  if (clear && 'faults' in clear) return `its condition to clear: ${clear.faults[0]?.message}`;
  return { rule, condition: condition.condition, clear: clear?.condition };
}

function isSame(a: ReadonlyMap<number, Members>, b: ReadonlyMap<number, Members>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, members] of a) {
    const before = b.get(id);
    if (before === members) continue;
    if (before === undefined || before === 'all' || members === 'all') return false;
    if (before.size !== members.size) return false;
    for (const agent of members) if (!before.has(agent)) return false;
  }
  return true;
}
