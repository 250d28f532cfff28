import type { Clock, Logger } from '@svc/plugin-sdk';
import { BodyTooBig, type Exchange, type Routes } from '@svc/plugin-sdk/http';
import type { AttemptThrottle } from '@svc/plugin-token/api';
import { type Alert, OPEN } from '../types.ts';
import { hashOf, isKey } from './key.ts';
import { askPage, fill, minuteOf, POLICY, type Shown, sayPage } from './page.ts';
import type { AckLink, AckStore } from './store.ts';
import { type Words, wordsFor } from './words.ts';

const MOST_BODY = 256;
const HOURS_MS = 4 * 3_600_000;
const METHODS = 'GET, HEAD, POST';

/** Acknowledges an episode of an alert. @returns false: it is over, or another episode runs */
export type Acknowledge = (
  alertId: number,
  episode: number,
  by: string,
  until: number | null,
) => Promise<boolean>;

export interface AckParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: AckStore;
  readonly throttle: AttemptThrottle;
  /** The alert with what the page shows of it; undefined: it has gone. */
  readonly find: (
    id: number,
  ) => Promise<{ readonly alert: Alert; readonly shown: Shown } | undefined>;
  readonly acknowledge: Acknowledge;
}

/** Adds `GET /svc/alert/ack/KEY`, which shows, and `POST`, which acknowledges. The key is in no log. */
export function addAckRoutes(routes: Routes, parts: AckParts): void {
  routes.add({ path: '/svc/alert/ack/:key', handle: (exchange) => handle(exchange, parts) });
}

async function handle(exchange: Exchange, parts: AckParts): Promise<void> {
  const words = wordsFor(exchange.request.headers['accept-language']);
  try {
    if (!/^(?:GET|HEAD|POST)$/.test(exchange.method)) {
      return send(exchange, 405, sayPage(words, `use ${METHODS}`), { allow: METHODS });
    }
    if (parts.throttle.isClosed(exchange.peerAddress)) {
      return send(exchange, 429, sayPage(words, words.wait), { 'retry-after': '10' });
    }
    await answer(exchange, words, parts);
  } catch (error) {
    parts.log.error('an acknowledge link could not be served', { error });
    if (!exchange.response.headersSent) send(exchange, 500, sayPage(words, words.failed));
  }
}

async function answer(exchange: Exchange, words: Words, parts: AckParts): Promise<void> {
  const { clock, store, throttle } = parts;
  const { key = '' } = exchange.params;
  const link = isKey(key) ? await store.find(hashOf(key)) : undefined;
  if (!link) throttle.failed(exchange.peerAddress);
  const found = link && link.ends_at > clock.now() ? await parts.find(link.alert_id) : undefined;
  if (!link || !found) return send(exchange, 404, sayPage(words, words.gone));
  const { alert, shown } = found;
  if (alert.episode !== link.episode || alert.state < OPEN)
    return send(exchange, 200, overPage(words, link, found));
  const isAcked = alert.acked_at !== null && (alert.acked_until ?? Infinity) > clock.now();
  if (link.isUsed) {
    const [status, sentence] = isAcked ? [200, words.already] : [404, words.gone];
    return send(exchange, status, sayPage(words, sentence, shown));
  }
  if (exchange.method === 'POST') return acknowledge(exchange, words, parts, { link, shown });
  const page = isAcked ? sayPage(words, words.already, shown) : askPage(words, shown);
  send(exchange, 200, page);
}

/** Page of an opening that is over; of a later one it says when it began, and what was measured then is not shown as of this one. */
function overPage(
  words: Words,
  { episode }: AckLink,
  { alert, shown }: { readonly alert: Alert | undefined; readonly shown: Shown },
): string {
  if (!alert || alert.episode === episode) return sayPage(words, words.over, shown);
  const { since: _since, ...place } = shown;
  const isOpen = alert.state >= OPEN && alert.opened_at !== null;
  const sentence = isOpen
    ? fill(words.again, { time: minuteOf(alert.opened_at ?? 0) })
    : words.over;
  return sayPage(words, sentence, { ...place, value: '' });
}

async function acknowledge(
  exchange: Exchange,
  words: Words,
  parts: AckParts,
  { link, shown }: { readonly link: AckLink; readonly shown: Shown },
): Promise<void> {
  const body = await exchange.body(MOST_BODY).catch((error: unknown) => {
    if (error instanceof BodyTooBig) return undefined;
    throw error;
  });
  if (!body) return send(exchange, 413, sayPage(words, words.failed));
  const form = new URLSearchParams(String(body));
  const until = form.get('hours') === '4' ? parts.clock.now() + HOURS_MS : null;
  const isDone = await parts.acknowledge(link.alert_id, link.episode, 'link', until);
  if (!isDone) {
    const found = await parts.find(link.alert_id);
    return send(exchange, 200, overPage(words, link, found ?? { alert: undefined, shown }));
  }
  await parts.store.take(link.hash);
  const time = until === null ? '' : minuteOf(until);
  const sentence = until === null ? words.done : fill(words.doneUntil, { time });
  send(exchange, 200, sayPage(words, sentence, shown));
}

const send = (
  exchange: Exchange,
  status: number,
  html: string,
  more: Readonly<Record<string, string>> = {},
): void =>
  exchange.text(status, html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    ...more,
  });
