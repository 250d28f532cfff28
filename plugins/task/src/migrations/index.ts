import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { cronRun } from './0002-cron-run.ts';
import { createdAt } from './0003-created-at.ts';
import { usage } from './0004-usage.ts';
import { versions } from './0005-versions.ts';
import { manual } from './0006-manual.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [
  create,
  cronRun,
  createdAt,
  usage,
  versions,
  manual,
];
