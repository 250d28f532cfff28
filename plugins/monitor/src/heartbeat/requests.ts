import type { Exchange } from '@svc/plugin-sdk/http';
import type { Arrived } from './heartbeats.ts';
import { isUuid } from './key.ts';

const MOST_STATUS = 255;
const MOST_REASON = 200;
const MOST_MS = 1e9;
const WORDS = ['start', 'fail', 'log'] as const;

/** Ping as its URL says it; `body` where that is its body. */
export type Said = Pick<Arrived, 'kind' | 'exit_status' | 'rid' | 'ms' | 'reason'> & {
  readonly body?: Uint8Array;
};

const NOTHING = { exit_status: null, rid: null, ms: null, reason: '' } as const;

/** Reads `/start`, `/fail`, `/log` or an exit status, and `?rid=`. @returns what is wrong, as a text */
export function readPing({ params, query }: Exchange): Said | string {
  const action = params['action'] ?? '';
  const rid = new URLSearchParams(query).get('rid');
  if (rid !== null && !isUuid(rid)) return 'invalid rid: use a UUID';
  const said = { ...NOTHING, rid: rid?.toLowerCase() ?? null };
  const word = WORDS.find((one) => one === action);
  if (word) return { ...said, kind: word };
  if (action === '') return { ...said, kind: 'success' };
  const exit_status = /^\d{1,3}$/.test(action) ? Number(action) : Number.NaN;
  if (!(exit_status <= MOST_STATUS)) return 'invalid url: use /start, /fail, /log or /0 to /255';
  return { ...said, kind: exit_status === 0 ? 'success' : 'fail', exit_status };
}

/** Reads `?status=up|down&msg=&ping=`. @returns what is wrong, as a text */
export function readPush({ query }: Exchange): Said | string {
  const values = new URLSearchParams(query);
  const status = values.get('status') || 'up';
  if (status !== 'up' && status !== 'down') return 'invalid status: use up or down';
  const msg = values.get('msg') ?? '';
  const ms = Number.parseFloat(values.get('ping') ?? '');
  return {
    ...NOTHING,
    kind: status === 'up' ? 'success' : 'fail',
    ms: ms >= 0 && ms <= MOST_MS ? ms : null,
    reason: onOneLine(msg),
    body: Buffer.from(msg.slice(0, 10_000)).subarray(0, 10_000),
  };
}

/** Returns foreign text without line ends and other control characters, cut to its length. */
const onOneLine = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MOST_REASON);
