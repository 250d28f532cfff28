import type { Message } from '../api.ts';
import { ESCAPES } from '../kinds/markup.ts';
import type { Kind, Language, Link, Rendered, RenderedAlert } from '../kinds/types.ts';
import { cut } from './clean.ts';
import { cleanMessage } from './cleaned.ts';
import { Clock, offsetOf, type Speech } from './clock.ts';
import { fill } from './fill.ts';
import { countsOf, digestTitle, groupTitle } from './group.ts';
import { wordsOf } from './index.ts';
import { details, lineOf } from './line.ts';
import { spokenMessage } from './summary.ts';

export interface RenderOptions {
  readonly kind: Pick<Kind, 'size' | 'markup'>;
  readonly language: Language;
  readonly zone: string;
  readonly now: number;
}

/** Puts a message into words, in the sizes of the kind of channel. */
export function render(message: Message, options: RenderOptions): Rendered {
  const words = wordsOf(options.language);
  const speech = { words, clock: new Clock(words, options.zone, options.now) };
  const cleaned = cleanMessage(spokenMessage(message, options));
  const alerts = cleaned.alerts.map((alert) => ({
    alert,
    line: lineOf(alert, cleaned.type, speech),
  }));
  const { title, lines } = written(cleaned, alerts, speech);
  const measure = measureOf(options.kind);
  const fitting = fitted(lines, options.kind.size.text, measure);
  const only = alerts.length === 1 && cleaned.more === 0 ? alerts[0]?.alert : undefined;
  const [url, ack_url] = [only?.url ?? '', only?.state === 'open' ? only.ack_url : ''];
  const links: Link[] = [];
  if (url !== '') links.push({ label: words.open, url });
  if (ack_url !== '') links.push({ label: words.ack, url: ack_url });
  return {
    message: cleaned,
    title: cut(title, options.kind.size.title, measure),
    lines: fitting,
    text: fitting.join('\n'),
    severity: cleaned.severity,
    state: stateOf(cleaned),
    url,
    ack_url,
    links,
    alerts,
  };
}

function stateOf(message: Message): Rendered['state'] {
  if (message.alerts.length === 0) return 'none';
  if (message.type === 'alert.acked') return 'acked';
  return countsOf(message).open === 0 ? 'over' : 'open';
}

interface Written {
  readonly title: string;
  readonly lines: readonly string[];
}

function written(message: Message, alerts: readonly RenderedAlert[], speech: Speech): Written {
  const { words, clock } = speech;
  const first = alerts[0];
  if (first === undefined || message.type === 'text' || message.type === 'test')
    return { title: message.title ?? '', lines: (message.text ?? '').split('\n') };
  if (alerts.length === 1 && message.more === 0) {
    const title = message.type === 'digest' ? fill(words.digest, { what: first.line }) : first.line;
    return { title, lines: details(first.alert, speech) };
  }
  const zone = fill(words.zone, { zone: clock.zone, offset: offsetOf(clock.now, clock.zone) });
  const lines = alerts.map(({ line }) => line);
  if (message.more > 0) lines.push(fill(words.andMore, { count: `${message.more}` }));
  const title =
    message.type === 'digest' ? digestTitle(message, words) : groupTitle(message, words);
  return { title, lines: [...lines, zone] };
}

type Measure = (text: string) => number;

/** Sizes are those of the text as it is sent. */
function measureOf({ size, markup }: RenderOptions['kind']): Measure {
  const escaped = ESCAPES[markup];
  return size.bytes ? (text) => Buffer.byteLength(escaped(text)) : (text) => escaped(text).length;
}

/** Lines from the first on, as many as fit; the last one that does not is cut. */
function fitted(lines: readonly string[], most: number, measure: Measure): string[] {
  const kept: string[] = [];
  let left = most;
  for (const line of lines) {
    const size = measure(line) + 1;
    if (size > left) {
      const part = cut(line, Math.max(0, left - 1), measure);
      if (part !== '') kept.push(part);
      break;
    }
    kept.push(line);
    left -= size;
  }
  return kept.length === 1 && kept[0] === '' ? [] : kept;
}
