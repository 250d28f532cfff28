import type { GuardedTables, QueryBuilder, SqlCaller } from '@svc/plugin-sdk/sql';
import { holdMigrations } from './migration.ts';

/** Any constant serves that no other program takes; it ends with the transaction that takes it. */
const ROLE_LOCK = 7_305_019_772;

/** The role of callers who are kept from tables, and the schema in which the server has its tables. */
export interface GuardedRole {
  readonly caller: SqlCaller;
  readonly name: string;
  readonly schema: string;
}

/**
 * Makes the role of this database, once, and takes its rights on guarded tables away, at every start: several servers
 * may do so at once. Without a password it cannot log in.
 * @throws Error that says what the operator has to change
 */
export function prepareRole(
  query: QueryBuilder,
  tables: GuardedTables,
  caller: SqlCaller,
): Promise<GuardedRole> {
  return query.transaction(async (trx) => {
    // Rights on a table that another server changes at the moment would fail its migration.
    await holdMigrations(trx);
    await trx.raw('select pg_advisory_xact_lock(?)', [ROLE_LOCK]);
    const role = await one<Omit<GuardedRole, 'caller'>>(
      trx,
      `select '${PREFIXES[caller]}' || substr(md5(current_database()), 1, 12) as name, current_schema()::text as schema`,
    );
    const name = role.name;
    await trx.raw(CREATE(name, RIGHTS[caller])).catch((error: Error) => {
      const { message } = (error.cause ?? error) as Error;
      throw new Error(`the role ${name} cannot be made (${message}): ${ADVICE}`, { cause: error });
    });
    await trx.raw("select set_config('svc.guarded', ?, true)", [JSON.stringify(tables)]);
    await trx.raw(COUNTERS);
    await trx.raw(REVOKE(name));
    const { fault } = await one<{ fault: string | null }>(trx, FAULT(name));
    if (fault !== null) throw new Error(`the role ${name} ${fault}`);
    return { ...role, caller };
  });
}

const PREFIXES = { token: 'svc_sql_', super: 'svc_super_' } as const;
/** Rights on tables and on sequences that are not guarded. */
const RIGHTS = {
  token: ['select, insert, update, delete', 'usage, select'],
  super: ['select, insert, update, delete, truncate', 'usage, select, update'],
} as const;

const ADVICE =
  "let the database's user own the database and make roles (alter role … createrole), and restart";

async function one<Row>(trx: QueryBuilder, sql: string): Promise<Row> {
  const { rows } = (await trx.raw(sql)) as { rows: Row[] };
  return rows[0] as Row;
}

/**
 * Rights on what is there are given once, with the role: a table that only another server guards stays guarded. Tables
 * that such callers make have a schema of their own, where they never stand in the server's way.
 */
const CREATE = (
  role: string,
  [onTables, onSequences]: readonly [string, string],
): string => `do $do$ declare
  there text := quote_ident(current_schema());
  defaults text := 'alter default privileges in schema ' || there || ' grant ';
begin
  if to_regrole('${role}') is null then
    create role ${role} nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls;
  elsif exists (select from pg_default_acl a, aclexplode(a.defaclacl) e
      where e.grantee = to_regrole('${role}') and a.defaclnamespace = current_schema()::regnamespace) then
    return;
  end if;
  execute 'grant usage on schema ' || there || ' to ${role}';
  execute 'grant ${onTables} on all tables in schema ' || there || ' to ${role}';
  execute 'grant ${onSequences} on all sequences in schema ' || there || ' to ${role}';
  execute defaults || '${onTables} on tables to ${role}';
  execute defaults || '${onSequences} on sequences to ${role}';
  begin
    grant ${role} to current_user;
    create schema if not exists ${role} authorization ${role};
  exception when insufficient_privilege then null;
  end;
end $do$`;

/** The guarded tables, what gives them their ids, and what reads them: views over them, at any distance, and partitions. */
const GUARDED = `with recursive guarded (oid, kind) as (
    select to_regclass(quote_ident(key))::oid, value
      from json_each_text(current_setting('svc.guarded')::json)
    union select n.oid, g.kind from guarded g, lateral (
      select r.ev_class as oid from pg_depend d join pg_rewrite r on r.oid = d.objid
        where d.refobjid = g.oid and d.refclassid = 'pg_class'::regclass and d.classid = 'pg_rewrite'::regclass
      union select i.inhrelid from pg_inherits i where i.inhparent = g.oid
      union select s.oid from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
        where d.refobjid = g.oid and d.refclassid = 'pg_class'::regclass and d.classid = 'pg_class'::regclass) n)
  select c.oid, kind, relkind, c.oid::regclass::text as name from guarded join pg_class c on c.oid = guarded.oid`;

const OPEN = (role: string): string =>
  `has_table_privilege('${role}', oid, 'insert, update, delete, truncate, references, trigger')
    or has_any_column_privilege('${role}', oid, 'insert, update, references')
    or kind = 'secret' and has_any_column_privilege('${role}', oid, 'select')
    or case when relkind = 'S' then has_sequence_privilege('${role}', oid, 'usage, update') end`;

const REVOKE = (role: string): string => `do $do$ declare t record; begin
  for t in select * from (${GUARDED}) g where ${OPEN(role)} loop
    execute 'revoke ' || case when t.kind = 'secret' or t.relkind = 'S' then 'all' else 'insert, update, delete, truncate, references, trigger' end
      || ' on ' || t.name || ' from ${role}';
  end loop;
end $do$`;

/** Statements that have the counting functions run with the rights of the server: callers change the rows that are counted, not the counter. */
const COUNTERS = `do $do$ declare f regprocedure; begin
  for f in select p.oid from json_each_text(current_setting('svc.guarded')::json) g
      join pg_proc p on p.proname = g.key and p.pronamespace = current_schema()::regnamespace and p.pronargs = 0
      where g.value = 'counter' loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', f, current_schema());
    execute format('revoke execute on function %s from public', f);
  end loop;
end $do$`;

/** Query for a fault that would let the role out, as the end of a sentence; null: nothing. */
const FAULT = (role: string): string => `select coalesce(
  (select 'has rights of an administrator: take them away' from pg_roles where rolname = '${role}'
    and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)),
  (select 'is a member of another role: revoke that' from pg_auth_members
    where member = to_regrole('${role}') limit 1),
  (select 'may make schemas: revoke create on database from public'
    where has_database_privilege('${role}', current_database(), 'create')),
  (select 'may make objects beside the tables of the server: revoke create on schema ' || quote_ident(s) || ' from public, and restart'
    from unnest(current_schemas(false)) s where has_schema_privilege('${role}', s, 'create') limit 1),
  (select 'has rights on ' || name || ' that this server cannot take away: revoke them'
    from (${GUARDED}) g where ${OPEN(role)} limit 1)) as fault`;
