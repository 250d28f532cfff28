

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA svc_sql_3e972cf1f2f4;

CREATE SCHEMA svc_super_3e972cf1f2f4;

CREATE FUNCTION public.crontab_result_usage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ begin
      if tg_op = 'INSERT' then insert into crontab_result_usage (owner, bytes)
      select owner, sum(bytes) from (select cron_name as owner, (coalesce(octet_length(cast(r.cron_name as text)), 0) + coalesce(octet_length(cast(r.message as text)), 0) + 64) as bytes from added r) c group by owner order by owner
      on conflict (owner) do update set bytes = crontab_result_usage.bytes + excluded.bytes;
      elsif tg_op = 'UPDATE' then insert into crontab_result_usage (owner, bytes)
      select owner, sum(bytes) from (select cron_name as owner, (coalesce(octet_length(cast(r.cron_name as text)), 0) + coalesce(octet_length(cast(r.message as text)), 0) + 64) as bytes from added r union all select cron_name as owner, -(coalesce(octet_length(cast(r.cron_name as text)), 0) + coalesce(octet_length(cast(r.message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = crontab_result_usage.bytes + excluded.bytes;
      elsif tg_op = 'DELETE' then insert into crontab_result_usage (owner, bytes)
      select owner, sum(bytes) from (select cron_name as owner, -(coalesce(octet_length(cast(r.cron_name as text)), 0) + coalesce(octet_length(cast(r.message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = crontab_result_usage.bytes + excluded.bytes;
        delete from crontab_result_usage where bytes <= 0 and owner in (select cron_name from removed);
      else delete from crontab_result_usage;
      end if;
      return null;
    end $$;

CREATE FUNCTION public.js_result_usage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ begin
      if tg_op = 'INSERT' then insert into js_result_usage (owner, bytes)
      select owner, sum(bytes) from (select js_worker_name as owner, (coalesce(octet_length(cast(r.param as text)), 0) + coalesce(octet_length(cast(r.result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from added r) c group by owner order by owner
      on conflict (owner) do update set bytes = js_result_usage.bytes + excluded.bytes;
      elsif tg_op = 'UPDATE' then insert into js_result_usage (owner, bytes)
      select owner, sum(bytes) from (select js_worker_name as owner, (coalesce(octet_length(cast(r.param as text)), 0) + coalesce(octet_length(cast(r.result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from added r union all select js_worker_name as owner, -(coalesce(octet_length(cast(r.param as text)), 0) + coalesce(octet_length(cast(r.result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = js_result_usage.bytes + excluded.bytes;
      elsif tg_op = 'DELETE' then insert into js_result_usage (owner, bytes)
      select owner, sum(bytes) from (select js_worker_name as owner, -(coalesce(octet_length(cast(r.param as text)), 0) + coalesce(octet_length(cast(r.result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = js_result_usage.bytes + excluded.bytes;
        delete from js_result_usage where bytes <= 0 and owner in (select js_worker_name from removed);
      else delete from js_result_usage;
      end if;
      return null;
    end $$;

CREATE FUNCTION public.kv_usage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ begin
      if tg_op = 'INSERT' then insert into kv_usage (owner, bytes)
      select owner, sum(bytes) from (select namespace as owner, (coalesce(octet_length(cast(r.key as text)), 0) + coalesce(octet_length(cast(r.value as text)), 0) + 64) as bytes from added r) c group by owner order by owner
      on conflict (owner) do update set bytes = kv_usage.bytes + excluded.bytes;
      elsif tg_op = 'UPDATE' then insert into kv_usage (owner, bytes)
      select owner, sum(bytes) from (select namespace as owner, (coalesce(octet_length(cast(r.key as text)), 0) + coalesce(octet_length(cast(r.value as text)), 0) + 64) as bytes from added r union all select namespace as owner, -(coalesce(octet_length(cast(r.key as text)), 0) + coalesce(octet_length(cast(r.value as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = kv_usage.bytes + excluded.bytes;
      elsif tg_op = 'DELETE' then insert into kv_usage (owner, bytes)
      select owner, sum(bytes) from (select namespace as owner, -(coalesce(octet_length(cast(r.key as text)), 0) + coalesce(octet_length(cast(r.value as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = kv_usage.bytes + excluded.bytes;
        delete from kv_usage where bytes <= 0 and owner in (select namespace from removed);
      else delete from kv_usage;
      end if;
      return null;
    end $$;

CREATE FUNCTION public.task_usage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ begin
      if tg_op = 'INSERT' then insert into task_usage (owner, bytes)
      select owner, sum(bytes) from (select uuid as owner, (coalesce(octet_length(cast(r.cron_source as text)), 0) + coalesce(octet_length(cast(r.task_event_type as text)), 0) + coalesce(octet_length(cast(r.task_event_result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from added r) c group by owner order by owner
      on conflict (owner) do update set bytes = task_usage.bytes + excluded.bytes;
      elsif tg_op = 'UPDATE' then insert into task_usage (owner, bytes)
      select owner, sum(bytes) from (select uuid as owner, (coalesce(octet_length(cast(r.cron_source as text)), 0) + coalesce(octet_length(cast(r.task_event_type as text)), 0) + coalesce(octet_length(cast(r.task_event_result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from added r union all select uuid as owner, -(coalesce(octet_length(cast(r.cron_source as text)), 0) + coalesce(octet_length(cast(r.task_event_type as text)), 0) + coalesce(octet_length(cast(r.task_event_result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = task_usage.bytes + excluded.bytes;
      elsif tg_op = 'DELETE' then insert into task_usage (owner, bytes)
      select owner, sum(bytes) from (select uuid as owner, -(coalesce(octet_length(cast(r.cron_source as text)), 0) + coalesce(octet_length(cast(r.task_event_type as text)), 0) + coalesce(octet_length(cast(r.task_event_result as text)), 0) + coalesce(octet_length(cast(r.error_message as text)), 0) + 64) as bytes from removed r) c group by owner order by owner
      on conflict (owner) do update set bytes = task_usage.bytes + excluded.bytes;
        delete from task_usage where bytes <= 0 and owner in (select uuid from removed);
      else delete from task_usage;
      end if;
      return null;
    end $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.agent_event (
    id bigint NOT NULL,
    uuid_id integer,
    kind character varying(16) NOT NULL,
    "time" bigint NOT NULL,
    detail text NOT NULL COLLATE pg_catalog."C"
);

CREATE SEQUENCE public.agent_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.agent_event_id_seq OWNED BY public.agent_event.id;

CREATE TABLE public.agent_event_state (
    id integer NOT NULL,
    holder character varying(36),
    until bigint DEFAULT '0'::bigint NOT NULL,
    counted bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE public.agent_presence (
    uuid_id integer NOT NULL,
    here smallint DEFAULT '0'::smallint NOT NULL,
    last_seen bigint DEFAULT '0'::bigint NOT NULL,
    address text COLLATE pg_catalog."C"
);

CREATE TABLE public.agent_uptime (
    uuid_id integer NOT NULL,
    day integer NOT NULL,
    ms bigint NOT NULL
);

CREATE TABLE public.alert (
    id bigint NOT NULL,
    rule_id bigint NOT NULL,
    subject_kind text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C",
    part text NOT NULL COLLATE pg_catalog."C",
    state smallint NOT NULL,
    since bigint NOT NULL,
    opened_at bigint,
    closed_at bigint,
    true_ms bigint NOT NULL,
    false_ms bigint NOT NULL,
    value double precision,
    detail text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    episode integer NOT NULL,
    told text COLLATE pg_catalog."C",
    suppressed_by text COLLATE pg_catalog."C",
    acked_by text COLLATE pg_catalog."C",
    acked_at bigint,
    acked_until bigint,
    ack_note text COLLATE pg_catalog."C",
    flaps text NOT NULL COLLATE pg_catalog."C",
    next_at bigint,
    updated_at bigint NOT NULL
);

CREATE TABLE public.alert_ack_link (
    hash text NOT NULL COLLATE pg_catalog."C",
    alert_id bigint NOT NULL,
    episode integer NOT NULL,
    ends_at bigint NOT NULL
);

CREATE TABLE public.alert_clock (
    uuid_id integer NOT NULL,
    offset_ms bigint NOT NULL
);

CREATE TABLE public.alert_event (
    id bigint NOT NULL,
    alert_id bigint NOT NULL,
    rule_id bigint NOT NULL,
    subject_kind text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C",
    part text NOT NULL COLLATE pg_catalog."C",
    episode integer NOT NULL,
    at bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    by_whom text COLLATE pg_catalog."C",
    detail text NOT NULL COLLATE pg_catalog."C",
    told text COLLATE pg_catalog."C",
    due bigint,
    batch text COLLATE pg_catalog."C"
);

CREATE SEQUENCE public.alert_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_event_id_seq OWNED BY public.alert_event.id;

CREATE TABLE public.alert_group (
    key text NOT NULL COLLATE pg_catalog."C",
    policy_id bigint NOT NULL,
    sent_at bigint NOT NULL
);

CREATE SEQUENCE public.alert_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_id_seq OWNED BY public.alert.id;

CREATE TABLE public.alert_policy (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    steps text NOT NULL COLLATE pg_catalog."C",
    group_by text NOT NULL COLLATE pg_catalog."C",
    wait_s integer NOT NULL,
    interval_s integer NOT NULL,
    repeat_s text NOT NULL COLLATE pg_catalog."C",
    quiet text COLLATE pg_catalog."C",
    send_close smallint NOT NULL,
    owner text COLLATE pg_catalog."C",
    version integer NOT NULL,
    updated_at bigint NOT NULL
);

CREATE SEQUENCE public.alert_policy_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_policy_id_seq OWNED BY public.alert_policy.id;

CREATE TABLE public.alert_rule (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    enable smallint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    condition text NOT NULL COLLATE pg_catalog."C",
    clear text COLLATE pg_catalog."C",
    for_s integer NOT NULL,
    clear_for_s integer NOT NULL,
    severity smallint NOT NULL,
    notify smallint NOT NULL,
    policy text COLLATE pg_catalog."C",
    repeat_s integer,
    summary text NOT NULL COLLATE pg_catalog."C",
    runbook text NOT NULL COLLATE pg_catalog."C",
    labels text NOT NULL COLLATE pg_catalog."C",
    shipped text COLLATE pg_catalog."C",
    touched text NOT NULL COLLATE pg_catalog."C",
    deleted smallint NOT NULL,
    owner text COLLATE pg_catalog."C",
    version integer NOT NULL,
    meaning integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    slow_at bigint
);

CREATE SEQUENCE public.alert_rule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_rule_id_seq OWNED BY public.alert_rule.id;

CREATE TABLE public.alert_silence (
    id bigint NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    created_by text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    starts_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    ended_by text COLLATE pg_catalog."C",
    owner text COLLATE pg_catalog."C"
);

CREATE SEQUENCE public.alert_silence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_silence_id_seq OWNED BY public.alert_silence.id;

CREATE TABLE public.alert_state (
    id integer NOT NULL,
    holder text COLLATE pg_catalog."C",
    until bigint NOT NULL,
    rules_version bigint NOT NULL,
    events_after bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.alert_window (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    zone text NOT NULL COLLATE pg_catalog."C",
    once_from bigint,
    once_to bigint,
    cron text COLLATE pg_catalog."C",
    duration_s integer,
    effect text NOT NULL COLLATE pg_catalog."C",
    public text NOT NULL COLLATE pg_catalog."C",
    enable smallint NOT NULL,
    owner text COLLATE pg_catalog."C",
    version integer NOT NULL,
    updated_at bigint NOT NULL
);

CREATE SEQUENCE public.alert_window_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.alert_window_id_seq OWNED BY public.alert_window.id;

CREATE TABLE public.audit (
    chain_id bigint NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    token text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    transport text NOT NULL COLLATE pg_catalog."C",
    outcome integer NOT NULL,
    count bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.audit_chain (
    id bigint NOT NULL,
    chain text NOT NULL COLLATE pg_catalog."C",
    server_uuid text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    base bigint NOT NULL,
    signature text NOT NULL COLLATE pg_catalog."C",
    segment_bytes bigint NOT NULL,
    segment_at bigint NOT NULL,
    outside integer DEFAULT 0 NOT NULL,
    sent bigint DEFAULT '-1'::integer NOT NULL
);

CREATE SEQUENCE public.audit_chain_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.audit_chain_id_seq OWNED BY public.audit_chain.id;

CREATE TABLE public.audit_checkpoint (
    chain_id bigint NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    base bigint NOT NULL,
    signature text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL
);

CREATE TABLE public.bus_cluster (
    id text NOT NULL
);

CREATE UNLOGGED TABLE public.bus_message (
    id uuid NOT NULL,
    sent_at bigint NOT NULL,
    body text NOT NULL
);
ALTER TABLE ONLY public.bus_message ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE public.channel (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    config text NOT NULL COLLATE pg_catalog."C",
    secret bytea,
    language text NOT NULL COLLATE pg_catalog."C",
    zone text NOT NULL COLLATE pg_catalog."C",
    enable smallint NOT NULL,
    owner text COLLATE pg_catalog."C",
    version integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    failing_since bigint,
    retry_at bigint NOT NULL,
    tries integer NOT NULL,
    last_ok_at bigint,
    last_status integer,
    last_error text COLLATE pg_catalog."C",
    sent bigint NOT NULL,
    failed bigint NOT NULL,
    dropped bigint NOT NULL
);

CREATE SEQUENCE public.channel_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.channel_id_seq OWNED BY public.channel.id;

CREATE TABLE public.crontab (
    id bigint NOT NULL,
    name text NOT NULL,
    enable boolean DEFAULT true NOT NULL,
    cron_expression text NOT NULL,
    cron_type json NOT NULL,
    last_run_time bigint,
    start_time bigint DEFAULT '0'::bigint NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    claimed_by text,
    owner text,
    held_bytes integer GENERATED ALWAYS AS (((COALESCE(octet_length((cron_type)::text), 0) + COALESCE(octet_length(cron_expression), 0)) + COALESCE(octet_length(name), 0))) STORED
);

CREATE SEQUENCE public.crontab_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.crontab_id_seq OWNED BY public.crontab.id;

CREATE TABLE public.crontab_result (
    id bigint NOT NULL,
    cron_id bigint NOT NULL,
    cron_name text NOT NULL,
    relative_id bigint,
    run_time bigint,
    success boolean,
    message text,
    claimed_at bigint
);

CREATE SEQUENCE public.crontab_result_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.crontab_result_id_seq OWNED BY public.crontab_result.id;

CREATE TABLE public.crontab_result_usage (
    owner text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL
);

CREATE TABLE public.db_registry (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    db_connections integer DEFAULT 0,
    max_lifetime_ms bigint,
    created_at bigint NOT NULL,
    owner text
);

CREATE SEQUENCE public.db_registry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.db_registry_id_seq OWNED BY public.db_registry.id;

CREATE TABLE public.dynamic_monitoring (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_data jsonb NOT NULL,
    ram_data jsonb NOT NULL,
    load_data jsonb NOT NULL,
    system_data jsonb NOT NULL,
    disk_data jsonb NOT NULL,
    network_data jsonb NOT NULL,
    gpu_data jsonb NOT NULL
)
PARTITION BY RANGE ("timestamp");
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN cpu_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN ram_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN load_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN system_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN disk_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN network_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring ALTER COLUMN gpu_data SET COMPRESSION lz4;

CREATE TABLE public.dynamic_monitoring_default (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_data jsonb NOT NULL,
    ram_data jsonb NOT NULL,
    load_data jsonb NOT NULL,
    system_data jsonb NOT NULL,
    disk_data jsonb NOT NULL,
    network_data jsonb NOT NULL,
    gpu_data jsonb NOT NULL
);
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN cpu_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN ram_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN load_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN system_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN disk_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN network_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_default ALTER COLUMN gpu_data SET COMPRESSION lz4;

CREATE TABLE public.dynamic_monitoring_far (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_data jsonb NOT NULL,
    ram_data jsonb NOT NULL,
    load_data jsonb NOT NULL,
    system_data jsonb NOT NULL,
    disk_data jsonb NOT NULL,
    network_data jsonb NOT NULL,
    gpu_data jsonb NOT NULL
);
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN cpu_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN ram_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN load_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN system_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN disk_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN network_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_far ALTER COLUMN gpu_data SET COMPRESSION lz4;

CREATE TABLE public.dynamic_monitoring_past (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_data jsonb NOT NULL,
    ram_data jsonb NOT NULL,
    load_data jsonb NOT NULL,
    system_data jsonb NOT NULL,
    disk_data jsonb NOT NULL,
    network_data jsonb NOT NULL,
    gpu_data jsonb NOT NULL
);
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN cpu_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN ram_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN load_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN system_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN disk_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN network_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.dynamic_monitoring_past ALTER COLUMN gpu_data SET COMPRESSION lz4;

CREATE TABLE public.dynamic_monitoring_summary (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_usage smallint,
    gpu_usage smallint,
    used_swap bigint,
    total_swap bigint,
    used_memory bigint,
    total_memory bigint,
    available_memory bigint,
    load_one smallint,
    load_five smallint,
    load_fifteen smallint,
    uptime integer,
    boot_time bigint,
    process_count integer,
    total_space bigint,
    available_space bigint,
    read_speed bigint,
    write_speed bigint,
    tcp_connections integer,
    udp_connections integer,
    total_received bigint,
    total_transmitted bigint,
    transmit_speed bigint,
    receive_speed bigint
)
PARTITION BY RANGE ("timestamp");

CREATE TABLE public.dynamic_monitoring_summary_default (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_usage smallint,
    gpu_usage smallint,
    used_swap bigint,
    total_swap bigint,
    used_memory bigint,
    total_memory bigint,
    available_memory bigint,
    load_one smallint,
    load_five smallint,
    load_fifteen smallint,
    uptime integer,
    boot_time bigint,
    process_count integer,
    total_space bigint,
    available_space bigint,
    read_speed bigint,
    write_speed bigint,
    tcp_connections integer,
    udp_connections integer,
    total_received bigint,
    total_transmitted bigint,
    transmit_speed bigint,
    receive_speed bigint
);

CREATE TABLE public.dynamic_monitoring_summary_far (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_usage smallint,
    gpu_usage smallint,
    used_swap bigint,
    total_swap bigint,
    used_memory bigint,
    total_memory bigint,
    available_memory bigint,
    load_one smallint,
    load_five smallint,
    load_fifteen smallint,
    uptime integer,
    boot_time bigint,
    process_count integer,
    total_space bigint,
    available_space bigint,
    read_speed bigint,
    write_speed bigint,
    tcp_connections integer,
    udp_connections integer,
    total_received bigint,
    total_transmitted bigint,
    transmit_speed bigint,
    receive_speed bigint
);

CREATE TABLE public.dynamic_monitoring_summary_past (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_usage smallint,
    gpu_usage smallint,
    used_swap bigint,
    total_swap bigint,
    used_memory bigint,
    total_memory bigint,
    available_memory bigint,
    load_one smallint,
    load_five smallint,
    load_fifteen smallint,
    uptime integer,
    boot_time bigint,
    process_count integer,
    total_space bigint,
    available_space bigint,
    read_speed bigint,
    write_speed bigint,
    tcp_connections integer,
    udp_connections integer,
    total_received bigint,
    total_transmitted bigint,
    transmit_speed bigint,
    receive_speed bigint
);

CREATE TABLE public.enrol_code (
    id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    tags text NOT NULL COLLATE pg_catalog."C",
    owner text COLLATE pg_catalog."C",
    uses integer NOT NULL,
    used integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    last_agent text COLLATE pg_catalog."C",
    last_at bigint
);

CREATE SEQUENCE public.enrol_code_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.enrol_code_id_seq OWNED BY public.enrol_code.id;

CREATE TABLE public.enrol_pending (
    agent text NOT NULL COLLATE pg_catalog."C",
    code integer NOT NULL,
    token_key text NOT NULL COLLATE pg_catalog."C",
    came_at bigint NOT NULL,
    given_at bigint
);

CREATE TABLE public.js_result (
    id bigint NOT NULL,
    js_worker_id bigint NOT NULL,
    js_worker_name text NOT NULL COLLATE pg_catalog."C",
    run_type text NOT NULL,
    start_time bigint,
    finish_time bigint,
    param json,
    result json,
    error_message text,
    alive_at bigint
);

CREATE SEQUENCE public.js_result_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.js_result_id_seq OWNED BY public.js_result.id;

CREATE TABLE public.js_result_usage (
    owner text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL
);

CREATE TABLE public.js_worker (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    js_script text NOT NULL,
    js_byte_code bytea,
    route_name text COLLATE pg_catalog."C",
    env json,
    runtime_clean_time bigint,
    max_run_time bigint,
    max_stack_size bigint,
    max_heap_size bigint,
    create_at bigint NOT NULL,
    update_at bigint NOT NULL,
    owner text,
    owner_rights text,
    held_bytes integer GENERATED ALWAYS AS (((COALESCE(octet_length(js_script), 0) + COALESCE(octet_length((env)::text), 0)) + COALESCE(octet_length(description), 0))) STORED
);

CREATE SEQUENCE public.js_worker_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.js_worker_id_seq OWNED BY public.js_worker.id;

CREATE TABLE public.kv (
    id bigint NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value jsonb NOT NULL
);

CREATE SEQUENCE public.kv_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.kv_id_seq OWNED BY public.kv.id;

CREATE TABLE public.kv_usage (
    owner text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL
);

CREATE TABLE public.monitoring_uuid (
    id integer NOT NULL,
    uuid uuid NOT NULL,
    soft_delete boolean DEFAULT false NOT NULL,
    deleted_at bigint,
    first_seen bigint
);

CREATE SEQUENCE public.monitoring_uuid_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.monitoring_uuid_id_seq OWNED BY public.monitoring_uuid.id;

CREATE TABLE public.notify_outbox (
    id bigint NOT NULL,
    channel_id bigint NOT NULL,
    message_id text NOT NULL COLLATE pg_catalog."C",
    batch text NOT NULL COLLATE pg_catalog."C",
    group_key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    due bigint NOT NULL,
    tries integer NOT NULL,
    state smallint NOT NULL,
    uncertain smallint NOT NULL,
    status integer,
    last_error text COLLATE pg_catalog."C",
    remote_id text COLLATE pg_catalog."C",
    gone text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    sent_at bigint,
    priority smallint DEFAULT 1 NOT NULL,
    owner text COLLATE pg_catalog."C"
);

CREATE SEQUENCE public.notify_outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.notify_outbox_id_seq OWNED BY public.notify_outbox.id;

CREATE TABLE public.notify_state (
    id integer NOT NULL,
    holder text COLLATE pg_catalog."C",
    until bigint NOT NULL,
    key_fingerprint text COLLATE pg_catalog."C",
    public_url text COLLATE pg_catalog."C"
);

CREATE TABLE public.retention (
    name character varying(32) NOT NULL,
    value text,
    until bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE public.schema_migrations (
    plugin character varying(128) NOT NULL,
    name character varying(128) NOT NULL,
    breaking integer NOT NULL,
    applied_at bigint NOT NULL
);

CREATE TABLE public.series_rollup (
    uuid_id integer NOT NULL,
    step smallint NOT NULL,
    series text NOT NULL COLLATE pg_catalog."C",
    span bigint NOT NULL,
    data bytea NOT NULL
);

CREATE TABLE public.series_state (
    name character varying(32) NOT NULL,
    value text,
    until bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE public.static_file (
    id bigint NOT NULL,
    name character varying(255) NOT NULL,
    path text NOT NULL,
    is_http_root boolean DEFAULT false NOT NULL,
    cors boolean DEFAULT false NOT NULL,
    enable boolean DEFAULT true,
    owner text,
    owner_global boolean
);

CREATE TABLE public.static_file_former (
    path text NOT NULL,
    name text NOT NULL,
    owner text
);

CREATE SEQUENCE public.static_file_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.static_file_id_seq OWNED BY public.static_file.id;

CREATE TABLE public.static_monitoring (
    id bigint NOT NULL,
    uuid_id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    storage_time bigint,
    cpu_data jsonb NOT NULL,
    system_data jsonb NOT NULL,
    gpu_data jsonb NOT NULL,
    data_hash bytea NOT NULL,
    first_timestamp bigint,
    first_storage_time bigint
);
ALTER TABLE ONLY public.static_monitoring ALTER COLUMN cpu_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.static_monitoring ALTER COLUMN system_data SET COMPRESSION lz4;
ALTER TABLE ONLY public.static_monitoring ALTER COLUMN gpu_data SET COMPRESSION lz4;

CREATE SEQUENCE public.static_monitoring_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.static_monitoring_id_seq OWNED BY public.static_monitoring.id;

CREATE TABLE public.static_webdav_lock (
    token text NOT NULL,
    bucket_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    deep integer NOT NULL,
    exclusive integer NOT NULL,
    owner text NOT NULL,
    principal text NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE public.static_webdav_property (
    bucket_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    parent text COLLATE pg_catalog."C",
    name_hash text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    value text NOT NULL
);

CREATE TABLE public.status_page (
    slug text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C",
    logo text COLLATE pg_catalog."C",
    owner text COLLATE pg_catalog."C",
    version integer NOT NULL,
    updated_at bigint NOT NULL
);

CREATE TABLE public.status_page_incident (
    id bigint NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C",
    impact text NOT NULL COLLATE pg_catalog."C",
    begins_at bigint NOT NULL,
    ends_at bigint,
    updated_at bigint NOT NULL
);

CREATE SEQUENCE public.status_page_incident_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.status_page_incident_id_seq OWNED BY public.status_page_incident.id;

CREATE TABLE public.task (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    token text NOT NULL,
    cron_source text,
    "timestamp" bigint,
    success boolean,
    error_message text,
    task_event_type jsonb NOT NULL,
    task_event_result jsonb,
    type_name text NOT NULL,
    created_at bigint NOT NULL,
    cron_run bigint
);

CREATE SEQUENCE public.task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.task_id_seq OWNED BY public.task.id;

CREATE TABLE public.task_usage (
    owner uuid NOT NULL,
    bytes bigint NOT NULL
);

CREATE TABLE public.task_version (
    uuid uuid NOT NULL,
    version text NOT NULL
);

CREATE TABLE public.token (
    id bigint NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    token_key character varying(16) NOT NULL,
    token_hash character varying(255) NOT NULL,
    time_stamp_from bigint,
    time_stamp_to bigint,
    token_limit jsonb NOT NULL,
    username text,
    password_hash character varying(255),
    parent text,
    held_bytes integer GENERATED ALWAYS AS (COALESCE(octet_length((token_limit)::text), 0)) STORED
);

CREATE TABLE public.token_gone (
    token_key text NOT NULL,
    token_limit jsonb NOT NULL,
    holder text
);

CREATE SEQUENCE public.token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.token_id_seq OWNED BY public.token.id;

CREATE TABLE public.token_pass (
    pass_key character varying(16) NOT NULL,
    pass_hash character varying(255) NOT NULL,
    purpose text NOT NULL,
    parent text NOT NULL,
    session_key text,
    stamp text NOT NULL,
    made_at bigint NOT NULL,
    ends_at bigint NOT NULL
);

CREATE TABLE public.token_place (
    token_id bigint NOT NULL,
    place text NOT NULL,
    seen_at bigint NOT NULL
);

CREATE TABLE public.token_session (
    session_key character varying(16) NOT NULL,
    session_hash character varying(255) NOT NULL,
    parent text NOT NULL,
    stamp text NOT NULL,
    name text NOT NULL,
    made_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    used_at bigint NOT NULL,
    used_from text NOT NULL
);

CREATE TABLE public.traffic_counter (
    uuid_id integer NOT NULL,
    state text NOT NULL
);

CREATE TABLE public.traffic_day (
    uuid_id integer NOT NULL,
    day integer NOT NULL,
    received bigint NOT NULL,
    transmitted bigint NOT NULL
);

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_default DEFAULT;

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_past FOR VALUES FROM (MINVALUE) TO ('1795996800000');

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_default DEFAULT;

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_past FOR VALUES FROM (MINVALUE) TO ('1795996800000');

ALTER TABLE ONLY public.agent_event ALTER COLUMN id SET DEFAULT nextval('public.agent_event_id_seq'::regclass);

ALTER TABLE ONLY public.alert ALTER COLUMN id SET DEFAULT nextval('public.alert_id_seq'::regclass);

ALTER TABLE ONLY public.alert_event ALTER COLUMN id SET DEFAULT nextval('public.alert_event_id_seq'::regclass);

ALTER TABLE ONLY public.alert_policy ALTER COLUMN id SET DEFAULT nextval('public.alert_policy_id_seq'::regclass);

ALTER TABLE ONLY public.alert_rule ALTER COLUMN id SET DEFAULT nextval('public.alert_rule_id_seq'::regclass);

ALTER TABLE ONLY public.alert_silence ALTER COLUMN id SET DEFAULT nextval('public.alert_silence_id_seq'::regclass);

ALTER TABLE ONLY public.alert_window ALTER COLUMN id SET DEFAULT nextval('public.alert_window_id_seq'::regclass);

ALTER TABLE ONLY public.audit_chain ALTER COLUMN id SET DEFAULT nextval('public.audit_chain_id_seq'::regclass);

ALTER TABLE ONLY public.channel ALTER COLUMN id SET DEFAULT nextval('public.channel_id_seq'::regclass);

ALTER TABLE ONLY public.crontab ALTER COLUMN id SET DEFAULT nextval('public.crontab_id_seq'::regclass);

ALTER TABLE ONLY public.crontab_result ALTER COLUMN id SET DEFAULT nextval('public.crontab_result_id_seq'::regclass);

ALTER TABLE ONLY public.db_registry ALTER COLUMN id SET DEFAULT nextval('public.db_registry_id_seq'::regclass);

ALTER TABLE ONLY public.enrol_code ALTER COLUMN id SET DEFAULT nextval('public.enrol_code_id_seq'::regclass);

ALTER TABLE ONLY public.js_result ALTER COLUMN id SET DEFAULT nextval('public.js_result_id_seq'::regclass);

ALTER TABLE ONLY public.js_worker ALTER COLUMN id SET DEFAULT nextval('public.js_worker_id_seq'::regclass);

ALTER TABLE ONLY public.kv ALTER COLUMN id SET DEFAULT nextval('public.kv_id_seq'::regclass);

ALTER TABLE ONLY public.monitoring_uuid ALTER COLUMN id SET DEFAULT nextval('public.monitoring_uuid_id_seq'::regclass);

ALTER TABLE ONLY public.notify_outbox ALTER COLUMN id SET DEFAULT nextval('public.notify_outbox_id_seq'::regclass);

ALTER TABLE ONLY public.static_file ALTER COLUMN id SET DEFAULT nextval('public.static_file_id_seq'::regclass);

ALTER TABLE ONLY public.static_monitoring ALTER COLUMN id SET DEFAULT nextval('public.static_monitoring_id_seq'::regclass);

ALTER TABLE ONLY public.status_page_incident ALTER COLUMN id SET DEFAULT nextval('public.status_page_incident_id_seq'::regclass);

ALTER TABLE ONLY public.task ALTER COLUMN id SET DEFAULT nextval('public.task_id_seq'::regclass);

ALTER TABLE ONLY public.token ALTER COLUMN id SET DEFAULT nextval('public.token_id_seq'::regclass);

INSERT INTO public.agent_event VALUES (1, NULL, 'server_restarted', 1795843536384, '{"version":"0.10.0"}');

INSERT INTO public.agent_event_state VALUES (1, '0374313d-56a3-400f-96ec-ab2edefc56b9', 0, 1795843539724);

INSERT INTO public.agent_uptime VALUES (1, 20785, 1036);

INSERT INTO public.alert_policy VALUES (1, 'default', '[]', 'rule', 10, 60, '{"critical":14400}', NULL, 1, NULL, 1, 1795843536307);
INSERT INTO public.alert_policy VALUES (2, 'nights', '[{"after_s":0,"channels":["phone"]}]', 'rule', 10, 60, '{"critical":14400}', '{"from":"22:00","to":"07:00","zone":"Europe/Berlin"}', 1, NULL, 1, 1795843539343);

INSERT INTO public.alert_rule VALUES (1, 'Machine offline', 1, 'presence', '{"all":true}', 'silent_for > 120 && !("intermittent" in tags)', 'silent_for < 60', 0, 30, 2, 1, NULL, NULL, '', '', '{}', 'offline', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (2, 'Disk almost full', 1, 'part', '{"all":true}', 'disk.used_percent > 90 && disk.free < GiB(50)', 'disk.used_percent < 85 || disk.free > GiB(60)', 300, 300, 1, 1, NULL, NULL, '', '', '{}', 'disk-almost-full', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (3, 'Disk full', 1, 'part', '{"all":true}', 'disk.used_percent > 97 && disk.free < GiB(10)', 'disk.used_percent < 94', 60, 300, 2, 1, NULL, NULL, '', '', '{}', 'disk-full', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (4, 'Memory pressure', 1, 'machine', '{"all":true}', 'available_memory < total_memory * 0.05 && (total_swap == 0 || swap_used_percent > 60)', 'available_memory > total_memory * 0.10', 600, 300, 1, 1, NULL, NULL, '', '', '{}', 'memory', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (5, 'Reports refused', 1, 'event', '{"all":true}', 'event == "refused"', NULL, 0, 0, 1, 1, NULL, NULL, '', '', '{}', 'refused', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (6, 'Machine contract ends', 1, 'machine', '{"all":true}', 'expires_in_days < 7', 'expires_in_days > 7', 0, 0, 0, 0, NULL, NULL, '', '', '{}', 'contract', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (7, 'Channel failing', 1, 'server', '{"all":true}', 'problem == "channel_failing" && lasts_s > 900', NULL, 0, 0, 1, 1, NULL, NULL, '', '', '{}', 'channel-failing', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (8, 'Disk of the database almost full', 1, 'server', '{"all":true}', 'problem == "database_disk"', NULL, 0, 600, 1, 1, NULL, NULL, '', '', '{}', 'database-disk', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (9, 'Reports lost', 1, 'server', '{"all":true}', 'problem == "reports_lost"', NULL, 0, 600, 1, 1, NULL, NULL, '', '', '{}', 'reports-lost', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (10, 'Another server dead', 1, 'server', '{"all":true}', 'problem == "server_dead" && lasts_s > 60', NULL, 0, 0, 1, 1, NULL, NULL, '', '', '{}', 'server-dead', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (11, 'Clock of a machine off', 1, 'machine', '{"all":true}', 'clock_offset_s > 60 || clock_offset_s < -60', 'clock_offset_s < 30 && clock_offset_s > -30', 300, 60, 1, 1, NULL, NULL, '', '', '{}', 'clock-off', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (13, 'Machine restarted', 1, 'machine', '{"all":true}', 'uptime_s < 600', NULL, 0, 0, 0, 0, NULL, NULL, '', '', '{}', 'restarted', '[]', 0, NULL, 1, 1, 1795843536314, 1795843536314, NULL);
INSERT INTO public.alert_rule VALUES (14, 'edge busy', 1, 'machine', '{"agents":["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"]}', 'avg("cpu_usage", "5m") > 90', NULL, 300, 0, 1, 1, 'nights', NULL, '', '', '{}', NULL, '[]', 0, NULL, 1, 1, 1795843539384, 1795843539384, NULL);
INSERT INTO public.alert_rule VALUES (12, 'CPU busy', 0, 'machine', '{"all":true}', 'avg("cpu_usage", "30m") > 95', 'avg("cpu_usage", "30m") < 80', 0, 600, 0, 0, NULL, NULL, '', '', '{}', 'cpu-busy', '["enable"]', 0, NULL, 2, 1, 1795843536314, 1795843539408, NULL);

INSERT INTO public.alert_silence VALUES (1, '{"agents":["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"]}', 'new disk', 'root', 1795843539444, 1795843539444, 1827465939444, NULL, NULL);

INSERT INTO public.alert_state VALUES (1, 'ef401b37-3ffb-47d1-91a0-f610d5630313', 0, 3, 0);

INSERT INTO public.alert_window VALUES (1, 'move', '{"tags":["edge"]}', 'UTC', 4102440000000, 4102443600000, NULL, NULL, 'quiet', '[]', 1, NULL, 1, 1795843539427);

INSERT INTO public.audit VALUES (1, 1, 1795843536296, '', '', 'first start', '3gInxVm113Qmxvqo', '', 'internal', 0, 1, '9caffcd9ec62c785b73dbd9dbe1121d1d4aaaf11da4d865c5d81940732e62b80');
INSERT INTO public.audit VALUES (1, 2, 1795843536368, '', '', 'start', '0.10.0', '', 'internal', 0, 1, 'cf93f207f988e70ddcc54bc78348ae5111528374a29d41dcbb0c3182a892ceec');
INSERT INTO public.audit VALUES (1, 3, 1795843536693, '3gInxVm113Qmxvqo', 'root', 'login', '', '127.0.0.1', 'http', 0, 1, '29e321417659d2f669575987609069e65299bd142d28ba15cdace8b8cc246f89');
INSERT INTO public.audit VALUES (1, 4, 1795843536758, '3gInxVm113Qmxvqo', 'root', 'token_create', 'operator', '127.0.0.1', 'http', 0, 1, 'a1749cc5f1e76ec76654410463b6e44dd3c90b781ff6f053c46bf676627df5a9');
INSERT INTO public.audit VALUES (1, 5, 1795843538067, '3gInxVm113Qmxvqo', 'root', 'kv_create', 'settings', '127.0.0.1', 'http', 0, 1, 'fd55906a8c8cd54144f023df20158057fd0264574e9617bde1d671dcd6ae1d45');
INSERT INTO public.audit VALUES (1, 6, 1795843538407, '3gInxVm113Qmxvqo', 'root', 'db_create', 'notes', '127.0.0.1', 'http', 0, 1, '31e5ba59f0f359d219e68ae20503f9ba2f8da660dec3683cfe5117df529e1875');
INSERT INTO public.audit VALUES (1, 7, 1795843538416, '3gInxVm113Qmxvqo', 'root', 'db_exec_sql', 'notes: create table note (id integer primary key, text)', '127.0.0.1', 'http', 0, 1, '9205552ff4b4ecf650e0e219eef3b12313157de063ff9a0d83eb489397d4ad36');
INSERT INTO public.audit VALUES (1, 8, 1795843538423, '3gInxVm113Qmxvqo', 'root', 'db_exec_sql', 'notes: insert into note (text) values (?), (?)', '127.0.0.1', 'http', 0, 1, 'a616188ae8ea0e0c798a63872b00801e11419ad4027b59c2764a6da0cae153db');
INSERT INTO public.audit VALUES (1, 9, 1795843538437, '3gInxVm113Qmxvqo', 'root', 'static-bucket_create', 'site', '127.0.0.1', 'http', 0, 1, '065d01663c52d69c26c3cc06912911bd4f66bb8870faca85977632c81607e135');
INSERT INTO public.audit VALUES (1, 10, 1795843538455, '3gInxVm113Qmxvqo', 'root', 'static-bucket-file_upload', 'site/docs/page.txt', '127.0.0.1', 'http', 0, 1, 'f2dfa9ba4ec8e11122928bc6b8c9eecfd5940032746260bdfd22208d86e12d6b');
INSERT INTO public.audit VALUES (1, 11, 1795843539107, '3gInxVm113Qmxvqo', 'root', 'js-worker_create', 'adder', '127.0.0.1', 'http', 0, 1, '41c96327d8503eb2a04b8c18b14960e37ef5d817c4370b83f750542a306f299d');
INSERT INTO public.audit VALUES (1, 12, 1795843539230, '3gInxVm113Qmxvqo', 'root', 'crontab_create', 'never', '127.0.0.1', 'http', 0, 1, 'c56b8cfc65de2fad8ca7d24cfc713027e72d35d3a547aebb0e8c304d2e33195c');
INSERT INTO public.audit VALUES (1, 13, 1795843539248, '3gInxVm113Qmxvqo', 'root', 'crontab_create', 'addition', '127.0.0.1', 'http', 0, 1, 'a96ad83fcbfb1647be142b1ff9ea4160ffb32c157b5c7852d11f2da89fc9be8e');
INSERT INTO public.audit VALUES (1, 14, 1795843539258, '3gInxVm113Qmxvqo', 'root', 'kv_create', '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '127.0.0.1', 'http', 0, 1, 'fba4c0eba31ff48b56ef5e6158e9b54eabc66d5b27e4f62e0e1e2fcbf732c5c1');
INSERT INTO public.audit VALUES (1, 15, 1795843539286, '3gInxVm113Qmxvqo', 'root', 'status-page_create', 'example', '127.0.0.1', 'http', 0, 1, 'e22b25130b2fd90a6d9ebefce5bc609ed59923a36d9cc8fad752a524a0da429b');
INSERT INTO public.audit VALUES (1, 16, 1795843539301, '3gInxVm113Qmxvqo', 'root', 'status-page_incident_add', 'example', '127.0.0.1', 'http', 0, 1, 'eeb6cf0b8cb028c7e3d40e601f6bcd94fc4fd839e1a3958a5628e756c885e048');
INSERT INTO public.audit VALUES (1, 17, 1795843539335, '3gInxVm113Qmxvqo', 'root', 'channel_create', 'phone', '127.0.0.1', 'http', 0, 1, 'c72662f9257b943f6c85c4762dc0fe611b36da1669934e604cd6ab907e7a5ca2');
INSERT INTO public.audit VALUES (1, 18, 1795843539372, '3gInxVm113Qmxvqo', 'root', 'alert_policy_set', 'nights', '127.0.0.1', 'http', 0, 1, '50c5437767e909be693aa241485ab4c9d1dc92a2cf6e1c235171c6d6bf3a7235');
INSERT INTO public.audit VALUES (1, 19, 1795843539398, '3gInxVm113Qmxvqo', 'root', 'alert_rule_create', 'edge busy', '127.0.0.1', 'http', 0, 1, '64aaa356fe25296080c8dd404d72eab8db2a3e79e7b0a6d40c5cf29935f3ba97');
INSERT INTO public.audit VALUES (1, 20, 1795843539419, '3gInxVm113Qmxvqo', 'root', 'alert_rule_set_enable', 'CPU busy: off', '127.0.0.1', 'http', 0, 1, 'bc1b5abe71cdc9c1e2ae0809752e961ad660683013fe6c7e77a46c04a8c51842');
INSERT INTO public.audit VALUES (1, 21, 1795843539439, '3gInxVm113Qmxvqo', 'root', 'alert_window_create', 'move', '127.0.0.1', 'http', 0, 1, 'e91a8fb23136f263c4a6ef643d37b7a60850159745c6f3a392e4fcc1ea0592d9');
INSERT INTO public.audit VALUES (1, 22, 1795843539468, '3gInxVm113Qmxvqo', 'root', 'alert_silence_create', 'new disk', '127.0.0.1', 'http', 0, 1, 'aaa9bbf2911770d09f5d49082506acc8bd82b52c753ed36b994ccfe3af2813eb');
INSERT INTO public.audit VALUES (1, 23, 1795843539535, '7JnfpEI3eznCyZ9T', 'operator', 'login', '', '127.0.0.1', 'http', 0, 1, '4d5d8c203dae91bf1793fb45d9ce04520540f509e5307a767415fe3aa8c085c9');
INSERT INTO public.audit VALUES (1, 24, 1795843539597, '3gInxVm113Qmxvqo', 'root', 'db_exec_sql', 'notes: select id, text from note order by id', '127.0.0.1', 'http', 0, 1, 'c91f968af0e6782197841eb6fcee641f2a0a86827b9c42f2b53f9f93a7bff5e1');
INSERT INTO public.audit VALUES (1, 25, 1795843539715, '', '', 'stop', 'SIGTERM', '', 'internal', 0, 1, 'c079a45f89da655d89b44f0509e14d6b635979113a29475423cec8993e0617d7');

INSERT INTO public.audit_chain VALUES (1, '17c52f60efe1916574c30910c31ac83e', 'a244dafc-5cbd-4864-9e24-a367f09799b3', 'MCowBQYDK2VwAyEAtGnL2skKA7K8ninlroG8uJv7BX6MyMXaCjGEQkw0jOk=', 25, 'c079a45f89da655d89b44f0509e14d6b635979113a29475423cec8993e0617d7', 1795843539716, 0, 'sDvau9JiTCYYRsk/pQfDSYNwHRjgu1Q05925av5XUKR1pMXew11T5pdUNQXOrGh/xRc00Sm8c1/eDcywa7r8DA==', 9115, 1795843536391, 1, -1);

INSERT INTO public.bus_cluster VALUES ('6c61e57c-7472-4fc8-8163-e137018dc2fe');

INSERT INTO public.channel VALUES (1, 'phone', 'ntfy', '{"server":"https://ntfy.example.net","topic":"ops"}', NULL, 'en', 'UTC', 0, NULL, 1, 1795843539324, 1795843539324, NULL, 0, 0, NULL, NULL, NULL, 0, 0, 0);

INSERT INTO public.crontab VALUES (1, 'never', true, '0 0 0 1 1 * 2100', '{"agent":[["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"],{"task":"ip"}]}', NULL, 1795843539225, 0, NULL, NULL, DEFAULT);
INSERT INTO public.crontab VALUES (2, 'addition', true, '0 0 0 1 1 * 2100', '{"server":{"js_worker":["adder",{"a":3,"b":4}]}}', NULL, 1795843539239, 0, NULL, NULL, DEFAULT);

INSERT INTO public.db_registry VALUES (1, 'notes', 1, NULL, 1795843538403, NULL);

INSERT INTO public.dynamic_monitoring_past VALUES (3766156865323746639, 1, 1781000000000, 1795843536806, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3766156866221177135, 1, 1781086400000, 1795843537236, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3766156867088105907, 1, 1781172800000, 1795843537649, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');

INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766156865783353486, 1, 1781000000000, 1795843537026, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766156866655670327, 1, 1781086400000, 1795843537444, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766156867520042169, 1, 1781172800000, 1795843537855, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.js_result VALUES (1, 1, 'adder', 'call', 1795843539117, 1795843539162, '{"a":1,"b":2}', '3', NULL, 1795843539121);

INSERT INTO public.js_result_usage VALUES ('adder', 78);

INSERT INTO public.js_worker VALUES (1, 'adder', NULL, 'export default { onCall: ({ a, b }) => a + b }', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795843539099, 1795843539099, NULL, NULL, DEFAULT);

INSERT INTO public.kv VALUES (1, 'settings', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (2, 'settings', 'colour.sky', '"blue"');
INSERT INTO public.kv VALUES (3, 'settings', 'numbers', '[1, 2.5, -3, "text", null]');
INSERT INTO public.kv VALUES (4, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (5, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 'metadata_name', '"edge-7"');

INSERT INTO public.kv_usage VALUES ('settings', 269);
INSERT INTO public.kv_usage VALUES ('0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 177);

INSERT INTO public.monitoring_uuid VALUES (1, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', false, NULL, 1795843536773);

INSERT INTO public.notify_state VALUES (1, NULL, 0, '76a09cea894e385c7f7ab02cfb86b84b', NULL);

INSERT INTO public.retention VALUES ('origin', 'new', 0);
INSERT INTO public.retention VALUES ('turn', NULL, 0);

INSERT INTO public.schema_migrations VALUES ('audit', '0001-create', 0, 1795843535469);
INSERT INTO public.schema_migrations VALUES ('audit', '0002-outside', 0, 1795843535490);
INSERT INTO public.schema_migrations VALUES ('audit', '0003-sent', 0, 1795843535492);
INSERT INTO public.schema_migrations VALUES ('token', '0001-create', 0, 1795843535496);
INSERT INTO public.schema_migrations VALUES ('token', '0002-parent', 0, 1795843535511);
INSERT INTO public.schema_migrations VALUES ('token', '0003-place', 0, 1795843535523);
INSERT INTO public.schema_migrations VALUES ('token', '0004-session', 0, 1795843535539);
INSERT INTO public.schema_migrations VALUES ('token', '0005-pass', 0, 1795843535552);
INSERT INTO public.schema_migrations VALUES ('token', '0006-holder', 0, 1795843535570);
INSERT INTO public.schema_migrations VALUES ('token', '0007-held-bytes', 0, 1795843535576);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0001-create', 0, 1795843535589);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0002-first-seen', 0, 1795843535598);
INSERT INTO public.schema_migrations VALUES ('kv', '0001-create', 0, 1795843535603);
INSERT INTO public.schema_migrations VALUES ('kv', '0002-usage', 0, 1795843535614);
INSERT INTO public.schema_migrations VALUES ('kv', '0003-limits', 0, 1795843535629);
INSERT INTO public.schema_migrations VALUES ('retention', '0001-create', 0, 1795843535634);
INSERT INTO public.schema_migrations VALUES ('agent', '0001-create', 0, 1795843535653);
INSERT INTO public.schema_migrations VALUES ('agent', '0002-partition', 0, 1795843535690);
INSERT INTO public.schema_migrations VALUES ('agent', '0003-first-seen', 0, 1795843535749);
INSERT INTO public.schema_migrations VALUES ('agent', '0004-ahead', 0, 1795843535753);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0001-create', 0, 1795843535766);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0002-refusals', 0, 1795843535796);
INSERT INTO public.schema_migrations VALUES ('notify', '0001-create', 0, 1795843535803);
INSERT INTO public.schema_migrations VALUES ('notify', '0002-priority', 0, 1795843535832);
INSERT INTO public.schema_migrations VALUES ('series', '0001-create', 0, 1795843535850);
INSERT INTO public.schema_migrations VALUES ('series', '0002-traffic', 0, 1795843535866);
INSERT INTO public.schema_migrations VALUES ('alert', '0001-create', 0, 1795843535876);
INSERT INTO public.schema_migrations VALUES ('alert', '0002-silence-owner', 0, 1795843535928);
INSERT INTO public.schema_migrations VALUES ('alert', '0003-slow-rules-and-events', 0, 1795843535934);
INSERT INTO public.schema_migrations VALUES ('db', '0001-create', 0, 1795843535947);
INSERT INTO public.schema_migrations VALUES ('db', '0002-owner', 0, 1795843535962);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0001-create', 0, 1795843535968);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0002-owner', 0, 1795843535983);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0003-former-owner', 0, 1795843535989);
INSERT INTO public.schema_migrations VALUES ('bus-nats', '0001-create', 0, 1795843535996);
INSERT INTO public.schema_migrations VALUES ('bus-postgres', '0001-create', 0, 1795843536003);
INSERT INTO public.schema_migrations VALUES ('task', '0001-create', 0, 1795843536009);
INSERT INTO public.schema_migrations VALUES ('task', '0002-cron-run', 0, 1795843536023);
INSERT INTO public.schema_migrations VALUES ('task', '0003-created-at', 0, 1795843536025);
INSERT INTO public.schema_migrations VALUES ('task', '0004-usage', 0, 1795843536028);
INSERT INTO public.schema_migrations VALUES ('task', '0005-versions', 0, 1795843536040);
INSERT INTO public.schema_migrations VALUES ('task', '0006-manual', 0, 1795843536049);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0001-create', 0, 1795843536053);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0002-owner', 0, 1795843536072);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0003-usage', 0, 1795843536077);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0004-owner-index', 0, 1795843536086);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0005-held-bytes', 0, 1795843536090);
INSERT INTO public.schema_migrations VALUES ('crontab', '0001-create', 0, 1795843536101);
INSERT INTO public.schema_migrations VALUES ('crontab', '0002-claimed-by', 0, 1795843536121);
INSERT INTO public.schema_migrations VALUES ('crontab', '0003-claimed-at', 0, 1795843536124);
INSERT INTO public.schema_migrations VALUES ('crontab', '0004-owner', 0, 1795843536129);
INSERT INTO public.schema_migrations VALUES ('crontab', '0005-usage', 0, 1795843536133);
INSERT INTO public.schema_migrations VALUES ('crontab', '0006-owner-index', 0, 1795843536144);
INSERT INTO public.schema_migrations VALUES ('crontab', '0007-stamp-index', 0, 1795843536150);
INSERT INTO public.schema_migrations VALUES ('crontab', '0008-held-bytes', 0, 1795843536156);
INSERT INTO public.schema_migrations VALUES ('enrol', '0001-create', 0, 1795843536171);
INSERT INTO public.schema_migrations VALUES ('enrol', '0002-pending', 0, 1795843536179);
INSERT INTO public.schema_migrations VALUES ('enrol', '0003-given', 0, 1795843536188);
INSERT INTO public.schema_migrations VALUES ('enrol', '0004-owner-index', 0, 1795843536191);
INSERT INTO public.schema_migrations VALUES ('static-webdav', '0001-create', 0, 1795843536196);
INSERT INTO public.schema_migrations VALUES ('status-page', '0001-create', 0, 1795843536214);
INSERT INTO public.schema_migrations VALUES ('status-page', '0002-owner-index', 0, 1795843536226);

INSERT INTO public.series_state VALUES ('turn', NULL, 0);
INSERT INTO public.series_state VALUES ('summary', NULL, 0);
INSERT INTO public.series_state VALUES ('dynamic', NULL, 0);
INSERT INTO public.series_state VALUES ('traffic', NULL, 0);

INSERT INTO public.static_file VALUES (1, 'site', 'site', false, true, true, NULL, NULL);

INSERT INTO public.static_monitoring VALUES (1, 1, 1781000000000, 1795843536780, '{"per_core": [{"id": 1, "name": "cpu0", "brand": "EPYC Test", "vendor_id": "AuthenticAMD"}], "logical_cores": 4, "physical_cores": 2}', '{"arch": "x86_64", "system_name": "Linux", "system_kernel": "6.1.0", "virtualization": "Physical", "distribution_id": "debian", "system_host_name": "node-α", "system_os_version": "12.5", "system_kernel_version": "Linux 6.1", "system_os_long_version": "Debian 12"}', '[{"id": 1, "name": "card", "cuda_cores": 128, "architecture": "unknown"}]', '\x64f2c99a7c725bf03b61688cb26a4021', NULL, NULL);

INSERT INTO public.status_page VALUES ('example', '{"title":"Example status","description":"","language":"auto","url":null,"accent":null,"banner":null,"entries":[{"key":"web","name":"Web","group":"Servers","agent":"0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}]}', NULL, NULL, 1, 1795843539275);

INSERT INTO public.status_page_incident VALUES (1, 'example', 'New power supply', '', 'maintenance', 1781086400000, NULL, 1795843539295);

INSERT INTO public.token VALUES (1, 1, '3gInxVm113Qmxvqo', '63f06559f9a6a69adcd034baf0f713203af52d3927788bd8e29f0b891c4a3da4', NULL, NULL, '[]', 'root', 'scrypt$14$ZokU2EV17-Zc8abSbdcICA$MGl8mGT1jSaCHXbHe1nBljq4GTu9CzFv7p7rCJDE0q0', NULL, DEFAULT);
INSERT INTO public.token VALUES (2, 1, '7JnfpEI3eznCyZ9T', '67edfbf3c311afb3e82536ec41771945f5214a06cd1f6f080bf0a565f19309c1', NULL, NULL, '[{"scopes": [{"agent_uuid": "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}], "permissions": [{"dynamic_monitoring_summary": "write"}, {"task": "listen"}]}, {"scopes": [{"kv_namespace": "settings"}], "permissions": [{"kv": {"read": "colour*"}}]}]', 'operator', 'scrypt$14$ULL2eC9ivFG65BvS1pobkg$86TP8h-RsxeNg0LgElsagALpkh5a-pdzx55b0felvhc', NULL, DEFAULT);

INSERT INTO public.token_place VALUES (1, 'r5GLZFdsK_VAbpiaiYmUHJ', 1795843536692);

SELECT pg_catalog.setval('public.agent_event_id_seq', 1, true);

SELECT pg_catalog.setval('public.alert_event_id_seq', 1, false);

SELECT pg_catalog.setval('public.alert_id_seq', 1, false);

SELECT pg_catalog.setval('public.alert_policy_id_seq', 2, true);

SELECT pg_catalog.setval('public.alert_rule_id_seq', 14, true);

SELECT pg_catalog.setval('public.alert_silence_id_seq', 1, true);

SELECT pg_catalog.setval('public.alert_window_id_seq', 1, true);

SELECT pg_catalog.setval('public.audit_chain_id_seq', 1, true);

SELECT pg_catalog.setval('public.channel_id_seq', 1, true);

SELECT pg_catalog.setval('public.crontab_id_seq', 2, true);

SELECT pg_catalog.setval('public.crontab_result_id_seq', 1, false);

SELECT pg_catalog.setval('public.db_registry_id_seq', 1, true);

SELECT pg_catalog.setval('public.enrol_code_id_seq', 1, false);

SELECT pg_catalog.setval('public.js_result_id_seq', 1, true);

SELECT pg_catalog.setval('public.js_worker_id_seq', 1, true);

SELECT pg_catalog.setval('public.kv_id_seq', 5, true);

SELECT pg_catalog.setval('public.monitoring_uuid_id_seq', 1, true);

SELECT pg_catalog.setval('public.notify_outbox_id_seq', 1, false);

SELECT pg_catalog.setval('public.static_file_id_seq', 1, true);

SELECT pg_catalog.setval('public.static_monitoring_id_seq', 1, true);

SELECT pg_catalog.setval('public.status_page_incident_id_seq', 1, true);

SELECT pg_catalog.setval('public.task_id_seq', 1, false);

SELECT pg_catalog.setval('public.token_id_seq', 2, true);

ALTER TABLE ONLY public.agent_event
    ADD CONSTRAINT agent_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.agent_event_state
    ADD CONSTRAINT agent_event_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.agent_presence
    ADD CONSTRAINT agent_presence_pkey PRIMARY KEY (uuid_id);

ALTER TABLE ONLY public.agent_uptime
    ADD CONSTRAINT agent_uptime_pkey PRIMARY KEY (uuid_id, day);

ALTER TABLE ONLY public.alert_ack_link
    ADD CONSTRAINT alert_ack_link_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.alert_clock
    ADD CONSTRAINT alert_clock_pkey PRIMARY KEY (uuid_id);

ALTER TABLE ONLY public.alert_event
    ADD CONSTRAINT alert_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_group
    ADD CONSTRAINT alert_group_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_policy
    ADD CONSTRAINT alert_policy_name_key UNIQUE (name);

ALTER TABLE ONLY public.alert_policy
    ADD CONSTRAINT alert_policy_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_rule_id_subject_kind_subject_id_part_key UNIQUE (rule_id, subject_kind, subject_id, part);

ALTER TABLE ONLY public.alert_rule
    ADD CONSTRAINT alert_rule_name_key UNIQUE (name);

ALTER TABLE ONLY public.alert_rule
    ADD CONSTRAINT alert_rule_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_silence
    ADD CONSTRAINT alert_silence_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_state
    ADD CONSTRAINT alert_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_window
    ADD CONSTRAINT alert_window_name_key UNIQUE (name);

ALTER TABLE ONLY public.alert_window
    ADD CONSTRAINT alert_window_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_checkpoint
    ADD CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (chain_id, seq);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (chain_id, seq);

ALTER TABLE ONLY public.bus_cluster
    ADD CONSTRAINT bus_cluster_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bus_message
    ADD CONSTRAINT bus_message_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.channel
    ADD CONSTRAINT channel_name_key UNIQUE (name);

ALTER TABLE ONLY public.channel
    ADD CONSTRAINT channel_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.crontab
    ADD CONSTRAINT crontab_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.crontab_result
    ADD CONSTRAINT crontab_result_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.crontab_result_usage
    ADD CONSTRAINT crontab_result_usage_pkey PRIMARY KEY (owner);

ALTER TABLE ONLY public.db_registry
    ADD CONSTRAINT db_registry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dynamic_monitoring
    ADD CONSTRAINT dynamic_monitoring_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_default
    ADD CONSTRAINT dynamic_monitoring_default_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_far
    ADD CONSTRAINT dynamic_monitoring_far_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_past
    ADD CONSTRAINT dynamic_monitoring_past_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_summary
    ADD CONSTRAINT dynamic_monitoring_summary_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_summary_default
    ADD CONSTRAINT dynamic_monitoring_summary_default_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_summary_far
    ADD CONSTRAINT dynamic_monitoring_summary_far_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.dynamic_monitoring_summary_past
    ADD CONSTRAINT dynamic_monitoring_summary_past_pkey PRIMARY KEY (uuid_id, "timestamp", id);

ALTER TABLE ONLY public.enrol_code
    ADD CONSTRAINT enrol_code_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.enrol_pending
    ADD CONSTRAINT enrol_pending_pkey PRIMARY KEY (agent);

ALTER TABLE ONLY public.crontab
    ADD CONSTRAINT "idx-crontab-name" UNIQUE (name);

ALTER TABLE ONLY public.static_file
    ADD CONSTRAINT "idx-static-file-name-unique" UNIQUE (name);

ALTER TABLE ONLY public.static_monitoring
    ADD CONSTRAINT "idx-static-uuid-data-hash" UNIQUE (uuid_id, data_hash);

ALTER TABLE ONLY public.js_result
    ADD CONSTRAINT js_result_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.js_result_usage
    ADD CONSTRAINT js_result_usage_pkey PRIMARY KEY (owner);

ALTER TABLE ONLY public.js_worker
    ADD CONSTRAINT js_worker_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kv
    ADD CONSTRAINT kv_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kv_usage
    ADD CONSTRAINT kv_usage_pkey PRIMARY KEY (owner);

ALTER TABLE ONLY public.monitoring_uuid
    ADD CONSTRAINT monitoring_uuid_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.monitoring_uuid
    ADD CONSTRAINT monitoring_uuid_uuid_unique UNIQUE (uuid);

ALTER TABLE ONLY public.notify_outbox
    ADD CONSTRAINT notify_outbox_batch_channel_id_key UNIQUE (batch, channel_id);

ALTER TABLE ONLY public.notify_outbox
    ADD CONSTRAINT notify_outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notify_state
    ADD CONSTRAINT notify_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.retention
    ADD CONSTRAINT retention_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (plugin, name);

ALTER TABLE ONLY public.series_rollup
    ADD CONSTRAINT series_rollup_pkey PRIMARY KEY (uuid_id, step, series, span);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.static_file_former
    ADD CONSTRAINT static_file_former_pkey PRIMARY KEY (path);

ALTER TABLE ONLY public.static_file
    ADD CONSTRAINT static_file_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.static_monitoring
    ADD CONSTRAINT static_monitoring_pkey PRIMARY KEY (uuid_id, id);

ALTER TABLE ONLY public.static_webdav_lock
    ADD CONSTRAINT static_webdav_lock_pkey PRIMARY KEY (token);

ALTER TABLE ONLY public.static_webdav_property
    ADD CONSTRAINT static_webdav_property_pkey PRIMARY KEY (bucket_id, path, name_hash);

ALTER TABLE ONLY public.status_page_incident
    ADD CONSTRAINT status_page_incident_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.status_page
    ADD CONSTRAINT status_page_pkey PRIMARY KEY (slug);

ALTER TABLE ONLY public.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.task_usage
    ADD CONSTRAINT task_usage_pkey PRIMARY KEY (owner);

ALTER TABLE ONLY public.task_version
    ADD CONSTRAINT task_version_pkey PRIMARY KEY (uuid);

ALTER TABLE ONLY public.token_gone
    ADD CONSTRAINT token_gone_pkey PRIMARY KEY (token_key);

ALTER TABLE ONLY public.token_pass
    ADD CONSTRAINT token_pass_pkey PRIMARY KEY (pass_key);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.token_place
    ADD CONSTRAINT token_place_pkey PRIMARY KEY (token_id, place);

ALTER TABLE ONLY public.token_session
    ADD CONSTRAINT token_session_pkey PRIMARY KEY (session_key);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_token_key_unique UNIQUE (token_key);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_username_unique UNIQUE (username);

ALTER TABLE ONLY public.traffic_counter
    ADD CONSTRAINT traffic_counter_pkey PRIMARY KEY (uuid_id);

ALTER TABLE ONLY public.traffic_day
    ADD CONSTRAINT traffic_day_pkey PRIMARY KEY (uuid_id, day);

CREATE INDEX agent_event_refused ON public.agent_event USING btree (uuid_id, id) WHERE ((kind)::text = 'refused'::text);

CREATE INDEX agent_event_time ON public.agent_event USING btree ("time");

CREATE INDEX agent_event_uuid_id_time ON public.agent_event USING btree (uuid_id, "time");

CREATE INDEX agent_uptime_day ON public.agent_uptime USING btree (day);

CREATE INDEX alert_active ON public.alert USING btree (state) WHERE (state > 0);

CREATE INDEX alert_event_alert ON public.alert_event USING btree (alert_id, id);

CREATE INDEX alert_event_at ON public.alert_event USING btree (at);

CREATE INDEX alert_event_due ON public.alert_event USING btree (due) WHERE (due IS NOT NULL);

CREATE INDEX alert_event_subject ON public.alert_event USING btree (subject_kind, subject_id, at);

CREATE INDEX alert_next_at ON public.alert USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX alert_subject ON public.alert USING btree (subject_kind, subject_id);

CREATE INDEX "idx-dynamic_monitoring-storage_time" ON ONLY public.dynamic_monitoring USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_default_storage_time_idx ON public.dynamic_monitoring_default USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX "idx-dynamic_monitoring-timestamp" ON ONLY public.dynamic_monitoring USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_default_timestamp_idx ON public.dynamic_monitoring_default USING btree ("timestamp");

CREATE INDEX "idx-dynamic_monitoring-ahead" ON ONLY public.dynamic_monitoring USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_default_uuid_id_storage_time_idx ON public.dynamic_monitoring_default USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_far_storage_time_idx ON public.dynamic_monitoring_far USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_far_timestamp_idx ON public.dynamic_monitoring_far USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_far_uuid_id_storage_time_idx ON public.dynamic_monitoring_far USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_past_storage_time_idx ON public.dynamic_monitoring_past USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_past_timestamp_idx ON public.dynamic_monitoring_past USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_past_uuid_id_storage_time_idx ON public.dynamic_monitoring_past USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX "idx-dynamic_monitoring_summary-storage_time" ON ONLY public.dynamic_monitoring_summary USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_default_storage_time_idx ON public.dynamic_monitoring_summary_default USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX "idx-dynamic_monitoring_summary-timestamp" ON ONLY public.dynamic_monitoring_summary USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_default_timestamp_idx ON public.dynamic_monitoring_summary_default USING btree ("timestamp");

CREATE INDEX "idx-dynamic_monitoring_summary-ahead" ON ONLY public.dynamic_monitoring_summary USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_summary_default_uuid_id_storage_time_idx ON public.dynamic_monitoring_summary_default USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_summary_far_storage_time_idx ON public.dynamic_monitoring_summary_far USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_far_timestamp_idx ON public.dynamic_monitoring_summary_far USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_far_uuid_id_storage_time_idx ON public.dynamic_monitoring_summary_far USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX dynamic_monitoring_summary_past_storage_time_idx ON public.dynamic_monitoring_summary_past USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_past_timestamp_idx ON public.dynamic_monitoring_summary_past USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_past_uuid_id_storage_time_idx ON public.dynamic_monitoring_summary_past USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX "idx-audit-at" ON public.audit USING btree (at DESC NULLS LAST, chain_id, seq);

CREATE UNIQUE INDEX "idx-audit_chain-chain" ON public.audit_chain USING btree (chain);

CREATE INDEX "idx-crontab-claimed_by" ON public.crontab USING btree (claimed_by);

CREATE INDEX "idx-crontab-held" ON public.crontab USING btree (owner, held_bytes);

CREATE INDEX "idx-crontab-last_run_time" ON public.crontab USING btree (last_run_time);

CREATE INDEX "idx-crontab-stamp" ON public.crontab USING btree (id, version, last_run_time, claimed_by);

CREATE INDEX "idx-crontab_result-cron_id" ON public.crontab_result USING btree (cron_id, run_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-crontab_result-cron_name" ON public.crontab_result USING btree (cron_name, run_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-crontab_result-relative_id" ON public.crontab_result USING btree (relative_id);

CREATE INDEX "idx-crontab_result-run_time" ON public.crontab_result USING btree (run_time DESC NULLS LAST, id DESC);

CREATE UNIQUE INDEX "idx-db-registry-name-unique" ON public.db_registry USING btree (name);

CREATE INDEX "idx-db_registry-owner" ON public.db_registry USING btree (owner);

CREATE UNIQUE INDEX "idx-enrol_code-hash" ON public.enrol_code USING btree (hash);

CREATE INDEX "idx-enrol_code-owner" ON public.enrol_code USING btree (owner);

CREATE INDEX "idx-enrol_pending-code" ON public.enrol_pending USING btree (code, came_at);

CREATE INDEX "idx-enrol_pending-token_key" ON public.enrol_pending USING btree (token_key);

CREATE INDEX "idx-js_result-name" ON public.js_result USING btree (js_worker_name, start_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-js_result-running" ON public.js_result USING btree (id) WHERE (finish_time IS NULL);

CREATE INDEX "idx-js_result-start_time" ON public.js_result USING btree (start_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-js_result-worker_id" ON public.js_result USING btree (js_worker_id);

CREATE INDEX "idx-js_worker-held" ON public.js_worker USING btree (owner, held_bytes);

CREATE UNIQUE INDEX "idx-js_worker-name" ON public.js_worker USING btree (name);

CREATE UNIQUE INDEX "idx-js_worker-route_name" ON public.js_worker USING btree (route_name);

CREATE INDEX "idx-kv-limits" ON public.kv USING btree (key) WHERE ((key >= 'database_limit_'::text) AND (key < 'database_limit`'::text));

CREATE INDEX "idx-kv-namespace" ON public.kv USING btree (namespace);

CREATE UNIQUE INDEX "idx-kv-namespace-key-unique" ON public.kv USING btree (namespace, key);

CREATE INDEX "idx-static-file-former-owner" ON public.static_file_former USING btree (owner);

CREATE UNIQUE INDEX "idx-static-file-is-http-root-unique" ON public.static_file USING btree (is_http_root) WHERE is_http_root;

CREATE INDEX "idx-static-file-owner" ON public.static_file USING btree (owner);

CREATE INDEX "idx-static-uuid-timestamp" ON public.static_monitoring USING btree (uuid_id, "timestamp");

CREATE INDEX "idx-static-webdav-lock-expires-at" ON public.static_webdav_lock USING btree (expires_at);

CREATE INDEX "idx-static-webdav-lock-path" ON public.static_webdav_lock USING btree (bucket_id, path);

CREATE INDEX "idx-static-webdav-property-parent" ON public.static_webdav_property USING btree (bucket_id, parent);

CREATE INDEX "idx-static_monitoring-ahead" ON public.static_monitoring USING btree (uuid_id, storage_time) WHERE ("timestamp" > (storage_time + 60000));

CREATE INDEX "idx-static_monitoring-storage_time" ON public.static_monitoring USING btree (storage_time);

CREATE INDEX "idx-static_monitoring-timestamp" ON public.static_monitoring USING btree ("timestamp");

CREATE INDEX "idx-task-created_at" ON public.task USING btree (created_at NULLS FIRST);

CREATE INDEX "idx-task-cron_source" ON public.task USING btree (cron_source);

CREATE INDEX "idx-task-manual" ON public.task USING btree ("timestamp" NULLS FIRST, id) WHERE (cron_source IS NULL);

CREATE INDEX "idx-task-running" ON public.task USING btree (created_at) WHERE (success IS NULL);

CREATE INDEX "idx-task-timestamp" ON public.task USING btree ("timestamp" NULLS FIRST, id);

CREATE INDEX "idx-task-type_name-timestamp" ON public.task USING btree (type_name, "timestamp" NULLS FIRST, id);

CREATE INDEX "idx-task-uuid-timestamp" ON public.task USING btree (uuid, "timestamp" NULLS FIRST, id);

CREATE INDEX notify_outbox_created_at ON public.notify_outbox USING btree (created_at);

CREATE INDEX notify_outbox_done ON public.notify_outbox USING btree (id) WHERE ((state <> 0) AND ((state <> 2) OR (priority = 3)));

CREATE INDEX notify_outbox_group ON public.notify_outbox USING btree (channel_id, group_key, id) WHERE (state = 0);

CREATE INDEX notify_outbox_lost ON public.notify_outbox USING btree (id) WHERE ((state = 2) AND (priority < 3));

CREATE INDEX notify_outbox_priority ON public.notify_outbox USING btree (channel_id, priority, id) WHERE (state = 0);

CREATE INDEX notify_outbox_texts ON public.notify_outbox USING btree (owner) WHERE ((state = 0) AND (priority = 3));

CREATE INDEX notify_outbox_unseen ON public.notify_outbox USING btree (id) WHERE ((state = 0) AND (due = 0));

CREATE INDEX notify_outbox_waiting ON public.notify_outbox USING btree (channel_id, id) WHERE (state = 0);

CREATE INDEX status_page_incident_slug ON public.status_page_incident USING btree (slug, begins_at);

CREATE INDEX status_page_owner ON public.status_page USING btree (owner);

CREATE INDEX token_gone_holder ON public.token_gone USING btree (holder);

CREATE INDEX token_held ON public.token USING btree (parent, token_key, id, held_bytes);

CREATE INDEX token_pass_ends_at ON public.token_pass USING btree (ends_at);

CREATE INDEX token_pass_parent ON public.token_pass USING btree (parent);

CREATE INDEX token_session_ends_at ON public.token_session USING btree (ends_at);

CREATE INDEX token_session_parent ON public.token_session USING btree (parent);

CREATE INDEX traffic_day_day ON public.traffic_day USING btree (day);

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_default_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_default_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_default_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring-ahead" ATTACH PARTITION public.dynamic_monitoring_default_uuid_id_storage_time_idx;

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_far_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_far_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_far_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring-ahead" ATTACH PARTITION public.dynamic_monitoring_far_uuid_id_storage_time_idx;

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_past_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_past_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_past_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring-ahead" ATTACH PARTITION public.dynamic_monitoring_past_uuid_id_storage_time_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_default_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_default_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_default_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-ahead" ATTACH PARTITION public.dynamic_monitoring_summary_default_uuid_id_storage_time_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_far_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_far_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_far_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-ahead" ATTACH PARTITION public.dynamic_monitoring_summary_far_uuid_id_storage_time_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_past_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_past_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_past_timestamp_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-ahead" ATTACH PARTITION public.dynamic_monitoring_summary_past_uuid_id_storage_time_idx;

CREATE TRIGGER crontab_result_usage_delete AFTER DELETE ON public.crontab_result REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.crontab_result_usage();

CREATE TRIGGER crontab_result_usage_insert AFTER INSERT ON public.crontab_result REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.crontab_result_usage();

CREATE TRIGGER crontab_result_usage_truncate AFTER TRUNCATE ON public.crontab_result FOR EACH STATEMENT EXECUTE FUNCTION public.crontab_result_usage();

CREATE TRIGGER crontab_result_usage_update AFTER UPDATE ON public.crontab_result REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.crontab_result_usage();

CREATE TRIGGER js_result_usage_delete AFTER DELETE ON public.js_result REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.js_result_usage();

CREATE TRIGGER js_result_usage_insert AFTER INSERT ON public.js_result REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.js_result_usage();

CREATE TRIGGER js_result_usage_truncate AFTER TRUNCATE ON public.js_result FOR EACH STATEMENT EXECUTE FUNCTION public.js_result_usage();

CREATE TRIGGER js_result_usage_update AFTER UPDATE ON public.js_result REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.js_result_usage();

CREATE TRIGGER kv_usage_delete AFTER DELETE ON public.kv REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.kv_usage();

CREATE TRIGGER kv_usage_insert AFTER INSERT ON public.kv REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.kv_usage();

CREATE TRIGGER kv_usage_truncate AFTER TRUNCATE ON public.kv FOR EACH STATEMENT EXECUTE FUNCTION public.kv_usage();

CREATE TRIGGER kv_usage_update AFTER UPDATE ON public.kv REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.kv_usage();

CREATE TRIGGER task_usage_delete AFTER DELETE ON public.task REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.task_usage();

CREATE TRIGGER task_usage_insert AFTER INSERT ON public.task REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.task_usage();

CREATE TRIGGER task_usage_truncate AFTER TRUNCATE ON public.task FOR EACH STATEMENT EXECUTE FUNCTION public.task_usage();

CREATE TRIGGER task_usage_update AFTER UPDATE ON public.task REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.task_usage();

ALTER TABLE ONLY public.status_page_incident
    ADD CONSTRAINT status_page_incident_slug_fkey FOREIGN KEY (slug) REFERENCES public.status_page(slug) ON DELETE CASCADE;

