import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Tables of locks and of dead properties. Paths are relative to the bucket, separated by `/`, and compared by bytes, so
 * that everything below a directory is one range of the index. `parent` is null for the bucket's own directory.
 */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types: { bytewise } }) {
    await query.schema.createTable('static_webdav_lock', (table) => {
      table.text('token').primary();
      table.bigInteger('bucket_id').notNullable();
      table.specificType('path', bytewise).notNullable();
      table.integer('deep').notNullable();
      table.integer('exclusive').notNullable();
      table.text('owner').notNullable();
      table.text('principal').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.index(['bucket_id', 'path'], 'idx-static-webdav-lock-path');
      table.index(['expires_at'], 'idx-static-webdav-lock-expires-at');
    });
    await query.schema.createTable('static_webdav_property', (table) => {
      table.bigInteger('bucket_id').notNullable();
      table.specificType('path', bytewise).notNullable();
      table.specificType('parent', bytewise);
      // A name may be longer than an index entry.
      table.specificType('name_hash', bytewise).notNullable();
      table.text('name').notNullable();
      table.text('value').notNullable();
      table.primary(['bucket_id', 'path', 'name_hash']);
      table.index(['bucket_id', 'parent'], 'idx-static-webdav-property-parent');
    });
  },
};
