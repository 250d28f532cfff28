import type { Clock } from '@svc/plugin-sdk';
import type { TestClock } from '@svc/plugin-sdk/testing';

interface Timer {
  due: number;
  readonly period: number | undefined;
  readonly run: () => void;
}

/** Time that stands still until a test moves it. Starts at the machine's time. */
export function fakeClock(): Clock & TestClock {
  let now = Date.now();
  const timers = new Set<Timer>();
  const add = (run: () => void, delay: number, period?: number) => {
    const timer: Timer = { due: now + delay, period, run };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };
  const firstDue = (until: number) => {
    let first: Timer | undefined;
    for (const timer of timers)
      if (timer.due <= until && (!first || timer.due < first.due)) first = timer;
    return first;
  };
  const advance = async (ms: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    const until = now + ms;
    for (let timer = firstDue(until); timer; timer = firstDue(until)) {
      now = Math.max(now, timer.due);
      if (timer.period === undefined) timers.delete(timer);
      else timer.due = now + timer.period;
      timer.run();
      // What the timer started gets a turn of the event loop before time moves on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    now = until;
  };
  return {
    now: () => now,
    monotonic: () => now,
    timeout: (run, delay) => add(run, delay),
    interval: (run, period) => add(run, period, period),
    advance,
    sleep(ms) {
      now += ms;
      return advance(0);
    },
  };
}
