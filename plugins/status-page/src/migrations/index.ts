import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Table `status_page`: `settings` is JSON, `logo` base64, `owner` the key of the token that wrote the page last (null: the Super Token).
 * Table `status_page_incident`: what operators say about a time, plain text.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.raw(`create table status_page (slug ${types.bytewise} not null primary key,
      settings ${types.bytewise} not null, logo ${types.bytewise}, owner ${types.bytewise},
      version integer not null, updated_at bigint not null)`);
    await query.raw(`create table status_page_incident (id ${types.countedKey},
      slug ${types.bytewise} not null references status_page (slug) on delete cascade,
      title ${types.bytewise} not null, text ${types.bytewise} not null, impact ${types.bytewise} not null,
      begins_at bigint not null, ends_at bigint, updated_at bigint not null)`);
    await query.raw(
      'create index status_page_incident_slug on status_page_incident (slug, begins_at)',
    );
  },
};

/** Index for the count of what an owner holds, at each change. */
const ownerIndex: Migration = {
  name: '0002-owner-index',
  async up({ query }) {
    await query.raw('create index status_page_owner on status_page (owner)');
  },
};

/**
 * Columns of incidents: `hidden` is 1 for drafts and 2 for what an outage made and somebody took away, which is kept so that
 * the outage does not make it again; `monitor` and `outage` name the outage that made it.
 */
const outages: Migration = {
  name: '0003-outages',
  async up({ query }) {
    const add = (column: string) =>
      query.raw(`alter table status_page_incident add column ${column}`);
    await add('hidden smallint not null default 0');
    await add('monitor bigint');
    await add('outage bigint');
    await query.raw(`create unique index status_page_incident_outage
      on status_page_incident (slug, monitor, outage) where outage is not null`);
    await query.raw(`create index status_page_incident_open on status_page_incident (id)
      where outage is not null and ends_at is null`);
  },
};

export const migrations = [create, ownerIndex, outages];
