/** Drawing of what alerts say into a chart; a part of the chunk of uplot. */
import uPlot from 'uplot';
import type { Marks, Span } from './curves.ts';

type Colour = (name: string) => string;

const COLOURS: { readonly [kind in Span['kind']]: string } = {
  hold: '--muted',
  critical: '--bad',
  warning: '--warn',
  info: '--accent',
};

/** Runs it with the drawing limited to the inside of the axes. */
function inside(u: uPlot, draw: () => void): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

/** Shades holds and episodes behind the curves. */
export function drawSpans(u: uPlot, marks: Marks | undefined, colour: Colour): void {
  const { ctx, bbox } = u;
  inside(u, () => {
    for (const { from, to, kind } of marks?.spans ?? []) {
      const left = Math.max(bbox.left, u.valToPos(from, 'x', true));
      const right = Math.min(bbox.left + bbox.width, u.valToPos(to, 'x', true));
      if (right <= left) continue;
      ctx.fillStyle = `${colour(COLOURS[kind])}${kind === 'hold' ? '1c' : '22'}`;
      ctx.fillRect(left, bbox.top, Math.max(right - left, uPlot.pxRatio), bbox.height);
    }
  });
}

/** Draws the line that a value has to cross. */
export function drawThreshold(u: uPlot, marks: Marks | undefined, colour: Colour): void {
  const { ctx, bbox } = u;
  if (marks?.threshold === undefined) return;
  const y = Math.round(u.valToPos(marks.threshold, 'y', true)) + 0.5;
  inside(u, () => {
    ctx.strokeStyle = colour('--bad');
    ctx.lineWidth = uPlot.pxRatio;
    ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  });
}
