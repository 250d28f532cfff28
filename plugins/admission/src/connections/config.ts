import { fileOnly, type Static, Type } from '@svc/plugin-sdk';

const Milliseconds = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1_000, maximum: 2 ** 31 - 1, default: fallback, description });
const Count = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 2 ** 40, default: fallback, description });

/** Keys of `[admission]` about connections. `strangers` are those that have shown no valid credential so far. */
export const connectionKeys = {
  max_connections: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'TCP connections at a time; default: seven eighths of the descriptors.',
    }),
  ),
  strangers_per_address: Count(
    10_000,
    'Connections of one address without a valid credential so far.',
  ),
  silence_timeout_ms: Milliseconds(120_000, 'A silent connection without a credential is closed.'),
  crowded_silence_ms: Milliseconds(5_000, 'The same when nine tenths of the places are taken.'),
  head_timeout_ms: Milliseconds(30_000, 'TLS handshake and head of the first request.'),
  body_timeout_ms: Milliseconds(900_000, 'A whole body or message without a credential.'),
  min_bytes_per_second: Type.Integer({
    minimum: 0,
    default: 4_096,
    description: 'A body or message that comes more slowly ends its connection.',
  }),
  bodies_per_address: Count(
    1_024,
    'Unfinished bodies and messages of one address without a credential.',
  ),
  receive_budget_bytes: Count(
    67_108_864,
    'Memory of unfinished bodies and messages without a credential; one address: half of it.',
  ),
  known_receive_budget_bytes: Count(
    268_435_456,
    'The same with a valid credential; one token: half of it.',
  ),
};

/** Top-level keys of the configuration about who may come, and how. */
export const hostKeys = {
  trusted_proxies: fileOnly(
    Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Addresses and networks whose x-forwarded-for and -proto count; `unix` too. Where none are listed, -proto counts from this machine.',
    }),
  ),
  allowed_hosts: fileOnly(
    Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Host names that requests may use; others: 421. Absent: any.',
      }),
    ),
  ),
  allowed_origins: fileOnly(
    Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Origins of web pages elsewhere that may speak JSON-RPC. Absent: any.',
      }),
    ),
  ),
  hsts_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'max-age of Strict-Transport-Security over TLS. Absent: not sent.',
    }),
  ),
};

const Connections = Type.Object(connectionKeys);
const HostCheck = Type.Object(hostKeys);
export type ConnectionSettings = Static<typeof Connections>;
export type HostSettings = Static<typeof HostCheck>;
