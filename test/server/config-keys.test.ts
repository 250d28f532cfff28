/** Every key of the head: default, wrong type, out of range, with key and line (configuration.md §1). */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { type ParsedConfig, parseConfig } from '../../server/src/config/load.ts';
import { suite } from '../runner/suite.ts';
import { refusal, textWith, UUID } from './config-kit.ts';

const test = suite('configuration keys');

const valueAt = (parsed: ParsedConfig, path: string): unknown =>
  path.split('.').reduce((value: any, key) => value?.[key], parsed.head);

const defaults: [path: string, value: unknown][] = [
  ['jsonrpc_max_connections', 10_000],
  ['jsonrpc_max_batch_entries', 10_000],
  ['max_request_body_size', 10_485_760],
  ['max_response_body_size', 104_857_600],
  ['enable_unix_socket', false],
  ['unix_socket_path', '/var/lib/svc.sock'],
  ['tls_cert', undefined],
  ['tls_key', undefined],
  ['plugins', undefined],
  ['extra_plugins', undefined],
  ['database.connect_timeout_ms', 3000],
  ['database.acquire_timeout_ms', 3000],
  ['database.idle_timeout_ms', 3000],
  ['database.max_lifetime_ms', 30_000],
  ['database.max_connections', 10],
  ['database.sqlite_synchronous', 'NORMAL'],
  ['database.sqlite_reserve_mb', undefined],
  ['logging.log_filter', 'info'],
  ['logging.json_log_file', undefined],
  ['logging.json_log_filter', undefined],
  ['logging.json_log_max_mb', 256],
  ['logging.json_log_files', 8],
  ['logging.memory_log_capacity', 500],
  ['logging.memory_log_filter', undefined],
  ['brand.word', 'svc'],
  ['brand.permission', 'svc'],
  ['brand.salt', 'SVC'],
  ['brand.title', 'svc'],
  ['brand.peer_header', 'ng-connecting-ip'],
  ['shutdown_timeout_ms', 8000],
];

test('the minimal file of the chapter is complete, every other key has its default', () => {
  const parsed = parseConfig(textWith());
  assert.is(parsed.head.server_uuid, UUID);
  assert.is(parsed.head.ws_listener, '127.0.0.1:2211');
  assert.is(parsed.head.database.database_url, 'sqlite://svc.db?mode=rwc');
  const found = defaults.map(([path]) => [path, valueAt(parsed, path)]);
  assert.equal(found, defaults);
  assert.equal(parsed.warnings, []);
});

/** Values that are taken as they are. */
const accepted: [table: string, key: string, toml: string, value: unknown][] = [
  ['', 'ws_listener', '"0.0.0.0:2211"', '0.0.0.0:2211'],
  ['', 'ws_listener', '"[::]:2211"', '[::]:2211'],
  ['', 'server_uuid', `"${UUID.toUpperCase()}"`, UUID],
  ['', 'server_uuid', `"${UUID.replaceAll('-', '')}"`, UUID],
  ['', 'jsonrpc_max_connections', '1', 1],
  ['', 'jsonrpc_max_connections', '100', 100],
  ['', 'jsonrpc_max_connections', '4_294_967_295', 4_294_967_295],
  ['', 'jsonrpc_max_batch_entries', '1', 1],
  ['', 'max_request_body_size', '1', 1],
  ['', 'max_response_body_size', '4294967295', 4_294_967_295],
  ['', 'enable_unix_socket', 'true', true],
  ['', 'unix_socket_path', '"s"', 's'],
  // Each needs the other one.
  ['', 'tls_cert', '"c.pem"\ntls_key = "k.pem"', 'c.pem'],
  ['', 'tls_key', '"k.pem"\ntls_cert = "c.pem"', 'k.pem'],
  ['', 'plugins', '[]', []],
  ['', 'plugins', '["token", "./x"]', ['token', './x']],
  ['', 'extra_plugins', '["./x"]', ['./x']],
  ['', 'shutdown_timeout_ms', '0', 0],
  ['database', 'database_url', '"postgres://u:p@h:5432/n"', 'postgres://u:p@h:5432/n'],
  ['database', 'database_url', '"postgresql://h/n"', 'postgresql://h/n'],
  [
    'database',
    'database_url',
    '"sqlite:///abs/path.db?mode=rwc"',
    'sqlite:///abs/path.db?mode=rwc',
  ],
  ['database', 'connect_timeout_ms', '1', 1],
  ['database', 'idle_timeout_ms', '0', 0],
  ['database', 'max_lifetime_ms', '2147483647', 2_147_483_647],
  // A u64 of the chapter; timers hold 32 bits.
  ['database', 'max_lifetime_ms', '2147483648', 2_147_483_647],
  ['database', 'acquire_timeout_ms', '9007199254740991', 2_147_483_647],
  ['database', 'max_connections', '1', 1],
  ['database', 'sqlite_synchronous', '"FULL"', 'FULL'],
  ['database', 'sqlite_reserve_mb', '0', 0],
  ['logging', 'log_filter', '""', ''],
  ['logging', 'json_log_file', '"log.jsonl"', 'log.jsonl'],
  ['logging', 'json_log_max_mb', '0', 0],
  ['logging', 'json_log_files', '1', 1],
  ['logging', 'memory_log_capacity', '0', 0],
  ['brand', 'word', '"acme_2"', 'acme_2'],
  ['brand', 'peer_header', '"X-Peer"', 'x-peer'],
];

