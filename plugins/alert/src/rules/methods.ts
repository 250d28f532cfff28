import { type Condition, compile } from '@svc/conditions';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import {
  type Auth,
  DryRun,
  described,
  type Methods,
  optional,
  type Principal,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import { VARIABLES, VOCABULARIES } from '../evaluate/variables.ts';
import type { KnownMonitors } from '../monitors.ts';
import { Name, NewRule, RuleAnswer, RuleChange, Scope, SourceWord } from '../schemas.ts';
import type { StoredRule } from '../store/rows.ts';
import type { RuleScope, Source } from '../types.ts';
import { Text } from '../wire.ts';
import { onRule, rightTo } from './access.ts';
import type { RuleChanges } from './changes.ts';
import { DEFAULT_SCOPE } from './defaults.ts';
import type { LoadedRules } from './loaded.ts';
import { countMonitors } from './monitors.ts';
import type { TrueNow } from './now.ts';
import { mayRule } from './rights.ts';
import { scopeOf } from './scope.ts';

/** A variable as a form shows it. */
export const Variable = Type.Object({
  name: Type.String(),
  type: Type.String(),
  unit: Type.String(),
  title: Type.String(),
  example: Type.Optional(Type.String()),
});

/** Count of the machines on which a condition holds now. */
export type CountNow = (
  source: Source,
  condition: Condition,
  agents: readonly number[],
) => Promise<TrueNow>;

export interface RuleMethodParts {
  readonly auth: Auth;
  readonly changes: RuleChanges;
  readonly rules: LoadedRules;
  readonly registry: AgentRegistry;
  readonly monitors: KnownMonitors;
  readonly now: () => number;
  readonly tagsOf: (uuid: string) => readonly string[];
  readonly openByRule: () => Promise<ReadonlyMap<number, number>>;
  readonly trueNow: CountNow;
}

/** `alert_rule_*`, without `alert_rule_test`. */
export function addRuleMethods(methods: Methods, parts: RuleMethodParts): void {
  addWrites(methods, parts);
  addSwitches(methods, parts);
  addReads(methods, parts);
  addCheck(methods, parts);
}

function addWrites(methods: Methods, parts: RuleMethodParts): void {
  const { auth, changes } = parts;
  const found = { auth, find: (name: string) => changes.find(name) };
  methods.add('alert_rule_create', {
    summary: 'Makes a rule, which runs at once.',
    description:
      'The caller owns the rule: it sees the machines that its owner may read. Takes the right `alert` `write` in every scope that the rule names: of each machine in `agents`, else `global`.',
    addition: true,
    params: {
      rule: described(NewRule, 'Rule: its source, scope and condition, and how it is told.'),
      dry_run: DryRun,
    },
    result: RuleAnswer,
    audit: ({ rule, dry_run }) => (dry_run ? undefined : rule.name),
    prepare: ({ rule, dry_run }) => ({ rule, dry_run, scope: scopeOf(rule.scope) }),
    access: { needs: ({ scope }) => mayRule('write', scope) },
    handle: async ({ rule, dry_run }, { caller }) =>
      answer(parts, await changes.create(rule, caller, dry_run === true)),
  });
  methods.add('alert_rule_update', {
    summary: 'Changes a rule; the caller owns it from then on.',
    description:
      'Members that are absent stay as they are, null takes the default. After a change of condition, holds or scope open alerts are judged anew.',
    addition: true,
    params: {
      name: Name,
      change: described(RuleChange, 'The members that change.'),
      dry_run: DryRun,
    },
    result: RuleAnswer,
    audit: ({ name, dry_run }) => (dry_run ? undefined : name),
    right: rightTo('write', '; of the former scope and of the new one'),
    access: onRule('write', found),
    handle: async ({ name, change, dry_run }, { caller }) =>
      answer(parts, await changes.update(name, { ...change, dry_run }, caller)),
  });
  methods.add('alert_rule_delete', {
    summary: 'Deletes a rule; its open alerts end without a recovery.',
    description: 'A default rule stays deleted, until `alert_rule_reset` brings it back.',
    addition: true,
    params: { name: Name },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    right: rightTo('write'),
    access: onRule('write', found),
    async handle({ name }, { caller }) {
      await changes.remove(name, caller);
      return { success: true };
    },
  });
}

function addSwitches(methods: Methods, parts: RuleMethodParts): void {
  const { auth, changes } = parts;
  const found = { auth, find: (name: string) => changes.find(name) };
  methods.add('alert_rule_set_enable', {
    summary: 'Switches a rule on or off; its owner stays.',
    addition: true,
    params: { name: Name, enable: Type.Boolean({ description: 'True: the rule runs.' }) },
    result: RuleAnswer,
    audit: ({ name, enable }) => `${name}: ${enable ? 'on' : 'off'}`,
    right: rightTo('write'),
    access: onRule('write', found),
    handle: async ({ name, enable }, { caller }) =>
      answer(parts, await changes.setEnable(name, enable, caller)),
  });
  methods.add('alert_rule_reset', {
    summary: 'Gives a default rule its default settings back. A deleted one returns.',
    description: 'The caller owns it from then on.',
    addition: true,
    params: { name: Name },
    result: RuleAnswer,
    audit: ({ name }) => name,
    right: rightTo('write', '; and in the scope `global`, which a default rule has'),
    access: onRule('write', {
      auth,
      find: (name) => changes.resettable(name),
      gets: DEFAULT_SCOPE,
    }),
    handle: async ({ name }, { caller }) => answer(parts, await changes.reset(name, caller)),
  });
}

function addReads(methods: Methods, parts: RuleMethodParts): void {
  const { auth, changes, rules, openByRule } = parts;
  methods.add('alert_rule_get', {
    summary: 'A rule with its problem and the number of its open alerts.',
    addition: true,
    params: { name: Name },
    result: RuleAnswer,
    right: rightTo('read'),
    access: onRule('read', { auth, find: (name) => changes.find(name) }),
    handle: async ({ name }) => answer(parts, await changes.rule(name)),
  });
  methods.add('alert_rule_list', {
    summary: 'The rules that the caller may read, by name.',
    addition: true,
    params: {},
    result: Type.Array(RuleAnswer),
    access: 'authenticated',
    async handle(_params, { caller }) {
      const open = await openByRule();
      const found = [];
      for (const rule of rules.list())
        if (await auth.allows(caller, mayRule('read', rule.scope)))
          found.push(ruleAnswer(rule, rules.problem(rule), open.get(rule.id)));
      return found;
    },
  });
  methods.add('alert_rule_variables', {
    summary: 'Names that conditions of this source may use, for forms.',
    addition: true,
    params: { source: SourceWord },
    result: Type.Array(Variable),
    access: 'authenticated',
    handle: ({ source }) => [...VARIABLES[source]],
  });
}

const FaultAnswer = Type.Object({
  message: Type.String(),
  from: Type.Integer({ description: 'Place in the text, in UTF-16 units.' }),
  to: Type.Integer(),
  nearest: Type.Optional(Type.String({ description: 'Name that was probably meant.' })),
});

function addCheck(methods: Methods, parts: RuleMethodParts): void {
  methods.add('alert_rule_check', {
    summary: 'Checks a condition as somebody writes it.',
    description:
      '`matches` counts the machines in the scope that the caller may read, `true_now` those on which the condition holds by their newest report. For the source `monitor` they are monitors.',
    addition: true,
    params: {
      source: SourceWord,
      condition: Text({ maxLength: 4_000, description: 'Condition in CEL.' }),
      scope: described(optional(Scope), 'Default: all.'),
    },
    result: Type.Object({
      valid: Type.Boolean(),
      errors: Type.Array(FaultAnswer),
      variables: Type.Array(Type.String(), { description: 'Names that the condition uses.' }),
      matches: Type.Integer(),
      true_now: Type.Integer(),
      cut: Type.Boolean({
        description: 'The condition takes so long that `true_now` counts some of the machines.',
      }),
    }),
    prepare: ({ source, condition, scope }) => ({
      source,
      condition,
      scope: checkedScope(scope),
    }),
    access: 'authenticated',
    async handle({ source, condition: text, scope }, { caller }) {
      const result = compile(text, VOCABULARIES[source]);
      if (source === 'monitor') {
        const condition = 'faults' in result ? undefined : result.condition;
        const counts = await countMonitors(parts, { scope, condition }, caller, parts.now());
        const errors = 'faults' in result ? [...result.faults] : [];
        const variables = [...(condition?.variables ?? [])];
        return { valid: errors.length === 0, errors, variables, ...counts };
      }
      const agents = await readable(parts, scope, caller);
      const counts = { matches: agents.length, true_now: 0, cut: false };
      if ('faults' in result)
        return { valid: false, errors: [...result.faults], variables: [], ...counts };
      const { condition } = result;
      const { true_now, isCut: cut } = await parts.trueNow(source, condition, agents);
      const counted = { ...counts, true_now, cut };
      return { valid: true, errors: [], variables: [...condition.variables], ...counted };
    },
  });
}

/** Scope of a rule that is being written: one that names nothing yet has no machines. */
function checkedScope(scope: Static<typeof Scope> | undefined | null): RuleScope {
  if (!scope) return { all: true };
  const isEmpty = !scope.all && !scope.agents?.length && !scope.tags?.length;
  return isEmpty && !scope.monitors?.length ? { agents: [] } : scopeOf(scope);
}

/** Machines of the scope whose summaries the caller may read, by `Agent.id`. */
async function readable(
  { auth, registry, tagsOf }: RuleMethodParts,
  scope: RuleScope,
  caller: Principal,
): Promise<number[]> {
  const permissions = [{ dynamic_monitoring_summary: 'read' }];
  const mayAll = await auth.allows(caller, { scopes: ['global'], permissions, denied: '' });
  const found: number[] = [];
  for (const { id, uuid, soft_delete } of registry.list()) {
    const isNamed =
      'all' in scope ||
      scope.agents?.includes(uuid) ||
      scope.tags?.some((tag) => tagsOf(uuid).includes(tag));
    if (soft_delete || !isNamed) continue;
    const wanted = { scopes: [{ agent_uuid: uuid }], permissions, denied: '' };
    if (mayAll || (await auth.allows(caller, wanted))) found.push(id);
  }
  return found;
}

async function answer({ rules, openByRule }: RuleMethodParts, rule: StoredRule) {
  return ruleAnswer(rule, rules.problem(rule), (await openByRule()).get(rule.id));
}

/** Rule as methods answer it. */
export function ruleAnswer(rule: StoredRule, problem: string | null, open = 0) {
  const { id, name, source, condition, clear, for_s, clear_for_s, severity, enable, notify } = rule;
  const { policy, repeat_s, summary, runbook, shipped, owner, updated_at } = rule;
  const scope = rule.scope as { [key: string]: never };
  const first = { id, name, source, scope: { ...scope }, condition, clear, for_s, clear_for_s };
  const last = { severity, enable, notify, policy, repeat_s, summary, runbook };
  const rest = { labels: { ...rule.labels }, shipped, owner, updated_at, problem, open };
  return { ...first, ...last, ...rest };
}
