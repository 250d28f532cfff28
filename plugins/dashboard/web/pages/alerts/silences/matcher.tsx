import { useAlertWords, useMachines } from '../../../frame/index.ts';
import {
  beginningOf,
  type Matcher,
  SEVERITIES,
  type Severity,
} from '../../../parts/alert/index.ts';
import { Select } from '../../../parts/index.ts';
import { MachinePicker } from '../../../parts/machine-picker.tsx';
import { t } from '../../../strings/index.ts';
import { useRules } from '../model.ts';
import { TagChoice, tagsOf } from '../tags.tsx';

interface Props {
  readonly scope: Matcher;
  readonly onChange: (scope: Matcher) => void;
}

/** Scope without members that name nothing. */
function without(scope: Matcher, name: keyof Matcher, value: unknown): Matcher {
  const { [name]: _old, ...others } = scope;
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
  return isEmpty ? others : { ...others, [name]: value };
}

/** Rules, tags, machines and severity of a silence or a window: each that is chosen must match. */
export function MatcherFields({ scope, onChange }: Props) {
  const rules = useRules();
  const { titleOf } = useAlertWords();
  const { list = [] } = useMachines();
  const set = (name: keyof Matcher, value: unknown) => onChange(without(scope, name, value));
  return (
    <div class="alerts-matcher">
      <div class="stack">
        <TagChoice
          label={t.alerts.whichTags}
          all={tagsOf(list)}
          chosen={scope.tags ?? []}
          onChange={(tags) => set('tags', tags)}
        />
        <TagChoice
          label={t.alerts.whichRules}
          all={(rules.data ?? []).map(({ name }) => name)}
          chosen={scope.rules ?? []}
          wordsOf={titleOf}
          onChange={(names) => set('rules', names)}
        />
        <Select
          label={t.alerts.severity}
          value={scope.severity ?? ''}
          options={[
            { value: '', label: t.alerts.anySeverity },
            ...SEVERITIES.map((one) => ({ value: one, label: t.alerts.upTo[one] })),
          ]}
          onChange={(one) => set('severity', one === '' ? undefined : (one as Severity))}
        />
      </div>
      <MachinePicker
        machines={list}
        chosen={new Set(scope.agents ?? [])}
        onChange={(chosen) => set('agents', [...chosen])}
      />
    </div>
  );
}

/** Name of a monitor, or what a pattern of names stands for. */
export function monitorText(monitor: string): string {
  const beginning = beginningOf(monitor);
  if (beginning === undefined) return monitor;
  return beginning === '' ? t.alerts.anyMonitor : t.alerts.beginsWith(beginning);
}

/** "Disk full on web-1, tag db" */
export function MatcherText({ scope }: { readonly scope: Matcher }) {
  const { nameOf } = useMachines();
  const { titleOf } = useAlertWords();
  const parts = [
    scope.rules && t.alerts.matcher.rules(scope.rules.map(titleOf).join('”, “')),
    scope.agents && t.alerts.matcher.agents(scope.agents.map(nameOf).join(', ')),
    scope.tags && t.alerts.matcher.tags(scope.tags.join(', ')),
    scope.monitors && t.alerts.matcher.monitors(scope.monitors.map(monitorText).join(', ')),
    scope.severity && t.alerts.upTo[scope.severity],
  ].filter((part) => part != null);
  return <>{parts.join(' · ')}</>;
}
