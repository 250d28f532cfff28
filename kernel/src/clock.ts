import type { Clock } from '@svc/plugin-sdk';
import { Seconds } from './seconds.ts';

const seconds = new Seconds();

/** The machine's time. */
export const machineClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timeout: (callback, delay_ms) => {
    const timer = setTimeout(callback, delay_ms);
    return () => clearTimeout(timer);
  },
  interval: (callback, period_ms) => {
    if (Seconds.fit(period_ms)) return seconds.add(callback, period_ms);
    const timer = setInterval(callback, period_ms);
    return () => clearInterval(timer);
  },
};
