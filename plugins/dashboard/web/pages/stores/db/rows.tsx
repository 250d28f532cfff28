import { useState } from 'preact/hooks';
import { type Column, type Sort, sorted, Table } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { columnsOf, type Row, sortable, textOf, widthOf } from './cells.ts';
import { RowDialog } from './dialogs/row.tsx';

interface Numbered {
  readonly at: number;
  readonly row: Row;
}

/** The rows of a statement: sortable, each opens as a whole. */
export function Rows({ rows }: { readonly rows: readonly Row[] }) {
  const [sort, setSort] = useState<Sort>();
  const [open, setOpen] = useState<Numbered>();
  const numbered = rows.map((row, at): Numbered => ({ at: at + 1, row }));
  const columns: Column<Numbered>[] = [
    {
      id: '#',
      label: '#',
      width: '56px',
      end: true,
      render: (one) => (
        <button
          type="button"
          class="stores-number"
          aria-label={t.stores.row(one.at)}
          onClick={() => setOpen(one)}
        >
          {one.at}
        </button>
      ),
    },
    ...columnsOf(rows).map(
      (name, at, all): Column<Numbered> => ({
        id: `:${name}`,
        label: name,
        width: at === all.length - 1 ? `minmax(${widthOf(name, rows)}, 1fr)` : widthOf(name, rows),
        end: rows.every((row) => ['number', 'bigint'].includes(typeof (row[name] ?? 0))),
        by: ({ row }) => sortable(row[name]),
        render: ({ row }) => <Cell value={row[name]} />,
      }),
    ),
  ];
  return (
    <>
      <Table
        label={t.stores.result}
        columns={columns}
        rows={sorted(numbered, columns, sort)}
        keyOf={({ at }) => String(at)}
        sort={sort}
        onSort={setSort}
        onOpen={setOpen}
        rowHeight={34}
      />
      {open && <RowDialog {...open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return null;
  if (value === null) return <span class="stores-null">{t.stores.isNull}</span>;
  const text = textOf(value);
  return (
    <span class="mono" title={text}>
      {text.length > 300 ? `${text.slice(0, 300)}…` : text}
    </span>
  );
}
