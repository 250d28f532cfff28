import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Columns `priority` (store/priority.ts) and `owner` of `notify_outbox`: the owner of a text, empty for the Super Token; null
 * for alerts. `due` 0: the sender has not seen it yet.
 */
export const addPriority: Migration = {
  name: '0002-priority',
  async up({ query, types }) {
    await query.raw('alter table notify_outbox add column priority smallint not null default 1');
    await query.raw(`alter table notify_outbox add column owner ${types.bytewise}`);
    await query.raw(
      `update notify_outbox set priority = 3, owner = '' where group_key like 'text %'`,
    );
    await query.raw(
      'create index notify_outbox_priority on notify_outbox (channel_id, priority, id) where state = 0',
    );
    await query.raw(
      'create index notify_outbox_group on notify_outbox (channel_id, group_key, id) where state = 0',
    );
    await query.raw(
      'create index notify_outbox_texts on notify_outbox (owner) where state = 0 and priority = 3',
    );
    await query.raw(
      'create index notify_outbox_unseen on notify_outbox (id) where state = 0 and due = 0',
    );
    await query.raw(`create index notify_outbox_done on notify_outbox (id)
      where state <> 0 and (state <> 2 or priority = 3)`);
    await query.raw(
      'create index notify_outbox_lost on notify_outbox (id) where state = 2 and priority < 3',
    );
  },
};
