import { useEffect, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import {
  type Comparison,
  conditionText,
  readBack,
  readCondition,
} from '../../../parts/alert/condition.ts';
import { SEVERITIES } from '../../../parts/alert/index.ts';
import { CodeField } from '../../../parts/code-field.tsx';
import { Card, Select } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Source } from '../model.ts';
import { type Check, useCheck } from './check.ts';
import { choiceText, readChoice, wordsOf } from './choice.ts';
import { ChoiceFields } from './choice-fields.tsx';
import { ComparisonFields } from './comparison.tsx';
import { checkedScope, type Draft } from './draft.ts';
import { HoldSelect } from './hold.tsx';
import { groupedText, namedText, readGrouped, readNamed } from './named.ts';
import { heldText, sentence } from './sentence.ts';
import { subjectsOf } from './subjects.ts';
import { titleOf, type UnitKind, unitOf, useVariables, type Variable } from './variables.ts';

export interface CardProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

const SOURCES = ['machine', 'part', 'presence', 'event', 'server', 'monitor'] as const;

interface ConditionProps extends CardProps {
  readonly check: { readonly data?: Check; readonly error?: unknown };
}

/** When a rule opens and ends: as a form, as a sentence, and in CEL. */
export function ConditionCard({ draft, onChange, check }: ConditionProps) {
  const { has } = useServer();
  const variables = useVariables(draft.source).data ?? [];
  const isWrong = draft.isValueWrong || draft.isBackWrong;
  const said = isWrong ? t.alerts.valueWanted : sentence(draft, variables);
  return (
    <Card class="stack">
      <div class="alerts-fields">
        <Select
          label={t.alerts.source}
          value={draft.source}
          options={SOURCES.filter(
            (one) => one !== 'monitor' || one === draft.source || has('monitor'),
          ).map((value) => ({ value, label: t.alerts.sources[value] }))}
          onChange={(source) => onChange(changedSource(source, draft.source))}
        />
        <Select
          label={t.alerts.severity}
          value={draft.severity}
          options={SEVERITIES.map((value) => ({ value, label: t.alert.severities[value] }))}
          onChange={(severity) => onChange({ severity })}
        />
      </div>
      <Comparisons draft={draft} onChange={onChange} variables={variables} />
      {draft.source !== 'event' && (
        <div class="alerts-fields">
          <HoldSelect
            label={t.alerts.hold}
            value={draft.for_s}
            onChange={(for_s) => onChange({ for_s })}
          />
          <HoldSelect
            label={t.alerts.holdBack}
            value={draft.clear_for_s}
            onChange={(clear_for_s) => onChange({ clear_for_s })}
          />
        </div>
      )}
      <p class="alerts-sentence" aria-live="polite">
        {said ?? heldText(draft)}
      </p>
      <Codes {...{ draft, onChange, check, variables }} />
    </Card>
  );
}

/** Condition to begin with for another source. */
const FIRST: { readonly [source in Source]: string } = {
  machine: 'cpu_usage > 90',
  part: 'disk.used_percent > 90',
  presence: 'silent_for > 120',
  event: 'event == "refused"',
  server: 'problem == "channel_failing" && lasts_s > 900',
  monitor: 'state == "down"',
};
const changedSource = (source: Source, former: Source): Partial<Draft> => ({
  source,
  condition: FIRST[source],
  clear: '',
  // Machines are no monitors, and tags of these are others.
  ...(subjectsOf(source) !== subjectsOf(former) && { scope: { all: true } }),
});

interface PartProps extends CardProps {
  readonly variables: readonly Variable[];
}

