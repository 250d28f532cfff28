import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Cell } from '../live/uptime.ts';
import { fill } from './fill.ts';
import type { Voice } from './say.ts';

/** Details of a bar for which there is room. */
export interface BarDetail {
  /** Cells with a tooltip. */
  readonly titles: 'all' | 'trouble' | 'none';
  /** Number of cells that become one, as bad as the worst of them. */
  readonly joined?: number;
}

export interface BarKind {
  /** Time that the bar spans: a form of words. */
  readonly range: 'days' | 'day';
  readonly cells: readonly Cell[];
  /** Part that was fine, for the text alternative. */
  readonly share: number | undefined;
}

const CLASSES = { none: 'n', first: '', fine: '', part: 'p', bad: 'd' } as const;
const WEIGHT = { none: 0, first: 1, fine: 2, part: 3, bad: 4 } as const;

interface Run {
  readonly begin: number;
  readonly cells: Cell[];
}

/** Cells as strokes with dashes: one path for each run that has a tooltip, and one for all others of a kind. */
export function bar(kind: BarKind, voice: Voice, { titles, joined = 1 }: BarDetail): string {
  const cells = joined > 1 ? worstOf(kind.cells, joined) : kind.cells;
  const paths: string[] = [];
  const untitled = new Map<string, string>();
  for (const { begin, cells: run } of runsOf(cells, titles === 'all')) {
    const [first] = run as [Cell];
    const name = CLASSES[first.kind];
    const shape = `M${begin} 2h${run.length}`;
    const isTitled = titles === 'all' || (titles === 'trouble' && WEIGHT[first.kind] > 2);
    if (isTitled) paths.push(path(name, shape, titleOf(run, kind, voice)));
    else untitled.set(name, (untitled.get(name) ?? '') + shape);
  }
  for (const [name, shapes] of untitled) paths.push(path(name, shapes));
  const label = escapeHtml(titles === 'none' ? voice.words[kind.range] : labelOf(kind, voice));
  return `<svg viewBox="0 0 ${cells.length} 4" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg>`;
}

function path(name: string, shape: string, title?: string): string {
  const drawn = `<path${name && ` class=${name}`} d="${shape}"`;
  return title === undefined ? `${drawn}/>` : `${drawn}><title>${escapeHtml(title)}</title></path>`;
}

/** Each cell with trouble has a title of its own where `apart` is true. */
function runsOf(cells: readonly Cell[], apart: boolean): Run[] {
  const runs: Run[] = [];
  for (const [at, cell] of cells.entries()) {
    const last = runs.at(-1);
    const [before] = last?.cells ?? [];
    const isSame = before && CLASSES[before.kind] === CLASSES[cell.kind];
    if (last && isSame && !(apart && WEIGHT[cell.kind] > 2)) last.cells.push(cell);
    else runs.push({ begin: at, cells: [cell] });
  }
  return runs;
}

/** The worst of every few cells. */
function worstOf(cells: readonly Cell[], few: number): Cell[] {
  const found: Cell[] = [];
  for (let at = 0; at < cells.length; at += few) {
    const some = cells.slice(at, at + few);
    found.push(some.reduce((a, b) => (WEIGHT[b.kind] > WEIGHT[a.kind] ? b : a)));
  }
  return found;
}

const whenOf = ({ at }: Cell, { range }: BarKind, { format }: Voice): string =>
  range === 'days' ? format.day(at) : `${format.clock(at)} UTC`;

function titleOf(run: readonly Cell[], kind: BarKind, voice: Voice): string {
  const { words, format } = voice;
  const [first, last] = [run[0] as Cell, run.at(-1) as Cell];
  const begin = whenOf(first, kind, voice);
  const when = first === last ? begin : `${begin} – ${whenOf(last, kind, voice)}`;
  if (first.kind === 'none') return fill(words.cellNone, { when });
  if (first.kind === 'first' && first === last) return fill(words.cellFirst, { when });
  const average = run.reduce((sum, { share }) => sum + share, 0) / run.length;
  const share = format.share(average);
  if (kind.range === 'day') return fill(words.cellLoss, { when, loss: format.loss(1 - average) });
  if (WEIGHT[first.kind] < 3) return fill(words.cell, { when, share });
  return fill(words.cellAway, { when, share, span: format.span(first.away) });
}

function labelOf(kind: BarKind, voice: Voice): string {
  const { words, format } = voice;
  const range = words[kind.range];
  if (kind.share === undefined) return fill(words.barAlone, { range });
  const share = format.share(kind.share);
  const trouble = kind.cells.filter(({ kind: of }) => WEIGHT[of] > 2);
  const last = trouble.at(-1);
  if (!last) return fill(words.barFine, { range, share });
  const count = String(trouble.length);
  return fill(words.barTrouble, { range, share, count, when: whenOf(last, kind, voice) });
}
