import { type Row, STATES, type State } from '../model.ts';

export interface Filters {
  readonly text: string;
  readonly state: State | undefined;
}

export function filtersOf(query: URLSearchParams): Filters {
  const state = query.get('state');
  return { text: query.get('q') ?? '', state: STATES.find((one) => one === state) };
}

export function shownOf(rows: readonly Row[], { text, state }: Filters): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (state === undefined || row.state === state) &&
      (wanted === '' ||
        [row.name, row.target, row.group ?? '', ...row.tags].some((one) =>
          one.toLowerCase().includes(wanted),
        )),
  );
}

export const countsOf = (rows: readonly Row[]): Readonly<Record<State, number>> => {
  const counts = { down: 0, degraded: 0, unknown: 0, up: 0, paused: 0 };
  for (const { state } of rows) counts[state]++;
  return counts;
};

/** Heading of a group, or a monitor. */
export type Line =
  | { readonly group: string; readonly rows: readonly Row[] }
  | { readonly row: Row };

const collator = new Intl.Collator(undefined, { numeric: true });

/** Lines in order: groups by name, those without one last; without any group no headings. */
export function linesOf(rows: readonly Row[], folded: ReadonlySet<string>): readonly Line[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = row.group ?? '';
    const found = groups.get(group);
    if (found) found.push(row);
    else groups.set(group, [row]);
  }
  const named = [...groups].sort(
    ([a], [b]) => Number(a === '') - Number(b === '') || collator.compare(a, b),
  );
  const hasHeads = named.length > 1 || (named[0]?.[0] ?? '') !== '';
  return named.flatMap(([group, list]): Line[] => {
    const sorted = list.sort((a, b) => collator.compare(a.name, b.name));
    return [
      ...(hasHeads ? [{ group, rows: sorted }] : []),
      ...(hasHeads && folded.has(group) ? [] : sorted.map((row) => ({ row }))),
    ];
  });
}
