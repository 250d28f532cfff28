
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

CREATE SCHEMA svc_sql_6bcd76be3866;

CREATE SCHEMA svc_super_6bcd76be3866;

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

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_past FOR VALUES FROM (MINVALUE) TO ('1795910400000');

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_default DEFAULT;

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_past FOR VALUES FROM (MINVALUE) TO ('1795910400000');

ALTER TABLE ONLY public.agent_event ALTER COLUMN id SET DEFAULT nextval('public.agent_event_id_seq'::regclass);

ALTER TABLE ONLY public.audit_chain ALTER COLUMN id SET DEFAULT nextval('public.audit_chain_id_seq'::regclass);

ALTER TABLE ONLY public.crontab ALTER COLUMN id SET DEFAULT nextval('public.crontab_id_seq'::regclass);

ALTER TABLE ONLY public.crontab_result ALTER COLUMN id SET DEFAULT nextval('public.crontab_result_id_seq'::regclass);

ALTER TABLE ONLY public.db_registry ALTER COLUMN id SET DEFAULT nextval('public.db_registry_id_seq'::regclass);

ALTER TABLE ONLY public.enrol_code ALTER COLUMN id SET DEFAULT nextval('public.enrol_code_id_seq'::regclass);

ALTER TABLE ONLY public.js_result ALTER COLUMN id SET DEFAULT nextval('public.js_result_id_seq'::regclass);

ALTER TABLE ONLY public.js_worker ALTER COLUMN id SET DEFAULT nextval('public.js_worker_id_seq'::regclass);

ALTER TABLE ONLY public.kv ALTER COLUMN id SET DEFAULT nextval('public.kv_id_seq'::regclass);

ALTER TABLE ONLY public.monitoring_uuid ALTER COLUMN id SET DEFAULT nextval('public.monitoring_uuid_id_seq'::regclass);

ALTER TABLE ONLY public.static_file ALTER COLUMN id SET DEFAULT nextval('public.static_file_id_seq'::regclass);

ALTER TABLE ONLY public.static_monitoring ALTER COLUMN id SET DEFAULT nextval('public.static_monitoring_id_seq'::regclass);

ALTER TABLE ONLY public.status_page_incident ALTER COLUMN id SET DEFAULT nextval('public.status_page_incident_id_seq'::regclass);

ALTER TABLE ONLY public.task ALTER COLUMN id SET DEFAULT nextval('public.task_id_seq'::regclass);

ALTER TABLE ONLY public.token ALTER COLUMN id SET DEFAULT nextval('public.token_id_seq'::regclass);

INSERT INTO public.agent_event VALUES (1, NULL, 'server_restarted', 1795810181257, '{"version":"0.9.0"}');

INSERT INTO public.agent_event_state VALUES (1, 'f6fde2cb-c99e-4c07-9496-da54c8da21ec', 0, 1795810185242);

INSERT INTO public.agent_uptime VALUES (1, 20784, 1031);

