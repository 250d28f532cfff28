/** Keys that no part of the server reads are named with the nearest known one, and never refused. */
import { Type } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { parseToml } from '../../server/src/config/parse.ts';
import { type KnownKeys, unknownKeys } from '../../server/src/config/unknown.ts';
import { suite } from '../runner/suite.ts';

const test = suite('unknown configuration keys');

const known: KnownKeys = {
  sections: {
    kv: Type.Object({
      max_value_bytes: Type.Integer(),
      limits: Type.Object({ keys: Type.Integer() }, { default: {} }),
      labels: Type.Record(Type.String(), Type.String()),
    }),
    plain: undefined,
  },
  root: [Type.Object({ weather_path: Type.String() })],
  disabled: ['bus', 'kv', 'sleeper'],
};

/** [name, text, "path" or "path → nearest" of each finding] */
const rows: [name: string, text: string, findings: string[]][] = [
  [
    'every key of the chapter is known, whichever plugins run',
    `server_uuid = "x"
     ws_listener = "x"
     jsonrpc_max_connections = 1
     max_request_body_size = 1
     max_response_body_size = 1
     enable_unix_socket = true
     unix_socket_path = "x"
     tls_cert = "x"
     tls_key = "x"
     static_path = "x"
     db_path = "x"
     plugins = []
     extra_plugins = []
     shutdown_timeout_ms = 1
     [database]
     database_url = "x"
     connect_timeout_ms = 1
     acquire_timeout_ms = 1
     idle_timeout_ms = 1
     max_lifetime_ms = 1
     max_connections = 1
     sqlite_synchronous = "FULL"
     statement_timeout_ms = 1
     [logging]
     log_filter = "x"
     json_log_file = "x"
     json_log_filter = "x"
     json_log_max_mb = 1
     json_log_files = 1
     memory_log_capacity = 1
     memory_log_filter = "x"
     [monitoring_buffer]
     flush_interval_ms = 1
     max_batch_size = 1
     channel_capacity = 1
     [brand]
     word = "x"
     permission = "x"
     salt = "x"
     title = "x"
     peer_header = "x"
     [bus]
     transport = "auto"`,
    [],
  ],
  [
    'keys that plugins claim or own',
    'weather_path = "x"\n[kv]\nmax_value_bytes = 1\nlimits.keys = 1\nlabels.any = "x"',
    [],
  ],
  ['the section of a plugin that is off', '[sleeper]\nanything = 1', []],
  [
    'a misspelt key of the section that every server may have',
    '[bus]\ntransprt = "local"',
    ['bus.transprt → bus.transport'],
  ],
  ['a plugin without keys of its own', '[plain]\nx = 1', ['plain.x']],
  ['an empty section of such a plugin', '[plain]', []],
  ['a misspelt top-level key', 'ws_listner = "x"', ['ws_listner → ws_listener']],
  [
    'a misspelt key of a table',
    '[database]\nmax_conections = 1',
    ['database.max_conections → database.max_connections'],
  ],
  [
    'a misspelt key of a plugin',
    '[kv]\nmax_value_byte = 1',
    ['kv.max_value_byte → kv.max_value_bytes'],
  ],
  ['a misspelt nested key', '[kv.limits]\nkey = 1', ['kv.limits.key → kv.limits.keys']],
  ['a misspelt table', '[loging]\nlog_filter = "x"', ['loging → logging']],
  ['capitals', 'WS_LISTENER = "x"', ['WS_LISTENER → ws_listener']],
  [
    'a key in the wrong table',
    '[database]\nlog_filter = "x"',
    ['database.log_filter → logging.log_filter'],
  ],
  ['a key of a table at the top', 'database_url = "x"', ['database_url → database.database_url']],
  ['a key like nothing', 'colour = "x"', ['colour']],
  ['a section without a plugin', '[terminals]\nx = 1', ['terminals']],
  [
    'the keys of older templates',
    'log_level = "x"\n[logging]\nlog_level = "x"\njsonrpc_timing_log_level = "x"\nsqlx_log_level = "x"',
    [
      'log_level → logging.log_filter',
      'logging.log_level → logging.log_filter',
      'logging.jsonrpc_timing_log_level → logging.log_filter',
      'logging.sqlx_log_level → logging.log_filter',
    ],
  ],
  ['several, in the order of the file', 'b_ = 1\na_ = 1', ['b_', 'a_']],
];

for (const [name, text, findings] of rows) {
  test(name, () => {
    const found = unknownKeys(parseToml(text), known);
    assert.equal(
      found.map(({ path, nearest }) => (nearest ? `${path} → ${nearest}` : path)),
      findings,
    );
  });
}

test.run();
