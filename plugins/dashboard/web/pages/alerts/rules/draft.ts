import { useState } from 'preact/hooks';
import { navigate, to, useServer } from '../../../frame/index.ts';
import type { Rule } from '../../../parts/alert/index.ts';
import { toast, useUnsavedWarning, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { NewRule, Scope } from '../model.ts';
import { isTemplate, TEMPLATES } from './templates.ts';

/** Rule as it is being edited; texts are empty where the rule has none. */
export interface Draft {
  readonly name: string;
  readonly source: Rule['source'];
  readonly scope: Scope;
  readonly condition: string;
  readonly clear: string;
  readonly for_s: number;
  readonly clear_for_s: number;
  readonly severity: Rule['severity'];
  readonly notify: boolean;
  readonly policy: string;
  readonly repeat_s: number | null;
  readonly summary: string;
  readonly runbook: string;
  /** Tells of the value, and of the value at which it ends, that what is typed is no number. */
  readonly isValueWrong: boolean;
  readonly isBackWrong: boolean;
}

const RIGHT = { isValueWrong: false, isBackWrong: false };

const ofRule = (rule: Rule): Draft => ({
  ...rule,
  clear: rule.clear ?? '',
  policy: rule.policy ?? '',
  ...RIGHT,
});

function ofTemplate(id: string): Draft {
  const known = isTemplate(id) ? id : 'blank';
  const { source, condition, clear, for_s, severity } = TEMPLATES[known];
  return {
    name: known === 'blank' ? '' : t.alerts.templates[known].name,
    source,
    scope: { all: true },
    condition,
    clear: clear ?? '',
    for_s: for_s ?? 0,
    clear_for_s: clear ? 300 : 0,
    severity: severity ?? 'warning',
    notify: true,
    policy: '',
    repeat_s: null,
    summary: '',
    runbook: '',
    ...RIGHT,
  };
}

export const draftOf = (rule: Rule | undefined, template: string): Draft =>
  rule ? ofRule(rule) : ofTemplate(template);

/** Rule as the server takes it. */
export const newRule = ({ clear, policy, repeat_s, summary, runbook, ...rest }: Draft): NewRule => {
  const { name, source, scope, condition, for_s, clear_for_s, severity, notify } = rest;
  return {
    ...{ name: name.trim(), source, scope, condition: condition.trim() },
    ...{ for_s, clear_for_s, severity, notify, repeat_s },
    clear: clear.trim() === '' ? null : clear.trim(),
    policy: policy === '' ? null : policy,
    summary: summary === '' ? null : summary,
    runbook: runbook === '' ? null : runbook,
  };
};

export const namesNothing = ({ scope }: Draft): boolean =>
  scope.all !== true &&
  Object.values(scope).every((list) => !Array.isArray(list) || list.length === 0);

/** Scope that a condition is checked for, also while none is chosen. */
export const checkedScope = (draft: Draft): Scope =>
  namesNothing(draft) ? { all: true } : draft.scope;

/** Part of a draft that is missing before it can be saved; undefined: none. */
function lackOf(draft: Draft): 'condition' | 'value' | 'scope' | 'monitors' | 'name' | undefined {
  if (draft.condition.trim() === '') return 'condition';
  if (draft.isValueWrong || draft.isBackWrong) return 'value';
  if (namesNothing(draft)) return draft.source === 'monitor' ? 'monitors' : 'scope';
  return draft.name.trim() === '' ? 'name' : undefined;
}

/** Draft of a rule that is there, or of a new one from a template. */
export function useDraft(rule: Rule | undefined, template: string) {
  const { call } = useServer();
  const [draft, setDraft] = useState(() => draftOf(rule, template));
  const [isChanged, setChanged] = useState(false);
  useUnsavedWarning(isChanged);
  const change = (part: Partial<Draft>) => {
    setChanged(true);
    setDraft((old) => ({ ...old, ...part }));
  };
  const { run, error, isBusy } = useWork(
    async () => {
      const made = newRule(draft);
      if (rule) {
        const { source: _source, ...changed } = made;
        await call('alert_rule_update', { name: rule.name, change: changed });
      } else await call('alert_rule_create', { rule: made });
    },
    () => {
      setChanged(false);
      toast(t.alerts.ruleSaved(draft.name.trim()));
      navigate(to('alerts', 'rules'));
    },
  );
  return { draft, change, isChanged, lack: lackOf(draft), save: run, error, isBusy };
}

/** Deletes a rule, or takes its shipped form back. */
export function useRuleWork({ name }: Rule) {
  const { call } = useServer();
  const leave = (text: string) => {
    toast(text);
    navigate(to('alerts', 'rules'));
  };
  return {
    remove: async () => {
      await call('alert_rule_delete', { name });
      leave(t.alerts.ruleDeleted(name));
    },
    reset: async () => {
      await call('alert_rule_reset', { name });
      leave(t.alerts.ruleReset(name));
    },
  };
}
