import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'static-bucket_create',
    params: { name: 'docs', path: 'sites/docs', is_http_root: false, cors: true },
    result: {
      id: 1,
      name: 'docs',
      path: 'sites/docs',
      is_http_root: false,
      cors: true,
      enable: true,
    },
  },
  {
    method: 'static-bucket_create',
    params: { name: 'docs', path: 'sites/docs', is_http_root: false, cors: true },
    error: { code: 103, message: "Database error: Static 'docs' already exists" },
  },
  {
    method: 'static-bucket_read',
    params: { name: 'docs' },
    result: {
      id: 1,
      name: 'docs',
      path: 'sites/docs',
      is_http_root: false,
      cors: true,
      enable: true,
    },
  },
  {
    method: 'static-bucket_read',
    params: { name: 'unknown' },
    error: { code: 105, message: "Not found in database: Static 'unknown' not found" },
  },
  { method: 'static-bucket_list', params: {}, result: ['docs'] },
  {
    method: 'static-bucket_update',
    params: { name: 'docs', path: 'sites/docs', is_http_root: false, cors: false, enable: true },
    result: {
      id: 1,
      name: 'docs',
      path: 'sites/docs',
      is_http_root: false,
      cors: false,
      enable: true,
    },
  },
  { method: 'static-bucket_delete', params: { name: 'docs' }, result: { success: true } },
];
