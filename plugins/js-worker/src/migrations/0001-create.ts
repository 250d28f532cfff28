import type { Knex, Migration } from '@svc/plugin-sdk';

/**
 * Tables `js_worker` and `js_result` (js-worker.md §1). Private column of a result: `alive_at`, when the
 * server of a run that has not ended was last seen, in ms of the database's clock; only Postgres has several servers.
 * `js_byte_code` stays empty: the engine compiles on load.
 */
export const create: Migration = {
  name: '0001-create',
  async up(trx, { dialect }) {
    await createWorkers(trx, dialect === 'sqlite');
    await createResults(trx, dialect === 'sqlite');
  },
};

const typesOf = (sqlite: boolean) =>
  sqlite
    ? { id: 'integer primary key autoincrement', name: 'text', json: 'text', blob: 'blob' }
    : // Not jsonb, which cannot hold every text that parameters and results may hold.
      { id: 'bigserial primary key', name: 'text collate "C"', json: 'json', blob: 'bytea' };

async function createWorkers(trx: Knex.Transaction, sqlite: boolean): Promise<void> {
  const { id, name, json, blob } = typesOf(sqlite);
  await trx.raw(`create table js_worker (
    id ${id}, name ${name} not null, description text, js_script text not null, js_byte_code ${blob},
    route_name ${name}, env ${json}, runtime_clean_time bigint, max_run_time bigint,
    max_stack_size bigint, max_heap_size bigint, create_at bigint not null, update_at bigint not null)`);
  await trx.raw('create unique index "idx-js_worker-name" on js_worker (name)');
  await trx.raw('create unique index "idx-js_worker-route_name" on js_worker (route_name)');
}

async function createResults(trx: Knex.Transaction, sqlite: boolean): Promise<void> {
  const { id, name, json } = typesOf(sqlite);
  await trx.raw(`create table js_result (
    id ${id}, js_worker_id bigint not null, js_worker_name ${name} not null, run_type text not null,
    start_time bigint, finish_time bigint, param ${json}, result ${json}, error_message text,
    alive_at bigint)`);
  await trx.raw('create index "idx-js_result-worker_id" on js_result (js_worker_id)');
  // The order of answers, which is the default of SQLite only.
  const newest = `start_time desc${sqlite ? '' : ' nulls last'}, id desc`;
  await trx.raw(`create index "idx-js_result-name" on js_result (js_worker_name, ${newest})`);
  await trx.raw(`create index "idx-js_result-start_time" on js_result (${newest})`);
  await trx.raw('create index "idx-js_result-running" on js_result (id) where finish_time is null');
}
