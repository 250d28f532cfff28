import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'kv_create',
    params: { namespace: 'audited' },
    result: { namespace: 'audited', kv: {} },
  },
  {
    method: 'audit_query',
    params: { query: { method: 'kv_create' }, limit: 1 },
    result: {
      rows: [
        {
          chain: '6a8def4972c330756943b648431731c0',
          server_uuid: '9c44593e-a946-465e-8b93-995ec20a8954',
          seq: 55,
          at: 1795394637458,
          token: '8mlpFolF7m0FLdRE',
          name: 'root',
          method: 'kv_create',
          target: 'audited',
          address: '127.0.0.1',
          transport: 'http',
          outcome: 'ok',
          count: 1,
          hash: '08917f2f820a623c40f2d01be2661dfd2c73181fd2e799b595a3fb591f7fd781',
        },
      ],
      next: '1795394637458:1:55',
    },
  },
  {
    method: 'audit_export',
    params: {},
    result: {
      lines: [
        '{"chain":"6a8def4972c330756943b648431731c0","server_uuid":"9c44593e-a946-465e-8b93-995ec20a8954","public_key":"MCowBQYDK2VwAyEAqQhJMLD0+1JcatwofvJ0YQol+R9S8zZxGUYdqMbcz34="}',
      ],
      next: null,
    },
  },
  {
    method: 'audit_verify',
    params: {},
    result: {
      ok: true,
      chains: [
        {
          chain: '6a8def4972c330756943b648431731c0',
          server_uuid: '9c44593e-a946-465e-8b93-995ec20a8954',
          public_key: 'MCowBQYDK2VwAyEAqQhJMLD0+1JcatwofvJ0YQol+R9S8zZxGUYdqMbcz34=',
          own: true,
          first_seq: 1,
          last_seq: 55,
          rows: 55,
          problems: [],
        },
      ],
    },
  },
  { method: 'kv_delete_namespace', params: { namespace: 'audited' }, result: { success: true } },
];
