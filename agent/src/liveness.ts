import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';

/** Silence after which a ping is sent. */
const SILENCE_MS = 60_000;
const ANSWER_LIMIT_MS = 10_000;

/**
 * Ends a connection whose peer has vanished: after a minute without a frame it sends a ping, and closes when no answer
 * comes within 10 s. Returns a function that ends the watch.
 */
export function watchLiveness(channel: Channel, clock: Clock): () => void {
  const arm = () => {
    const due = channel.heard_at + SILENCE_MS - clock.steady();
    if (due > 0) return clock.after('liveness', due, again);
    const asked_at = clock.steady();
    channel.ping();
    return clock.after('liveness', ANSWER_LIMIT_MS, () => {
      // An agent that was held up itself has not read yet what came meanwhile.
      const wasHeldUp = clock.steady() - asked_at > 2 * ANSWER_LIMIT_MS;
      if (channel.heard_at < asked_at && !wasHeldUp) channel.terminate();
      else again();
    });
  };
  const again = () => {
    cancel = arm();
  };
  let cancel = arm();
  return () => cancel();
}
