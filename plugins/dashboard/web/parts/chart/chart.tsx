import { Maximize2, Sheet } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { colours } from '../../frame/preferences.ts';
import { t } from '../../strings/index.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { ErrorNote } from '../error-note.tsx';
import { text } from '../format.ts';
import { Skeleton } from '../skeleton.tsx';
import { type Curves, type Gap, gapsOf, type Marks, withGaps } from './curves.ts';
import { Legend } from './legend.tsx';
import type { Plot } from './plot.ts';
import { TableDialog } from './rows.tsx';
import { type Hover, Tip } from './tip.tsx';
import type { Unit } from './units.ts';
import './chart.css';

interface Props {
  readonly title: string;
  readonly curves: Curves;
  readonly unit: Unit;
  /** The time axis, Unix ms. */
  readonly from: number;
  readonly to: number;
  /** Width of a bucket, ms. */
  readonly step_ms: number;
  /** Reason why there is nothing from one time to another, where that is known. */
  readonly why?: (gap: Gap) => string | undefined;
  readonly onZoom: (from: number, to: number) => void;
  readonly onBack: () => void;
  /** Charts with the same word share the crosshair. */
  readonly sync: string;
  readonly height?: number;
  /** Content next to the title. */
  readonly children?: ComponentChildren;
  /** Part of the name of a file. */
  readonly file: string;
  /** Threshold and episodes of alerts. */
  readonly marks?: Marks | undefined;
  /** Tells whether it fills the window already. */
  readonly isLarge?: boolean;
}

const HEIGHT = 168;
/** Part of the window's height that a large chart takes; and its least, px. */
const LARGE_PART = 0.6;
const LARGE_LEAST = 240;

/** Curves over time: drag to zoom, double click to go back, a crosshair that all charts share, a table of the same values. */
export function Chart(props: Props) {
  const { title, unit, from, to, step_ms, why, file } = props;
  const [hover, setHover] = useState<Hover>({ index: null, left: 0 });
  const [isOver, setOver] = useState(false);
  const [isTable, setTable] = useState(false);
  const gaps = useMemo(
    () => gapsOf(props.curves, step_ms, to).map((gap) => withReason(gap, why)),
    [props.curves, step_ms, to, why],
  );
  const all = useMemo(() => withGaps(props.curves, gaps), [props.curves, gaps]);
  const { curves, hidden, toggle } = useHidden(all);
  const [isOpen, setOpen] = useState(false);
  const last = curves.times.length - 1;
  const shown = hover.index ?? last;
  return (
    <figure
      class="chart"
      aria-label={title}
      onPointerEnter={() => setOver(true)}
      onPointerLeave={() => setOver(false)}
    >
      <figcaption class="chart-head">
        <h3>{title}</h3>
        {props.children}
        <span class="grow" />
        <Tools
          title={title}
          onTable={() => setTable(true)}
          onLarge={props.isLarge === true ? undefined : () => setOpen(true)}
        />
      </figcaption>
      <Legend lines={all.lines} at={shown} unit={unit} hidden={hidden} onToggle={toggle} />
      <Canvas {...props} curves={curves} gaps={gaps} onHover={setHover} />
      {isOver && hover.index !== null && hover.left >= 0 && (
        <Tip curves={curves} gaps={gaps} unit={unit} hover={hover} />
      )}
      {last < 0 && <p class="chart-none muted">{t.chart.none}</p>}
      {isOpen && (
        <Dialog title={file} large onClose={() => setOpen(false)}>
          <Chart
            {...props}
            isLarge
            height={Math.max(LARGE_LEAST, Math.round(innerHeight * LARGE_PART))}
          />
        </Dialog>
      )}
      {isTable && (
        <TableDialog
          title={title}
          file={`${file} ${title}`}
          curves={props.curves}
          unit={unit}
          from={from}
          to={to}
          onClose={() => setTable(false)}
        />
      )}
    </figure>
  );
}

/** Curves without those that the legend has switched off. */
function useHidden(all: Curves) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const curves = useMemo(
    () => ({ ...all, lines: all.lines.filter(({ label }) => !hidden.has(label)) }),
    [all, hidden],
  );
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  };
  return { curves, hidden, toggle };
}

interface ToolsProps {
  readonly title: string;
  readonly onTable: () => void;
  readonly onLarge: (() => void) | undefined;
}

function Tools({ title, onTable, onLarge }: ToolsProps) {
  return (
    <>
      <Button kind="quiet" icon={Sheet} label={t.chart.table(title)} onClick={onTable} />
      {onLarge && (
        <Button kind="quiet" icon={Maximize2} label={t.chart.large(title)} onClick={onLarge} />
      )}
    </>
  );
}

function withReason(gap: Gap, why: Props['why']): Gap {
  return { ...gap, reason: why?.(gap) ?? t.chart.gap };
}

interface CanvasProps extends Props {
  readonly gaps: readonly Gap[];
  readonly onHover: (hover: Hover) => void;
}

/** Draws the curves into the box, with the library that is loaded for it, until the component goes. */
function usePlot(box: RefObject<HTMLDivElement | null>, props: CanvasProps) {
  const { curves, gaps, from, to, marks, unit, sync, height = HEIGHT } = props;
  const plot = useRef<Plot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [error, setError] = useState<unknown>();
  const [isReady, setReady] = useState(false);
  const shape = curves.lines.map(
    ({ label, color, min }) => `${label} ${color} ${min !== undefined}`,
  );
  const palette = colours.value;
  useEffect(() => {
    let isOver = false;
    let observer: ResizeObserver | undefined;
    import('./plot.ts').then(
      ({ createPlot }) => {
        const element = box.current;
        if (isOver || !element) return;
        const { curves: now, gaps: holes, from: begin, to: end, marks: first } = latest.current;
        plot.current = createPlot(
          element,
          { curves: now, gaps: holes, from: begin, to: end, marks: first },
          {
            unit,
            sync,
            height,
            onHover: (index, left) => latest.current.onHover({ index, left }),
            onZoom: (a, b) => latest.current.onZoom(a, b),
            onBack: () => latest.current.onBack(),
          },
        );
        setReady(true);
        observer = new ResizeObserver(() => plot.current?.resize(element.clientWidth));
        observer.observe(element);
      },
      (failure: unknown) => !isOver && setError(failure),
    );
    return () => {
      isOver = true;
      observer?.disconnect();
      plot.current?.end();
      plot.current = undefined;
    };
  }, [shape.join('\n'), palette, unit, sync, height]);
  useEffect(() => {
    plot.current?.show({ curves, gaps, from, to, marks });
  }, [curves, gaps, from, to, marks]);
  return { error, isReady };
}

function Canvas(props: CanvasProps) {
  const { curves, unit, height = HEIGHT, title } = props;
  const box = useRef<HTMLDivElement>(null);
  const { error, isReady } = usePlot(box, props);
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      <div
        ref={box}
        class="chart-plot"
        style={{ height: `${height}px` }}
        role="img"
        aria-label={descriptionOf(title, curves, unit)}
      >
        {!isReady && <Skeleton rows={3} />}
      </div>
    </>
  );
}

/** Description of the chart for screen readers. */
function descriptionOf(title: string, { lines }: Curves, unit: Unit): string {
  const parts = lines.slice(0, 4).map(({ label, avg, max }) => {
    const last = avg.findLast((value) => value !== null);
    const most = (max ?? avg).reduce<number>((top, value) => Math.max(top, value ?? top), 0);
    if (last == null) return `${label}: –`;
    return t.chart.spoken(label, text(unit.figure(last)), text(unit.figure(most)));
  });
  return [title, ...parts].join('. ');
}
