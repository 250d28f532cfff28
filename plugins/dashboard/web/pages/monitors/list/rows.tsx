import { ChevronDown, ChevronRight } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { colours, Link, navigate, to } from '../../../frame/index.ts';
import { Amount, format, Icon, sentenceOf, useWindow } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import { isChecked, type Row, targetText } from '../model.ts';
import { uptimeFigure } from '../uptime-figure.ts';
import { countsOf, type Line } from './filters.ts';
import { useMonths } from './months.ts';
import { drawStrips, STRIP_PX } from './strip.ts';

interface Props {
  readonly lines: readonly Line[];
  readonly folded: ReadonlySet<string>;
  readonly onFold: (group: string) => void;
}

const PHONE = '(max-width: 720px)';
/** Height of a row and the middle of its strip, px. */
const WIDE = { height: 44, middle: 22 };
const NARROW = { height: 64, middle: 44 };

/** Monitors in rows: only those in the window exist, and one canvas has the outcomes of all of them. */
export function Rows({ lines, folded, onFold }: Props) {
  const { height, middle } = useNarrow() ? NARROW : WIDE;
  const body = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [from, end] = useWindow(body, lines.length, height);
  const shown = lines.slice(from, end);
  const months = useMonths(shown);
  const theme = colours.value;
  useEffect(() => {
    if (canvas.current) drawStrips(canvas.current, { lines: shown, height, middle });
  }, [lines, from, end, height, theme]);
  const place = (at: number) => ({ top: `${(from + at) * height}px`, height: `${height}px` });
  return (
    <div
      class="monitors-table"
      role="table"
      aria-label={t.frame.pages.monitors}
      aria-rowcount={lines.length + 1}
    >
      <Head />
      <div
        ref={body}
        class="monitors-body"
        role="rowgroup"
        style={{ height: `${lines.length * height}px` }}
      >
        {shown.map((line, at) =>
          'row' in line ? (
            <MonitorRow
              key={line.row.id}
              row={line.row}
              month={months.get(line.row.id)?.uptime ?? null}
              index={from + at + 2}
              style={place(at)}
            />
          ) : (
            <GroupRow
              key={`group ${line.group}`}
              line={line}
              index={from + at + 2}
              style={place(at)}
              isFolded={folded.has(line.group)}
              onFold={onFold}
            />
          ),
        )}
        <canvas
          ref={canvas}
          class="monitors-strips"
          style={{
            top: `${from * height}px`,
            width: `${STRIP_PX}px`,
            height: `${shown.length * height}px`,
          }}
        />
      </div>
    </div>
  );
}

const Head = () => (
  <div class="monitors-row monitors-head" role="row" aria-rowindex={1}>
    <span role="columnheader">{t.monitors.state}</span>
    <span role="columnheader">{t.monitors.name}</span>
    <span role="columnheader">{t.monitors.target}</span>
    <span role="columnheader">{t.monitors.recent}</span>
    <span role="columnheader" class="num">
      {t.monitors.time}
    </span>
    <span role="columnheader" class="num">
      {t.monitors.day}
    </span>
    <span role="columnheader" class="num">
      {t.monitors.month}
    </span>
  </div>
);

type Place = { readonly top: string; readonly height: string };

interface RowProps {
  readonly row: Row;
  /** Uptime of 30 days. */
  readonly month: number | null;
  readonly index: number;
  readonly style: Place;
}

function MonitorRow({ row, month, index, style }: RowProps) {
  const { name, kind, state, detail, recent, ms, uptime } = row;
  const target = targetText(row);
  const isBad = state === 'down' || state === 'degraded';
  const why = isBad ? sentenceOf(reasonText(detail)) : '';
  const failed = recent.split('d').length - 1;
  return (
    <div
      class="monitors-row"
      role="row"
      aria-rowindex={index}
      style={style}
      onClick={({ target: on }) => {
        if (!(on as Element).closest('a')) navigate(to('monitors', name));
      }}
    >
      <span role="cell" class="monitors-mark">
        <StateMark of={state} />
      </span>
      <span role="cell" class="monitors-name ellipsis">
        <Link to={to('monitors', name)} title={name}>
          {name}
        </Link>
      </span>
      <span
        role="cell"
        class={`monitors-target ellipsis ${why === '' ? 'muted' : 'monitors-why'}`}
        title={why === '' ? target : `${target}: ${why}`}
      >
        {why === '' ? target : why}
      </span>
      <span role="cell" class="monitors-recent">
        <span class="sr">
          {isChecked(kind)
            ? t.monitors.outcomes(recent.length, failed)
            : t.monitors.noOutcomes(kind === 'group')}
        </span>
      </span>
      <span role="cell" class="monitors-ms num">
        <Amount of={ms === null ? undefined : format.milliseconds(ms)} />
      </span>
      <span role="cell" class="monitors-uptime num">
        <Amount of={uptimeFigure(uptime)} />
      </span>
      <span role="cell" class="monitors-month num">
        <Amount of={uptimeFigure(month)} />
      </span>
    </div>
  );
}

interface GroupProps {
  readonly line: { readonly group: string; readonly rows: readonly Row[] };
  readonly index: number;
  readonly style: Place;
  readonly isFolded: boolean;
  readonly onFold: (group: string) => void;
}

function GroupRow({ line: { group, rows }, index, style, isFolded, onFold }: GroupProps) {
  const { down, degraded } = countsOf(rows);
  return (
    <div class="monitors-group" role="row" aria-rowindex={index} style={style}>
      <span role="cell">
        <button type="button" aria-expanded={!isFolded} onClick={() => onFold(group)}>
          <Icon of={isFolded ? ChevronRight : ChevronDown} />
          <strong class="ellipsis">{group === '' ? t.monitors.ungrouped : group}</strong>
          <span class="muted">{format.number(rows.length)}</span>
          {down > 0 && <span class="monitors-bad">{t.monitors.countOf.down(down)}</span>}
          {degraded > 0 && (
            <span class="monitors-warn">{t.monitors.countOf.degraded(degraded)}</span>
          )}
        </button>
      </span>
    </div>
  );
}

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const query = matchMedia(PHONE);
    const change = () => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isNarrow;
}
