import type { Permission, Requirement } from '@svc/plugin-sdk';
import type { RuleScope, Source } from '../types.ts';

type Verb = 'read' | 'write' | 'ack' | 'silence';

/** The right to do this with alerts of these machines; undefined: with those of all. */
export const mayDo = (verb: Verb, agents?: readonly string[]): Requirement => ({
  scopes: agents ? agents.map((uuid) => ({ agent_uuid: uuid })) : ['global'],
  permissions: [{ alert: verb }],
  denied: `Missing alert ${verb} permission${agents ? ' for these agents' : ' in the scope global'}`,
});

/** The right to a rule: in the scope of each machine that it names, or of all. */
export const mayRule = (verb: 'read' | 'write', scope: RuleScope): Requirement => ({
  ...mayDo(verb, 'all' in scope || scope.tags || scope.monitors ? undefined : scope.agents),
  // One text for all scopes: a refusal does not tell whether there is such a rule.
  denied: `Missing alert ${verb} permission in the scopes of the rule`,
});

/** The right of its owner by which a rule of source `server` runs. */
export const mayServe = mayDo('read');

const FIELDS: Readonly<Record<string, string>> = {
  disk: 'disk',
  gpu: 'gpu',
  interface: 'network',
  core: 'cpu',
};

/** Rights to the values that a condition uses, asked for each machine. */
export function readsOf(source: Source, variables: readonly string[]): readonly Permission[] {
  const summaries = { dynamic_monitoring_summary: 'read' };
  if (source !== 'part') return [summaries];
  const heads = new Set(variables.map((name) => name.split('.')[0] ?? ''));
  const fields = [...heads].flatMap((head) => FIELDS[head] ?? []);
  if (fields.length === 0) return [summaries];
  return fields.map((field) => ({ dynamic_monitoring: { read: field } }));
}
