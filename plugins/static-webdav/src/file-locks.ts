import type { Clock } from '@svc/plugin-sdk';
import type { FileLocks } from '@svc/plugin-static-bucket/api';
import { blocking } from './locks.ts';
import { keyOf } from './paths.ts';
import type { LockStore } from './store-locks.ts';

/** The locks of WebDAV for ways of access that can submit no lock token: every lock stands in their way. */
export const fileLocks = (locks: LockStore, clock: Clock): FileLocks => ({
  async isLocked(bucket, changes) {
    for (const { path, below = false, member = false } of changes) {
      const change = { path: keyOf(path), below, member };
      const options = { now: clock.now(), below };
      const found = await locks.around(bucket.id, change.path, options);
      if (blocking(found, change, () => false).length > 0) return true;
    }
    return false;
  },
});
