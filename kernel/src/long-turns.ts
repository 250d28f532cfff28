import type { Logger } from '@svc/plugin-sdk';
import { onLongTurn } from '@svc/plugin-sdk/util';

const EVERY_MS = 60_000;
/** Names in one record. */
const MOST_NAMES = 10;

/** Logs what held the main thread for more than 50 ms of its processor time, at most once a minute. Returns the end of it. */
export function logLongTurns(log: Logger): () => void {
  let next = 0;
  let untold = 0;
  return onLongTurn(({ cpu_ms, call, calls }) => {
    const now = performance.now();
    if (now < next) {
      untold++;
      return;
    }
    next = now + EVERY_MS;
    const others = calls.slice(0, MOST_NAMES).join(', ');
    const repeated = untold > 0 ? { repeated: untold } : {};
    untold = 0;
    log.warn('a call held the server up', { call, cpu_ms, calls: others, ...repeated });
  });
}
