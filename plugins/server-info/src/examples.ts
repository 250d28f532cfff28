import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  { method: 'svc-server_hello', params: {}, result: 'svc Server Is Running!' },
  {
    method: 'svc-server_version',
    params: {},
    result: {
      binary_type: 'Server',
      cargo_version: '0.11.0',
      git_branch: 'UNKNOWN',
      git_commit_sha: 'UNKNOWN',
      git_commit_date: 'UNKNOWN',
      git_commit_message: 'UNKNOWN',
      build_time: 'UNKNOWN',
      cargo_target_triple: 'x86_64-unknown-linux-gnu',
      rustc_channel: 'UNKNOWN',
      rustc_version: 'node 24.21.0',
      rustc_commit_date: 'UNKNOWN',
      rustc_commit_hash: 'UNKNOWN',
      rustc_llvm_version: 'v8 13.6.233.17-node.53',
    },
  },
  { method: 'svc-server_uuid', params: {}, result: '9c44593e-a946-465e-8b93-995ec20a8954' },
  {
    method: 'svc-server_stream_log',
    params: { log_filter: 'info' },
    result: 144425283225740,
    item: {
      timestamp: '2026-11-23T00:43:57.535+00:00',
      level: 'INFO',
      target: 'rpc',
      message: 'subscription accepted',
      fields: {
        method: 'svc-server_stream_log',
        subscription: 144425283225740,
        address: '127.0.0.1',
      },
      spans: [],
    },
  },
  {
    method: 'svc-server_exec_sql',
    params: { sql: 'select ? as host, 1 + ? as next', params: ['edge-7', 2] },
    result: { success: true, data: [{ host: 'edge-7', next: 3 }], row_count: 1, truncated: false },
  },
  {
    method: 'svc-server_exec_sql',
    params: { sql: 'select 1 +' },
    error: { code: 999, message: 'Other error: incomplete input' },
  },
  { method: 'svc-server_get_database_type', params: {}, result: { success: true, data: 'sqlite' } },
  {
    method: 'svc-server_database_storage',
    params: {},
    result: { tables: { dynamic_monitoring_summary: 4096, kv: 4096, token: 4096 }, total: 126976 },
  },
  {
    method: 'svc-server_config_warnings',
    params: {},
    result: {
      warnings: [
        {
          kind: 'advice',
          key: 'allowed_hosts',
          message:
            'allowed_hosts is not set: a name that an attacker points at this server reaches it through a browser; list the host names of this server, such as allowed_hosts = ["localhost"]',
        },
      ],
      file_only: ['database.database_url'],
    },
  },
  {
    method: 'svc-server_plugins',
    params: {},
    result: {
      plugins: [
        {
          name: 'kv',
          version: '0.11.0',
          enabled: true,
          built_in: true,
          namespaces: ['kv'],
        },
      ],
    },
  },
  { method: 'kv_create', params: { namespace: 'logged' }, result: { namespace: 'logged', kv: {} } },
  { method: 'kv_delete_namespace', params: { namespace: 'logged' }, result: { success: true } },
  {
    method: 'svc-server_log',
    params: {},
    result: [
      {
        timestamp: '2026-11-23T00:43:57.458+00:00',
        level: 'INFO',
        target: 'kv',
        message: 'namespace created',
        fields: { namespace: 'audited' },
        spans: [{ name: 'kv::create', fields: 'token_key="8mlpFolF7m0FLdRE"' }],
      },
    ],
  },
  { method: 'svc-server_self_update', params: { tag: '0.11.0' }, result: null },
  {
    method: 'svc-server_self_update',
    params: { tag: 'v99.0.0' },
    error: { code: 999, message: 'Other error: Failed to get download URL for tag: v99.0.0' },
  },
  {
    method: 'svc-server_read_config',
    params: {},
    result:
      'server_uuid = "0d401653-7c4d-4fdf-93e2-601c369778f0"\nws_listener = "127.0.0.1:2211"\n\n[database]\ndatabase_url = "sqlite://svc.db?mode=rwc"\n',
  },
  {
    method: 'svc-server_edit_config',
    params: {
      config_string:
        'server_uuid = "0d401653-7c4d-4fdf-93e2-601c369778f0"\nws_listener = "127.0.0.1:2211"\n\n[database]\ndatabase_url = "sqlite://svc.db?mode=rwc"\n',
    },
    result: true,
  },
];
