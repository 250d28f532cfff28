/** Drawing with uplot; a chunk of its own. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Figure, text } from '../format.ts';
import type { Curves, Gap, Marks } from './curves.ts';
import { drawSpans, drawThreshold } from './marks.ts';
import { timeLabels } from './time-labels.ts';
import type { Unit } from './units.ts';

/** Content of a drawing. */
export interface Picture {
  readonly curves: Curves;
  readonly gaps: readonly Gap[];
  /** The time axis, Unix ms. */
  readonly from: number;
  readonly to: number;
  readonly marks?: Marks | undefined;
}

export interface PlotOptions {
  readonly unit: Unit;
  readonly height: number;
  /** Charts with the same word share the crosshair. */
  readonly sync: string;
  readonly onHover: (index: number | null, left: number) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly onBack: () => void;
}

export interface Plot {
  readonly show: (picture: Picture) => void;
  readonly resize: (width: number) => void;
  readonly end: () => void;
}

const FONT = '11px system-ui, sans-serif';
/** px; a shorter drag is a click. */
const LEAST_DRAG = 6;

export function createPlot(box: HTMLElement, first: Picture, options: PlotOptions): Plot {
  let picture = first;
  const colour = (name: string) => getComputedStyle(box).getPropertyValue(name).trim();
  const { series, bands } = seriesOf(first.curves, colour);
  const scales = {
    x: { time: true, range: (): uPlot.Range.MinMax => [picture.from, picture.to] },
    y: {
      range: (_: uPlot, __: number, most: number) =>
        rangeOf(options.unit, Math.max(most ?? 0, picture.marks?.threshold ?? 0)),
    },
  };
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height: options.height,
      ms: 1,
      legend: { show: false },
      padding: [8, 20, 0, 0],
      series,
      bands,
      scales,
      axes: axesOf(options.unit, colour),
      cursor: cursorOf(options),
      hooks: {
        drawClear: [
          (u) => drawGaps(u, picture.gaps, colour),
          (u) => drawSpans(u, picture.marks, colour),
        ],
        draw: [(u) => drawThreshold(u, picture.marks, colour)],
        setCursor: [(u) => options.onHover(u.cursor.idx ?? null, u.cursor.left ?? 0)],
        setSelect: [(u) => zoom(u, options.onZoom)],
      },
    },
    dataOf(first.curves),
    box,
  );
  return {
    show(changed) {
      picture = changed;
      plot.setData(dataOf(changed.curves));
    },
    resize: (width) => plot.setSize({ width, height: options.height }),
    end: () => plot.destroy(),
  };
}

/** The first line is drawn last, on top of the others. Averages first, then the two borders of each band. */
function dataOf({ times, lines: given }: Curves): uPlot.AlignedData {
  const lines = given.toReversed();
  const borders = lines.flatMap(({ max, min }) => (max && min ? [max, min] : []));
  return [times, ...lines.map(({ avg }) => avg), ...borders] as unknown as uPlot.AlignedData;
}

function seriesOf({ lines: given }: Curves, colour: (name: string) => string) {
  const lines = given.toReversed();
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const { color, dashed } of lines) {
    const stroke = colour(color);
    series.push({
      stroke,
      width: dashed ? 1 : 1.5,
      ...(dashed && { dash: [4, 4] }),
      points: { show: true, size: 4, width: 1, fill: stroke, filter: alone },
    });
  }
  for (const { color, min, max } of lines) {
    if (!min || !max) continue;
    bands.push({ series: [series.length, series.length + 1], fill: `${colour(color)}2e` });
    series.push({ points: { show: false } }, { points: { show: false } });
  }
  return { series, bands };
}

/** A value between two gaps has no line: it gets a dot. */
function alone(u: uPlot, at: number, show: boolean): number[] | null {
  const values = u.data[at] ?? [];
  if (!show) return null;
  const found: number[] = [];
  for (let i = 0; i < values.length; i++)
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) found.push(i);
  return found;
}

const rangeOf = ({ top, least }: Unit, most: number | null): uPlot.Range.MinMax => [
  0,
  top ?? Math.max((most ?? 0) * 1.06, least),
];

function axesOf(unit: Unit, colour: (name: string) => string): uPlot.Axis[] {
  const both = {
    stroke: colour('--muted'),
    font: FONT,
    ticks: { show: false },
    grid: { stroke: colour('--line'), width: 1 },
  };
  return [
    {
      ...both,
      size: 26,
      gap: 6,
      space: 76,
      grid: { show: false },
      values: (_u, splits, _axis, _space, step) => timeLabels(splits, step),
    },
    {
      ...both,
      size: 68,
      gap: 6,
      space: 30,
      incrs: [...unit.steps],
      values: (_u, splits) =>
        splits.map((value) => (value === 0 ? '0' : shortest(unit.figure(value)))),
    },
  ];
}

/** Label without zeros after the point, which round steps do not need. */
const shortest = ({ value, unit }: Figure) =>
  text({ value: value.replace(/[.,]0{1,2}$/, ''), unit }).trim();

function cursorOf({ sync, onBack }: PlotOptions): uPlot.Cursor {
  const shared = new Set(['mousemove', 'mouseleave']);
  return {
    y: false,
    drag: { x: true, y: false, setScale: false },
    points: { size: 6, width: 0 },
    // Only the chart where it happened reports a zoom.
    sync: {
      key: sync,
      setSeries: false,
      scales: ['x', null],
      filters: { pub: (type) => shared.has(type), sub: (type) => shared.has(type) },
    },
    bind: {
      dblclick: () => () => {
        onBack();
        return null;
      },
    },
  };
}

function zoom(u: uPlot, onZoom: (from: number, to: number) => void): void {
  const { left, width } = u.select;
  if (width < LEAST_DRAG) return;
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom(Math.round(u.posToVal(left, 'x')), Math.round(u.posToVal(left + width, 'x')));
}

function drawGaps(u: uPlot, gaps: readonly Gap[], colour: (name: string) => string): void {
  const { ctx, bbox } = u;
  const scale = uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'center';
  for (const { from, to, reason } of gaps) {
    const left = Math.max(bbox.left, u.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, u.valToPos(to, 'x', true));
    if (right <= left) continue;
    ctx.fillStyle = `${colour('--line')}70`;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    if (reason === undefined || ctx.measureText(reason).width + 8 * scale > right - left) continue;
    ctx.fillStyle = colour('--muted');
    ctx.fillText(reason, (left + right) / 2, bbox.top + 6 * scale);
  }
  ctx.restore();
}
