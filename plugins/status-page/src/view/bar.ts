import type { Cell } from '../live/uptime.ts';
import { escapeHtml, fill } from './escape.ts';
import type { Voice } from './say.ts';

/** How much of the tooltips there is room for. `none` joins cells as well. */
export type Titles = 'all' | 'trouble' | 'none';

export interface BarKind {
  /** What the bar spans: a form of words. */
  readonly range: 'days' | 'day';
  readonly cells: readonly Cell[];
  /** Part that was fine, for the text alternative. */
  readonly share: number | undefined;
}

/** Cells that become one where there is little room. */
const JOINED = 5;
const CLASSES = { none: 'n', first: '', fine: '', part: 'p', bad: 'd' } as const;
const WEIGHT = { none: 0, first: 1, fine: 2, part: 3, bad: 4 } as const;

interface Run {
  readonly begin: number;
  readonly cells: Cell[];
}

/** Cells as strokes with dashes: one path for a run of equal ones. */
export function bar(kind: BarKind, voice: Voice, titles: Titles): string {
  const cells = titles === 'none' ? joined(kind.cells) : kind.cells;
  const paths = runsOf(cells, titles === 'all').map(({ begin, cells: run }) => {
    const [first] = run as [Cell];
    const name = CLASSES[first.kind];
    const isShown = titles === 'all' || (titles === 'trouble' && WEIGHT[first.kind] > 2);
    const title = isShown ? `<title>${escapeHtml(titleOf(run, kind, voice))}</title>` : '';
    const shape = `<path${name && ` class=${name}`} d="M${begin} 2h${run.length}"`;
    return title ? `${shape}>${title}</path>` : `${shape}/>`;
  });
  const label = escapeHtml(titles === 'none' ? voice.words[kind.range] : labelOf(kind, voice));
  return `<svg viewBox="0 0 ${cells.length} 4" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg>`;
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
function joined(cells: readonly Cell[]): Cell[] {
  const found: Cell[] = [];
  for (let at = 0; at < cells.length; at += JOINED) {
    const some = cells.slice(at, at + JOINED);
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
