
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

CREATE SCHEMA svc_sql_961e38b5146c;

CREATE FUNCTION public.crontab_result_usage() RETURNS trigger
    LANGUAGE plpgsql
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
    LANGUAGE plpgsql
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
    LANGUAGE plpgsql
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
    LANGUAGE plpgsql
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
    segment_at bigint NOT NULL
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
    owner text
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
    owner_rights text
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
    name text NOT NULL
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
    parent text
);

CREATE TABLE public.token_gone (
    token_key text NOT NULL,
    token_limit jsonb NOT NULL
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

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_default DEFAULT;

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);

ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_past FOR VALUES FROM (MINVALUE) TO ('1795824000000');

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_default DEFAULT;

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);

ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_past FOR VALUES FROM (MINVALUE) TO ('1795824000000');

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

INSERT INTO public.agent_event VALUES (1, NULL, 'server_restarted', 1795733737820, '{"version":"0.7.0"}');
INSERT INTO public.agent_event VALUES (2, 1, 'came', 1795733738445, '{}');

INSERT INTO public.agent_event_state VALUES (1, 'af5d213b-9167-467c-ae89-33da62ddc077', 0, 1795733742956);

INSERT INTO public.agent_presence VALUES (1, 1, 1795733738445, '127.0.0.1');

INSERT INTO public.agent_uptime VALUES (1, 20783, 0);

