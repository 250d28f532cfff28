import { colourOf } from '../../../parts/sparkline.tsx';
import type { Line } from './filters.ts';

/** Outcomes of a row. */
const SLOTS = 30;
const SLOT_PX = 6;
export const STRIP_PX = SLOTS * SLOT_PX;
/** Slot of a check that was not made. */
const NOTHING = ' ';
/** Heights by outcome, px: a failure is told from a success by more than its colour. */
const HEIGHTS: Readonly<Record<string, number>> = { ...{ u: 10, d: 22, '?': 3 }, [NOTHING]: 2 };
const COLOURS: Readonly<Record<string, string>> = {
  u: '--bar',
  d: '--bad',
  '?': '--line-strong',
  [NOTHING]: '--line',
};
const BASE_PX = 11;

export interface Drawing {
  readonly lines: readonly Line[];
  readonly height: number;
  /** Middle of the strip in its row, px. */
  readonly middle: number;
}

/** Draws the outcomes of all rows in the window on one canvas, the newest at the end. */
export function drawStrips(canvas: HTMLCanvasElement, { lines, height, middle }: Drawing): void {
  const scale = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [STRIP_PX * scale, lines.length * height * scale];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, w, h);
  for (const letter of [NOTHING, 'u', '?', 'd']) {
    pen.fillStyle = colourOf(COLOURS[letter] as string);
    const tall = HEIGHTS[letter] as number;
    for (const [at, line] of lines.entries()) {
      if (!('row' in line)) continue;
      const outcomes = line.row.recent.padStart(SLOTS, NOTHING);
      const bottom = at * height + middle + BASE_PX;
      for (let slot = 0; slot < SLOTS; slot++)
        if (outcomes[slot] === letter)
          pen.fillRect(slot * SLOT_PX, bottom - tall, SLOT_PX - 2, tall);
    }
  }
}
