import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Times are Unix ms, members that are lists or objects are JSON, owners keys of tokens (null: the Super Token).
 * Table `alert_rule`: `shipped` is the id of the default rule it came from, `touched` the fields of it that people changed, `deleted` marks
 * a default rule that stays deleted, `slow_at` when it was switched off because it takes too long (null: it was not).
 * Table `alert`: one row for a rule, a subject and a part. `state` is 0 closed, 1 pending, 2 open, 3 clearing. `episode` counts its
 * openings, `told` lists the channels that heard of the opening, `true_ms` and `false_ms` say how far a hold has come.
 * Table `alert_event`: the history. A row with `due` still has to be told (or not), whichever server does it.
 * Table `alert_clock`: the usual difference between the server's clock at arrival and the clock of an agent.
 * Table `alert_state`: one row, which server judges absence and tells; `events_after` is the newest `agent_event` that was judged.
 */
const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    const text = types.bytewise;
    await query.raw(`create table alert_rule (id ${types.countedKey},
      name ${text} not null unique, enable smallint not null, source ${text} not null,
      scope ${text} not null, condition ${text} not null, clear ${text},
      for_s integer not null, clear_for_s integer not null, severity smallint not null,
      notify smallint not null, policy ${text}, repeat_s integer, summary ${text} not null,
      runbook ${text} not null, labels ${text} not null, shipped ${text}, touched ${text} not null,
      deleted smallint not null, owner ${text}, version integer not null, meaning integer not null,
      created_at bigint not null, updated_at bigint not null)`);
    await query.raw(`create table alert (id ${types.countedKey}, rule_id bigint not null,
      subject_kind ${text} not null, subject_id ${text} not null, part ${text} not null,
      state smallint not null, since bigint not null, opened_at bigint, closed_at bigint,
      true_ms bigint not null, false_ms bigint not null, value double precision,
      detail ${text} not null, version integer not null, episode integer not null,
      told ${text}, suppressed_by ${text}, acked_by ${text}, acked_at bigint, acked_until bigint,
      ack_note ${text}, flaps ${text} not null, next_at bigint, updated_at bigint not null,
      unique (rule_id, subject_kind, subject_id, part))`);
    await query.raw('create index alert_subject on alert (subject_kind, subject_id)');
    await query.raw('create index alert_active on alert (state) where state > 0');
    await query.raw('create index alert_next_at on alert (next_at) where next_at is not null');
    await query.raw(`create table alert_event (id ${types.countedKey}, alert_id bigint not null,
      rule_id bigint not null, subject_kind ${text} not null, subject_id ${text} not null,
      part ${text} not null, episode integer not null, at bigint not null, kind ${text} not null,
      by_whom ${text}, detail ${text} not null, told ${text}, due bigint, batch ${text})`);
    await query.raw('create index alert_event_at on alert_event (at)');
    await query.raw(
      'create index alert_event_subject on alert_event (subject_kind, subject_id, at)',
    );
    await query.raw('create index alert_event_alert on alert_event (alert_id, id)');
    await query.raw('create index alert_event_due on alert_event (due) where due is not null');
    await query.raw(`create table alert_silence (id ${types.countedKey}, scope ${text} not null,
      reason ${text} not null, created_by ${text}, created_at bigint not null,
      starts_at bigint not null, ends_at bigint not null, ended_by ${text})`);
    await query.raw(`create table alert_window (id ${types.countedKey}, name ${text} not null unique,
      scope ${text} not null, zone ${text} not null, once_from bigint, once_to bigint,
      cron ${text}, duration_s integer, effect ${text} not null, public ${text} not null,
      enable smallint not null, owner ${text}, version integer not null, updated_at bigint not null)`);
    await query.raw(`create table alert_policy (id ${types.countedKey}, name ${text} not null unique,
      steps ${text} not null, group_by ${text} not null, wait_s integer not null,
      interval_s integer not null, repeat_s ${text} not null, quiet ${text},
      send_close smallint not null, owner ${text}, version integer not null, updated_at bigint not null)`);
    await query.raw(`create table alert_group (key ${text} not null primary key,
      policy_id bigint not null, sent_at bigint not null)`);
    await query.raw(`create table alert_ack_link (hash ${text} not null primary key,
      alert_id bigint not null, episode integer not null, ends_at bigint not null)`);
    await query.raw(`create table alert_clock (uuid_id integer not null primary key,
      offset_ms bigint not null)`);
    await query.raw(`create table alert_state (id integer not null primary key,
      holder ${text}, until bigint not null, rules_version bigint not null)`);
    await query('alert_state').insert({ id: 1, until: 0, rules_version: 0 });
  },
};

/** Silences count for the token that made them. */
const owner: Migration = {
  name: '0002-silence-owner',
  async up({ query, types }) {
    await query.raw(`alter table alert_silence add column owner ${types.bytewise}`);
  },
};

/** Rules that were too slow say so; an event of an agent is judged once, whichever server does it. */
const slowAndEvents: Migration = {
  name: '0003-slow-rules-and-events',
  async up({ query }) {
    await query.raw('alter table alert_rule add column slow_at bigint');
    await query.raw('alter table alert_state add column events_after bigint not null default 0');
  },
};

export const migrations = [create, owner, slowAndEvents];