function Comparisons({ draft, onChange, variables }: PartProps) {
  const { condition: whole, prefix } = readNamed(draft.condition);
  const { condition, group } = readGrouped(whole);
  const set = (text: string, clear = '') =>
    onChange({
      condition: namedText({ condition: groupedText({ condition: text, group }), prefix }),
      clear,
    });
  const shown = variables.filter(({ name, type }) => type === 'double' || wordsOf(name));
  const unitFor = (name: string) =>
    unitOf(
      name,
      variables.find((one) => one.name === name),
    );
  const opens = readCondition(condition);
  const onVariable = (name: string) => set(changedVariable(name, { opens, shown, unitFor }));
  const choice = readChoice(condition);
  if (choice && draft.clear.trim() === '')
    return (
      <ChoiceFields
        {...{ choice, variables: shown, onVariable }}
        onChange={(next) => set(choiceText(next))}
      />
    );
  const back = opens && readBack(opens, draft.clear);
  if (!opens || back === null)
    return <p class="note">{opens || choice ? t.alerts.backBeyondForm : t.alerts.beyondForm}</p>;
  return (
    <ComparisonFields
      {...{ opens, back, variables: shown, onVariable }}
      hasPast={draft.source === 'machine'}
      onWrong={onChange}
      onChange={(comparison, ends) => {
        const isBytes = unitFor(comparison.variable) === 'bytes';
        set(conditionText(comparison, isBytes), ends && conditionText(ends, isBytes));
      }}
    />
  );
}

interface Change {
  readonly opens: Comparison | undefined;
  readonly shown: readonly Variable[];
  readonly unitFor: (name: string) => UnitKind;
}

/** Condition with another variable: with its words, or with the value that was there where the unit is the same. */
function changedVariable(name: string, { opens, shown, unitFor }: Change): string {
  const [word] = Object.keys(wordsOf(name) ?? {});
  if (word !== undefined) return choiceText({ variable: name, operator: '==', word });
  const unit = unitFor(name);
  if (opens && unitFor(opens.variable) === unit)
    return conditionText({ ...opens, variable: name }, unit === 'bytes');
  const example = shown.find((one) => one.name === name)?.example ?? '';
  const usual = readCondition(example);
  const isUsual = usual?.variable === name && !usual.window;
  const first = isUsual ? usual : { operator: '>' as const, value: opens?.value ?? 1 };
  return conditionText({ ...first, variable: name }, unit === 'bytes');
}

/** The same in CEL, checked while it is typed. */
function Codes({ draft, onChange, check, variables }: ConditionProps & PartProps) {
  const clear = useCheck(draft.source, draft.clear, checkedScope(draft));
  const { condition } = readGrouped(readNamed(draft.condition).condition);
  const isShown = readCondition(condition) === undefined && readChoice(condition) === undefined;
  const [isOpen, setOpen] = useState(isShown);
  const mustOpen = isShown || check.data?.valid === false;
  // A fault opens it; that it is mended closes nothing under the hands of who mends it.
  useEffect(() => {
    if (mustOpen) setOpen(true);
  }, [mustOpen]);
  return (
    <details
      class="alerts-cel"
      open={isOpen}
      onToggle={(event) => {
        if (event.target === event.currentTarget) setOpen(event.currentTarget.open);
      }}
    >
      <summary>{t.alerts.asText}</summary>
      <div class="stack">
        <CodeField
          label={t.alerts.condition}
          value={draft.condition}
          check={check}
          nearestLabel={t.alerts.useName}
          onText={(condition) => onChange({ condition })}
        />
        <CodeField
          label={t.alerts.clear}
          hint={t.alerts.clearHint}
          value={draft.clear}
          check={draft.clear.trim() === '' ? {} : clear}
          nearestLabel={t.alerts.useName}
          onText={(text) => onChange({ clear: text })}
        />
        <details>
          <summary class="muted small">{t.alerts.names(variables.length)}</summary>
          <ul class="alerts-names small">
            {variables.map((known) => (
              <li key={known.name}>
                <code>{known.name}</code>{' '}
                <span class="muted">
                  {[titleOf(known.name, known), known.unit].filter(Boolean).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      </div>
    </details>
  );
}
