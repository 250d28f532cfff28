import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Table `agent_event`: what happened, `uuid_id` null for the server itself. Table `agent_presence`: the last known state of each agent.
 * Table `agent_uptime`: milliseconds of an agent and UTC day (days since 1970). Table `agent_event_state`: one row, whose turn it is to
 * write, and when uptime was written last.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.schema.createTable('agent_event', (table) => {
      table.bigIncrements('id');
      table.integer('uuid_id');
      table.string('kind', 16).notNullable();
      table.bigInteger('time').notNullable();
      table.specificType('detail', types.bytewise).notNullable();
      table.index(['uuid_id', 'time'], 'agent_event_uuid_id_time');
      table.index(['time'], 'agent_event_time');
    });
    await query.schema.createTable('agent_presence', (table) => {
      table.integer('uuid_id').primary();
      table.specificType('here', 'smallint').notNullable().defaultTo(0);
      table.bigInteger('last_seen').notNullable().defaultTo(0);
      table.specificType('address', types.bytewise);
    });
    await query.schema.createTable('agent_uptime', (table) => {
      table.integer('uuid_id').notNullable();
      table.integer('day').notNullable();
      table.bigInteger('ms').notNullable();
      table.primary(['uuid_id', 'day']);
      table.index(['day'], 'agent_uptime_day');
    });
    await query.schema.createTable('agent_event_state', (table) => {
      table.integer('id').primary();
      table.string('holder', 36);
      table.bigInteger('until').notNullable().defaultTo(0);
      table.bigInteger('counted').notNullable().defaultTo(0);
    });
    await query('agent_event_state').insert({ id: 1 });
  },
};

/** The last refusal of each agent is found at once. */
const refusals: Migration = {
  name: '0002-refusals',
  async up({ query }) {
    await query.raw(
      `create index agent_event_refused on agent_event (uuid_id, id) where kind = 'refused'`,
    );
  },
};

export const migrations = [create, refusals];
