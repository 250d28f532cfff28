import { type Condition, compile } from '@svc/conditions';
import { RpcError, type Static } from '@svc/plugin-sdk';
import { UNSET } from '../../rules/defaults.ts';
import type { NewRule } from '../../schemas.ts';
import type { LoadedRule, Rule, RuleScope, Source } from '../../types.ts';
import { kindOf } from '../parts.ts';
import { VOCABULARIES } from '../variables.ts';
import { isShort } from '../windows.ts';

const NOT_STORED = new Set(['disk.read_only']);

/** Members that only stored rules have; they do not matter when a rule is played. */
const NOT_KEPT = { id: 0, shipped: null, owner: null, version: 0, meaning: 0 } as const;

/** @throws RpcError 108 for a rule that cannot be played */
export function previewRule(rule: Static<typeof NewRule>): LoadedRule {
  const { source } = rule;
  if (source === 'event' || source === 'server' || source === 'monitor') {
    throw RpcError.invalid(
      'rule.source must be machine, part or presence: of events, of the server and of monitors no values are stored that could be played',
    );
  }
  const { scope, for_s, clear_for_s, clear: end } = rule;
  const condition = read(source, rule.condition, 'rule.condition');
  const clear = end === undefined || end === null ? undefined : read(source, end, 'rule.clear');
  const played: Rule = {
    ...UNSET,
    ...NOT_KEPT,
    name: rule.name,
    source,
    scope: scope as RuleScope,
    condition: rule.condition,
    clear: end ?? null,
    for_s: for_s ?? 0,
    clear_for_s: clear_for_s ?? 0,
  };
  const loaded = { rule: played, condition, clear };
  if (source === 'part' && !kindOf(loaded))
    throw RpcError.invalid(
      'rule.condition must name a value of disks, graphics cards or interfaces, such as disk.used_percent',
    );
  return loaded;
}

function read(source: Source, text: string, where: string): Condition {
  const result = compile(text, VOCABULARIES[source]);
  if ('faults' in result) throw RpcError.invalid(`${where}: ${result.faults[0]?.message}`);
  const { condition } = result;
  if (!condition.windows.every(isShort)) {
    throw RpcError.invalid(`${where}: traffic, predict and windows over an hour cannot be played`);
  }
  const unknown = condition.variables.find((name) => NOT_STORED.has(name));
  if (unknown) throw RpcError.invalid(`${where}: ${unknown} is not stored, so it cannot be played`);
  return condition;
}
