import type { Migration } from '@svc/plugin-sdk/sql';
import { addPriority } from './priority.ts';

/**
 * Table `channel`: `config` is JSON, `secret` sealed JSON (README.md), `owner` the key of the token that wrote it last (null: the Super Token).
 * Table `notify_outbox`: a message for one channel; `state` 0 waits, 1 was sent, 2 was dropped, 3 was merged into another.
 * `gone`: name that its channel had when it was deleted.
 * Table `notify_state`: one row, which server sends, and the fingerprint of the key of the secrets.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.raw(`create table channel (id ${types.countedKey},
      name ${types.bytewise} not null unique, kind ${types.bytewise} not null,
      config ${types.bytewise} not null, secret ${types.bytes},
      language ${types.bytewise} not null, zone ${types.bytewise} not null,
      enable smallint not null, owner ${types.bytewise}, version integer not null,
      created_at bigint not null, updated_at bigint not null,
      failing_since bigint, retry_at bigint not null, tries integer not null,
      last_ok_at bigint, last_status integer, last_error ${types.bytewise},
      sent bigint not null, failed bigint not null, dropped bigint not null)`);
    await query.raw(`create table notify_outbox (id ${types.countedKey},
      channel_id bigint not null, message_id ${types.bytewise} not null,
      batch ${types.bytewise} not null, group_key ${types.bytewise} not null,
      body ${types.bytewise} not null, due bigint not null, tries integer not null,
      state smallint not null, uncertain smallint not null,
      status integer, last_error ${types.bytewise}, remote_id ${types.bytewise},
      gone ${types.bytewise},
      created_at bigint not null, sent_at bigint, unique (batch, channel_id))`);
    await query.raw(
      'create index notify_outbox_waiting on notify_outbox (channel_id, id) where state = 0',
    );
    await query.raw('create index notify_outbox_created_at on notify_outbox (created_at)');
    await query.raw(`create table notify_state (id integer not null primary key,
      holder ${types.bytewise}, until bigint not null, key_fingerprint ${types.bytewise},
      public_url ${types.bytewise})`);
    await query('notify_state').insert({ id: 1, until: 0 });
  },
};

export const migrations = [create, addPriority];
