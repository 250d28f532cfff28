import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Table `audit` (rows), `audit_chain` (one row for each server and key, with the signed end of its chain) and
 * `audit_checkpoint` (the signed ends of its segments).
 */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types, descending }) {
    await query.raw(`create table audit_chain (
      id ${types.countedKey}, chain ${types.bytewise} not null, server_uuid ${types.bytewise} not null,
      public_key ${types.bytewise} not null, seq bigint not null, hash ${types.bytewise} not null, at bigint not null,
      base bigint not null, signature ${types.bytewise} not null,
      segment_bytes bigint not null, segment_at bigint not null)`);
    await query.raw('create unique index "idx-audit_chain-chain" on audit_chain (chain)');
    await query.raw(`create table audit_checkpoint (
      chain_id bigint not null, seq bigint not null, hash ${types.bytewise} not null, at bigint not null,
      base bigint not null, signature ${types.bytewise} not null, bytes bigint not null,
      primary key (chain_id, seq))`);
    await query.raw(`create table audit (
      chain_id bigint not null, seq bigint not null, at bigint not null, token ${types.bytewise} not null,
      name ${types.bytewise} not null, method ${types.bytewise} not null, target ${types.bytewise} not null,
      address ${types.bytewise} not null, transport ${types.bytewise} not null, outcome integer not null,
      count bigint not null, hash ${types.bytewise} not null, primary key (chain_id, seq))`);
    await query.raw(`create index "idx-audit-at" on audit (${descending('at')}, chain_id, seq)`);
  },
};
