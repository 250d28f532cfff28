import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `static_file` (static-bucket.md §1.1). */
export const create: Migration = {
  name: '0001-create',
  async up({ query }) {
    await query.schema.createTable('static_file', (table) => {
      table.bigIncrements('id');
      table.string('name').notNullable();
      table.text('path').notNullable();
      table.boolean('is_http_root').notNullable().defaultTo(false);
      table.boolean('cors').notNullable().defaultTo(false);
      table.boolean('enable').defaultTo(true);
      table.unique(['name'], { indexName: 'idx-static-file-name-unique' });
    });
    // At most one row may be the root. The partial index leaves out all others.
    await query.raw(
      'create unique index "idx-static-file-is-http-root-unique" on static_file (is_http_root) where is_http_root',
    );
  },
};
