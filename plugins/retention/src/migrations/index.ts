import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create];
