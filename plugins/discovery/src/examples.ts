import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'rpc.discover',
    params: {},
    result: {
      openrpc: '1.3.2',
      info: { title: 'svc server', version: '0.11.0' },
      methods: [{ name: 'agent-uuid_delete' }],
    },
  },
];
