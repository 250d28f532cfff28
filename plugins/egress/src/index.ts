import { Standings, standingIn } from '@svc/plugin-admission/api';
import { definePlugin } from '@svc/plugin-sdk';
import { Egress } from './api.ts';
import { EgressGuard } from './guard.ts';

/** Outgoing requests for callers: which addresses may be reached, and within which limits (js-runtime.md §6.1). */
export default definePlugin({
  name: 'egress',
  version: '0.6.0',
  optional: [Standings],
  provides: [Egress],

  setup(kernel) {
    const { brand, server } = kernel;
    const userAgent = `${brand.word}-server/${server.version}`;
    kernel.provide(Egress, {
      open(rules) {
        const guard = new EgressGuard(rules, {
          userAgent,
          standing: standingIn(kernel),
        });
        kernel.defer('outgoing connections', () => guard.close());
        return guard;
      },
    });
  },
});
