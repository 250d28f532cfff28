import type { ChannelRow } from '../channel.ts';
import type { Outcome } from '../delivery/index.ts';
import type { ChannelFailure } from '../store/channels.ts';
import type { Candidate, Failure } from '../store/outbox.ts';
import { isText } from './queue.ts';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** Longest time that a receiver may ask for. */
const MOST_ASKED_MS = 3_600_000;
/** Times between refusals, ms; the last one doubles. */
const SPACES_MS = [10_000, 30_000] as const;
/** Refusals in a row after which the channel fails. */
const MOST_REFUSALS = 3;

export interface Judgement {
  readonly row: Failure;
  readonly channel: ChannelFailure;
}

type Failed = Exclude<Outcome, { kind: 'ok' }>;

/** Decides what a failure means for a message and its channel. */
export const judge = (row: Candidate, channel: ChannelRow, outcome: Failed, now: number) =>
  outcome.kind === 'permanent'
    ? refused(row, channel, outcome, now)
    : unreached(row, channel, outcome, now);

/**
 * A refusal: three in a row make the channel fail. A text is dropped then; messages about alerts stay, because the receiver
 * may be mended while the alert is open. Other messages go on.
 */
function refused(row: Candidate, channel: ChannelRow, outcome: Failed, now: number): Judgement {
  const { status, error } = outcome;
  // Only a refusal moves `due`: earlier tries that did not reach the receiver do not count.
  const before = row.due > row.created_at ? row.tries : 0;
  const isThird = before + 1 === MOST_REFUSALS;
  const isGone = channel.kind === 'webpush' && status === 410;
  const isDropped = before + 1 >= MOST_REFUSALS && (isGone || isText(row));
  const due = isDropped ? row.due : now + spaceOf(before);
  return {
    row: { state: isDropped ? 2 : 0, tries: before + 1, due, uncertain: 0, status, error },
    channel: {
      ...{ status, error, retry_at: channel.retry_at, tries: channel.tries },
      failing_since: channel.failing_since ?? (isThird ? now : null),
      dropped: isDropped ? 1 : 0,
    },
  };
}

const spaceOf = (before: number): number => {
  const doubled = SPACES_MS[1] * 2 ** Math.min(Math.max(before - 1, 0), 16);
  return before === 0 ? SPACES_MS[0] : Math.min(doubled, LONGEST_PAUSE_MS);
};

/** A receiver that is away or busy: the channel pauses. Once the pause has its greatest length, it fails. */
function unreached(
  row: Candidate,
  channel: ChannelRow,
  outcome: Failed & { kind: 'retry' },
  now: number,
): Judgement {
  const { status, error, after_ms } = outcome;
  const doubled = FIRST_PAUSE_MS * 2 ** Math.min(channel.tries, 16);
  const pause = Math.min(
    after_ms ?? doubled,
    after_ms === undefined ? LONGEST_PAUSE_MS : MOST_ASKED_MS,
  );
  const isFailing = doubled >= LONGEST_PAUSE_MS;
  const uncertain = outcome.uncertain ? 1 : row.uncertain;
  return {
    row: { state: 0, tries: row.tries + 1, due: null, uncertain, status, error },
    channel: {
      ...{ status, error, dropped: 0 },
      ...{ retry_at: now + Math.max(pause, 1_000), tries: channel.tries + 1 },
      failing_since: channel.failing_since ?? (isFailing ? now : null),
    },
  };
}
