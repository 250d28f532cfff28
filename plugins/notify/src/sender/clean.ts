import type { Clock, Kernel, Logger } from '@svc/plugin-sdk';
import type { Config } from '../config.ts';
import type { ChannelStore } from '../store/channels.ts';
import type { CleaningStore } from '../store/cleaning.ts';
import type { Limits } from './limits.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Messages that may wait, and those that are kept besides; as many again about alerts that were dropped. */
const MOST_WAITING = 100_000;
const MOST_KEPT = 100_000;
/** Statements of one cleaning. */
const STEPS = 50;

export interface CleanParts {
  readonly kernel: Kernel<Config>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cleaning: CleaningStore;
  readonly channels: ChannelStore;
  readonly limits: Limits;
  readonly hasTurn: () => boolean;
}

/** Drops messages that waited too long or are too many, and deletes old ones; what is left comes at the next cleaning. */
export async function clean(parts: CleanParts): Promise<void> {
  const { channels, cleaning, clock, kernel, limits } = parts;
  const { give_up_h, keep_days } = kernel.config;
  const now = clock.now();
  await repeat(parts, () => cleaning.dropBefore(now - give_up_h * HOUR_MS));
  const { waiting } = await cleaning.depth();
  let surplus = waiting - MOST_WAITING;
  await repeat(parts, async () => {
    if (surplus <= 0) return new Map();
    const dropped = await cleaning.dropSurplus(surplus);
    for (const count of dropped.values()) surplus -= count;
    return dropped;
  });
  for (let step = 0; step < STEPS && parts.hasTurn(); step++)
    if (!(await cleaning.deleteDone(now - keep_days * DAY_MS, MOST_KEPT))) break;
  limits.keep(new Set((await channels.list()).map(({ id }) => id)));
}

async function repeat(
  { log, hasTurn }: CleanParts,
  drop: () => Promise<ReadonlyMap<number, number>>,
): Promise<void> {
  let total = 0;
  for (let step = 0; step < STEPS && hasTurn(); step++) {
    const dropped = await drop();
    if (dropped.size === 0) break;
    for (const count of dropped.values()) total += count;
  }
  if (total > 0) log.warn('messages were dropped: they waited for too long', { count: total });
}
