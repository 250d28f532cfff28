import { Download } from 'lucide';
import { t } from '../../strings/index.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { dateTime, text } from '../format.ts';
import { saveFile } from '../save-file.ts';
import { type Column, Table } from '../table.tsx';
import type { Curves } from './curves.ts';
import type { Unit } from './units.ts';

interface Props {
  readonly title: string;
  /** Name of the file without its ending. */
  readonly file: string;
  readonly curves: Curves;
  readonly unit: Unit;
  /** Unix ms. */
  readonly from: number;
  readonly to: number;
  readonly onClose: () => void;
}

/** The values of a chart as rows, the newest first, and as a file. */
export function TableDialog({ title, file, curves, unit, from, to, onClose }: Props) {
  const { times, lines } = curves;
  const rows = times
    .map((_, at) => at)
    .filter((at) => lines.some(({ avg }) => avg[at] != null) && isIn(times[at] ?? 0, from, to));
  const shown = (value: number | null | undefined) =>
    value == null ? '–' : <span title={unit.exact(value)}>{text(unit.figure(value))}</span>;
  const columns: Column<number>[] = [
    { id: 'time', label: t.chart.time, width: '200px', render: (at) => dateTime(times[at] ?? 0) },
    ...lines.flatMap(({ label, avg, min, max }, line) => [
      { id: `${line}`, label, width: '120px', end: true, render: (at: number) => shown(avg[at]) },
      ...(min && max
        ? [
            {
              id: `${line} band`,
              label: t.chart.band,
              width: '170px',
              end: true,
              render: (at: number) => (
                <span class="muted">
                  {shown(min[at])} – {shown(max[at])}
                </span>
              ),
            },
          ]
        : []),
    ]),
  ];
  return (
    <Dialog
      wide
      title={title}
      onClose={onClose}
      actions={
        <>
          <span class="muted grow">{t.chart.rows(rows.length)}</span>
          <Button icon={Download} onClick={() => saveFile(nameOf(file), csv(curves, rows))}>
            {t.chart.csv}
          </Button>
        </>
      }
    >
      <Table
        label={title}
        columns={columns}
        rows={rows.toReversed()}
        keyOf={(at) => String(at)}
        rowHeight={32}
        empty={<p class="empty">{t.chart.none}</p>}
      />
    </Dialog>
  );
}

const isIn = (time: number, from: number, to: number) => time >= from && time <= to;

/** Exact values, times in UTC. */
function csv({ times, lines }: Curves, rows: readonly number[]): Blob {
  const columns = lines.flatMap(({ label, avg, min, max }) => [
    { label, values: avg },
    ...(min && max
      ? [
          { label: `${label} min`, values: min },
          { label: `${label} max`, values: max },
        ]
      : []),
  ]);
  const head = ['time', ...columns.map(({ label }) => quoted(label))];
  const body = rows.map((at) => [
    new Date(times[at] ?? 0).toISOString(),
    ...columns.map(({ values }) => String(values[at] ?? '')),
  ]);
  const text = [head, ...body].map((row) => `${row.join(',')}\r\n`);
  return new Blob(text, { type: 'text/csv;charset=utf-8' });
}

/** A leading sign would be a formula in a table program. */
const quoted = (text: string) => `"${text.replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;

const nameOf = (file: string) => `${file}.csv`.replace(/[^\p{L}\p{N} ._-]+/gu, '_');
