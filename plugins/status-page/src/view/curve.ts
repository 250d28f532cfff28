import { escapeHtml } from '@svc/plugin-sdk/http';
import type { ProbeBucket } from '@svc/plugin-task/api';
import type { Latency } from '../live/latency.ts';
import type { Range } from '../ranges.ts';
import type { Colors } from './colors.ts';
import { fill } from './fill.ts';
import type { Voice } from './say.ts';

const HEIGHT = 100;
/** Answers so far apart are still one line. */
const JOINED_MS = 7_200_000;
/** Latency, ms, at the top of the picture. */
const TOPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** Draws the results of a probe. The picture has no size of its own: texts stay as large as the page's. */
export function curve(
  latency: Latency,
  range: Range,
  { light, dark }: Colors,
  voice: Voice,
): string {
  const { words } = voice;
  const { buckets, step_ms } = latency.past;
  const joined = Math.max(2, JOINED_MS / step_ms);
  const most = Math.max(...buckets.map((bucket) => bucket?.[6] ?? bucket?.[5] ?? 0));
  const top = TOPS.find((one) => one >= most) ?? Math.ceil(most / 10_000) * 10_000;
  const y = (ms: number) => HEIGHT - (Math.min(ms, top) / top) * HEIGHT;
  const texts = [
    text(0, 12, escapeHtml(shortText(latency, range, voice)), 'start'),
    text(100, 28, escapeHtml(voice.format.latency(top).replace('.0', '')), 'end'),
    text(0, 162, escapeHtml(fill(words.ago, { range: words.ranges[range] })), 'start'),
    text(100, 162, escapeHtml(words.now), 'end'),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%" role="img" aria-label="${escapeHtml(latencyText(latency, range, voice))}"><style>text{font:12px system-ui,sans-serif;fill:#63625d}.g{stroke:#e6e5e1}.l{stroke:${light};fill:none;stroke-width:1.5}.b{fill:${light};opacity:.16}.x{stroke:#c22f2f;stroke-width:3}@media(prefers-color-scheme:dark){text{fill:#a3a29c}.g{stroke:#2a2c31}.l{stroke:${dark}}.b{fill:${dark}}.x{stroke:#ff6b6b}}</style>
<svg y="33" width="100%" height="112" viewBox="0 0 ${buckets.length} 112" preserveAspectRatio="none"><g vector-effect="non-scaling-stroke"><path class="g" vector-effect="non-scaling-stroke" d="M0 .5h${buckets.length}M0 50h${buckets.length}M0 100h${buckets.length}"/><path class="b" d="${band(buckets, joined, y)}"/><path class="l" vector-effect="non-scaling-stroke" stroke-linejoin="round" stroke-linecap="round" d="${line(buckets, joined, y)}"/><path class="x" vector-effect="non-scaling-stroke" d="${losses(buckets)}"/></g></svg>
${texts.join('')}</svg>`;
}

/** The figures in words: the picture's text alternative. */
export const latencyText = (latency: Latency, range: Range, voice: Voice): string =>
  latency.p50 === undefined
    ? fill(voice.words.latencyNone, { range: voice.words.ranges[range] })
    : figures(
        voice.words[latency.loss === undefined ? 'latencyShort' : 'latencyText'],
        latency,
        voice,
      );

/** Text for the picture itself, which may be narrow. */
const shortText = (latency: Latency, range: Range, voice: Voice): string =>
  latency.p50 === undefined
    ? fill(voice.words.latencyNone, { range: voice.words.ranges[range] })
    : figures(voice.words.latencyShort, latency, voice);

function figures(form: string, { p50, p95, max, loss }: Latency, { format }: Voice): string {
  const of = (ms = 0) => format.latency(ms);
  return fill(form, { p50: of(p50), p95: of(p95), max: of(max), loss: format.loss(loss ?? 0) });
}

const text = (x: number, y: number, content: string, anchor: 'start' | 'end') =>
  `<text x="${x}%" y="${y}" text-anchor="${anchor}">${content}</text>`;

const round = (value: number): string => String(Math.round(value * 10) / 10);
type Buckets = readonly (ProbeBucket | undefined)[];

/** Stretches of answered buckets; those of seldom probes are joined. */
function stretches(
  buckets: Buckets,
  joined: number,
): (readonly [at: number, bucket: ProbeBucket])[][] {
  const found: [number, ProbeBucket][][] = [];
  let [last, wasLost] = [Number.NEGATIVE_INFINITY, false];
  for (const [at, bucket] of buckets.entries()) {
    if (!bucket) continue;
    if (bucket[4] === null) {
      wasLost = true;
      continue;
    }
    if (wasLost || at - last > joined) found.push([]);
    found.at(-1)?.push([at, bucket]);
    [last, wasLost] = [at, false];
  }
  return found;
}

function line(buckets: Buckets, joined: number, y: (ms: number) => number): string {
  return stretches(buckets, joined)
    .map((points) => {
      const path = points.map(([at, bucket]) => `${at + 0.5} ${round(y(bucket[4] ?? 0))}`);
      // A point alone has no length.
      return `M${path.join('L')}${points.length === 1 ? 'h.4' : ''}`;
    })
    .join('');
}

function band(buckets: Buckets, joined: number, y: (ms: number) => number): string {
  return stretches(buckets, joined)
    .filter((points) => points.length > 1)
    .map((points) => {
      const up = points.map(([at, bucket]) => `${at + 0.5} ${round(y(bucket[5] ?? 0))}`);
      const down = points
        .toReversed()
        .map(([at, bucket]) => `${at + 0.5} ${round(y(bucket[3] ?? 0))}`);
      return `M${[...up, ...down].join('L')}z`;
    })
    .join('');
}

/** Marks below the curve, as long as the part that was lost. */
function losses(buckets: Buckets): string {
  return buckets
    .map((bucket, at) => {
      if (!bucket || bucket[2] === 0) return '';
      return `M${at + 0.5} 112v-${round(2 + (bucket[2] / bucket[1]) * 8)}`;
    })
    .join('');
}
