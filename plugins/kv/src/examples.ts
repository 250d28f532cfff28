import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'kv_create',
    params: { namespace: 'fleet-notes' },
    result: { namespace: 'fleet-notes', kv: {} },
  },
  {
    method: 'kv_set_value',
    params: { namespace: 'fleet-notes', key: 'metadata_name', value: 'edge-7' },
    result: { success: true },
  },
  {
    method: 'kv_get_value',
    params: { namespace: 'fleet-notes', key: 'metadata_name' },
    result: 'edge-7',
  },
  {
    method: 'kv_get_value',
    params: { namespace: 'unknown', key: 'metadata_name' },
    error: { code: 103, message: "Database error: Namespace 'unknown' not found" },
  },
  {
    method: 'kv_get_multi_value',
    params: {
      namespace_key: [
        { namespace: 'fleet-notes', key: 'metadata_*' },
        { namespace: 'fleet-notes', key: 'region' },
      ],
    },
    result: [
      { namespace: 'fleet-notes', key: 'metadata_name', value: 'edge-7' },
      { namespace: 'fleet-notes', key: 'region', value: null },
    ],
  },
  {
    method: 'kv_get_all_keys',
    params: { namespace: 'fleet-notes' },
    result: ['__svc_namespace_marker__', 'metadata_name'],
  },
  { method: 'kv_list_all_namespace', params: {}, result: ['fleet-notes'] },
  {
    method: 'kv_delete_key',
    params: { namespace: 'fleet-notes', key: 'metadata_name' },
    result: { success: true },
  },
  {
    method: 'kv_delete_namespace',
    params: { namespace: 'fleet-notes' },
    result: { success: true },
  },
  {
    method: 'kv_delete_namespace',
    params: { namespace: 'unknown' },
    error: { code: 103, message: "Database error: Namespace 'unknown' not found" },
  },
];
