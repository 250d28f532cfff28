import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { type ChannelRow, valuesOf } from '../channel.ts';
import type { Deliveries, Outcome } from '../delivery/index.ts';
import type { Keys } from '../keys.ts';
import { KINDS } from '../kinds/index.ts';
import { mayDo } from '../permissions.ts';
import { type ChannelStore, isPaused } from '../store/channels.ts';
import type { Candidate, OutboxStore } from '../store/outbox.ts';
import { digestOf } from './digest.ts';
import { judge } from './judge.ts';
import type { Limits } from './limits.ts';
import { isText, mergeable, nextOf } from './queue.ts';

export interface DrainParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly owners: Owners;
  readonly keys: Keys;
  readonly channels: ChannelStore;
  readonly outbox: OutboxStore;
  readonly deliveries: Deliveries;
  readonly limits: Limits;
  /** Tells whether this server still has the turn to send. */
  readonly hasTurn: () => boolean;
  /**
   * Results that are not stored yet, by the ids of their rows: while the database takes no writes, as on a full disk, a message
   * must not leave every few seconds.
   */
  readonly unstored: Map<number, Outcome>;
  /** Aborts what is being sent, at the end of the server. */
  readonly stopping: AbortSignal;
  readonly counted: (kind: string, outcome: Outcome['kind']) => void;
  /** Told when a channel begins or ceases to fail. */
  readonly changed: (name: string, failing: boolean) => void;
}

/** Sends what is due on one channel, one message after the other. @returns time after which more may be sent, ms; undefined: unknown */
export async function drain(id: number, parts: DrainParts): Promise<number | undefined> {
  const { channels, clock, limits, outbox, owners } = parts;
  while (parts.hasTurn()) {
    const channel = await channels.byId(id);
    if (!channel?.enable || isPaused(channel, clock.now())) return undefined;
    if (!(await owners.may(channel.owner, mayDo('write', channel.name)))) return undefined;
    const kind = KINDS.get(channel.kind);
    if (!kind) return undefined;
    const waiting = await outbox.candidates(id);
    if (await merge(mergeable(waiting, kind, clock.now()), parts)) continue;
    const row = nextOf(waiting, clock.now());
    if (!row || !parts.hasTurn()) return undefined;
    const wish = { channel: id, kind, owner: channel.owner, isText: isText(row) };
    const wait = limits.take(wish, clock.monotonic());
    if (wait > 0) return wait;
    await sendOne(channel, row, parts);
    if (parts.stopping.aborted) return undefined;
  }
  return undefined;
}

/** @returns whether messages were merged: what waits is another now */
async function merge(old: readonly Candidate[], parts: DrainParts): Promise<boolean> {
  const { clock, outbox } = parts;
  if (old.length === 0) return false;
  const ids = old.map(({ id }) => id);
  const read = await outbox.messages(ids);
  const messages = ids.flatMap((id) => read.get(id)?.message ?? []);
  const newest = Math.max(...old.map(({ created_at }) => created_at));
  return outbox.merge(ids, digestOf(messages, clock.now()), newest);
}

async function sendOne(channel: ChannelRow, row: Candidate, parts: DrainParts): Promise<void> {
  const { unstored } = parts;
  const outcome = unstored.get(row.id) ?? (await tryOne(channel, row, parts));
  if (!outcome) return;
  unstored.set(row.id, outcome);
  if (outcome.kind === 'ok') await taken(channel, row, outcome, parts);
  else await failed(channel, row, outcome, parts);
  unstored.delete(row.id);
}

async function tryOne(
  channel: ChannelRow,
  row: Candidate,
  { counted, deliveries, keys, outbox, stopping }: DrainParts,
): Promise<Outcome | undefined> {
  const read = (await outbox.messages([row.id])).get(row.id);
  if (!read) return undefined;
  const target = { ...channel, ...valuesOf(channel, keys.key) };
  const { outcome } = await deliveries.send(target, read.id, read.message, stopping);
  counted(channel.kind, outcome.kind);
  return outcome;
}

async function taken(
  channel: ChannelRow,
  row: Candidate,
  { status, remote }: Outcome & { kind: 'ok' },
  { changed, channels, clock, outbox }: DrainParts,
): Promise<void> {
  const now = clock.now();
  if (!(await outbox.sent(row.id, { now, status, remote: remote ?? null }))) return;
  await channels.taken(channel.id, now, status);
  if (channel.failing_since !== null) changed(channel.name, false);
}

async function failed(
  channel: ChannelRow,
  row: Candidate,
  outcome: Exclude<Outcome, { kind: 'ok' }>,
  { changed, channels, clock, log, outbox }: DrainParts,
): Promise<void> {
  const judged = judge(row, channel, outcome, clock.now());
  if (!(await outbox.failed(row.id, judged.row, clock.now()))) return;
  await channels.failed(channel.id, judged.channel);
  const isNew = channel.failing_since === null && judged.channel.failing_since !== null;
  log.debug('a message was not taken', { channel: channel.name, status: outcome.status });
  if (!isNew) return;
  log.warn('a channel fails', { channel: channel.name, status: outcome.status });
  changed(channel.name, true);
}
