import { t } from '../../strings/index.ts';
import { Amount } from '../amount.tsx';
import type { Line } from './curves.ts';
import type { Unit } from './units.ts';

interface Props {
  readonly lines: readonly Line[];
  readonly at: number;
  readonly unit: Unit;
  /** Labels of lines that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (label: string) => void;
}

/** The lines by name, each with its value at the crosshair; a click takes one out, or back in. */
export function Legend({ lines, at, unit, hidden, onToggle }: Props) {
  return (
    <ul class="chart-legend">
      {lines.map(({ label, color, avg, dashed }) => {
        const value = avg[at];
        const isShown = !hidden.has(label);
        return (
          <li key={label}>
            <button
              type="button"
              aria-pressed={isShown}
              title={isShown ? t.chart.hide(label) : t.chart.show(label)}
              disabled={lines.length === 1}
              onClick={() => onToggle(label)}
            >
              <i
                class={dashed ? 'swatch dashed' : 'swatch'}
                style={{ borderColor: `var(${color})` }}
              />
              <span class="muted">{label}</span>
            </button>
            {isShown && (
              <Amount
                of={value == null ? undefined : unit.figure(value)}
                {...(value != null && { title: unit.exact(value) })}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}
