import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'static-bucket_create',
    params: { name: 'site', path: 'sites/site', is_http_root: false, cors: true },
    result: {
      id: 2,
      name: 'site',
      path: 'sites/site',
      is_http_root: false,
      cors: true,
      enable: true,
    },
  },
  {
    method: 'static-bucket-file_upload',
    params: { name: 'site', path: 'index.html', base64: 'PGgxPkhlbGxvPC9oMT4=' },
    result: { success: true },
  },
  {
    method: 'static-bucket-file_upload',
    params: { name: 'site', path: '../index.html', base64: 'PGgxPkhlbGxvPC9oMT4=' },
    error: { code: 108, message: 'Invalid input: Invalid path: path traversal detected' },
  },
  {
    method: 'static-bucket-file_read',
    params: { name: 'site', path: 'index.html' },
    result: 'PGgxPkhlbGxvPC9oMT4=',
  },
  {
    method: 'static-bucket-file_list',
    params: { name: 'site' },
    result: [{ path: 'index.html', size: 14, mtime: 1795394630588 }],
  },
  {
    method: 'static-bucket-file_rename',
    params: { name: 'site', from: 'index.html', to: 'pages/home.html' },
    result: { success: true },
  },
  {
    method: 'static-bucket-file_delete',
    params: { name: 'site', path: 'pages/home.html' },
    result: { success: true },
  },
  {
    method: 'static-bucket-file_read',
    params: { name: 'site', path: 'pages/home.html' },
    error: { code: 105, message: 'Not found in database: File not found: pages/home.html' },
  },
  { method: 'static-bucket_delete', params: { name: 'site' }, result: { success: true } },
];
