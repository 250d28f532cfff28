export type Row = Readonly<Record<string, unknown>>;

/** Names of the columns. Statements of one text may give different ones: each stands once, in the order of its first row. */
export const columnsOf = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];

export const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : String(value);

/** Returns what a value is sorted by. */
export const sortable = (value: unknown): number | string | undefined =>
  value === null || value === undefined
    ? undefined
    : typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : textOf(value);

/** Returns the width that the first rows of a column ask for, px. */
export const widthOf = (name: string, rows: readonly Row[]): string => {
  const longest = Math.max(
    name.length,
    ...rows.slice(0, 50).map((row) => textOf(row[name] ?? null).length),
  );
  return `${Math.min(320, Math.max(72, longest * 8 + 12))}px`;
};

/** RFC 4180, with a head. A spreadsheet runs what begins with `=`, `+`, `-` or `@`, so such texts get an apostrophe. */
export function csvOf(rows: readonly Row[]): string {
  const names = columnsOf(rows);
  const field = (value: unknown) => {
    if (value === null || value === undefined) return '';
    const text = textOf(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
