import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'enrol_create',
    params: { name: 'web-1', tags: ['web'], seconds: 3600, url: 'https://fleet.example.net' },
    result: {
      id: 1,
      code: 'q7Xc2mRkT9vWb4HsLd8NfYgA',
      expires_at: 1781003600000,
      machines_until: null,
      line: 'curl -fsS https://fleet.example.net/svc/enrol/install | sh -s -- q7Xc2mRkT9vWb4HsLd8NfYgA --key sha256//Vn0zL2b1mH4o8QeXyTgSsu3mM3oWf0Q9pGJcYk7dRrE=',
      wget_line:
        'wget -qO- https://fleet.example.net/svc/enrol/install | sh -s -- q7Xc2mRkT9vWb4HsLd8NfYgA --key sha256//Vn0zL2b1mH4o8QeXyTgSsu3mM3oWf0Q9pGJcYk7dRrE=',
      key: 'sha256//Vn0zL2b1mH4o8QeXyTgSsu3mM3oWf0Q9pGJcYk7dRrE=',
      obstacle: {
        kind: 'listener',
        listens: '127.0.0.1:2211',
        address: 'https://192.0.2.7:2211',
        name: 'fleet.example.net',
      },
    },
  },
  {
    method: 'enrol_list',
    params: {},
    result: [
      {
        id: 1,
        name: 'web-1',
        tags: ['web'],
        owner: null,
        uses: 1,
        used: 0,
        created_at: 1781000000000,
        expires_at: 1781003600000,
        revoked_at: null,
        last_agent: null,
        last_at: null,
      },
    ],
  },
  { method: 'enrol_revoke', params: { id: 1 }, result: { success: true } },
];
