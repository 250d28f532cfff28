import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { address, navigate, to, useMachines } from '../../frame/index.ts';
import { type Column, sorted, Table } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { filtersOf, setSort } from './filters.ts';
import type { Vital } from './model.ts';
import { Selection } from './selection.tsx';

interface Props {
  readonly vitals: readonly Vital[];
  readonly columns: readonly Column<Vital>[];
}

/** Machines in rows, to sort and to choose from. */
export function MachineTable({ vitals, columns }: Props) {
  const { refresh } = useMachines();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { sort } = filtersOf(address.value.query);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const some = vitals.filter(({ uuid }) => chosen.has(uuid));
  const picker = pickColumn(vitals, chosen, setChosen);
  return (
    <div ref={box}>
      <Table
        label={t.frame.pages.fleet}
        columns={fitting([picker, ...columns], width)}
        rows={sorted(vitals, columns, sort)}
        keyOf={({ uuid }) => uuid}
        sort={sort}
        onSort={setSort}
        onOpen={({ uuid }) => navigate(to('agent', uuid))}
        isSelected={({ uuid }) => chosen.has(uuid)}
      />
      {some.length > 0 && (
        <Selection
          chosen={some}
          onClear={() => setChosen(new Set())}
          onChanged={() => void refresh()}
        />
      )}
    </div>
  );
}

/** Column of boxes that choose machines; the one in its head chooses all. */
function pickColumn(
  vitals: readonly Vital[],
  chosen: ReadonlySet<string>,
  onChange: (chosen: ReadonlySet<string>) => void,
): Column<Vital> {
  const isAll = chosen.size > 0 && vitals.every(({ uuid }) => chosen.has(uuid));
  const toggle = (uuid: string) => {
    const next = new Set(chosen);
    if (!next.delete(uuid)) next.add(uuid);
    onChange(next);
  };
  return {
    id: 'pick',
    label: (
      <input
        type="checkbox"
        aria-label={t.fleet.selectAll}
        checked={isAll}
        onChange={() => onChange(new Set(isAll ? [] : vitals.map(({ uuid }) => uuid)))}
      />
    ),
    width: '20px',
    render: ({ uuid, name }) => (
      <input
        type="checkbox"
        aria-label={t.fleet.select(name)}
        checked={chosen.has(uuid)}
        onChange={() => toggle(uuid)}
      />
    ),
  };
}

/** px around and between the cells of a row, as in `parts.css`. */
const PADDING = 34;
const GAP = 12;
/** A phone scrolls sideways: of a table that fits there too little would be left. */
const PHONE = 700;

/** The first columns that the window has room for; who hides one sees the next one. */
function fitting(columns: readonly Column<Vital>[], width: number): readonly Column<Vital>[] {
  if (width < PHONE) return columns;
  let left = width - PADDING + GAP;
  return columns.filter(({ width: wanted = '' }) => {
    left -= Number(/\d+/.exec(wanted)?.[0] ?? 0) + GAP;
    return left >= 0;
  });
}

/** px; 0 before the first drawing. */
function useWidth(ref: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(ref.current?.clientWidth ?? 0);
    const watch = new ResizeObserver(measure);
    if (ref.current) watch.observe(ref.current);
    measure();
    return () => watch.disconnect();
  }, []);
  return width;
}
