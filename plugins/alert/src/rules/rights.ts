import type { Permission, Requirement } from '@svc/plugin-sdk';
import type { MonitorNames } from '../monitors.ts';
import type { AlertDetail, AlertKey, RuleScope, Source } from '../types.ts';

type Verb = 'read' | 'write' | 'ack' | 'silence';

interface Subjects {
  readonly agents?: readonly string[];
  readonly monitors?: readonly string[];
}

/** The right to do this with alerts of these machines and monitors; undefined: with those of all. */
export function mayDo(verb: Verb, subjects?: Subjects): Requirement {
  const { agents = [], monitors = [] } = subjects ?? {};
  const scopes = [
    ...agents.map((uuid) => ({ agent_uuid: uuid })),
    ...monitors.map((name) => ({ monitor: name })),
  ];
  const where = monitors.length > 0 ? 'these agents and monitors' : 'these agents';
  return {
    scopes: subjects ? scopes : ['global'],
    permissions: [{ alert: verb }],
    denied: `Missing alert ${verb} permission ${subjects ? `for ${where}` : 'in the scope global'}`,
  };
}

/** The right to do this with alerts about this subject; a monitor is named, and with those of one that nobody knows it is global. */
export const mayAlert = (verb: Verb, subject: Subject, monitors: MonitorNames): Requirement => {
  const { subject_kind, subject_id } = subject;
  if (subject_kind === 'agent') return mayDo(verb, { agents: [subject_id] });
  const name = subject_kind === 'monitor' ? monitors.nameOf(subject) : '';
  return mayDo(verb, name === '' ? undefined : { monitors: [name] });
};

/** Subject of an alert or of an event. */
export type Subject = Pick<AlertKey, 'subject_kind' | 'subject_id'> & {
  readonly detail?: Pick<AlertDetail, 'subject'>;
};

/** The right to see a monitor; without it a rule of its owner does not look at it. */
export const mayWatch = (name: string): Pick<Requirement, 'scopes' | 'permissions'> => ({
  scopes: [{ monitor: name }],
  permissions: [{ monitor: 'read' }],
});

/** The right to a rule: in the scope of each machine and monitor that it names, or of all. */
export const mayRule = (verb: 'read' | 'write', scope: RuleScope): Requirement => ({
  ...mayDo(verb, 'all' in scope || scope.tags ? undefined : scope),
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
