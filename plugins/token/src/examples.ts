import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'token_create',
    params: {
      token_creation: {
        token_limit: [
          {
            scopes: [{ agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }],
            permissions: [{ dynamic_monitoring_summary: 'read' }],
          },
        ],
        username: 'dashboard',
        password: 'correct horse',
        timestamp_from: null,
        timestamp_to: null,
      },
    },
    result: { key: 'a4m53iWb1gFrLdPx', secret: 'fs9mUaPHXdBs760lJPDuF4TqDkXCnWSb' },
  },
  {
    method: 'token_create',
    params: { token_creation: { token_limit: [], username: 'dashboard' } },
    error: {
      code: 101,
      message: 'Parse error: Username and Password must be both provided or both absent',
    },
  },
  {
    method: 'token_get',
    params: {},
    result: {
      version: 1,
      token_key: '8mlpFolF7m0FLdRE',
      timestamp_from: null,
      timestamp_to: null,
      token_limit: [],
      username: 'root',
    },
  },
  {
    method: 'token_list_all_tokens',
    params: {},
    result: {
      tokens: [
        {
          version: 1,
          token_key: '8mlpFolF7m0FLdRE',
          timestamp_from: null,
          timestamp_to: null,
          token_limit: [],
          username: 'root',
        },
        {
          version: 1,
          token_key: 'a4m53iWb1gFrLdPx',
          timestamp_from: null,
          timestamp_to: null,
          token_limit: [
            {
              scopes: [{ agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }],
              permissions: [{ dynamic_monitoring_summary: 'read' }],
            },
          ],
          username: 'dashboard',
        },
      ],
    },
  },
  {
    method: 'token_edit',
    params: {
      target_token: 'dashboard',
      limit: [{ scopes: ['global'], permissions: [{ dynamic_monitoring_summary: 'read' }] }],
    },
    result: { success: true, id: 2, token_key: 'a4m53iWb1gFrLdPx' },
  },
  {
    method: 'token_change_password',
    params: { target_token: 'dashboard', new_password: 'battery staple' },
    result: { success: true, message: 'Password changed successfully' },
  },
  {
    method: 'token_change_password',
    params: { target_token: 'dashboard', new_password: 'short' },
    error: { code: 108, message: 'Invalid input: New password must be at least 8 characters long' },
  },
  {
    method: 'token_change_password',
    params: { target_token: 'root', new_password: 'printed at the first start' },
    result: { success: true, message: 'Password changed successfully' },
  },
  {
    method: 'token_change_own_password',
    params: { old_password: 'printed at the first start', new_password: 'battery staple' },
    result: { success: true, message: 'Password changed successfully' },
  },
  {
    method: 'token_change_own_password',
    params: { old_password: 'not this one', new_password: 'battery staple' },
    error: { code: 102, message: 'Permission denied: The old password is wrong' },
  },
  {
    method: 'token_roll_token_secret',
    params: { target_token: 'dashboard' },
    result: { key: 'a4m53iWb1gFrLdPx', secret: 'QhtTdnT8NhobFo9vZse0Ikf9h12qa7Ks' },
  },
  {
    method: 'token_dependents',
    params: { target_token: 'dashboard' },
    result: {
      token_key: 'a4m53iWb1gFrLdPx',
      state: 'valid',
      suspended: false,
      dependents: [
        { kind: 'token', names: [] },
        { kind: 'worker', names: [] },
        { kind: 'route', names: [] },
        { kind: 'job', names: [] },
        { kind: 'bucket', names: [] },
      ],
    },
  },
  {
    method: 'token_holdings',
    params: { target_token: 'dashboard' },
    result: {
      owners: [
        {
          token_key: 'a4m53iWb1gFrLdPx',
          username: 'dashboard',
          kinds: [{ kind: 'token', rows: 0, bytes: 0, max_rows: 1000, max_bytes: 16777216 }],
        },
      ],
    },
  },
  {
    method: 'token_explain',
    params: {
      method: 'token_list_all_tokens',
      target_token: 'dashboard',
    },
    result: {
      method: 'token_list_all_tokens',
      token_key: 'a4m53iWb1gFrLdPx',
      allowed: false,
      reason: 'Denied: only the Super Token may call it.',
      requirements: [],
    },
  },
  {
    method: 'token_explain',
    params: {
      method: 'kv_get_value',
      params: { namespace: 'global', key: 'motd' },
      target_token: 'dashboard',
    },
    result: {
      method: 'kv_get_value',
      token_key: 'a4m53iWb1gFrLdPx',
      allowed: false,
      reason:
        'Denied: the limit of the token lacks {"scopes":[{"kv_namespace":"global"}],"permissions":[{"kv":{"read":"motd"}}]}.',
      requirements: [
        {
          allowed: false,
          pairs: [
            {
              scope: { kv_namespace: 'global' },
              permission: { kv: { read: 'motd' } },
              entry: null,
            },
          ],
          missing: [
            { scopes: [{ kv_namespace: 'global' }], permissions: [{ kv: { read: 'motd' } }] },
          ],
        },
      ],
    },
  },
  {
    method: 'session_create',
    params: { name: 'Firefox on desk', hours: 12 },
    result: {
      key: 'W1m0vYtq8ZkX3nBd',
      secret: 'r7LxCq0WmV2aTz9dKfYb5NsGj3PhEu8R',
      made_at: 1795403000000,
      ends_at: 1795446200000,
    },
  },
  {
    method: 'session_create',
    params: { hours: 1000 },
    result: {
      key: 'pQ4hZs7TyB1uLk9C',
      secret: 'A2wGm6JtXr0vNcE8bKqYd4ZfHs1PoU5L',
      made_at: 1795403000001,
      ends_at: 1797995000001,
    },
  },
  {
    method: 'session_list',
    params: {},
    result: {
      token_key: '8mlpFolF7m0FLdRE',
      sessions: [
        {
          key: 'pQ4hZs7TyB1uLk9C',
          name: '',
          made_at: 1795403000001,
          ends_at: 1797995000001,
          used_at: 1795403000001,
          used_from: '',
          current: false,
        },
        {
          key: 'W1m0vYtq8ZkX3nBd',
          name: 'Firefox on desk',
          made_at: 1795403000000,
          ends_at: 1795446200000,
          used_at: 1795403000000,
          used_from: '',
          current: false,
        },
      ],
    },
  },
  {
    method: 'session_revoke',
    params: { key: 'W1m0vYtq8ZkX3nBd' },
    result: { revoked: 1 },
  },
  {
    method: 'session_revoke',
    params: { key: 'Kz83hQ0rTnVw5LdA' },
    error: {
      code: 105,
      message: 'Not found in database: Session not found: Kz83hQ0rTnVw5LdA',
    },
  },
  {
    method: 'session_revoke',
    params: { all: true },
    result: { revoked: 1 },
  },
  {
    method: 'token_delete',
    params: { target_token: 'dashboard' },
    result: {
      message: 'Token dashboard deleted successfully by SuperToken',
      rows_affected: 1,
      matched_by: 'username',
    },
  },
  {
    method: 'token_delete',
    params: { target_token: 'dashboard' },
    error: {
      code: 105,
      message: 'Not found in database: Token not found by key/username: dashboard',
    },
  },
];
