import { dateTime, text } from '../format.ts';
import type { Curves, Gap } from './curves.ts';
import type { Unit } from './units.ts';

/** Position of the pointer: the bucket, and px from the left. */
export interface Hover {
  readonly index: number | null;
  readonly left: number;
}

interface TipProps {
  readonly curves: Curves;
  readonly gaps: readonly Gap[];
  readonly unit: Unit;
  readonly hover: Hover;
}

/** The exact time and values at the crosshair. */
export function Tip({ curves, gaps, unit, hover: { index, left } }: TipProps) {
  const time = curves.times[index ?? -1];
  if (index === null || time === undefined) return null;
  const gap = gaps.find(({ from, to }) => from < time && time < to);
  const side = left > 220 ? 'start' : 'end';
  return (
    <div class={`chart-tip ${side}`} aria-hidden="true">
      <div class="muted">{dateTime(time)}</div>
      {gap && <div>{gap.reason}</div>}
      {!gap &&
        curves.lines.slice(0, 12).map(({ label, color, avg, min, max }) => {
          const [value, least, most] = [avg[index], min?.[index], max?.[index]];
          return (
            <div key={label} class="chart-tip-line">
              <i class="swatch" style={{ borderColor: `var(${color})` }} />
              <span>{label}</span>
              <span class="num">{value == null ? '–' : unit.exact(value)}</span>
              {least != null && most != null && least !== most && (
                <span class="num muted">
                  {text(unit.figure(least))} – {text(unit.figure(most))}
                </span>
              )}
            </div>
          );
        })}
    </div>
  );
}
