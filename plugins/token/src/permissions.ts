import type { Plugin } from '@svc/plugin-sdk';

const readWriteDelete = ['read', 'write', 'delete'] as const;

/** Every permission kind of auth.md §5.2, whether its plugin is enabled here or not: tokens outlive configurations. */
const permissions: Plugin['permissions'] = {
  static_monitoring: { words: ['write', 'delete'], choices: { read: ['cpu', 'system', 'gpu'] } },
  dynamic_monitoring: {
    words: ['write', 'delete'],
    choices: { read: ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'] },
  },
  dynamic_monitoring_summary: { words: readWriteDelete },
  task: { words: ['listen'], patterns: ['create', 'read', 'write', 'delete'] },
  crontab: { words: readWriteDelete },
  crontab_result: { patterns: ['read', 'delete'] },
  kv: { words: ['list_all_namespace', 'list_all_keys'], patterns: readWriteDelete },
  terminal: { words: ['connect'] },
  svc: { words: ['list_all_agent_uuid', 'get_rt_pool', 'delete_agent_uuid', 'exec_sql'] },
  monitoring_uuid: { words: ['list', 'delete'] },
  js_worker: {
    words: [
      'list_all_js_worker',
      'create',
      'read',
      'write',
      'delete',
      'run_defined_js_worker',
      'run_raw_js_worker',
    ],
  },
  js_result: { patterns: ['read', 'delete'] },
  static_bucket: { words: readWriteDelete },
  static_bucket_file: { words: ['read', 'write', 'delete', 'list'] },
  db: { words: ['list', 'read', 'create', 'update', 'delete', 'exec_sql'] },
  // The permission to create tokens (auth.md §10).
  token: { words: ['create'] },
};

/** All scope tags of auth.md §5.1 but `global`. */
const scopes = {
  agent_uuid: 'uuid',
  kv_namespace: 'exact',
  js_worker: 'prefix',
  static_bucket: 'prefix',
  db: 'prefix',
} as const;

/** Kinds and scopes of the protocol. */
export const protocolKinds = { permissions, scopes };