INSERT INTO public.audit VALUES (1, 1, 1795733737792, '', '', 'first start', 'N60M7YPNdRxWNjwI', '', 'internal', 0, 1, '95988cbe8a753822c473a7c0d90f42e84892527d2d2758663e5d00e94f2ee4ac');
INSERT INTO public.audit VALUES (1, 2, 1795733737810, '', '', 'start', '0.7.0', '', 'internal', 0, 1, '0c96b7919e082bb26f13f573197942501a26df79049bdbeca0ade4f559d64b12');
INSERT INTO public.audit VALUES (1, 3, 1795733738224, 'N60M7YPNdRxWNjwI', 'root', 'login', '', '127.0.0.1', 'http', 0, 1, '0b37080f117496439e381f8e8724a7d97e7ac777170a1c20c56f92e60ceb6bce');
INSERT INTO public.audit VALUES (1, 4, 1795733738288, 'N60M7YPNdRxWNjwI', 'root', 'token_create', 'operator', '127.0.0.1', 'http', 0, 1, '0c50dc79b92596787ee35b524c36fb746a5bc60821647b584712141539edc8e0');
INSERT INTO public.audit VALUES (1, 5, 1795733738465, 'N60M7YPNdRxWNjwI', 'root', 'kv_create', 'settings', '127.0.0.1', 'http', 0, 1, 'c7da133e8748aad06dba6d9f8d330a13201e8b0550e247a65a243054daee5f59');
INSERT INTO public.audit VALUES (1, 6, 1795733738639, 'N60M7YPNdRxWNjwI', 'root', 'db_create', 'notes', '127.0.0.1', 'http', 0, 1, 'b50b5567146cfbc584b12f6d037c2f142dceef5038af8bd7267b622b3552a1c1');
INSERT INTO public.audit VALUES (1, 7, 1795733738649, 'N60M7YPNdRxWNjwI', 'root', 'db_exec_sql', 'notes: create table note (id integer primary key, text)', '127.0.0.1', 'http', 0, 1, '7529d6e694d0a1bebc18eb57bc1a2219fe88ea071105bd196f3a3ed0802d0112');
INSERT INTO public.audit VALUES (1, 8, 1795733738655, 'N60M7YPNdRxWNjwI', 'root', 'db_exec_sql', 'notes: insert into note (text) values (?), (?)', '127.0.0.1', 'http', 0, 1, 'bb4f080ee0bd1711aa35c93f3d4117617fd7d0efb27b5218f77891cbd7942254');
INSERT INTO public.audit VALUES (1, 9, 1795733738703, 'N60M7YPNdRxWNjwI', 'root', 'static-bucket_create', 'site', '127.0.0.1', 'http', 0, 1, '8898cb9148fd529decce11b0c18e4d39a61e2018fc5ca3e4db17038d328264bb');
INSERT INTO public.audit VALUES (1, 10, 1795733738718, 'N60M7YPNdRxWNjwI', 'root', 'static-bucket-file_upload', 'site/docs/page.txt', '127.0.0.1', 'http', 0, 1, '97e9dd3a573166f3b26ad4d3f3a99e8ee93fa7f0e29b6c7b212fe933fafe6fd5');
INSERT INTO public.audit VALUES (1, 11, 1795733739337, 'N60M7YPNdRxWNjwI', 'root', 'js-worker_create', 'adder', '127.0.0.1', 'http', 0, 1, 'b75df3075215d7a298ee9c5d81e26be9236cfca5adb973318a423f145356d97f');
INSERT INTO public.audit VALUES (1, 12, 1795733739528, 'N60M7YPNdRxWNjwI', 'root', 'crontab_create', 'never', '127.0.0.1', 'http', 0, 1, '5871fcd67da04f46ea988f7f8768670c08c3685f2dd063761f318711afd1447e');
INSERT INTO public.audit VALUES (1, 13, 1795733739555, 'N60M7YPNdRxWNjwI', 'root', 'crontab_create', 'addition', '127.0.0.1', 'http', 0, 1, '0720219d1a3ccc20b54c3bcaf5e798e551f588d05892b4da1e869ad1f2dfaf67');
INSERT INTO public.audit VALUES (1, 14, 1795733739570, 'N60M7YPNdRxWNjwI', 'root', 'kv_create', '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '127.0.0.1', 'http', 0, 1, '402cff82f54661c1fe73076939ce2bab8e682d08dc01d8da54916c0cb151ca5f');
INSERT INTO public.audit VALUES (1, 15, 1795733739663, 'N60M7YPNdRxWNjwI', 'root', 'status-page_create', 'example', '127.0.0.1', 'http', 0, 1, '4bb355c7b9fdccd07c11639bd28db0cc2b198ddb666e2c6c079a6d15a5480c8e');
INSERT INTO public.audit VALUES (1, 16, 1795733739674, 'N60M7YPNdRxWNjwI', 'root', 'status-page_incident_add', 'example', '127.0.0.1', 'http', 0, 1, '020abfd691fad71c55963c38329cb49a309e4fd2808ed8cc43b27359bbd785d7');
INSERT INTO public.audit VALUES (1, 17, 1795733739745, '4s6BGdQUjng67m5G', 'operator', 'login', '', '127.0.0.1', 'http', 0, 1, 'f629924aa13a1162e6e7d75c072afd1ece96c17cd0e6fa56c9fc9992b631e38f');
INSERT INTO public.audit VALUES (1, 18, 1795733739848, 'N60M7YPNdRxWNjwI', 'root', 'db_exec_sql', 'notes: select id, text from note order by id', '127.0.0.1', 'http', 0, 1, 'a9a39ac3183fe1717d2fe0652f803720e738ce512633ede9d6361f7a6f2c2947');
INSERT INTO public.audit VALUES (1, 19, 1795733742949, '', '', 'stop', 'SIGTERM', '', 'internal', 0, 1, 'aab3a44cb7d239fef57d0db45c72f35e31a2c1e7dc418cdf0a3a2a65d1162715');

INSERT INTO public.audit_chain VALUES (1, '393950cbc0567d92eaf7543a3edf4ece', '6899d56e-6378-47eb-8173-f0b8bc1afa18', 'MCowBQYDK2VwAyEAj/XkDCdOuSafuf6vNO0jmEyygAev9LdYaN3MeMb1E30=', 19, 'aab3a44cb7d239fef57d0db45c72f35e31a2c1e7dc418cdf0a3a2a65d1162715', 1795733742949, 0, 'JrWYZBmMrCewKYPI9lYlnz5tP+Ir8EUCbMT1DP0fvkzvTHAzJmfjbl0mohW63+lVKNPIKl7bP55PQVIi91/cDQ==', 6916, 1795733737874);

INSERT INTO public.bus_cluster VALUES ('1b1574a0-d0c6-4fff-b737-6de28b266a4a');

INSERT INTO public.crontab VALUES (1, 'never', true, '0 0 0 1 1 * 2100', '{"agent":[["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"],{"task":"ip"}]}', NULL, 1795733739505, 0, NULL, NULL);
INSERT INTO public.crontab VALUES (2, 'addition', true, '0 0 0 1 1 * 2100', '{"server":{"js_worker":["adder",{"a":3,"b":4}]}}', NULL, 1795733739547, 0, NULL, NULL);

INSERT INTO public.db_registry VALUES (1, 'notes', 1, NULL, 1795733738634, NULL);

INSERT INTO public.dynamic_monitoring_past VALUES (3765926600832015312, 1, 1781000000000, 1795733738341, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3765926600984797344, 1, 1781086400000, 1795733738415, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3765926601031031283, 1, 1781172800000, 1795733738437, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[{"kind": "Ssd", "name": "vda1", "read_speed": 0, "file_system": "ext4", "mount_point": "/", "total_space": 42949672960, "write_speed": 8192, "is_read_only": false, "is_removable": false, "available_space": 21474836480}]', '{"interfaces": [{"receive_speed": 1200, "interface_name": "ens3", "total_received": 900000, "transmit_speed": 640, "total_transmitted": 300000}], "tcp_connections": 23, "udp_connections": 4}', '[]');

INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765926600938457263, 1, 1781000000000, 1795733738393, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765926601012269460, 1, 1781086400000, 1795733738428, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765926601047702828, 1, 1781172800000, 1795733738445, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.js_result VALUES (1, 1, 'adder', 'call', 1795733739356, 1795733739434, '{"a":1,"b":2}', '3', NULL, 1795733739360);

INSERT INTO public.js_result_usage VALUES ('adder', 78);

INSERT INTO public.js_worker VALUES (1, 'adder', NULL, 'export default { onCall: ({ a, b }) => a + b }', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795733739329, 1795733739329, NULL, NULL);

INSERT INTO public.kv VALUES (1, 'settings', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (2, 'settings', 'colour.sky', '"blue"');
INSERT INTO public.kv VALUES (3, 'settings', 'numbers', '[1, 2.5, -3, "text", null]');
INSERT INTO public.kv VALUES (4, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (5, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 'metadata_name', '"edge-7"');

INSERT INTO public.kv_usage VALUES ('settings', 269);
INSERT INTO public.kv_usage VALUES ('0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', 177);

INSERT INTO public.monitoring_uuid VALUES (1, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', false, NULL, 1795733738308);

INSERT INTO public.retention VALUES ('origin', 'new', 0);
INSERT INTO public.retention VALUES ('turn', NULL, 0);

INSERT INTO public.schema_migrations VALUES ('audit', '0001-create', 0, 1795733737294);
INSERT INTO public.schema_migrations VALUES ('token', '0001-create', 0, 1795733737310);
INSERT INTO public.schema_migrations VALUES ('token', '0002-parent', 0, 1795733737323);
INSERT INTO public.schema_migrations VALUES ('token', '0003-place', 0, 1795733737334);
INSERT INTO public.schema_migrations VALUES ('token', '0004-session', 0, 1795733737344);
INSERT INTO public.schema_migrations VALUES ('token', '0005-pass', 0, 1795733737350);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0001-create', 0, 1795733737357);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0002-first-seen', 0, 1795733737367);
INSERT INTO public.schema_migrations VALUES ('kv', '0001-create', 0, 1795733737374);
INSERT INTO public.schema_migrations VALUES ('kv', '0002-usage', 0, 1795733737384);
INSERT INTO public.schema_migrations VALUES ('kv', '0003-limits', 0, 1795733737396);
INSERT INTO public.schema_migrations VALUES ('retention', '0001-create', 0, 1795733737399);
INSERT INTO public.schema_migrations VALUES ('agent', '0001-create', 0, 1795733737418);
INSERT INTO public.schema_migrations VALUES ('agent', '0002-partition', 0, 1795733737461);
INSERT INTO public.schema_migrations VALUES ('agent', '0003-first-seen', 0, 1795733737504);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0001-create', 0, 1795733737515);
INSERT INTO public.schema_migrations VALUES ('agent-events', '0002-refusals', 0, 1795733737538);
INSERT INTO public.schema_migrations VALUES ('db', '0001-create', 0, 1795733737541);
INSERT INTO public.schema_migrations VALUES ('db', '0002-owner', 0, 1795733737548);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0001-create', 0, 1795733737553);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0002-owner', 0, 1795733737562);
INSERT INTO public.schema_migrations VALUES ('bus-nats', '0001-create', 0, 1795733737568);
INSERT INTO public.schema_migrations VALUES ('bus-postgres', '0001-create', 0, 1795733737573);
INSERT INTO public.schema_migrations VALUES ('task', '0001-create', 0, 1795733737576);
INSERT INTO public.schema_migrations VALUES ('task', '0002-cron-run', 0, 1795733737585);
INSERT INTO public.schema_migrations VALUES ('task', '0003-created-at', 0, 1795733737589);
INSERT INTO public.schema_migrations VALUES ('task', '0004-usage', 0, 1795733737593);
INSERT INTO public.schema_migrations VALUES ('task', '0005-versions', 0, 1795733737603);
INSERT INTO public.schema_migrations VALUES ('task', '0006-manual', 0, 1795733737606);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0001-create', 0, 1795733737609);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0002-owner', 0, 1795733737620);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0003-usage', 0, 1795733737623);
INSERT INTO public.schema_migrations VALUES ('crontab', '0001-create', 0, 1795733737628);
INSERT INTO public.schema_migrations VALUES ('crontab', '0002-claimed-by', 0, 1795733737655);
INSERT INTO public.schema_migrations VALUES ('crontab', '0003-claimed-at', 0, 1795733737659);
INSERT INTO public.schema_migrations VALUES ('crontab', '0004-owner', 0, 1795733737661);
INSERT INTO public.schema_migrations VALUES ('crontab', '0005-usage', 0, 1795733737664);
INSERT INTO public.schema_migrations VALUES ('enrol', '0001-create', 0, 1795733737669);
INSERT INTO public.schema_migrations VALUES ('enrol', '0002-pending', 0, 1795733737674);
INSERT INTO public.schema_migrations VALUES ('enrol', '0003-given', 0, 1795733737678);
INSERT INTO public.schema_migrations VALUES ('series', '0001-create', 0, 1795733737684);
INSERT INTO public.schema_migrations VALUES ('static-webdav', '0001-create', 0, 1795733737697);
INSERT INTO public.schema_migrations VALUES ('status-page', '0001-create', 0, 1795733737708);

INSERT INTO public.series_state VALUES ('turn', NULL, 0);
INSERT INTO public.series_state VALUES ('summary', NULL, 0);
INSERT INTO public.series_state VALUES ('dynamic', NULL, 0);

INSERT INTO public.static_file VALUES (1, 'site', 'site', false, true, true, NULL, NULL);

INSERT INTO public.static_monitoring VALUES (1, 1, 1781000000000, 1795733738313, '{"per_core": [{"id": 1, "name": "cpu0", "brand": "EPYC Test", "vendor_id": "AuthenticAMD"}], "logical_cores": 4, "physical_cores": 2}', '{"arch": "x86_64", "system_name": "Linux", "system_kernel": "6.1.0", "virtualization": "Physical", "distribution_id": "debian", "system_host_name": "node-α", "system_os_version": "12.5", "system_kernel_version": "Linux 6.1", "system_os_long_version": "Debian 12"}', '[{"id": 1, "name": "card", "cuda_cores": 128, "architecture": "unknown"}]', '\x64f2c99a7c725bf03b61688cb26a4021', NULL, NULL);

INSERT INTO public.status_page VALUES ('example', '{"title":"Example status","description":"","language":"auto","url":null,"accent":null,"banner":null,"entries":[{"key":"web","name":"Web","group":"Servers","agent":"0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}]}', NULL, NULL, 1, 1795733739609);

INSERT INTO public.status_page_incident VALUES (1, 'example', 'New power supply', '', 'maintenance', 1781086400000, NULL, 1795733739670);

INSERT INTO public.token VALUES (1, 1, 'N60M7YPNdRxWNjwI', 'fd3dede062dbaf5562934b1e4e401381f0092a2fa5713f1c049c5d0f26c58654', NULL, NULL, '[]', 'root', 'scrypt$14$x2bQQZqzP8rJjsapVqqN-Q$FwiRqln0cHrGjtnc363dUrVXqeX2DnyFGCn8HDWYC1w', NULL);
INSERT INTO public.token VALUES (2, 1, '4s6BGdQUjng67m5G', '7733d33a7d4af81ea3d0816dd2ec55345ffbd3db608c508f7dfbabc00d2de4cd', NULL, NULL, '[{"scopes": [{"agent_uuid": "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}], "permissions": [{"dynamic_monitoring_summary": "write"}, {"task": "listen"}]}, {"scopes": [{"kv_namespace": "settings"}], "permissions": [{"kv": {"read": "colour*"}}]}]', 'operator', 'scrypt$14$eHdWsNCBoxyBZj0--PuHAw$ZB0-Q25qQk6tPNcMo0qEkaXTwYdup6F_xWmGNAZYR38', NULL);

INSERT INTO public.token_place VALUES (1, 'r5GLZFdsK_VAbpiaiYmUHJ', 1795733738223);
INSERT INTO public.token_place VALUES (2, 'GBttZwwtG-jmYqAuy9lN-2', 1795733739744);
INSERT INTO public.token_place VALUES (2, 'r5GLZFdsK_VAbpiaiYmUHJ', 1795733739749);

SELECT pg_catalog.setval('public.agent_event_id_seq', 2, true);

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

CREATE INDEX agent_event_refused ON public.agent_event USING btree (uuid_id, id) WHERE ((kind)::text = 'refused'::text);

CREATE INDEX agent_event_time ON public.agent_event USING btree ("time");

CREATE INDEX agent_event_uuid_id_time ON public.agent_event USING btree (uuid_id, "time");

CREATE INDEX agent_uptime_day ON public.agent_uptime USING btree (day);

CREATE INDEX "idx-dynamic_monitoring-storage_time" ON ONLY public.dynamic_monitoring USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_default_storage_time_idx ON public.dynamic_monitoring_default USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX "idx-dynamic_monitoring-timestamp" ON ONLY public.dynamic_monitoring USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_default_timestamp_idx ON public.dynamic_monitoring_default USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_far_storage_time_idx ON public.dynamic_monitoring_far USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_far_timestamp_idx ON public.dynamic_monitoring_far USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_past_storage_time_idx ON public.dynamic_monitoring_past USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_past_timestamp_idx ON public.dynamic_monitoring_past USING btree ("timestamp");

CREATE INDEX "idx-dynamic_monitoring_summary-storage_time" ON ONLY public.dynamic_monitoring_summary USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_default_storage_time_idx ON public.dynamic_monitoring_summary_default USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX "idx-dynamic_monitoring_summary-timestamp" ON ONLY public.dynamic_monitoring_summary USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_default_timestamp_idx ON public.dynamic_monitoring_summary_default USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_far_storage_time_idx ON public.dynamic_monitoring_summary_far USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_far_timestamp_idx ON public.dynamic_monitoring_summary_far USING btree ("timestamp");

CREATE INDEX dynamic_monitoring_summary_past_storage_time_idx ON public.dynamic_monitoring_summary_past USING brin (storage_time) WITH (autosummarize='on');

CREATE INDEX dynamic_monitoring_summary_past_timestamp_idx ON public.dynamic_monitoring_summary_past USING btree ("timestamp");

CREATE INDEX "idx-audit-at" ON public.audit USING btree (at DESC NULLS LAST, chain_id, seq);

CREATE UNIQUE INDEX "idx-audit_chain-chain" ON public.audit_chain USING btree (chain);

CREATE INDEX "idx-crontab_result-cron_id" ON public.crontab_result USING btree (cron_id, run_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-crontab_result-cron_name" ON public.crontab_result USING btree (cron_name, run_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-crontab_result-relative_id" ON public.crontab_result USING btree (relative_id);

CREATE INDEX "idx-crontab_result-run_time" ON public.crontab_result USING btree (run_time DESC NULLS LAST, id DESC);

CREATE UNIQUE INDEX "idx-db-registry-name-unique" ON public.db_registry USING btree (name);

CREATE INDEX "idx-db_registry-owner" ON public.db_registry USING btree (owner);

CREATE UNIQUE INDEX "idx-enrol_code-hash" ON public.enrol_code USING btree (hash);

CREATE INDEX "idx-enrol_pending-code" ON public.enrol_pending USING btree (code, came_at);

CREATE INDEX "idx-enrol_pending-token_key" ON public.enrol_pending USING btree (token_key);

CREATE INDEX "idx-js_result-name" ON public.js_result USING btree (js_worker_name, start_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-js_result-running" ON public.js_result USING btree (id) WHERE (finish_time IS NULL);

CREATE INDEX "idx-js_result-start_time" ON public.js_result USING btree (start_time DESC NULLS LAST, id DESC);

CREATE INDEX "idx-js_result-worker_id" ON public.js_result USING btree (js_worker_id);

CREATE UNIQUE INDEX "idx-js_worker-name" ON public.js_worker USING btree (name);

CREATE UNIQUE INDEX "idx-js_worker-route_name" ON public.js_worker USING btree (route_name);

CREATE INDEX "idx-kv-limits" ON public.kv USING btree (key) WHERE ((key >= 'database_limit_'::text) AND (key < 'database_limit`'::text));

CREATE INDEX "idx-kv-namespace" ON public.kv USING btree (namespace);

CREATE UNIQUE INDEX "idx-kv-namespace-key-unique" ON public.kv USING btree (namespace, key);

CREATE UNIQUE INDEX "idx-static-file-is-http-root-unique" ON public.static_file USING btree (is_http_root) WHERE is_http_root;

CREATE INDEX "idx-static-uuid-timestamp" ON public.static_monitoring USING btree (uuid_id, "timestamp");

CREATE INDEX "idx-static-webdav-lock-expires-at" ON public.static_webdav_lock USING btree (expires_at);

CREATE INDEX "idx-static-webdav-lock-path" ON public.static_webdav_lock USING btree (bucket_id, path);

CREATE INDEX "idx-static-webdav-property-parent" ON public.static_webdav_property USING btree (bucket_id, parent);

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

CREATE INDEX token_parent ON public.token USING btree (parent);

CREATE INDEX token_pass_ends_at ON public.token_pass USING btree (ends_at);

CREATE INDEX token_pass_parent ON public.token_pass USING btree (parent);

CREATE INDEX token_session_ends_at ON public.token_session USING btree (ends_at);

CREATE INDEX token_session_parent ON public.token_session USING btree (parent);

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_default_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_default_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_default_timestamp_idx;

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_far_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_far_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_far_timestamp_idx;

ALTER INDEX public.dynamic_monitoring_pkey ATTACH PARTITION public.dynamic_monitoring_past_pkey;

ALTER INDEX public."idx-dynamic_monitoring-storage_time" ATTACH PARTITION public.dynamic_monitoring_past_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring-timestamp" ATTACH PARTITION public.dynamic_monitoring_past_timestamp_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_default_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_default_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_default_timestamp_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_far_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_far_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_far_timestamp_idx;

ALTER INDEX public.dynamic_monitoring_summary_pkey ATTACH PARTITION public.dynamic_monitoring_summary_past_pkey;

ALTER INDEX public."idx-dynamic_monitoring_summary-storage_time" ATTACH PARTITION public.dynamic_monitoring_summary_past_storage_time_idx;

ALTER INDEX public."idx-dynamic_monitoring_summary-timestamp" ATTACH PARTITION public.dynamic_monitoring_summary_past_timestamp_idx;

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

