import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Table `enrol_code`: `hash` is that of the code, `tags` JSON, `owner` the key of the token that made it (null: the Super
 * Token), `last_agent` the UUID of the machine that came last. Times are Unix ms.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.raw(`create table enrol_code (id ${types.countedKey}, hash ${types.bytewise} not null,
      name ${types.bytewise}, tags ${types.bytewise} not null, owner ${types.bytewise},
      uses integer not null, used integer not null, created_at bigint not null, expires_at bigint not null,
      revoked_at bigint, last_agent ${types.bytewise}, last_at bigint)`);
    await query.raw('create unique index "idx-enrol_code-hash" on enrol_code (hash)');
  },
};

/** Table `enrol_pending`: machines that came with a code and may not have connected. `code` is the id in `enrol_code`. */
const pending: Migration = {
  name: '0002-pending',
  async up({ query, types }) {
    await query.raw(`create table enrol_pending (agent ${types.bytewise} primary key, code integer not null,
      token_key ${types.bytewise} not null, came_at bigint not null)`);
    await query.raw('create index "idx-enrol_pending-code" on enrol_pending (code, came_at)');
  },
};

/**
 * `given_at`: Unix ms when the place of a machine went to another one, or its code was over for long; its first report is refused from then on.
 * Versions before left machines in the table that only took tasks, so no machine in it is given up: those that came before keep their places.
 */
const given: Migration = {
  name: '0003-given',
  async up({ query }) {
    await query.raw('delete from enrol_pending');
    await query.raw('alter table enrol_pending add column given_at bigint');
    await query.raw('create index "idx-enrol_pending-token_key" on enrol_pending (token_key)');
  },
};

/** Index for the count of what an owner holds, at each change. */
const ownerIndex: Migration = {
  name: '0004-owner-index',
  async up({ query }) {
    await query.raw('create index "idx-enrol_code-owner" on enrol_code (owner)');
  },
};

export const migrations = [create, pending, given, ownerIndex];
