import type { Comparison, Condition } from '@svc/conditions';
import { type Unit, variableOf } from './variables.ts';

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const round = (value: number) => String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0)));

/** Text of a value as people read it: `96.2 %`, `1.5 GiB`, `2 h`. */
export function valueText(value: number, unit: Unit): string {
  if (unit === 'B' || unit === 'B/s') return `${bytesText(value)}${unit === 'B/s' ? '/s' : ''}`;
  if (unit === 's') return durationText(value);
  return unit === '' ? round(value) : `${round(value)} ${unit}`;
}

function bytesText(value: number): string {
  const power = Math.min(
    BYTES.length - 1,
    Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10),
  );
  return `${round(value / 1_024 ** power)} ${BYTES[power]}`;
}

function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 120) return `${round(seconds)} s`;
  if (size < 7_200) return `${round(seconds / 60)} min`;
  return size < 172_800 ? `${round(seconds / 3_600)} h` : `${round(seconds / 86_400)} d`;
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
export function thresholdText({ comparison, comparisons, variables }: Condition): string {
  const measured = variables.find((name) => variableOf(name)?.type === 'double');
  const compared =
    comparison ?? comparisons.find(({ variable, window }) => !window && variable === measured);
  return compared
    ? `${compared.operator} ${valueText(compared.value, comparedUnit(compared))}`
    : '';
}
