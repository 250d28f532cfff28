import { useEffect, useRef } from 'preact/hooks';
import { colours } from '../frame/preferences.ts';

interface Props {
  /** Oldest first; null where there is none. */
  readonly values: ReadonlyArray<number | null>;
  /** The top of the drawing; by default the greatest value. */
  readonly max?: number;
  readonly width?: number;
  readonly height?: number;
  /** A colour's name: `--series-1`. */
  readonly color?: string;
  readonly label: string;
}

/** A small curve without axes, drawn on a canvas. Gaps stay gaps. */
export function Sparkline({
  values,
  max,
  width = 96,
  height = 24,
  color = '--series-1',
  label,
}: Props) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (ref.current) draw(ref.current, { values, max, width, height, color });
  });
  return (
    <canvas
      ref={ref}
      class="sparkline"
      role="img"
      aria-label={label}
      style={{ width: `${width}px`, height: `${height}px` }}
    />
  );
}

let theme = -1;
const known = new Map<string, string>();

/** Asking for a style makes the browser work out all of them, so each colour is asked for once a theme. */
export function colourOf(name: string): string {
  if (theme !== colours.value) known.clear();
  theme = colours.value;
  const found =
    known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name);
  known.set(name, found);
  return found;
}

interface Drawing {
  readonly values: ReadonlyArray<number | null>;
  readonly max: number | undefined;
  readonly width: number;
  readonly height: number;
  readonly color: string;
}

function draw(canvas: HTMLCanvasElement, { values, max, width, height, color }: Drawing): void {
  const scale = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  let top = max ?? 0;
  if (max === undefined) for (const value of values) if (value !== null && value > top) top = value;
  if (values.length < 2) return;
  const step = width / (values.length - 1);
  const y = (value: number) => height - 1 - (top > 0 ? Math.min(value / top, 1) : 0) * (height - 2);
  pen.strokeStyle = colourOf(color);
  pen.lineWidth = 1.25;
  pen.lineJoin = 'round';
  pen.beginPath();
  let isDown = false;
  for (const [at, value] of values.entries()) {
    if (value === null) {
      isDown = false;
      continue;
    }
    if (isDown) pen.lineTo(at * step, y(value));
    else pen.moveTo(at * step, y(value));
    isDown = true;
  }
  pen.stroke();
}
