import { setQuery } from '../../frame/index.ts';
import type { Sort } from '../../parts/index.ts';
import type { Group } from './grid.tsx';
import type { Vital } from './model.ts';
import { needsLook, type Problem } from './problems.ts';

export type StateFilter = 'all' | 'online' | 'offline' | 'look';

/** Filters of the address. */
export interface Filters {
  readonly text: string;
  readonly tag: string;
  readonly state: StateFilter;
  readonly view: 'cards' | 'table';
  readonly isGrouped: boolean;
  readonly isOfflineFirst: boolean;
  readonly sort: Sort | undefined;
  /** Ids of columns that are hidden. */
  readonly hidden: readonly string[];
}

const STATES: readonly string[] = ['all', 'online', 'offline', 'look'];

export function filtersOf(query: URLSearchParams): Filters {
  const state = query.get('state') ?? 'all';
  const sort = query.get('sort') ?? '';
  return {
    text: query.get('q') ?? '',
    tag: query.get('tag') ?? '',
    state: STATES.includes(state) ? (state as StateFilter) : 'all',
    view: query.get('view') === 'table' ? 'table' : 'cards',
    isGrouped: query.get('group') === 'tag',
    isOfflineFirst: query.get('first') === 'offline',
    sort:
      sort === ''
        ? undefined
        : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    hidden: (query.get('hide') ?? '').split(',').filter((id) => id !== ''),
  };
}

export const setSort = ({ column, descending }: Sort) =>
  setQuery({ sort: `${descending ? '-' : ''}${column}` });

export function filtered(
  vitals: readonly Vital[],
  { text, tag, state, isOfflineFirst }: Filters,
  problemsOf: (vital: Vital) => readonly Problem[],
): readonly Vital[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = vitals.filter((vital) => {
    const { name, uuid, machine, isOnline } = vital;
    if (tag !== '' && !machine?.tags?.includes(tag)) return false;
    if (state === 'online' && !isOnline) return false;
    if (state === 'offline' && isOnline) return false;
    if (state === 'look' && !needsLook(problemsOf(vital))) return false;
    if (words.length === 0) return true;
    const line =
      `${name} ${uuid} ${machine?.address ?? ''} ${machine?.tags?.join(' ') ?? ''}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
  // The order within each half stays: nothing else moves.
  return isOfflineFirst
    ? [...found.filter(({ isOnline }) => !isOnline), ...found.filter(({ isOnline }) => isOnline)]
    : found;
}

/** Tags with how many machines have them, the most common first. */
export function tagsOf(
  vitals: readonly Vital[],
): readonly (readonly [tag: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { machine } of vitals)
    for (const tag of machine?.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
}

/** One group a tag; a machine with two tags stands in both. */
export function groupsOf(
  vitals: readonly Vital[],
  isGrouped: boolean,
  untagged: string,
): readonly Group[] {
  if (!isGrouped) return [{ id: 'all', title: '', vitals }];
  const groups = tagsOf(vitals).map(([tag]) => ({
    id: `tag ${tag}`,
    title: tag,
    vitals: vitals.filter(({ machine }) => machine?.tags?.includes(tag)),
  }));
  const rest = vitals.filter(({ machine }) => !machine?.tags?.length);
  return rest.length === 0 ? groups : [...groups, { id: 'none', title: untagged, vitals: rest }];
}
