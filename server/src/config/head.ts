import { fileOnly, type Static, secretKey, Type, Uuid } from '@svc/plugin-sdk';

/** Configured longer times are cut to this: timers count in 32 bits. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const Count = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1, default: fallback, description });
const UpTo32Bits = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, default: fallback, description });
const Milliseconds = (fallback: number, minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, default: fallback, description });
const Path = (description: string) => fileOnly(Type.String({ minLength: 1, description }));
const Plugins = (description: string) =>
  fileOnly(Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description })));
const Spelled = (pattern: string, fallback: string, description: string) =>
  Type.String({ pattern, default: fallback, description });
const FilterText = (description: string) => Type.Optional(Type.String({ description }));

/** Schemes that the built-in drivers open. */
export const BUILT_IN_SCHEMES = ['sqlite', 'postgres', 'postgresql'];

export const DATABASE_URLS = '`sqlite://svc.db?mode=rwc` or `postgres://user:pass@host:5432/name`.';

const RESERVE = {
  description:
    'SQLite: MB kept free for deletes on a full disk; default 2 % of it, at least 8 and at most 64.',
};

const Database = Type.Object({
  database_url: fileOnly(
    secretKey(Type.String({ pattern: '^[a-z][a-z0-9+.-]*:.+', description: DATABASE_URLS })),
  ),
  connect_timeout_ms: Milliseconds(3000, 1, 'Wait for a new connection.'),
  acquire_timeout_ms: Milliseconds(3000, 1, 'Wait for a pooled connection.'),
  idle_timeout_ms: Milliseconds(3000, 0, 'Unused connections are closed after this.'),
  max_lifetime_ms: Milliseconds(30_000, 0, 'Connections are replaced after this.'),
  max_connections: Count(10, 'Pool size.'),
  statement_timeout_ms: Milliseconds(60_000, 0, 'Postgres ends a statement after this; 0: never.'),
  sqlite_synchronous: Type.Enum(['NORMAL', 'FULL'], {
    default: 'NORMAL',
    description: 'SQLite: NORMAL survives a killed process, FULL also a power cut.',
  }),
  sqlite_reserve_mb: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 20, ...RESERVE })),
});

const Logging = Type.Object(
  {
    log_filter: Type.String({ default: 'info', description: 'Console; `RUST_LOG` wins.' }),
    json_log_file: Type.Optional(Path('JSON lines file, appended to; none: off.')),
    json_log_filter: FilterText('Default: the console filter.'),
    json_log_max_mb: UpTo32Bits(256, 'The file begins anew past so many MB; 0: never.'),
    json_log_files: Count(8, 'Full files that are kept beside it.'),
    memory_log_capacity: UpTo32Bits(500, 'Records kept in memory; 0: off.'),
    memory_log_filter: FilterText('Default: the console filter.'),
  },
  { default: {} },
);

// Of a value that does not fit, the sentence behind `must be:`.
const WORD =
  '1 to 32 letters (A-Z, a-z), digits and `_`, no digit first; namespace, routes, marker and globals have it.';
const PERMISSION =
  '1 to 32 letters (A-Z, a-z), digits, `_` and `-`, a letter or `_` first; the tag of server permissions.';
const PEER_HEADER =
  "The name of a header: letters (A-Z, a-z), digits and `-`; the header has the peer's address.";

const Brand = Type.Object(
  {
    word: Spelled('^[A-Za-z_][A-Za-z0-9_]{0,31}$', 'svc', WORD),
    permission: Spelled('^[A-Za-z_][A-Za-z0-9_-]{0,31}$', 'svc', PERMISSION),
    // Another one makes every credential invalid.
    salt: fileOnly(Type.String({ minLength: 1, default: 'SVC', description: 'Hash prefix.' })),
    title: Type.String({ minLength: 1, default: 'svc', description: 'Human name in texts.' }),
    // Scripts trust it; a client could send what an old name says.
    peer_header: fileOnly(Spelled('^[A-Za-z0-9-]+$', 'ng-connecting-ip', PEER_HEADER)),
  },
  { default: {} },
);

/** The kernel's keys (configuration.md §1), with defaults. */
export const HeadSchema = Type.Object({
  server_uuid: Uuid,
  // It opens no file and trusts no one.
  ws_listener: Type.String({ wire: true, description: '`IP:port` for HTTP and WebSocket.' }),
  jsonrpc_max_connections: Count(10_000, 'JSON-RPC sockets and requests at a time.'),
  jsonrpc_max_batch_entries: Count(10_000, 'Entries of one JSON-RPC batch.'),
  max_request_body_size: Count(10_485_760, 'Bytes.'),
  max_response_body_size: Count(104_857_600, 'Bytes.'),
  enable_unix_socket: Type.Boolean({ default: false, description: 'Listens on it, too.' }),
  unix_socket_path: fileOnly(
    Type.String({
      minLength: 1,
      default: '/var/lib/svc.sock',
      description: 'Unix socket with the same routes.',
    }),
  ),
  tls_cert: Type.Optional(Path('PEM file of the certificate chain.')),
  tls_key: Type.Optional(Path('PEM file of the private key.')),
  plugins: Plugins('Built-in name, npm package or path; absent: all built-in ones.'),
  extra_plugins: Plugins(
    'npm package or path; loaded beside those of `plugins`, which may be absent.',
  ),
  shutdown_timeout_ms: Milliseconds(8000, 0, 'Running calls get this long at a stop.'),
  database: Database,
  logging: Logging,
  brand: Brand,
});

export type Head = Static<typeof HeadSchema>;
