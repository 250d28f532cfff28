import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { claimedBy } from './0002-claimed-by.ts';
import { claimedAt } from './0003-claimed-at.ts';
import { owner } from './0004-owner.ts';
import { usage } from './0005-usage.ts';
import { ownerIndex } from './0006-owner-index.ts';
import { stampIndex } from './0007-stamp-index.ts';
import { heldBytes } from './0008-held-bytes.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [
  create,
  claimedBy,
  claimedAt,
  owner,
  usage,
  ownerIndex,
  stampIndex,
  heldBytes,
];
