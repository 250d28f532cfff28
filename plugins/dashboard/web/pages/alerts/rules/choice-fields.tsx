import { Select } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Choice, wordsOf } from './choice.ts';
import { titlesOf, type Variable } from './variables.ts';

interface Props {
  readonly choice: Choice;
  readonly variables: readonly Variable[];
  readonly onVariable: (name: string) => void;
  readonly onChange: (choice: Choice) => void;
}

/** Fields for what is looked at, and which of its words it is or is not. */
export function ChoiceFields({ choice, variables, onVariable, onChange }: Props) {
  const names = [...new Set([choice.variable, ...variables.map(({ name }) => name)])];
  return (
    <div class="alerts-fields three">
      <Select
        label={t.alerts.variable}
        value={choice.variable}
        options={titlesOf(names, variables)}
        onChange={onVariable}
      />
      <Select
        label={t.alerts.compared}
        value={choice.operator}
        options={(['==', '!='] as const).map((value) => ({
          value,
          label: t.alerts.sentence.operators[value],
        }))}
        onChange={(operator) => onChange({ ...choice, operator })}
      />
      <Select
        label={t.alerts.value}
        value={choice.word}
        options={Object.entries(wordsOf(choice.variable) ?? {}).map(([value, label]) => ({
          value,
          label,
        }))}
        onChange={(word) => onChange({ ...choice, word })}
      />
    </div>
  );
}
