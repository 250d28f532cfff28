import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { partition } from './0002-partition.ts';
import { firstSeen } from './0003-first-seen.ts';
import { ahead } from './0004-ahead.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, partition, firstSeen, ahead];
