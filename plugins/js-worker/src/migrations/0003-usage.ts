import { countBytes } from '@svc/plugin-kv/api';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `js_result_usage`: bytes of the results of each worker, by its name. */
export const usage: Migration = {
  name: '0003-usage',
  up: (db) =>
    countBytes(db, {
      table: 'js_result',
      counter: 'js_result_usage',
      owner: 'js_worker_name',
      type: db.types.bytewise,
      columns: ['param', 'result', 'error_message'],
    }),
};
