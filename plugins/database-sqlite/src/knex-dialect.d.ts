/** The package has no typed entry for it. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  const dialect: typeof Knex.Client;
  export default dialect;
}
