import type { Migration } from '@svc/plugin-sdk';

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

export const migrations = [create];
