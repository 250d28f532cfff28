import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `bus_message`: frames that are too long for a notification. Unlogged: a crash loses the connections that wait for them too. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, dialect }) {
    if (dialect !== 'postgres') return;
    await query.raw(
      'create unlogged table bus_message (id uuid primary key, sent_at bigint not null, body text not null)',
    );
    // A row lives for some milliseconds: compressing it costs more than it saves.
    await query.raw('alter table bus_message alter column body set storage external');
  },
};
