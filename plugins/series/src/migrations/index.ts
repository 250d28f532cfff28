import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Table `series_rollup`: one row for an agent, a step (1 or 15 minutes), a series and a span of time, packed (`pack.ts`). Table
 * `series_state`: whose turn it is to write, and up to which time of arrival reports are rolled up.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.schema.createTable('series_rollup', (table) => {
      table.integer('uuid_id').notNullable();
      table.specificType('step', 'smallint').notNullable();
      table.specificType('series', types.bytewise).notNullable();
      table.bigInteger('span').notNullable();
      table.specificType('data', types.bytes).notNullable();
      table.primary(['uuid_id', 'step', 'series', 'span']);
    });
    await query.schema.createTable('series_state', (table) => {
      table.string('name', 32).notNullable();
      table.text('value');
      table.bigInteger('until').notNullable().defaultTo(0);
      table.primary(['name']);
    });
    const names = ['turn', 'summary', 'dynamic'];
    await query('series_state').insert(names.map((name) => ({ name })));
  },
};

/**
 * Table `traffic_day`: bytes of an agent and UTC day (days since 1970). Table `traffic_counter`: the last counted summary of each agent.
 * Row `traffic` of `series_state`: up to which time of arrival summaries are counted.
 */
const traffic: Migration = {
  name: '0002-traffic',
  async up({ query }) {
    await query.schema.createTable('traffic_day', (table) => {
      table.integer('uuid_id').notNullable();
      table.integer('day').notNullable();
      table.bigInteger('received').notNullable();
      table.bigInteger('transmitted').notNullable();
      table.primary(['uuid_id', 'day']);
      table.index(['day'], 'traffic_day_day');
    });
    await query.schema.createTable('traffic_counter', (table) => {
      table.integer('uuid_id').primary();
      table.text('state').notNullable();
    });
    await query('series_state').insert({ name: 'traffic' });
  },
};

export const migrations = [create, traffic];
