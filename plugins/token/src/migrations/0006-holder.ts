import type { Migration } from '@svc/plugin-sdk';

/** A deleted token on which something hangs remembers the topmost token above it, for which that counts; null: none. */
export const holder: Migration = {
  name: '0006-holder',
  async up({ query }) {
    await query.schema.alterTable('token_gone', (table) => {
      table.text('holder');
      table.index(['holder'], 'token_gone_holder');
    });
  },
};
