import type { Kernel } from '@svc/plugin-sdk';
import { Lateness } from '@svc/plugin-sdk/util';

const PERIOD_MS = 30_000;
/** Agents need this long to report again after this process was held up. */
const AGAIN_MS = 90_000;

/** Silence after which the values of an agent are left out, ms; longer after this process was held up and received no reports. */
export function silence({
  clock,
  config,
  every,
  hooks,
}: Pick<Kernel<{ readonly silence_s: number }>, 'clock' | 'config' | 'every' | 'hooks'>) {
  const lateness = new Lateness(PERIOD_MS, clock.now());
  let late_ms = 0;
  let until = 0;
  const update = () => {
    const now = clock.now();
    const late = lateness.next(now);
    if (late > 0) [late_ms, until] = [late, now + AGAIN_MS];
    else if (now > until) late_ms = 0;
  };
  hooks.start.tap(() => every('silence of agents', PERIOD_MS, update));
  return (): number => {
    update();
    return config.silence_s * 1_000 + late_ms;
  };
}