INSERT INTO public.audit VALUES (1, 1, 1795810181240, '', '', 'first start', 'uQNm1eRVWcDUVIC1', '', 'internal', 0, 1, 'd9761ed5210561de743a12064a1e11f233cd9db27f5a29b5a95a97d215ac2c86');
INSERT INTO public.audit VALUES (1, 2, 1795810181252, '', '', 'start', '0.9.0', '', 'internal', 0, 1, '153542033c7ff0db926de15cd3ca16a5cc884a26d62a00dae31c7e064c4dc63c');
INSERT INTO public.audit VALUES (1, 3, 1795810182783, 'uQNm1eRVWcDUVIC1', 'root', 'login', '', '127.0.0.1', 'http', 0, 1, 'f0641e818bb58a09373ae442e2cb40b31c55079a8caa5a5453accc28b1c12249');
INSERT INTO public.audit VALUES (1, 4, 1795810182838, 'uQNm1eRVWcDUVIC1', 'root', 'token_create', 'operator', '127.0.0.1', 'http', 0, 1, '3d1369c10926d96e205bc0133d83a0c58e7062d2fb4f373ec3f269a91b262f07');
INSERT INTO public.audit VALUES (1, 5, 1795810184129, 'uQNm1eRVWcDUVIC1', 'root', 'kv_create', 'settings', '127.0.0.1', 'http', 0, 1, 'e100ffcd34e557799e38566fecb9cdab66d2651bb9fa1ddd67fc30905ddfc697');
INSERT INTO public.audit VALUES (1, 6, 1795810184373, 'uQNm1eRVWcDUVIC1', 'root', 'db_create', 'notes', '127.0.0.1', 'http', 0, 1, '16a64720f6d48dbd2b5b0913a9a92ecbddebdc77b2cfb345caa6be1950b15f5d');
INSERT INTO public.audit VALUES (1, 7, 1795810184380, 'uQNm1eRVWcDUVIC1', 'root', 'db_exec_sql', 'notes: create table note (id integer primary key, text)', '127.0.0.1', 'http', 0, 1, '68eded24123b1da294942c7f535888463a7845090cc7063ba2b22dfa658fa5f6');
INSERT INTO public.audit VALUES (1, 8, 1795810184385, 'uQNm1eRVWcDUVIC1', 'root', 'db_exec_sql', 'notes: insert into note (text) values (?), (?)', '127.0.0.1', 'http', 0, 1, '647b170046798bd06c52a2c2173fab597b6745677394e67948df0c06d4c3af26');
INSERT INTO public.audit VALUES (1, 9, 1795810184397, 'uQNm1eRVWcDUVIC1', 'root', 'static-bucket_create', 'site', '127.0.0.1', 'http', 0, 1, '08e6e0798c4350ec1c29ca7efab456c799910e7d5d134ebd500083999cf522aa');
INSERT INTO public.audit VALUES (1, 10, 1795810184408, 'uQNm1eRVWcDUVIC1', 'root', 'static-bucket-file_upload', 'site/docs/page.txt', '127.0.0.1', 'http', 0, 1, '97a0dafc4605286e122b7168d1ed5b70d87f77b7f6908308fad5920ab2e3df4e');
INSERT INTO public.audit VALUES (1, 11, 1795810184896, 'uQNm1eRVWcDUVIC1', 'root', 'js-worker_create', 'adder', '127.0.0.1', 'http', 0, 1, '0aaecf423681616de258e47a8c0f44c39aec0c21ed847167dbef117890bcc98b');
INSERT INTO public.audit VALUES (1, 12, 1795810184996, 'uQNm1eRVWcDUVIC1', 'root', 'crontab_create', 'never', '127.0.0.1', 'http', 0, 1, '03fddce7739f5d6c9459595eacb0b69d172a331e3de625d97aa37419962106b0');
INSERT INTO public.audit VALUES (1, 13, 1795810185002, 'uQNm1eRVWcDUVIC1', 'root', 'crontab_create', 'addition', '127.0.0.1', 'http', 0, 1, '0ea4eaa8837a7d3bec4a1d1a794fb395a228571fda045d78e914fb489a2c2f1f');
INSERT INTO public.audit VALUES (1, 14, 1795810185007, 'uQNm1eRVWcDUVIC1', 'root', 'kv_create', '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '127.0.0.1', 'http', 0, 1, 'c8cce7282a62a4efb448a964045487f389c5600d8c180f35da2c9e41e400ee2e');
INSERT INTO public.audit VALUES (1, 15, 1795810185041, 'uQNm1eRVWcDUVIC1', 'root', 'status-page_create', 'example', '127.0.0.1', 'http', 0, 1, 'ac0e5772dc5896de537e037fa31569a195bc6e4ecea1d652c9bc54b5ab40ea95');
INSERT INTO public.audit VALUES (1, 16, 1795810185049, 'uQNm1eRVWcDUVIC1', 'root', 'status-page_incident_add', 'example', '127.0.0.1', 'http', 0, 1, 'cb7b12f9eaac97c57d4dbef4d5bdb0abc4bd68df66b677f6cf4fe22103605b0f');
INSERT INTO public.audit VALUES (1, 17, 1795810185100, 'Y9IeTEfWx0gBfReG', 'operator', 'login', '', '127.0.0.1', 'http', 0, 1, '7ee9194782d51f58c85b1d38fec4d9fe8f62cca61af5d0c1697efa53144bafc9');
INSERT INTO public.audit VALUES (1, 18, 1795810185163, 'uQNm1eRVWcDUVIC1', 'root', 'db_exec_sql', 'notes: select id, text from note order by id', '127.0.0.1', 'http', 0, 1, 'ad0a2005140efb4cc0ef5017a63c65b4d08bb5acb779e6b6afddb2c2f4d836a9');
INSERT INTO public.audit VALUES (1, 19, 1795810185235, '', '', 'stop', 'SIGTERM', '', 'internal', 0, 1, '422308b41ebd03f0ef8c04e60b2371c7274932cc729458cb5058f1d3049e761f');

INSERT INTO public.audit_chain VALUES (1, '051f4bac90e23cb9036c609dfa645aeb', '745e93a3-d833-4ed1-827c-beecae26053b', 'MCowBQYDK2VwAyEAoL+qllS4FvyV/W3vrj8uwk6/RRpG2+9jiAD6k/yJVUc=', 19, '422308b41ebd03f0ef8c04e60b2371c7274932cc729458cb5058f1d3049e761f', 1795810185236, 0, '/TrkGdiHhyTLBi0tRyTMIs0nZ44ksdsHju2IyR1ozMNNifdxkT9O3ajuiqL2he7PawAFNr7rZvugh5TUc8LJCQ==', 6916, 1795810181306, 1, -1);

INSERT INTO public.bus_cluster VALUES ('c2241bd2-c138-44bc-b1e6-aaceb6ab1ff9');

INSERT INTO public.crontab VALUES (1, 'never', true, '0 0 0 1 1 * 2100', '{"agent":[["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"],{"task":"ip"}]}', NULL, 1795810184990, 0, NULL, NULL, DEFAULT);
INSERT INTO public.crontab VALUES (2, 'addition', true, '0 0 0 1 1 * 2100', '{"server":{"js_worker":["adder",{"a":3,"b":4}]}}', NULL, 1795810184999, 0, NULL, NULL, DEFAULT);

INSERT INTO public.db_registry VALUES (1, 'notes', 1, NULL, 1795810184371, NULL);

INSERT INTO public.dynamic_monitoring_past VALUES (3766086917067212934, 1, 1781000000000, 1795810182880, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3766086917954497439, 1, 1781086400000, 1795810183302, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3766086918814446116, 1, 1781172800000, 1795810183713, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');

INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766086917518436304, 1, 1781000000000, 1795810183094, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766086918383956192, 1, 1781086400000, 1795810183508, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3766086919243939740, 1, 1781172800000, 1795810183918, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.js_result VALUES (1, 1, 'adder', 'call', 1795810184902, 1795810184932, '{"a":1,"b":2}', '3', NULL, 1795810184904);

INSERT INTO public.js_result_usage VALUES ('adder', 78);

INSERT INTO public.js_worker VALUES (1, 'adder', NULL, 'export default { onCall: ({ a, b }) => a + b }', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795810184889, 1795810184889, NULL, NULL, DEFAULT);

INSERT INTO public.kv VALUES (1, 'settings', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (2, 'settings', 'colour.sky', '"blue"');
INSERT INTO public.kv VALUES (3, 'settings', 'numbers', '[1, 2.5, -3, "text", null]');
INSERT INTO public.kv VALUES (4, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (5, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 'metadata_name', '"edge-7"');

INSERT INTO public.kv_usage VALUES ('settings', 269);
INSERT INTO public.kv_usage VALUES ('0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 177);

INSERT INTO public.monitoring_uuid VALUES (1, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', false, NULL, 1795810182852);

INSERT INTO public.retention VALUES ('origin', 'new', 0);
INSERT INTO public.retention VALUES ('turn', NULL, 0);

INSERT INTO public.schema_migrations VALUES ('audit', '0001-create', 0, 1795810180791);
INSERT INTO public.schema_migrations VALUES ('audit', '0002-outside', 0, 1795810180804);
INSERT INTO public.schema_migrations VALUES ('audit', '0003-sent', 0, 1795810180806);
INSERT INTO public.schema_migrations VALUES ('token', '0001-create', 0, 1795810180808);
INSERT INTO public.schema_migrations VALUES ('token', '0002-parent', 0, 1795810180816);
INSERT INTO public.schema_migrations VALUES ('token', '0003-place', 0, 1795810180821);
INSERT INTO public.schema_migrations VALUES ('token', '0004-session', 0, 1795810180826);
INSERT INTO public.schema_migrations VALUES ('token', '0005-pass', 0, 1795810180833);
INSERT INTO public.schema_migrations VALUES ('token', '0006-holder', 0, 1795810180840);
INSERT INTO public.schema_migrations VALUES ('token', '0007-held-bytes', 0, 1795810180844);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0001-create', 0, 1795810180853);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0002-first-seen', 0, 1795810180858);
INSERT INTO public.schema_migrations VALUES ('kv', '0001-create', 0, 1795810180860);
INSERT INTO public.schema_migrations VALUES ('kv', '0002-usage', 0, 1795810180866);
INSERT INTO public.schema_migrations VALUES ('kv', '0003-limits', 0, 1795810180874);
INSERT INTO public.schema_migrations VALUES ('retention', '0001-create', 0, 1795810180877);
INSERT INTO public.schema_migrations VALUES ('agent', '0001-create', 0, 1795810180888);
INSERT INTO public.schema_migrations VALUES ('agent', '0002-partition', 0, 1795810180907);
INSERT INTO public.schema_migrations VALUES ('agent', '0003-first-seen', 0, 1795810180934);
INSERT INTO public.schema_migrations VALUES ('agent', '0004-ahead', 0, 1795810180937);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0001-create', 0, 1795810180945);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0002-refusals', 0, 1795810180957);
INSERT INTO public.schema_migrations VALUES ('db', '0001-create', 0, 1795810180960);
INSERT INTO public.schema_migrations VALUES ('db', '0002-owner', 0, 1795810180966);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0001-create', 0, 1795810180970);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0002-owner', 0, 1795810180978);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0003-former-owner', 0, 1795810180985);
INSERT INTO public.schema_migrations VALUES ('bus-nats', '0001-create', 0, 1795810180991);
INSERT INTO public.schema_migrations VALUES ('bus-postgres', '0001-create', 0, 1795810180996);
INSERT INTO public.schema_migrations VALUES ('task', '0001-create', 0, 1795810181001);
INSERT INTO public.schema_migrations VALUES ('task', '0002-cron-run', 0, 1795810181010);
INSERT INTO public.schema_migrations VALUES ('task', '0003-created-at', 0, 1795810181012);
INSERT INTO public.schema_migrations VALUES ('task', '0004-usage', 0, 1795810181015);
INSERT INTO public.schema_migrations VALUES ('task', '0005-versions', 0, 1795810181021);
INSERT INTO public.schema_migrations VALUES ('task', '0006-manual', 0, 1795810181030);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0001-create', 0, 1795810181033);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0002-owner', 0, 1795810181043);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0003-usage', 0, 1795810181045);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0004-owner-index', 0, 1795810181052);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0005-held-bytes', 0, 1795810181055);
INSERT INTO public.schema_migrations VALUES ('crontab', '0001-create', 0, 1795810181063);
INSERT INTO public.schema_migrations VALUES ('crontab', '0002-claimed-by', 0, 1795810181079);
INSERT INTO public.schema_migrations VALUES ('crontab', '0003-claimed-at', 0, 1795810181082);
INSERT INTO public.schema_migrations VALUES ('crontab', '0004-owner', 0, 1795810181085);
INSERT INTO public.schema_migrations VALUES ('crontab', '0005-usage', 0, 1795810181089);
INSERT INTO public.schema_migrations VALUES ('crontab', '0006-owner-index', 0, 1795810181100);
INSERT INTO public.schema_migrations VALUES ('crontab', '0007-stamp-index', 0, 1795810181103);
INSERT INTO public.schema_migrations VALUES ('crontab', '0008-held-bytes', 0, 1795810181108);
INSERT INTO public.schema_migrations VALUES ('enrol', '0001-create', 0, 1795810181117);
INSERT INTO public.schema_migrations VALUES ('enrol', '0002-pending', 0, 1795810181122);
INSERT INTO public.schema_migrations VALUES ('enrol', '0003-given', 0, 1795810181126);
INSERT INTO public.schema_migrations VALUES ('enrol', '0004-owner-index', 0, 1795810181130);
INSERT INTO public.schema_migrations VALUES ('series', '0001-create', 0, 1795810181132);
INSERT INTO public.schema_migrations VALUES ('series', '0002-traffic', 0, 1795810181141);
INSERT INTO public.schema_migrations VALUES ('static-webdav', '0001-create', 0, 1795810181147);
INSERT INTO public.schema_migrations VALUES ('status-page', '0001-create', 0, 1795810181156);
INSERT INTO public.schema_migrations VALUES ('status-page', '0002-owner-index', 0, 1795810181163);

INSERT INTO public.series_state VALUES ('turn', NULL, 0);
INSERT INTO public.series_state VALUES ('summary', NULL, 0);
INSERT INTO public.series_state VALUES ('dynamic', NULL, 0);
INSERT INTO public.series_state VALUES ('traffic', NULL, 0);

INSERT INTO public.static_file VALUES (1, 'site', 'site', false, true, true, NULL, NULL);

INSERT INTO public.static_monitoring VALUES (1, 1, 1781000000000, 1795810182858, '{"per_core": [{"id": 1, "name": "cpu0", "brand": "EPYC Test", "vendor_id": "AuthenticAMD"}], "logical_cores": 4, "physical_cores": 2}', '{"arch": "x86_64", "system_name": "Linux", "system_kernel": "6.1.0", "virtualization": "Physical", "distribution_id": "debian", "system_host_name": "node-α", "system_os_version": "12.5", "system_kernel_version": "Linux 6.1", "system_os_long_version": "Debian 12"}', '[{"id": 1, "name": "card", "cuda_cores": 128, "architecture": "unknown"}]', '\x64f2c99a7c725bf03b61688cb26a4021', NULL, NULL);

INSERT INTO public.status_page VALUES ('example', '{"title":"Example status","description":"","language":"auto","url":null,"accent":null,"banner":null,"entries":[{"key":"web","name":"Web","group":"Servers","agent":"0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}]}', NULL, NULL, 1, 1795810185034);

INSERT INTO public.status_page_incident VALUES (1, 'example', 'New power supply', '', 'maintenance', 1781086400000, NULL, 1795810185044);

INSERT INTO public.token VALUES (1, 1, 'uQNm1eRVWcDUVIC1', 'a3ede753585964e94ad30f469ca69f843dc8a33afb0398e6bd1965862320a068', NULL, NULL, '[]', 'root', 'scrypt$14$Tsu1Pk4KGrblS7EiESuWOQ$gVjNMGMJusTQ7MPGPeAWN7Y4lNgYgQXUcMMGBo7UXog', NULL, DEFAULT);
INSERT INTO public.token VALUES (2, 1, 'Y9IeTEfWx0gBfReG', 'c726c7f2c3f31a59432562986742713f7321f7067de88357d686b9ca76e47cfc', NULL, NULL, '[{"scopes": [{"agent_uuid": "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}], "permissions": [{"dynamic_monitoring_summary": "write"}, {"task": "listen"}]}, {"scopes": [{"kv_namespace": "settings"}], "permissions": [{"kv": {"read": "colour*"}}]}]', 'operator', 'scrypt$14$9r8WstR1SIDHQf5Zjbtd7w$g3TZN4l6_saP57VD-bZLxhYH9LD1A0ZPMdKPm_XPpDg', NULL, DEFAULT);

INSERT INTO public.token_place VALUES (1, 'r5GLZFdsK_VAbpiaiYmUHJ', 1795810182782);

SELECT pg_catalog.setval('public.agent_event_id_seq', 1, true);

SELECT pg_catalog.setval('public.audit_chain_id_seq', 1, true);

SELECT pg_catalog.setval('public.crontab_id_seq', 2, true);

SELECT pg_catalog.setval('public.crontab_result_id_seq', 1, false);

SELECT pg_catalog.setval('public.db_registry_id_seq', 1, true);

SELECT pg_catalog.setval('public.enrol_code_id_seq', 1, false);

SELECT pg_catalog.setval('public.js_result_id_seq', 1, true);

SELECT pg_catalog.setval('public.js_worker_id_seq', 1, true);

SELECT pg_catalog.setval('public.kv_id_seq', 5, true);

SELECT pg_catalog.setval('public.monitoring_uuid_id_seq', 1, true);

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

