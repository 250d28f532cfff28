import { CalendarRange, ChevronLeft, ChevronRight, Radio } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, format, Icon, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { FixedRange } from '../dialogs/fixed-range.tsx';
import {
  endsOf,
  move,
  offered,
  PRESETS,
  type Preset,
  type Span,
  showPreset,
  useRangeKeys,
} from './span.ts';

const ALL = Object.keys(PRESETS) as Preset[];

interface Props {
  readonly span: Span;
  /** Unix ms. */
  readonly now: number;
  /** Beginning of the history; undefined: not known yet. */
  readonly keptFrom: number | undefined;
  readonly onBack: () => void;
}

/** Time that the charts show. Arrow keys move it, plus and minus scale it. */
export function RangePicker(props: Props) {
  const { span, now, keptFrom, onBack } = props;
  const [isOpen, setOpen] = useState(false);
  useRangeKeys(onBack);
  const [from, to] = endsOf(span, now);
  return (
    <div class="agent-range" role="group" aria-label={t.chart.range.label}>
      <Presets {...props} />
      <Button icon={CalendarRange} onClick={() => setOpen(true)} pressed={!span.preset}>
        {t.agent.range.fixed}
      </Button>
      <Button
        kind="quiet"
        icon={ChevronLeft}
        label={t.agent.range.earlier}
        onClick={() => move(-1)}
      />
      <Button
        kind="quiet"
        icon={ChevronRight}
        label={span.preset === undefined ? t.agent.range.later : t.agent.range.newest}
        disabled={span.preset !== undefined}
        onClick={() => move(1)}
      />
      <span class="muted small agent-ends">
        {span.preset ? (
          <span class="row">
            <Icon of={Radio} /> {t.agent.range.live}
          </span>
        ) : (
          `${format.dateTime(from)} – ${format.dateTime(to)}`
        )}
      </span>
      {isOpen && (
        <FixedRange from={from} to={to} keptFrom={keptFrom} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}

function Presets({ span, now, keptFrom }: Props) {
  /** Reason why a preset is of no use, in words: there is nothing so far back. */
  const whyNot = (preset: Preset): string | undefined =>
    keptFrom === undefined || offered(keptFrom, now).includes(preset)
      ? undefined
      : t.agent.range.tooFar(format.dateTime(keptFrom));
  const press = (preset: Preset) => {
    const why = whyNot(preset);
    if (why === undefined) showPreset(preset);
    else toast(why);
  };
  return (
    <div class="agent-presets">
      {ALL.map((preset) => (
        <button
          type="button"
          key={preset}
          class="agent-preset"
          aria-pressed={preset === span.preset}
          aria-disabled={whyNot(preset) !== undefined}
          title={whyNot(preset) ?? t.chart.range.last(t.chart.range.presets[preset])}
          onClick={() => press(preset)}
        >
          {t.chart.range.presets[preset]}
        </button>
      ))}
    </div>
  );
}
