import { ArrowDown, ArrowUp } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly render: (row: Row) => ComponentChildren;
  /** Width in the grid: `120px`, `minmax(160px, 2fr)`. */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly end?: boolean;
  /** Value that rows are sorted by; without it the column is not sortable. */
  readonly by?: (row: Row) => number | string | undefined;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  /** A click on a row, and Enter. */
  readonly onOpen?: (row: Row) => void;
  readonly isSelected?: (row: Row) => boolean;
  /** px, the same for every row. */
  readonly rowHeight?: number;
  /** Instead of rows, when there are none. */
  readonly empty?: ComponentChildren;
}

/** Rows beyond the window that are drawn in advance. */
const OVERSCAN = 8;

/** The rows in order; rows without a value come last. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const by = columns.find(({ id }) => id === sort?.column)?.by;
  if (!by || !sort) return rows;
  const sign = sort.descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    if (x === undefined || y === undefined)
      return Number(x === undefined) - Number(y === undefined);
    if (typeof x === 'string' && typeof y === 'string')
      return sign * x.localeCompare(y, undefined, { numeric: true });
    return sign * (Number(x) - Number(y));
  });
}

/**
 * A table of many rows: only those in the window exist. It scrolls with the page; the head sticks below the top bar.
 * Sorting is the caller's (`sorted`), so that an address can hold it.
 */
export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, keyOf, sort, onSort, onOpen, isSelected, empty } = props;
  const height = props.rowHeight ?? rowHeight();
  const body = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(body, rows.length, height);
  const template = columns.map(({ width }) => width ?? 'minmax(96px, 1fr)').join(' ');
  const grid = { gridTemplateColumns: template };
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div class="table-head" role="row" aria-rowindex={1} style={grid}>
          {columns.map((column) => (
            <Head key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
        <div
          ref={body}
          class="table-body"
          role="rowgroup"
          style={{ height: `${rows.length * height}px` }}
        >
          {rows.slice(from, to).map((row, at) => (
            <div
              key={keyOf(row)}
              class={`table-row ${onOpen ? 'opens' : ''} ${isSelected?.(row) ? 'selected' : ''}`}
              role="row"
              aria-rowindex={from + at + 2}
              style={{ ...grid, top: `${(from + at) * height}px`, height: `${height}px` }}
              onClick={(event) => {
                if (!(event.target as Element).closest('a, button, input, label')) onOpen?.(row);
              }}
            >
              {columns.map(({ id, end, render }) => (
                <div key={id} role="cell" class={end ? 'num cell' : 'cell'}>
                  {render(row)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {rows.length === 0 && empty}
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function Head<Row>({ column: { id, label, end, by }, sort, onSort }: HeadProps<Row>) {
  const isSorted = sort?.column === id;
  const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none';
  const isSortable = by !== undefined && onSort !== undefined;
  return (
    <div
      role="columnheader"
      class={end ? 'num cell' : 'cell'}
      {...(isSortable && { 'aria-sort': order })}
    >
      {isSortable ? (
        <button
          type="button"
          onClick={() =>
            onSort({ column: id, descending: isSorted ? !sort.descending : end === true })
          }
        >
          {label}
          {isSorted && <Icon of={sort.descending ? ArrowDown : ArrowUp} size={12} />}
        </button>
      ) : (
        label
      )}
    </div>
  );
}

/** px of `--row`. */
const rowHeight = () =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 40;

/** Returns which rows of a list that scrolls with the page are in the window: from the first to before the last. */
export function useWindow(
  ref: { readonly current: HTMLElement | null },
  count: number,
  height: number,
): readonly [from: number, to: number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 40]);
  const measure = () => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const from = Math.max(0, Math.floor(-box.top / height) - OVERSCAN);
    const to = Math.max(0, Math.ceil((innerHeight - box.top) / height) + OVERSCAN);
    setRange((old) => (old[0] === from && old[1] === to ? old : [from, to]));
  };
  useLayoutEffect(measure, [count, height]);
  useEffect(() => {
    let waiting = 0;
    const soon = () => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        measure();
      });
    };
    // Scrolling of any box around it is seen on its way down.
    addEventListener('scroll', soon, { capture: true, passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(waiting);
      removeEventListener('scroll', soon, { capture: true });
      removeEventListener('resize', soon);
    };
  }, [height]);
  return [Math.min(range[0], count), Math.min(range[1], count)];
}
