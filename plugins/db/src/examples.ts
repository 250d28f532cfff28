import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'db_create',
    params: { name: 'metrics_eu' },
    result: { success: true, data: { name: 'metrics_eu', file_path: './db/metrics_eu.db' } },
  },
  {
    method: 'db_create',
    params: { name: '../metrics' },
    error: {
      code: 108,
      message: 'Invalid input: db name contains invalid characters (only [A-Za-z0-9_.-] allowed)',
    },
  },
  {
    method: 'db_exec_sql',
    params: { name: 'metrics_eu', sql: 'create table seen (host text, at integer)' },
    result: { success: true, data: [], row_count: 0, truncated: false },
  },
  {
    method: 'db_exec_sql',
    params: {
      name: 'metrics_eu',
      sql: 'insert into seen values (?, ?)',
      params: ['edge-7', 1781000002000],
    },
    result: { success: true, data: [], row_count: 0, truncated: false },
  },
  {
    method: 'db_exec_sql',
    params: { name: 'metrics_eu', sql: 'select host, at from seen where at > ?', params: [0] },
    result: {
      success: true,
      data: [{ host: 'edge-7', at: 1781000002000 }],
      row_count: 1,
      truncated: false,
    },
  },
  {
    method: 'db_list',
    params: {},
    result: {
      success: true,
      data: [
        {
          id: 1,
          name: 'metrics_eu',
          file_path: './db/metrics_eu.db',
          db_connections: 1,
          max_lifetime_ms: null,
          created_at: 1795394629749,
          is_active: true,
        },
      ],
    },
  },
  {
    method: 'db_read',
    params: { name: 'metrics_eu' },
    result: {
      success: true,
      data: { id: 1, name: 'metrics_eu', created_at: 1795394629749, active: true },
    },
  },
  {
    method: 'db_read',
    params: { name: 'unknown' },
    error: { code: 105, message: "Not found in database: Database 'unknown' not found" },
  },
  {
    method: 'db_update',
    params: { name: 'metrics_eu', new_name: 'metrics_north' },
    result: { success: true, data: { id: 1, name: 'metrics_north', created_at: 1795394629749 } },
  },
  { method: 'db_delete', params: { name: 'metrics_north' }, result: { success: true } },
];
