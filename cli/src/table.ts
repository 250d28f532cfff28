import type { Surroundings } from './io.ts';
import { clean, cut, padded, widthOf } from './text.ts';

type Row = Readonly<Record<string, unknown>>;

const GAP = 2;
/** Width of a terminal that does not tell its own. */
const USUAL_COLUMNS = 80;

/**
 * Rows for people: a head and aligned columns, as wide as the terminal. Where they do not fit, the columns of `spare` are left out, the first
 * one first, and then the first column is cut. For a pipe all columns without a head, separated by tabs.
 */
export function table(
  { stdout }: Surroundings,
  rows: readonly Row[],
  names: readonly string[],
  spare: readonly string[] = [],
): string {
  const cells = (name: string) => rows.map((row) => cell(row[name]));
  if (!stdout.isTTY)
    return rows.map((row) => `${names.map((name) => cell(row[name])).join('\t')}\n`).join('');
  const room = stdout.columns || USUAL_COLUMNS;
  const all = names.map((name) => ({ name, texts: [name.toUpperCase(), ...cells(name)] }));
  const columns = fitted(all, spare, room);
  const widths = columns.map(({ texts }) => Math.max(...texts.map(widthOf)));
  return ['', ...rows]
    .map((_row, line) => columns.map(({ texts }, at) => padded(texts[line] ?? '', widths[at] ?? 0)))
    .map((line) => `${line.join(' '.repeat(GAP)).trimEnd()}\n`)
    .join('');
}

interface Column {
  readonly name: string;
  readonly texts: readonly string[];
}

/** Width that the first column keeps before another one is left out. */
const NAME_COLUMNS = 24;

function fitted(all: readonly Column[], spare: readonly string[], room: number): Column[] {
  const widthIn = ({ texts }: Column) => Math.max(...texts.map(widthOf));
  const others = (columns: readonly Column[]) =>
    columns.slice(1).reduce((sum, column) => sum + GAP + widthIn(column), 0);
  const [first] = all;
  if (!first) return [];
  const least = Math.min(widthIn(first), NAME_COLUMNS);
  let left = [...all];
  for (const name of spare)
    if (least + others(left) > room) left = left.filter((one) => one.name !== name);
  const width = room - others(left);
  return [{ ...first, texts: first.texts.map((text) => cut(text, width)) }, ...left.slice(1)];
}

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
