import type { Figure } from '../format.ts';
import { bitRate, byteRate, bytes, duration, exact, number, percent, traffic } from '../format.ts';

/** Way in which the values of a chart are written and stepped. */
export interface Unit {
  readonly figure: (value: number) => Figure;
  /** The exact value, where the figure is rounded. */
  readonly exact: (value: number) => string;
  /** Steps of the axis, ascending. */
  readonly steps: readonly number[];
  /** Value where the axis always ends. */
  readonly top?: number;
  /** Lowest end of the axis. */
  readonly least: number;
}

const powers = (base: number, from: number, to: number, of: readonly number[]): number[] =>
  Array.from({ length: to - from }, (_, at) => of.map((one) => one * base ** (from + at))).flat();

const decimal = powers(10, -3, 16, [1, 2, 5]);
const binary = powers(2, 0, 60, [1]);
const MINUTE_S = 60;
const DAY_S = 86_400;
const upTo2 = (value: number) => number(value, Number.isInteger(value) ? 0 : 2);
const plain = (unit: string, digits = 0) => ({
  figure: (value: number) => ({
    value: number(value, value < 10 && !Number.isInteger(value) ? Math.max(1, digits) : digits),
    unit,
  }),
  exact: (value: number) => `${upTo2(value)} ${unit}`.trim(),
});
const seconds = (value: number): Figure => ({ value: duration(value * 1000), unit: '' });

export const units = {
  percent: {
    figure: percent,
    exact: (value) => `${upTo2(value)}%`,
    steps: [25, 50],
    top: 100,
    least: 100,
  },
  bytes: { figure: bytes, exact: (value) => exact(value, 'B'), steps: binary, least: 1024 },
  traffic: {
    figure: traffic,
    exact: (value) => exact(value, 'B'),
    steps: powers(10, 0, 18, [1, 2, 5]),
    least: 1000,
  },
  byteRate: { figure: byteRate, exact: (value) => exact(value, 'B/s'), steps: binary, least: 1024 },
  bitRate: {
    figure: bitRate,
    exact: (value) => exact(value * 8, 'bit/s'),
    steps: decimal.map((step) => step / 8),
    least: 125,
  },
  count: { ...plain(''), steps: powers(10, 0, 12, [1, 2, 5]), least: 4 },
  load: { ...plain('', 2), steps: decimal, least: 1 },
  milliseconds: { ...plain('ms', 1), steps: decimal, least: 1 },
  megahertz: { ...plain('MHz'), steps: decimal, least: 100 },
  degrees: { ...plain('°C'), steps: decimal, least: 50 },
  seconds: {
    figure: seconds,
    exact: (value) => exact(value, 's'),
    steps: [1, 5, 15, 30]
      .map((count) => count * MINUTE_S)
      .concat([1, 2, 6, 12].map((count) => count * 3600))
      .concat(powers(10, 0, 5, [1, 2, 5]).map((count) => count * DAY_S)),
    least: 600,
  },
} satisfies Record<string, Unit>;
