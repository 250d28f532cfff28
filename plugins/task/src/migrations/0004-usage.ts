import { countBytes } from '@svc/plugin-kv/api';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `task_usage`: bytes of the tasks of each agent. */
export const usage: Migration = {
  name: '0004-usage',
  up: (db) =>
    countBytes(db, {
      table: 'task',
      counter: 'task_usage',
      owner: 'uuid',
      type: db.types.uuid,
      columns: ['cron_source', 'task_event_type', 'task_event_result', 'error_message'],
    }),
};
