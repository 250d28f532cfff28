import { definePlugin } from '@svc/plugin-sdk';
import { Refusals } from './api.ts';
import { RefusalCounts } from './refusals.ts';

const MINUTE_MS = 60_000;

/** Decides what is let in before it is read, and counts what is not: service `Refusals`. */
export default definePlugin({
  name: 'admission',
  version: '0.6.0',
  provides: [Refusals],

  setup({ every, hooks, log, provide }) {
    const refusals = new RefusalCounts(log);
    provide(Refusals, refusals);
    hooks.start.tap(() => every('refusals', MINUTE_MS, () => refusals.minute()));
  },
});