for (const [table, key, toml, value] of accepted) {
  test(`accepts ${table && `[${table}] `}${key} = ${toml}`, () => {
    const parsed = parseConfig(textWith({ [table]: [`${key} = ${toml}`] }));
    assert.equal(valueAt(parsed, table === '' ? key : `${table}.${key}`), value);
  });
}

const u32 = (zero: string) => [
  ['"5"', 'must be a whole number without quotes and units'],
  ['1.5', 'must be a whole number without quotes and units'],
  ['-1', zero],
  ['4294967296', 'must be at most 4294967295'],
];
const counts = [...u32('must be at least 1'), ['0', 'must be at least 1']];
const text = [
  ['5', 'must be a text in quotes'],
  ['""', 'must not have fewer than 1 characters'],
];

/** [table, key, [value, reason]…] */
const refused: [table: string, key: string, values: string[][]][] = [
  ['', 'ws_listener', [['5', 'must be a text in quotes']]],
  [
    '',
    'server_uuid',
    [
      ['5', 'must be a text in quotes'],
      ['"auto_gen"', 'must be: UUID: hyphenated, 32 hex digits, in braces, or as urn:uuid.'],
      ['"AUTO_GEN"', 'must be: UUID: hyphenated, 32 hex digits, in braces, or as urn:uuid.'],
      ['"x"', 'must be: UUID: hyphenated, 32 hex digits, in braces, or as urn:uuid.'],
    ],
  ],
  ['', 'jsonrpc_max_connections', counts],
  ['', 'jsonrpc_max_batch_entries', counts],
  ['', 'max_request_body_size', counts],
  ['', 'max_response_body_size', counts],
  [
    '',
    'enable_unix_socket',
    [
      ['1', 'must be true or false, without quotes'],
      ['"true"', 'must be true or false, without quotes'],
    ],
  ],
  ['', 'unix_socket_path', text],
  ['', 'tls_cert', text],
  ['', 'tls_key', text],
  ['', 'plugins', [['"token"', 'must be a list in brackets: ["one", "two"]']]],
  [
    '',
    'shutdown_timeout_ms',
    [
      ['"1"', 'must be a whole number without quotes and units'],
      ['-1', 'must be at least 0'],
    ],
  ],
  ['', 'logging', [['5', 'must be a table']]],
  ['', 'brand', [['"svc"', 'must be a table']]],
  [
    'database',
    'database_url',
    [
      ['5', 'must be a text in quotes'],
      [
        '"mysql://h/n"',
        'must be: `sqlite://svc.db?mode=rwc` or `postgres://user:pass@host:5432/name`.',
      ],
      ['""', 'must be: `sqlite://svc.db?mode=rwc` or `postgres://user:pass@host:5432/name`.'],
    ],
  ],
  [
    'database',
    'connect_timeout_ms',
    [
      ['0', 'must be at least 1'],
      ['true', 'must be a whole number without quotes and units'],
    ],
  ],
  [
    'database',
    'acquire_timeout_ms',
    [
      ['0', 'must be at least 1'],
      ['-1', 'must be at least 1'],
    ],
  ],
  [
    'database',
    'idle_timeout_ms',
    [
      ['-1', 'must be at least 0'],
      ['"3s"', 'must be a whole number without quotes and units'],
    ],
  ],
  [
    'database',
    'max_lifetime_ms',
    [
      ['-1', 'must be at least 0'],
      ['0.5', 'must be a whole number without quotes and units'],
    ],
  ],
  ['database', 'max_connections', counts],
  ['database', 'sqlite_synchronous', [['"OFF"', 'must be one of NORMAL, FULL']]],
  [
    'logging',
    'log_filter',
    [
      ['5', 'must be a text in quotes'],
      ['["info"]', 'must be a text in quotes'],
    ],
  ],
  ['logging', 'json_log_file', text],
  ['logging', 'json_log_filter', [['true', 'must be a text in quotes']]],
  ['logging', 'json_log_max_mb', u32('must be at least 0')],
  ['logging', 'json_log_files', u32('must be at least 1')],
  ['logging', 'memory_log_capacity', u32('must be at least 0')],
  ['logging', 'memory_log_filter', [['{}', 'must be a text in quotes']]],
  ['brand', 'salt', text],
  ['brand', 'title', text],
  [
    'brand',
    'permission',
    [
      ['5', 'must be a text in quotes'],
      [
        '"a b"',
        'must be: 1 to 32 letters (A-Z, a-z), digits, `_` and `-`, a letter or `_` first; the tag of server permissions.',
      ],
    ],
  ],
  [
    'brand',
    'peer_header',
    [
      [
        '"a b"',
        "must be: The name of a header: letters (A-Z, a-z), digits and `-`; the header has the peer's address.",
      ],
    ],
  ],
];

