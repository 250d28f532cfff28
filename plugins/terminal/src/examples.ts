import type { Example } from '@svc/plugin-sdk';

/** Calls with their answers, for the reference. */
export const examples: readonly Example[] = [
  {
    method: 'terminal_pass',
    params: { agent_uuid: '0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11' },
    result: {
      key: 'Vt4yKq9ZsW2mXb7D',
      secret: 'c8RzJm3LwTq0YfNv6HxKd1PbGs5UeA2o',
      ends_at: 1795403600000,
    },
  },
];
