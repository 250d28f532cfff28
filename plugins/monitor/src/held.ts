import type { HoldingKind } from '@svc/plugin-sdk';
import { HELD } from './store/monitors.ts';

/** Part of what all tokens may have together that one token may have, with those that it created. */
const SHARE = 4;

/** Monitors count for the token that wrote them last. */
export const monitorsHeld = (config: { readonly max_monitors: number }): HoldingKind => ({
  kind: HELD,
  plural: 'monitors',
  rows: 'select owner, octet_length(spec) + octet_length(secret) as bytes from monitor',
  limits: () => ({
    rows: {
      most: Math.ceil(config.max_monitors / SHARE),
      key: 'max_monitors under [monitor], of which a token has a quarter,',
    },
    shared: { most: config.max_monitors, key: 'max_monitors under [monitor]' },
  }),
});