for (const [table, key, values] of refused) {
  for (const [toml, reason] of values) {
    const label = table === '' ? key : `[${table}] ${key}`;
    test(`refuses ${label} = ${toml}, naming key and line`, () => {
      const config = textWith({ [table]: ['# a comment', `${key} = ${toml}`] });
      const line = config.split('\n').indexOf(`${key} = ${toml}`) + 1;
      assert.is(
        refusal(() => parseConfig(config)),
        `${label}: ${reason} (line ${line})`,
      );
    });
  }
}

for (const word of ['', 'a b', 'a-b', '1a', 'a/b', 'a'.repeat(33)]) {
  test(`refuses the brand word ${JSON.stringify(word)}: it is a namespace, a route and an identifier`, () => {
    const config = textWith({ brand: [`word = ${JSON.stringify(word)}`] });
    assert.match(
      refusal(() => parseConfig(config)),
      /^\[brand\] word: must be: .* \(line 6\)$/,
    );
  });
}

const whole: [name: string, text: string, message: string][] = [
  ['nothing at all', '', 'server_uuid: is missing\nws_listener: is missing\ndatabase: is missing'],
  [
    'a database table without URL',
    `server_uuid = "${UUID}"\nws_listener = "127.0.0.1:1"\n\n[database]\nmax_connections = 5\n`,
    '[database] database_url: is missing (line 4)',
  ],
  [
    'a database that is no table',
    `server_uuid = "${UUID}"\nws_listener = "127.0.0.1:1"\ndatabase = "sqlite://x"\n`,
    'database: must be a table (line 3)',
  ],
  [
    'dotted keys',
    `server_uuid = "${UUID}"\nws_listener = "127.0.0.1:1"\ndatabase.database_url = "sqlite://x"\ndatabase.max_connections = 0\n`,
    '[database] max_connections: must be at least 1 (line 4)',
  ],
  [
    'an inline table over several problems',
    `server_uuid = "${UUID}"\nws_listener = 1\ndatabase = { database_url = "sqlite://x", max_connections = 0 }\n`,
    '[database] max_connections: must be at least 1 (line 3)\nws_listener: must be a text in quotes (line 2)',
  ],
  [
    'one wrong plugin entry',
    textWith({ '': ['plugins = [', '  "token", # one', '  5,', ']'] }),
    'plugins[1]: must be a text in quotes (line 3)',
  ],
  ['a syntax error', textWith({ '': ['x = = 1'] }), 'x: invalid value (line 1, column 5)'],
  [
    'a key given twice',
    textWith({ database: ['max_connections = 1', 'max_connections = 2'] }),
    'max_connections: trying to redefine an already defined table or value (line 5, column 1)',
  ],
];

for (const [name, config, message] of whole) {
  test(`refuses ${name}`, () => {
    const lines = (text: string) => text.split('\n').toSorted();
    assert.equal(lines(refusal(() => parseConfig(config))), lines(message));
  });
}

test('messages never quote a value', () => {
  const secret = 'hunter2';
  const texts = [
    textWith({ database: [`database_url = "mysql://u:${secret}@h/n"`] }),
    textWith({ database: [`database_url = "postgres://u:${secret}@h/n`] }),
    textWith({ database: [`database_url = postgres://u:${secret}@h/n`] }),
    textWith({ brand: ['salt = """', secret, '\\q"""'] }),
    textWith({ brand: [`salt = ["${secret}"]`] }),
  ];
  for (const config of texts)
    assert.not.match(
      refusal(() => parseConfig(config)),
      secret,
    );
});

test('any text is a configuration or a UserError', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '[database]',
      '[a]',
      '[[a]]',
      'ws_listener = "127.0.0.1:1"',
      `server_uuid = "${UUID}"`,
    ),
    fc.constantFrom(
      'database_url = "sqlite://x"',
      '__proto__ = 1',
      '[constructor]',
      'a.b.c = {x = [1, {y = 2}]}',
    ),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      refusal(() => parseConfig(lines.join('\n')));
    }),
  );
});

test.run();
