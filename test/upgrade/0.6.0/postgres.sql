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
SET default_tablespace = '';
SET default_table_access_method = heap;
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
    claimed_by text
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
    message text
);
CREATE SEQUENCE public.crontab_result_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.crontab_result_id_seq OWNED BY public.crontab_result.id;
CREATE TABLE public.db_registry (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    db_connections integer DEFAULT 0,
    max_lifetime_ms bigint,
    created_at bigint NOT NULL
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
    update_at bigint NOT NULL
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
CREATE TABLE public.monitoring_uuid (
    id integer NOT NULL,
    uuid uuid NOT NULL,
    soft_delete boolean DEFAULT false NOT NULL,
    deleted_at bigint
);
CREATE SEQUENCE public.monitoring_uuid_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.monitoring_uuid_id_seq OWNED BY public.monitoring_uuid.id;
CREATE TABLE public.schema_migrations (
    plugin character varying(128) NOT NULL,
    name character varying(128) NOT NULL,
    breaking integer NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE public.static_file (
    id bigint NOT NULL,
    name character varying(255) NOT NULL,
    path text NOT NULL,
    is_http_root boolean DEFAULT false NOT NULL,
    cors boolean DEFAULT false NOT NULL,
    enable boolean DEFAULT true
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
    data_hash bytea NOT NULL
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
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.task_id_seq OWNED BY public.task.id;
CREATE TABLE public.token (
    id bigint NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    token_key character varying(16) NOT NULL,
    token_hash character varying(255) NOT NULL,
    time_stamp_from bigint,
    time_stamp_to bigint,
    token_limit jsonb NOT NULL,
    username text,
    password_hash character varying(255)
);
CREATE SEQUENCE public.token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.token_id_seq OWNED BY public.token.id;
ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_default DEFAULT;
ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);
ALTER TABLE ONLY public.dynamic_monitoring ATTACH PARTITION public.dynamic_monitoring_past FOR VALUES FROM (MINVALUE) TO ('1795478400000');
ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_default DEFAULT;
ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_far FOR VALUES FROM ('4102444800000') TO (MAXVALUE);
ALTER TABLE ONLY public.dynamic_monitoring_summary ATTACH PARTITION public.dynamic_monitoring_summary_past FOR VALUES FROM (MINVALUE) TO ('1795478400000');
ALTER TABLE ONLY public.crontab ALTER COLUMN id SET DEFAULT nextval('public.crontab_id_seq'::regclass);
ALTER TABLE ONLY public.crontab_result ALTER COLUMN id SET DEFAULT nextval('public.crontab_result_id_seq'::regclass);
ALTER TABLE ONLY public.db_registry ALTER COLUMN id SET DEFAULT nextval('public.db_registry_id_seq'::regclass);
ALTER TABLE ONLY public.js_result ALTER COLUMN id SET DEFAULT nextval('public.js_result_id_seq'::regclass);
ALTER TABLE ONLY public.js_worker ALTER COLUMN id SET DEFAULT nextval('public.js_worker_id_seq'::regclass);
ALTER TABLE ONLY public.kv ALTER COLUMN id SET DEFAULT nextval('public.kv_id_seq'::regclass);
ALTER TABLE ONLY public.monitoring_uuid ALTER COLUMN id SET DEFAULT nextval('public.monitoring_uuid_id_seq'::regclass);
ALTER TABLE ONLY public.static_file ALTER COLUMN id SET DEFAULT nextval('public.static_file_id_seq'::regclass);
ALTER TABLE ONLY public.static_monitoring ALTER COLUMN id SET DEFAULT nextval('public.static_monitoring_id_seq'::regclass);
ALTER TABLE ONLY public.task ALTER COLUMN id SET DEFAULT nextval('public.task_id_seq'::regclass);
ALTER TABLE ONLY public.token ALTER COLUMN id SET DEFAULT nextval('public.token_id_seq'::regclass);
INSERT INTO public.bus_cluster VALUES ('8828b3fb-e29a-4697-a652-8c0ef5f9f4b4');
INSERT INTO public.crontab VALUES (1, 'never', true, '0 0 0 1 1 * 2100', '{"agent":[["0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"],{"task":"ip"}]}', NULL, 1795358089892, 0, NULL);
INSERT INTO public.crontab VALUES (2, 'addition', true, '0 0 0 1 1 * 2100', '{"server":{"js_worker":["adder",{"a":3,"b":4}]}}', NULL, 1795358089997, 0, NULL);
INSERT INTO public.db_registry VALUES (1, 'notes', 1, NULL, 1795358083298);
INSERT INTO public.dynamic_monitoring_past VALUES (3765138787901364891, 1, 1781000000000, 1795358079849, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[]', '{"interfaces": [], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3765138788098142003, 1, 1781086400000, 1795358079957, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[]', '{"interfaces": [], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_past VALUES (3765138788381803367, 1, 1781172800000, 1795358080092, '{"per_core": [{"id": 1, "cpu_usage": 17.25, "frequency_mhz": 2450}], "total_cpu_usage": 17.25}', '{"used_swap": 0, "total_swap": 0, "used_memory": 1073741824, "total_memory": 4294967296, "available_memory": 3221225472}', '{"one": 0.31, "five": 0.2, "fifteen": 0.11}', '{"uptime": 100001, "boot_time": 1780900000, "process_count": 87}', '[]', '{"interfaces": [], "tcp_connections": 23, "udp_connections": 4}', '[]');
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765138788002348647, 1, 1781000000000, 1795358079911, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765138788318683650, 1, 1781086400000, 1795358080062, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.dynamic_monitoring_summary_past VALUES (3765138788458929998, 1, 1781172800000, 1795358080129, 172, NULL, NULL, NULL, 1073741824, 4294967296, NULL, 3, NULL, NULL, 100001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.js_result VALUES (1, 1, 'adder', 'call', 1795358089697, 1795358089752, '{"a":1,"b":2}', '3', NULL, 1795358089699);
INSERT INTO public.js_worker VALUES (1, 'adder', NULL, 'export default { onCall: ({ a, b }) => a + b }', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795358089513, 1795358089513);
INSERT INTO public.kv VALUES (1, 'settings', '__svc_namespace_marker__', 'null');
INSERT INTO public.kv VALUES (2, 'settings', 'colour.sky', '"blue"');
INSERT INTO public.kv VALUES (3, 'settings', 'numbers', '[1, 2.5, -3, "text", null]');
INSERT INTO public.monitoring_uuid VALUES (1, '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', false, NULL);
INSERT INTO public.schema_migrations VALUES ('agent-uuid', '0001-create', 0, 1795358073645);
INSERT INTO public.schema_migrations VALUES ('token', '0001-create', 0, 1795358073671);
INSERT INTO public.schema_migrations VALUES ('kv', '0001-create', 0, 1795358073702);
INSERT INTO public.schema_migrations VALUES ('agent', '0001-create', 0, 1795358073717);
INSERT INTO public.schema_migrations VALUES ('agent', '0002-partition', 0, 1795358073772);
INSERT INTO public.schema_migrations VALUES ('bus-nats', '0001-create', 0, 1795358073880);
INSERT INTO public.schema_migrations VALUES ('bus-postgres', '0001-create', 0, 1795358073906);
INSERT INTO public.schema_migrations VALUES ('task', '0001-create', 0, 1795358073936);
INSERT INTO public.schema_migrations VALUES ('js-worker', '0001-create', 0, 1795358074025);
INSERT INTO public.schema_migrations VALUES ('crontab', '0001-create', 0, 1795358074108);
INSERT INTO public.schema_migrations VALUES ('crontab', '0002-claimed-by', 0, 1795358074188);
INSERT INTO public.schema_migrations VALUES ('db', '0001-create', 0, 1795358074195);
INSERT INTO public.schema_migrations VALUES ('static-bucket', '0001-create', 0, 1795358074217);
INSERT INTO public.schema_migrations VALUES ('static-webdav', '0001-create', 0, 1795358074240);
INSERT INTO public.static_file VALUES (1, 'site', 'site', false, true, true);
INSERT INTO public.static_monitoring VALUES (1, 1, 1781000000000, 1795358079780, '{"per_core": [], "logical_cores": 4, "physical_cores": 2}', '{"arch": "x86_64", "system_name": "Linux", "system_kernel": "6.1.0", "virtualization": "Physical", "distribution_id": "debian", "system_host_name": "node-α", "system_os_version": "12.5", "system_kernel_version": "Linux 6.1", "system_os_long_version": "Debian 12"}', '[]', '\x64f2c99a7c725bf03b61688cb26a4021');
INSERT INTO public.token VALUES (1, 1, 'U8ivTxdr2z2R33mK', 'd4ca566d818e727c8d75fd235c1d9bd1d352bc3cbab12011b11187662908cff0', NULL, NULL, '[]', 'root', '533ff763e1394258b144b98151fb88a8867df9b6b74e5222c7ff8f086b598f93');
INSERT INTO public.token VALUES (2, 1, 'TvZ4X53JTgWspptL', 'ed62f2395847c59e7ba7ce4d6b64342eb23895db0e98ac6063091f931d3a7a85', NULL, NULL, '[{"scopes": [{"agent_uuid": "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"}], "permissions": [{"dynamic_monitoring_summary": "write"}, {"task": "listen"}]}, {"scopes": [{"kv_namespace": "settings"}], "permissions": [{"kv": {"read": "colour*"}}]}]', 'operator', '550c7c2b6a3f7195c9d6ddb517b49ca1cfcdf93302d85e3ea810fd90182d8c33');
SELECT pg_catalog.setval('public.crontab_id_seq', 2, true);
SELECT pg_catalog.setval('public.crontab_result_id_seq', 1, false);
SELECT pg_catalog.setval('public.db_registry_id_seq', 1, true);
SELECT pg_catalog.setval('public.js_result_id_seq', 1, true);
SELECT pg_catalog.setval('public.js_worker_id_seq', 1, true);
SELECT pg_catalog.setval('public.kv_id_seq', 3, true);
SELECT pg_catalog.setval('public.monitoring_uuid_id_seq', 1, true);
SELECT pg_catalog.setval('public.static_file_id_seq', 1, true);
SELECT pg_catalog.setval('public.static_monitoring_id_seq', 1, true);
SELECT pg_catalog.setval('public.task_id_seq', 1, false);
SELECT pg_catalog.setval('public.token_id_seq', 2, true);
ALTER TABLE ONLY public.bus_cluster
    ADD CONSTRAINT bus_cluster_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bus_message
    ADD CONSTRAINT bus_message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.crontab
    ADD CONSTRAINT crontab_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.crontab_result
    ADD CONSTRAINT crontab_result_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.crontab
    ADD CONSTRAINT "idx-crontab-name" UNIQUE (name);
ALTER TABLE ONLY public.static_file
    ADD CONSTRAINT "idx-static-file-name-unique" UNIQUE (name);
ALTER TABLE ONLY public.static_monitoring
    ADD CONSTRAINT "idx-static-uuid-data-hash" UNIQUE (uuid_id, data_hash);
ALTER TABLE ONLY public.js_result
    ADD CONSTRAINT js_result_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.js_worker
    ADD CONSTRAINT js_worker_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kv
    ADD CONSTRAINT kv_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.monitoring_uuid
    ADD CONSTRAINT monitoring_uuid_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.monitoring_uuid
    ADD CONSTRAINT monitoring_uuid_uuid_unique UNIQUE (uuid);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (plugin, name);
ALTER TABLE ONLY public.static_file
    ADD CONSTRAINT static_file_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.static_monitoring
    ADD CONSTRAINT static_monitoring_pkey PRIMARY KEY (uuid_id, id);
ALTER TABLE ONLY public.static_webdav_lock
    ADD CONSTRAINT static_webdav_lock_pkey PRIMARY KEY (token);
ALTER TABLE ONLY public.static_webdav_property
    ADD CONSTRAINT static_webdav_property_pkey PRIMARY KEY (bucket_id, path, name_hash);
ALTER TABLE ONLY public.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_token_key_unique UNIQUE (token_key);
ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_username_unique UNIQUE (username);
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
CREATE INDEX "idx-crontab_result-cron_id" ON public.crontab_result USING btree (cron_id, run_time DESC NULLS LAST, id DESC);
CREATE INDEX "idx-crontab_result-cron_name" ON public.crontab_result USING btree (cron_name, run_time DESC NULLS LAST, id DESC);
CREATE INDEX "idx-crontab_result-relative_id" ON public.crontab_result USING btree (relative_id);
CREATE INDEX "idx-crontab_result-run_time" ON public.crontab_result USING btree (run_time DESC NULLS LAST, id DESC);
CREATE UNIQUE INDEX "idx-db-registry-name-unique" ON public.db_registry USING btree (name);
CREATE INDEX "idx-js_result-name" ON public.js_result USING btree (js_worker_name, start_time DESC NULLS LAST, id DESC);
CREATE INDEX "idx-js_result-running" ON public.js_result USING btree (id) WHERE (finish_time IS NULL);
CREATE INDEX "idx-js_result-start_time" ON public.js_result USING btree (start_time DESC NULLS LAST, id DESC);
CREATE INDEX "idx-js_result-worker_id" ON public.js_result USING btree (js_worker_id);
CREATE UNIQUE INDEX "idx-js_worker-name" ON public.js_worker USING btree (name);
CREATE UNIQUE INDEX "idx-js_worker-route_name" ON public.js_worker USING btree (route_name);
CREATE INDEX "idx-kv-namespace" ON public.kv USING btree (namespace);
CREATE UNIQUE INDEX "idx-kv-namespace-key-unique" ON public.kv USING btree (namespace, key);
CREATE UNIQUE INDEX "idx-static-file-is-http-root-unique" ON public.static_file USING btree (is_http_root) WHERE is_http_root;
CREATE INDEX "idx-static-uuid-timestamp" ON public.static_monitoring USING btree (uuid_id, "timestamp");
CREATE INDEX "idx-static-webdav-lock-expires-at" ON public.static_webdav_lock USING btree (expires_at);
CREATE INDEX "idx-static-webdav-lock-path" ON public.static_webdav_lock USING btree (bucket_id, path);
CREATE INDEX "idx-static-webdav-property-parent" ON public.static_webdav_property USING btree (bucket_id, parent);
CREATE INDEX "idx-static_monitoring-storage_time" ON public.static_monitoring USING btree (storage_time);
CREATE INDEX "idx-static_monitoring-timestamp" ON public.static_monitoring USING btree ("timestamp");
CREATE INDEX "idx-task-cron_source" ON public.task USING btree (cron_source);
CREATE INDEX "idx-task-running" ON public.task USING btree (created_at) WHERE (success IS NULL);
CREATE INDEX "idx-task-timestamp" ON public.task USING btree ("timestamp" NULLS FIRST, id);
CREATE INDEX "idx-task-type_name-timestamp" ON public.task USING btree (type_name, "timestamp" NULLS FIRST, id);
CREATE INDEX "idx-task-uuid-timestamp" ON public.task USING btree (uuid, "timestamp" NULLS FIRST, id);
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
