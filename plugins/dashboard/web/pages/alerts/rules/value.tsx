import { useEffect, useState } from 'preact/hooks';
import { Field } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { UnitKind } from './variables.ts';

/** Units that people may write a value in, each with what one of it is. */
const UNITS: { readonly [kind in UnitKind]: readonly (readonly [label: string, one: number])[] } = {
  percent: [['%', 1]],
  bytes: [
    ['MiB', 2 ** 20],
    ['GiB', 2 ** 30],
    ['TiB', 2 ** 40],
  ],
  rate: [
    ['kB/s', 1e3],
    ['MB/s', 1e6],
    ['Mbit/s', 125_000],
    ['Gbit/s', 125_000_000],
  ],
  seconds: [
    ['s', 1],
    ['min', 60],
    ['h', 3_600],
    ['d', 86_400],
  ],
  ms: [['ms', 1]],
  degrees: [['°C', 1]],
  days: [['d', 1]],
  plain: [],
};

/** Greatest unit in which the value is a short number. */
function bestUnit(kind: UnitKind, value: number): number {
  const all = UNITS[kind];
  const fitting = all.findLastIndex(
    ([, one]) => Math.abs(value) >= one && (value * 100) % one === 0,
  );
  return Math.max(0, fitting);
}

interface Props {
  readonly label: string;
  readonly unit: UnitKind;
  readonly value: number;
  readonly onChange: (value: number) => void;
  /** Called while what is typed is no number, and after that. */
  readonly onWrong: (isWrong: boolean) => void;
}

const numberOf = (text: string): number => Number(text.replace(',', '.'));
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(numberOf(text));

/** A number with its unit. */
export function ValueField({ label, unit, value, onChange, onWrong }: Props) {
  const all = UNITS[unit];
  const [at, setAt] = useState(() => bestUnit(unit, value));
  const [label1, one] = all[at] ?? all[0] ?? ['', 1];
  const [text, setText] = useState(String(value / one));
  useEffect(() => {
    if (numberOf(text) * one !== value) setText(String(value / one));
  }, [value, one]);
  useEffect(() => setAt(bestUnit(unit, value)), [unit]);
  const type = (typed: string) => {
    setText(typed);
    if (isNumber(typed)) onChange(numberOf(typed) * one);
  };
  const isWrong = !isNumber(text);
  useEffect(() => {
    if (!isWrong) return;
    onWrong(true);
    return () => onWrong(false);
  }, [isWrong]);
  return (
    <Field label={label} error={isWrong ? t.alerts.noNumber : undefined}>
      {(ids) => (
        <div class="row alerts-amount">
          <input
            {...ids}
            class="input num"
            inputMode="decimal"
            autocomplete="off"
            value={text}
            aria-invalid={isWrong}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
          {all.length > 1 ? (
            <select
              class="input"
              aria-label={t.alerts.unit}
              value={String(at)}
              onChange={({ currentTarget }) => {
                const next = Number(currentTarget.value);
                setAt(next);
                if (!isWrong) onChange(numberOf(text) * (all[next]?.[1] ?? 1));
              }}
            >
              {all.map(([name], index) => (
                <option key={name} value={String(index)}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            label1 !== '' && <span class="unit">{label1}</span>
          )}
        </div>
      )}
    </Field>
  );
}
