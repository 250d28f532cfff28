import { useRef, useState } from 'preact/hooks';
import { type Machine, useAlertWords, useMachines } from '../../../frame/index.ts';
import { type Matcher, SEVERITIES, type Severity } from '../../../parts/alert/index.ts';
import { Select } from '../../../parts/index.ts';
import { MachinePicker } from '../../../parts/machine-picker.tsx';
import { type ListedMonitor, useListedMonitors } from '../../../parts/monitor/listed.ts';
import { t } from '../../../strings/index.ts';
import { Choice } from '../choice.tsx';
import { useRules } from '../model.ts';
import { TagChoice, tagsOf } from '../tags.tsx';
import { isNamed } from './model.ts';
import { MonitorPicker } from './monitor-picker.tsx';
import { isPattern, monitorText } from './monitor-text.ts';

const KINDS = ['agents', 'monitors'] as const;
type Kind = (typeof KINDS)[number];

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

/** Rules, tags, severity and machines or monitors of a silence or a window: each that is chosen must match. */
export function MatcherFields({ scope, onChange }: Props) {
  const rules = useRules();
  const { titleOf } = useAlertWords();
  const { list = [] } = useMachines();
  const monitors = useListedMonitors();
  const set = (name: keyof Matcher, value: unknown) => onChange(without(scope, name, value));
  return (
    <div class="alerts-matcher">
      <div class="stack">
        <TagChoice
          label={t.alerts.whichTags}
          all={tagsOf([...list, ...monitors])}
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
      <Subjects {...{ scope, onChange, list, monitors }} />
    </div>
  );
}

interface SubjectsProps extends Props {
  readonly list: readonly Machine[];
  readonly monitors: readonly ListedMonitor[];
}

/** Machines or monitors: an alert is about one or the other. */
function Subjects({ scope, onChange, list, monitors }: SubjectsProps) {
  const [chosen, setChosen] = useState<Kind>();
  const kept = useRef<Matcher>({});
  const kind = chosen ?? (scope.monitors ? 'monitors' : 'agents');
  const choose = (next: Kind) => {
    if (next === kind) return;
    setChosen(next);
    // The choice of the other kind comes back with it.
    const { agents, monitors, ...others } = scope;
    kept.current = { ...kept.current, ...(agents && { agents }), ...(monitors && { monitors }) };
    onChange({ ...others, ...without(kept.current, kind, undefined) });
  };
  const set = (names: readonly string[]) =>
    onChange(
      without(without(scope, kind === 'agents' ? 'monitors' : 'agents', undefined), kind, names),
    );
  return (
    <div class="stack">
      {(monitors.length > 0 || scope.monitors) && (
        <Choice words={KINDS} chosen={kind} labels={t.alerts.subjects} onChoose={choose} />
      )}
      {scope.agents && scope.monitors && <p class="hint bad">{t.alerts.bothKinds}</p>}
      {kind === 'agents' ? (
        <MachinePicker
          machines={list}
          chosen={new Set(scope.agents ?? [])}
          onChange={(uuids) => set([...uuids])}
        />
      ) : (
        <MonitorPicker monitors={monitors} chosen={scope.monitors ?? []} onChange={set} />
      )}
      {!scope.agents && !scope.monitors && isNamed(scope) && (
        <p class="hint">{t.alerts.noneChosen}</p>
      )}
    </div>
  );
}

/** Names that are written out. */
const FEW = 8;

function listed(names: readonly string[]): string {
  const few = names.slice(0, FEW).join(t.alerts.comma);
  return names.length > FEW ? `${few} ${t.alerts.andMore(names.length - FEW)}` : few;
}

/** "monitor mail", "monitors mail, all that begin with “shop”" */
const monitorsText = (monitors: readonly string[]): string =>
  t.alerts.matcher.monitors(
    listed(monitors.map(monitorText)),
    monitors.some(isPattern) ? undefined : monitors.length,
  );

/** "“Disk full” · web-1 · tagged db" */
export function MatcherText({ scope }: { readonly scope: Matcher }) {
  const { nameOf } = useMachines();
  const { titleOf } = useAlertWords();
  const parts = [
    scope.rules && t.alerts.matcher.rules(scope.rules.map(titleOf).join('”, “')),
    scope.agents && t.alerts.matcher.agents(listed(scope.agents.map(nameOf))),
    scope.tags && t.alerts.matcher.tags(listed(scope.tags)),
    scope.monitors && monitorsText(scope.monitors),
    scope.severity && t.alerts.upTo[scope.severity],
  ].filter((part) => part != null);
  return <>{parts.join(' · ')}</>;
}
