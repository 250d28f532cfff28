import { useEffect } from 'preact/hooks';
import { address, setQuery } from '../../../frame/index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const PRESETS = {
  '5m': 5 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '1y': 365 * DAY,
} as const;
export type Preset = keyof typeof PRESETS;
const isPreset = (text: string): text is Preset => Object.hasOwn(PRESETS, text);

/** Time that is shown: the newest one, which moves on, or a fixed one. */
export type Span =
  | { readonly preset: Preset; readonly ms: number }
  | {
      readonly preset?: undefined;
      readonly from: number;
      readonly to: number;
      readonly ms: number;
    };

/** A minute is the shortest that is worth an axis. */
const LEAST_MS = 20_000;

/** The span of the address: `?range=6h`, or `?from=…&to=…` in Unix ms. */
export function spanOf(query: URLSearchParams, usual: Preset = '1h'): Span {
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  if (from > 0 && to - from >= LEAST_MS) return { from, to, ms: to - from };
  const range = query.get('range') ?? '';
  const preset = isPreset(range) ? range : usual;
  return { preset, ms: PRESETS[preset] };
}

export const useSpan = (usual?: Preset): Span => spanOf(address.value.query, usual);

export const showPreset = (range: Preset): void =>
  setQuery({ range, from: undefined, to: undefined });

/** Shows a fixed time, no shorter than can be drawn, and never what is to come. */
export function showTime(from: number, to: number): void {
  const ms = Math.max(LEAST_MS, to - from);
  const end = Math.min(Math.round((from + to + ms) / 2), Date.now());
  setQuery({ range: undefined, from: String(Math.round(end - ms)), to: String(end) });
}

/** The ends of what is shown, Unix ms. */
export const endsOf = (span: Span, now: number): readonly [from: number, to: number] =>
  span.preset === undefined ? [span.from, span.to] : [now - span.ms, now];

/** A step into the past (-1) or back (1), by half of what is shown; at the end it is live again. */
export function move(by: -1 | 1): void {
  // Keys come quicker than a slow device draws: the address is what counts.
  const span = spanOf(address.value.query);
  const now = Date.now();
  const [from, to] = endsOf(span, now);
  const shift = (span.ms / 2) * by;
  const preset = (Object.keys(PRESETS) as Preset[]).find((one) => PRESETS[one] === span.ms);
  if (to + shift < now) showTime(from + shift, to + shift);
  else if (preset) showPreset(preset);
  else showTime(now - span.ms, now);
}

/** Half or twice of what is shown, around its middle. */
export function scale(factor: number): void {
  const span = spanOf(address.value.query);
  const [from, to] = endsOf(span, Date.now());
  const [middle, half] = [(from + to) / 2, (span.ms * factor) / 2];
  showTime(middle - half, middle + half);
}

/** Shortest presets first, down to the one that holds all that is kept. */
export function offered(keptFrom: number, now: number): readonly Preset[] {
  const all = Object.keys(PRESETS) as Preset[];
  const first = all.findIndex((preset) => PRESETS[preset] >= now - keptFrom);
  return first < 0 ? all : all.slice(0, Math.max(2, first + 1));
}

/** Interval, ms, at which a view of it is drawn anew: a live hour moves by seconds, a year by minutes. */
export const stepOfNow = ({ preset, ms }: Span): number =>
  preset === undefined ? 60_000 : Math.min(60_000, Math.max(1_000, ms / 3_600));

/** Keys of the charts, wherever the focus is, unless a control uses them. */
export function useRangeKeys(onBack: () => void): void {
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
