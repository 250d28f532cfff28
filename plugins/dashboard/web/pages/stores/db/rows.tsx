import { useState } from 'preact/hooks';
import {
  type Column,
  CopyButton,
  Dialog,
  prettyJson,
  type Sort,
  sorted,
  Table,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

export type Row = Readonly<Record<string, unknown>>;
interface Numbered {
  readonly at: number;
  readonly row: Row;
}

/** Statements of one text may give different columns: each stands once, in the order of its first row. */
const namesOf = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : String(value);

/** Of the width that its first rows ask for, px. */
const widthOf = (name: string, rows: readonly Row[]): string => {
  const longest = Math.max(
    name.length,
    ...rows.slice(0, 50).map((row) => textOf(row[name] ?? null).length),
  );
  return `${Math.min(320, Math.max(72, longest * 8 + 12))}px`;
};

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
    ...namesOf(rows).map(
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
      {open && <Whole of={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const sortable = (value: unknown): number | string | undefined =>
  value === null || value === undefined
    ? undefined
    : typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : textOf(value);

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

function Whole({
  of: { at, row },
  onClose,
}: {
  readonly of: Numbered;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={t.stores.row(at)} wide onClose={onClose}>
      <dl class="stores-whole">
        {Object.entries(row).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <pre>{typeof value === 'string' ? value : prettyJson(value)}</pre>
              <CopyButton text={typeof value === 'string' ? value : prettyJson(value)} />
            </dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}

/** RFC 4180, with a head. A spreadsheet runs what begins with `=`, `+`, `-` or `@`, so such texts get an apostrophe. */
export function csvOf(rows: readonly Row[]): string {
  const names = namesOf(rows);
  const field = (value: unknown) => {
    if (value === null || value === undefined) return '';
    const text = textOf(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
