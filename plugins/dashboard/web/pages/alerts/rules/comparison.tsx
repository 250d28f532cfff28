import {
  backOf,
  type Comparison,
  isAbove,
  type Operator,
  type Window,
} from '../../../parts/alert/condition.ts';
import { Checkbox, Select } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Draft } from './draft.ts';
import { ValueField } from './value.tsx';
import { titlesOf, unitOf, type Variable } from './variables.ts';

interface Props {
  readonly opens: Comparison;
  /** Value at which it ends; undefined: as soon as it does not hold. */
  readonly back: number | undefined;
  readonly variables: readonly Variable[];
  /** Tells whether values of a while may be compared. */
  readonly hasPast: boolean;
  readonly onVariable: (name: string) => void;
  readonly onChange: (opens: Comparison, ends: Comparison | undefined) => void;
  readonly onWrong: (part: Partial<Pick<Draft, 'isValueWrong' | 'isBackWrong'>>) => void;
}

const OPERATORS: readonly Operator[] = ['>', '>=', '<', '<=', '==', '!='];

/** What is measured, how it is compared, with what, and at which value it ends. */
export function ComparisonFields(props: Props) {
  const { opens, back, variables, onChange, onWrong } = props;
  const known = variables.find(({ name }) => name === opens.variable);
  const unit = unitOf(opens.variable, known);
  const ends = (next: Comparison, value: number | undefined) =>
    onChange(next, value === undefined ? undefined : backOf(next, value));
  const mayEnd = opens.operator !== '==' && opens.operator !== '!=';
  return (
    <>
      <div class="alerts-comparison">
        <VariableSelect {...props} onChange={(next) => onChange(next, undefined)} />
        <Select
          label={t.alerts.compared}
          value={opens.operator}
          options={OPERATORS.map((value) => ({
            value,
            label: t.alerts.sentence.operators[value],
          }))}
          onChange={(operator) => onChange({ ...opens, operator }, undefined)}
        />
        <ValueField
          label={t.alerts.value}
          unit={unit}
          value={opens.value}
          onChange={(value) => ends({ ...opens, value }, shifted(opens, back, value))}
          onWrong={(isValueWrong) => onWrong({ isValueWrong })}
        />
      </div>
      {mayEnd && (
        <div class="alerts-back">
          <Checkbox
            label={t.alerts.hasBack}
            checked={back !== undefined}
            onChange={(isOn) => ends(opens, isOn ? nextTo(opens) : undefined)}
          />
          {back !== undefined && (
            <ValueField
              label={t.alerts.back[isAbove(opens.operator) ? 'below' : 'above']}
              unit={unit}
              value={back}
              onChange={(value) => ends(opens, value)}
              onWrong={(isBackWrong) => onWrong({ isBackWrong })}
            />
          )}
        </div>
      )}
    </>
  );
}

/** Value a little on the good side. */
const nextTo = ({ operator, value }: Comparison): number =>
  Number((value * (isAbove(operator) ? 0.95 : 1.1)).toPrecision(3));

/** End that is still on the good side; else one a little on it. */
function shifted(opens: Comparison, back: number | undefined, value: number): number | undefined {
  if (back === undefined) return undefined;
  const isGood = isAbove(opens.operator) ? back <= value : back >= value;
  return isGood ? back : nextTo({ ...opens, value });
}

const SPANS = ['5m', '15m', '30m', '60m'];

interface VariableProps extends Pick<Props, 'opens' | 'variables' | 'hasPast' | 'onVariable'> {
  readonly onChange: (opens: Comparison) => void;
}

/** Variable, and whether it is the newest value or one over a while. */
function VariableSelect({ opens, variables, hasPast, onVariable, onChange }: VariableProps) {
  const names = [...new Set([opens.variable, ...variables.map(({ name }) => name)])];
  const { window } = opens;
  const spans = window && !SPANS.includes(window.span) ? [window.span, ...SPANS] : SPANS;
  const windows = (['avg', 'max', 'min'] as const).flatMap((fn) =>
    spans.map((span) => ({
      value: `${fn} ${span}`,
      label: t.alerts.spans[fn](span.replace(/m$/, '')),
    })),
  );
  const { window: _window, ...newest } = opens;
  return (
    <>
      <Select
        label={t.alerts.variable}
        value={opens.variable}
        options={titlesOf(names, variables)}
        onChange={onVariable}
      />
      {(hasPast || window) && (
        <Select
          label={t.alerts.over}
          value={window ? `${window.fn} ${window.span}` : ''}
          options={[{ value: '', label: t.alerts.newest }, ...windows]}
          onChange={(chosen) => {
            const [fn, span] = chosen.split(' ');
            onChange(
              span === undefined ? newest : { ...newest, window: { fn: fn as Window, span } },
            );
          }}
        />
      )}
    </>
  );
}
