import type { ColumnTypes, MigrationDatabase, QueryBuilder } from '@svc/plugin-sdk/sql';

const types: ColumnTypes = {
  countedKey: 'integer primary key autoincrement',
  bytes: 'blob',
  bytewise: 'text',
  uuid: 'blob',
  json: 'text',
  document: 'text',
  checkedDocument: (column) => `text not null check (json_valid(${column}))`,
};

/** Database that a migration step acts through on SQLite. */
export const migrationDatabase = (query: QueryBuilder): MigrationDatabase => ({
  query,
  types,
  dialect: 'sqlite',
  partitionByTime: undefined,
  // SQLite sorts absent values first, and takes no other order for an index.
  descending: (column) => `${column} desc`,
  ascending: (column) => column,
  addAppendKeys(table, { id, columns, index }) {
    table.specificType(id, 'integer primary key');
    table.index(columns, index);
  },
  compress: async () => {},
  // A key that SQLite counts up follows the greatest one that was ever there.
  countFrom: async () => {},
});
