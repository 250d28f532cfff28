import type { HoldingKind } from '@svc/plugin-sdk';
import type { Settings } from './config.ts';

/** Workers count for the token that wrote them last. */
export const workersHeld = (
  config: Pick<Settings, 'max_workers_per_owner' | 'max_worker_bytes_per_owner'>,
): HoldingKind => ({
  kind: 'worker',
  plural: 'workers',
  rows: 'select owner, held_bytes as bytes from js_worker',
  limits: () => ({
    rows: {
      most: config.max_workers_per_owner || Number.POSITIVE_INFINITY,
      key: 'max_workers_per_owner under [js-worker]',
    },
    bytes: {
      most: config.max_worker_bytes_per_owner || Number.POSITIVE_INFINITY,
      key: 'max_worker_bytes_per_owner under [js-worker]',
    },
  }),
});
