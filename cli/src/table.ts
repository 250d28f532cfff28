import type { Surroundings } from './io.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows for people: a head and aligned columns. For a pipe the same without a head, separated by tabs. */
export function table(
  { stdout }: Surroundings,
  rows: readonly Row[],
  names: readonly string[],
): string {
  const lines = rows.map((row) => names.map((name) => cell(row[name])));
  if (!stdout.isTTY) return lines.map((line) => `${line.join('\t')}\n`).join('');
  const all = [names.map((name) => name.toUpperCase()), ...lines];
  const widths = names.map((_name, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  return all
    .map(
      (line) =>
        `${line
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** What agents and scripts wrote reaches a terminal without the characters that would steer it. */
export const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

const cell = (value: unknown): string =>
  value === null || value === undefined ? '-' : clean(String(value));

/** `1.5 G` */
export function bytes(value: unknown): string {
  if (typeof value !== 'number') return '-';
  const power = Math.min(5, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
  const figure = value / 1024 ** power;
  return `${power === 0 || figure >= 100 ? Math.round(figure) : figure.toFixed(1)} ${' KMGTP'[power]}`.trim();
}

/** `12 s`, `3 min`, `5 h`, `9 d` since a time in ms. */
export function ago(time: unknown, now = Date.now()): string {
  if (typeof time !== 'number') return '-';
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `1.5 M/s` */
export const speed = (value: unknown): string =>
  typeof value === 'number' ? `${bytes(value)}/s` : '-';

export const percent = (value: unknown): string => (typeof value === 'number' ? `${value} %` : '-');
