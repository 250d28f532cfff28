import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { owner } from './0002-owner.ts';
import { usage } from './0003-usage.ts';
import { ownerIndex } from './0004-owner-index.ts';
import { heldBytes } from './0005-held-bytes.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, owner, usage, ownerIndex, heldBytes];
