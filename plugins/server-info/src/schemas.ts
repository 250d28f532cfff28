import { type Static, Type } from '@svc/plugin-sdk';
import type { ConfigWarning, LogRecord } from '@svc/plugin-sdk/kernel';

/** One log record (svc-server.md §9.1). */
export const LogEntry = Type.Unsafe<LogRecord>(
  Type.Object({
    timestamp: Type.String({ description: 'Local time, YYYY-MM-DDThh:mm:ss.mmm±hh:mm.' }),
    level: Type.Enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR']),
    target: Type.String(),
    message: Type.String(),
    fields: Type.Record(Type.String(), Type.Unknown()),
    spans: Type.Array(Type.Object({ name: Type.String(), fields: Type.Optional(Type.String()) }), {
      description: 'Innermost first.',
    }),
  }),
);

/** Result of `svc-server_version`: the members are fixed, all of them text. */
export const Version = Type.Object({
  binary_type: Type.Literal('Server'),
  cargo_version: Type.String({ description: 'MAJOR.MINOR.PATCH' }),
  git_branch: Type.String(),
  git_commit_sha: Type.String({ description: '40 hex digits.' }),
  git_commit_date: Type.String({ description: 'ISO 8601 with offset.' }),
  git_commit_message: Type.String({ description: 'First line.' }),
  build_time: Type.String({ description: 'Unix seconds as decimal text.' }),
  cargo_target_triple: Type.String(),
  rustc_channel: Type.String(),
  rustc_version: Type.String(),
  rustc_commit_date: Type.String(),
  rustc_commit_hash: Type.String(),
  rustc_llvm_version: Type.String(),
});
export type Version = Static<typeof Version>;

/** Result of `svc-server_exec_sql`. */
export const SqlResult = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  row_count: Type.Integer({
    description: 'Rows produced, or rows changed when the statement returns none.',
  }),
  truncated: Type.Boolean(),
});

/** Result of `svc-server_database_storage`. */
export const Storage = Type.Object({
  tables: Type.Record(Type.String(), Type.Integer({ description: 'Bytes.' })),
  total: Type.Integer({ description: 'Bytes.' }),
});

/** Result of `svc-server_config_warnings`. */
export const ConfigWarnings = Type.Object({
  warnings: Type.Array(
    Type.Unsafe<ConfigWarning>(
      Type.Object({
        kind: Type.Enum(['unknown', 'restart', 'reload', 'advice']),
        key: Type.Optional(Type.String({ description: '`database.max_connections`' })),
        nearest: Type.Optional(Type.String({ description: 'The key that was probably meant.' })),
        message: Type.String(),
      }),
    ),
  ),
  file_only: Type.Array(Type.String(), {
    description: 'Keys of the file that change on the machine only, as `enrol.url`.',
  }),
});

/** Result of `svc-server_plugins`. */
export const Plugins = Type.Object({
  plugins: Type.Array(
    Type.Object({
      name: Type.String(),
      version: Type.String(),
      enabled: Type.Literal(true),
      built_in: Type.Boolean({ description: 'A plugin of this product goes by that name.' }),
      namespaces: Type.Array(Type.String(), {
        description: 'Its methods are named so, or begin with one of these and `_`.',
      }),
    }),
  ),
});
