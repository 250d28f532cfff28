import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { usage } from './0002-usage.ts';
import { limits } from './0003-limits.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, usage, limits];
