import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { outside } from './0002-outside.ts';
import { sent } from './0003-sent.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, outside, sent];
