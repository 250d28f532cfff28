import { countBytes } from '@svc/plugin-kv/api';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `crontab_result_usage`: bytes of the records of each job, by its name. */
export const usage: Migration = {
  name: '0005-usage',
  up: (db) =>
    countBytes(db, {
      table: 'crontab_result',
      counter: 'crontab_result_usage',
      owner: 'cron_name',
      type: db.types.bytewise,
      columns: ['cron_name', 'message'],
    }),
};
