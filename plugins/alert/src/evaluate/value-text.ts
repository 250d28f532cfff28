import type { Comparison, Condition } from '@svc/conditions';
import { type Unit, variableOf } from './variables.ts';

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const round = (value: number, more: number) =>
  String(Number(value.toFixed((Math.abs(value) < 100 ? 1 : 0) + more)));
/** Digits that a value gets beyond the usual ones, so that it differs from its threshold. */
const MOST_MORE = 4;

/** Text of a value as people read it: `96.2 %`, `1.5 GiB`, `2 h`. */
export function valueText(value: number, unit: Unit, more = 0): string {
  if (unit === 'B' || unit === 'B/s')
    return `${bytesText(value, more)}${unit === 'B/s' ? '/s' : ''}`;
  if (unit === 's') return durationText(value, more);
  return unit === '' ? round(value, more) : `${round(value, more)} ${unit}`;
}

/** Text of a value that never reads like the limit which it is not: `95.04 %` beside `> 95 %`. */
export function besideLimit(value: number, unit: Unit, limit: number | undefined): string {
  const same = limit === undefined || limit === value ? undefined : valueText(limit, unit);
  for (let more = 0; more < MOST_MORE; more++) {
    const text = valueText(value, unit, more);
    if (text !== same) return text;
  }
  return valueText(value, unit, MOST_MORE);
}

function bytesText(value: number, more: number): string {
  const power = Math.min(
    BYTES.length - 1,
    Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10),
  );
  return `${round(value / 1_024 ** power, more)} ${BYTES[power]}`;
}

function durationText(seconds: number, more: number): string {
  const size = Math.abs(seconds);
  if (size < 120) return `${round(seconds, more)} s`;
  if (size < 7_200) return `${round(seconds / 60, more)} min`;
  return size < 172_800
    ? `${round(seconds / 3_600, more)} h`
    : `${round(seconds / 86_400, more)} d`;
}

/** Unit of what a condition compares; of a rate it is that of the variable a second. */
export const unitOf = ({ comparison }: Condition): Unit =>
  comparison ? comparedUnit(comparison) : '';

function comparedUnit({ variable, window }: Comparison): Unit {
  if (window?.function === 'traffic') return 'B';
  const unit = variableOf(variable)?.unit ?? '';
  return window?.function === 'rate' && unit === 'B' ? 'B/s' : unit;
}

/** Text of what the value of an alert is compared with: `> 90 %`; empty where that is no number. */
export function thresholdText(condition: Condition): string {
  const compared = comparedOf(condition);
  return compared
    ? `${compared.operator} ${valueText(compared.value, comparedUnit(compared))}`
    : '';
}

/** Returns what the measured value of a condition is compared with. */
export function comparedOf({
  comparison,
  comparisons,
  variables,
}: Condition): Comparison | undefined {
  const measured = variables.find((name) => variableOf(name)?.type === 'double');
  return comparison ?? comparisons.find(({ variable, window }) => !window && variable === measured);
}
