import type { Logger } from '@svc/plugin-sdk';
import { onLongTurn, Throttle } from '@svc/plugin-sdk/util';

/** Names in one record. */
const MOST_NAMES = 10;

/** Logs what held the main thread for more than 50 ms of its processor time, at most once a minute. Returns the end of it. */
export function logLongTurns(log: Logger): () => void {
  const throttle = new Throttle({ monotonic: () => performance.now() });
  return onLongTurn(({ cpu_ms, call, calls }) => {
    const suppressed = throttle.pass();
    if (suppressed === undefined) return;
    const others = calls.slice(0, MOST_NAMES).join(', ');
    const repeated = suppressed > 0 ? { repeated: suppressed } : {};
    log.warn('a call held the server up', { call, cpu_ms, calls: others, ...repeated });
  });
}
