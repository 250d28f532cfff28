import type { Migration, MigrationDatabase } from '@svc/plugin-sdk/sql';

/**
 * Tables `js_worker` and `js_result` (js-worker.md §1). Private column of a result: `alive_at`, when the
 * server of a run that has not ended was last seen, in ms of the database's clock; only Postgres has several servers.
 * `js_byte_code` stays empty: the engine compiles on load.
 */
export const create: Migration = {
  name: '0001-create',
  async up(db) {
    await createWorkers(db);
    await createResults(db);
  },
};

async function createWorkers({ query, types }: MigrationDatabase): Promise<void> {
  const { countedKey: id, bytewise: name, bytes: blob, json } = types;
  await query.raw(`create table js_worker (
    id ${id}, name ${name} not null, description text, js_script text not null, js_byte_code ${blob},
    route_name ${name}, env ${json}, runtime_clean_time bigint, max_run_time bigint,
    max_stack_size bigint, max_heap_size bigint, create_at bigint not null, update_at bigint not null)`);
  await query.raw('create unique index "idx-js_worker-name" on js_worker (name)');
  await query.raw('create unique index "idx-js_worker-route_name" on js_worker (route_name)');
}

async function createResults({ query, types, descending }: MigrationDatabase): Promise<void> {
  // No documents, which cannot hold every text that parameters and results may hold.
  const { countedKey: id, bytewise: name, json } = types;
  await query.raw(`create table js_result (
    id ${id}, js_worker_id bigint not null, js_worker_name ${name} not null, run_type text not null,
    start_time bigint, finish_time bigint, param ${json}, result ${json}, error_message text,
    alive_at bigint)`);
  await query.raw('create index "idx-js_result-worker_id" on js_result (js_worker_id)');
  // The order of answers.
  const newest = `${descending('start_time')}, id desc`;
  await query.raw(`create index "idx-js_result-name" on js_result (js_worker_name, ${newest})`);
  await query.raw(`create index "idx-js_result-start_time" on js_result (${newest})`);
  await query.raw(
    'create index "idx-js_result-running" on js_result (id) where finish_time is null',
  );
}
