import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Times are Unix ms, hours and days whole ones of UTC since 1970, members that are lists or objects are JSON, owners keys of tokens.
 * Table `monitor`: `key_hash` is the SHA-256 of a heartbeat's key, in hexadecimal.
 * Table `monitor_state`: what each place says; `place_id` is 0 for the server, else an id of `monitoring_uuid`.
 * Table `monitor_verdict`: what the places say together; `next_at` is when it has to be judged again without a new result.
 * Table `monitor_change`: each change of a verdict, from which the seconds of hours and days are counted.
 * Table `monitor_result`: checks of the last hours; `monitor_chunk` has older ones, packed by the hour.
 * Tables `monitor_hour` and `monitor_day`: seconds by verdict and times of checks; `place_id` -1 is the verdict.
 * Table `monitor_detail`: distinct texts of failures. Table `monitor_tls`: the certificates that a place saw last.
 * Table `monitor_answer`: the beginning of the last answer of each place that was not good.
 * Table `monitor_run`: runs of a heartbeat that began and have not ended, by `rid`.
 * Table `monitor_turn`: one row, which server judges and packs.
 * Table `monitor_agent`: agents that take monitors, by their ids in `monitoring_uuid`; `kinds` are words with spaces between.
 * Table `monitor_isolated`: servers that are cut off now, by their ids on the bus; `until` is when a row that is not renewed ends.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, dialect, types }) {
    const text = types.bytewise;
    // Rows lie in the order of their key: SQLite has no index beside them then.
    const clustered = dialect === 'sqlite' ? ' without rowid' : '';
    // SQLite stores whole numbers of this type in few bytes, where a table has no rowid.
    const real = dialect === 'sqlite' ? 'numeric' : 'double precision';
    await query.raw(`create table monitor (id ${types.countedKey}, name ${text} not null unique,
      kind ${text} not null, spec ${text} not null, secret ${text} not null, group_name ${text},
      tags ${text} not null, interval_s integer not null, timeout_s integer not null,
      retries integer not null, retry_s integer not null, recover_after integer not null,
      places ${text} not null, down_when integer, condition ${text}, upside_down smallint not null,
      parent bigint, severity smallint not null, public_name ${text}, enable smallint not null,
      note ${text} not null, owner ${text}, imported_from ${text} unique, key_hash ${text} unique,
      version integer not null, created_at bigint not null, updated_at bigint not null)`);
    await query.raw(`create table monitor_state (monitor_id bigint not null,
      place_id integer not null, state smallint not null, since bigint not null,
      last_at bigint not null, fails integer not null, goods integer not null,
      ms double precision, code integer, detail ${text} not null, changed_at bigint not null,
      version integer not null, primary key (monitor_id, place_id))`);
    await query.raw('create index monitor_state_changed on monitor_state (changed_at)');
    await query.raw(`create table monitor_verdict (monitor_id bigint not null primary key,
      state smallint not null, since bigint not null, up integer not null, down integer not null,
      unknown integer not null, detail ${text} not null, next_at bigint, version integer not null)`);
    await query.raw(
      'create index monitor_verdict_next on monitor_verdict (next_at) where next_at is not null',
    );
    await query.raw(`create table monitor_change (monitor_id bigint not null, at bigint not null,
      state smallint not null, primary key (monitor_id, at))`);
    await query.raw(`create table monitor_result (monitor_id bigint not null, at bigint not null,
      place_id integer not null, state smallint, ms ${real}, code integer,
      detail_id bigint, primary key (monitor_id, at, place_id))${clustered}`);
    await query.raw(`create table monitor_chunk (monitor_id bigint not null,
      place_id integer not null, hour integer not null, n integer not null, body ${types.bytes} not null,
      primary key (monitor_id, hour, place_id))${clustered}`);
    const spans = `up_s ${real} not null, degraded_s ${real} not null,
      down_s ${real} not null, unknown_s ${real} not null,
      paused_s ${real} not null, n integer not null, ms_min ${real},
      ms_p50 ${real}, ms_p95 ${real}, ms_max ${real}`;
    await query.raw(`create table monitor_hour (monitor_id bigint not null,
      place_id integer not null, hour integer not null, ${spans},
      primary key (monitor_id, hour, place_id))${clustered}`);
    await query.raw(`create table monitor_day (monitor_id bigint not null, day integer not null,
      ${spans}, primary key (monitor_id, day))${clustered}`);
    await query.raw(`create table monitor_outage (id ${types.countedKey}, monitor_id bigint not null,
      from_at bigint not null, to_at bigint, cause ${text} not null, places ${text} not null,
      public smallint not null)`);
    await query.raw('create index monitor_outage_monitor on monitor_outage (monitor_id, from_at)');
    await query.raw('create index monitor_outage_at on monitor_outage (from_at)');
    await query.raw(`create table monitor_detail (id ${types.countedKey}, text ${text} not null unique,
      used_at bigint not null)`);
    await query.raw(`create table monitor_tls (monitor_id bigint not null, place_id integer not null,
      at bigint not null, fingerprint ${text} not null, not_after bigint, lifetime_ms bigint,
      body ${text} not null, primary key (monitor_id, place_id))`);
    await query.raw(`create table monitor_ping (id ${types.countedKey}, monitor_id bigint not null,
      at bigint not null, kind ${text} not null, exit_status integer, rid ${text}, method ${text} not null,
      address ${text} not null, agent ${text} not null, ms ${real}, body ${types.bytes} not null)`);
    await query.raw('create index monitor_ping_monitor on monitor_ping (monitor_id, id)');
    await query.raw(`create table monitor_answer (monitor_id bigint not null, place_id integer not null,
      at bigint not null, text ${text} not null, primary key (monitor_id, place_id))`);
    await query.raw(`create table monitor_run (monitor_id bigint not null, rid ${text} not null,
      started_at bigint not null, primary key (monitor_id, rid))`);
    await query.raw(`create table monitor_isolated (id ${text} not null primary key, server ${text} not null,
      since bigint not null, until bigint not null)`);
    await query.raw(`create table monitor_agent (agent_id integer not null primary key,
      seen_at bigint not null, kinds ${text} not null)`);
    await query.raw(`create table monitor_turn (id integer not null primary key,
      holder ${text}, until bigint not null)`);
    await query('monitor_turn').insert({ id: 1, until: 0 });
  },
};

/** Table `monitor_import`: what came from other programs, by installation and its id there; `mark` is a digest of what was made. */
const imports: Migration = {
  name: '0002-imports',
  async up({ query, types }) {
    const text = types.bytewise;
    await query.raw(`create table monitor_import (source ${text} not null, item ${text} not null,
      type ${text} not null, thing ${text} not null, mark ${text} not null, off smallint not null,
      primary key (source, item))`);
  },
};

/** Texts of failures have the monitor that had them first: 0 where that is not known. */
const details: Migration = {
  name: '0003-shares-of-details',
  async up({ query }) {
    await query.raw('alter table monitor_detail add column monitor_id bigint not null default 0');
    await query.raw('create index monitor_detail_monitor on monitor_detail (monitor_id, used_at)');
  },
};

export const migrations = [create, imports, details];
