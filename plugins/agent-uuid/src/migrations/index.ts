import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { firstSeen } from './0002-first-seen.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, firstSeen];
