import { randomUUID } from 'node:crypto';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `bus_cluster`: one row that tells the servers of this database from others on the same NATS. */
export const create: Migration = {
  name: '0001-create',
  async up({ query }) {
    await query.schema.createTable('bus_cluster', (table) => {
      table.text('id').primary();
    });
    await query('bus_cluster').insert({ id: randomUUID() });
  },
};
