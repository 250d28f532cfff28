import { CalendarRange, ChevronLeft, ChevronRight, Radio } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Dialog, format, Icon, TextField, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import {
  endsOf,
  move,
  offered,
  PRESETS,
  type Preset,
  type Span,
  scale,
  showPreset,
  showTime,
} from './span.ts';

const ALL = Object.keys(PRESETS) as Preset[];

interface Props {
  readonly span: Span;
  /** Unix ms. */
  readonly now: number;
  /** From when on there is history; undefined: not known yet. */
  readonly keptFrom: number | undefined;
  readonly onBack: () => void;
}

/** Which time the charts show. Arrow keys move it, plus and minus scale it. */
export function RangePicker({ span, now, keptFrom, onBack }: Props) {
  const [isOpen, setOpen] = useState(false);
  useRangeKeys(onBack);
  /** In words, where there is nothing so far back. */
  const whyNot = (preset: Preset): string | undefined =>
    keptFrom === undefined || offered(keptFrom, now).includes(preset)
      ? undefined
      : t.agent.range.tooFar(format.dateTime(keptFrom));
  const press = (preset: Preset) => {
    const why = whyNot(preset);
    if (why === undefined) showPreset(preset);
    else toast(why);
  };
  const [from, to] = endsOf(span, now);
  return (
    <div class="agent-range" role="group" aria-label={t.chart.range.label}>
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

/** Keys of the charts, wherever the focus is, unless a control uses them. */
function useRangeKeys(onBack: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (target.closest?.('input, select, textarea, dialog, [role="tablist"], [role="menu"]'))
        return;
      const run = {
        ArrowLeft: () => move(-1),
        ArrowRight: () => move(1),
        '+': () => scale(0.5),
        '-': () => scale(2),
        Backspace: onBack,
      }[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

interface FixedProps {
  readonly from: number;
  readonly to: number;
  readonly keptFrom: number | undefined;
  readonly onClose: () => void;
}

/** From one time to another one, by this device's clock. */
function FixedRange({ from, to, keptFrom, onClose }: FixedProps) {
  const [begin, setBegin] = useState(format.localInput(from));
  const [end, setEnd] = useState(format.localInput(to));
  const [first, last] = [Date.parse(begin), Date.parse(end)];
  const isGood = last - first >= 60_000;
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isGood) return;
    showTime(first, last);
    onClose();
  };
  return (
    <Dialog title={t.agent.range.fixedTitle} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField
          label={t.agent.range.from}
          type="datetime-local"
          value={begin}
          onText={setBegin}
          {...(keptFrom !== undefined && { hint: t.agent.range.kept(format.dateTime(keptFrom)) })}
        />
        <TextField
          label={t.agent.range.to}
          type="datetime-local"
          value={end}
          onText={setEnd}
          error={isGood ? undefined : t.agent.range.backwards}
        />
        <div class="row">
          <span class="grow" />
          <Button type="submit" kind="primary" disabled={!isGood}>
            {t.agent.range.show}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
