import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';

/** Silence after which the peer is asked whether it is still there. */
const SILENCE_MS = 60_000;
const ANSWER_LIMIT_MS = 10_000;

/**
 * Drops a connection whose peer vanished without closing it: after a minute without any frame a ping, and
 * without an answer to that within 10 s the end. Returns the removal of its timer.
 */
export function watchLiveness(channel: Channel, clock: Clock): () => void {
  const arm = () => {
    const due = channel.heard_at + SILENCE_MS - clock.steady();
    if (due > 0) return clock.after('liveness', due, again);
    const asked_at = clock.steady();
    channel.ping();
    return clock.after('liveness', ANSWER_LIMIT_MS, () => {
      if (channel.heard_at < asked_at) channel.terminate();
      else again();
    });
  };
  const again = () => {
    cancel = arm();
  };
  let cancel = arm();
  return () => cancel();
}
