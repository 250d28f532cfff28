/** Listen addresses, warnings, and the parts of the file that plugins own. */
import { Type } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { parseListener } from '../../server/src/config/listener.ts';
import { parseConfig } from '../../server/src/config/load.ts';
import { validateSection } from '../../server/src/config/section.ts';
import { suite } from '../runner/suite.ts';
import { refusal, textWith } from './config-kit.ts';

const test = suite('configuration sections');

const listeners: [text: string, address: { host: string; port: number } | undefined][] = [
  ['0.0.0.0:2211', { host: '0.0.0.0', port: 2211 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['127.0.0.1:65535', { host: '127.0.0.1', port: 65_535 }],
  ['[::]:2211', { host: '::', port: 2211 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['[2001:db8::5]:80', { host: '2001:db8::5', port: 80 }],
  ['127.0.0.1:65536', undefined],
  ['127.0.0.1:', undefined],
  ['127.0.0.1', undefined],
  ['127.0.0.1:-1', undefined],
  ['127.0.0.1:+1', undefined],
  ['127.0.0.1: 80', undefined],
  [' 127.0.0.1:80', undefined],
  ['127.1:80', undefined],
  ['256.0.0.1:80', undefined],
  ['[127.0.0.1]:80', undefined],
  ['::1:80', undefined],
  ['::', undefined],
  ['[::]', undefined],
  ['localhost:2211', undefined],
  ['example.org:2211', undefined],
  [':2211', undefined],
  ['2211', undefined],
  ['', undefined],
];

for (const [listener, address] of listeners) {
  test(`ws_listener ${JSON.stringify(listener)} is ${address ? 'an address' : 'refused'}`, () => {
    assert.equal(parseListener(listener), address);
    const config = textWith({ '': [`ws_listener = ${JSON.stringify(listener)}`] });
    const reason = listener.endsWith(':65536')
      ? 'must be IP:port, with a port of at most 65535'
      : 'must be IP:port or [IPv6]:port, such as 127.0.0.1:2211; host names are not accepted';
    const expected = address === undefined ? `ws_listener: ${reason} (line 1)` : 'accepted';
    assert.is(
      refusal(() => parseConfig(config)),
      expected,
    );
  });
}

test('a Unix socket path that no system takes is refused when the socket is on', () => {
  const config = (on: boolean, length: number) =>
    textWith({ '': [`unix_socket_path = "${'x'.repeat(length)}"`, `enable_unix_socket = ${on}`] });
  assert.is(
    refusal(() => parseConfig(config(true, 103))),
    'accepted',
  );
  assert.is(
    refusal(() => parseConfig(config(false, 104))),
    'accepted',
  );
  const message = 'unix_socket_path: must not be longer than 103 bytes (line 1)';
  assert.is(
    refusal(() => parseConfig(config(true, 104))),
    message,
  );
});

const half: [lines: string[], message: string][] = [
  [['tls_cert = "c"', 'tls_key = "k"'], 'accepted'],
  [
    ['tls_cert = "c"'],
    'tls_cert: is set without tls_key: set both, or none for plain HTTP (line 1)',
  ],
  [
    ['tls_key = "k"'],
    'tls_key: is set without tls_cert: set both, or none for plain HTTP (line 1)',
  ],
];

for (const [lines, message] of half) {
  test(`half TLS is refused: ${lines.join(', ')}`, () =>
    assert.is(
      refusal(() => parseConfig(textWith({ '': lines }))),
      message,
    ));
}

const misspelt: [name: string, from: string, to: string, message: string][] = [
  [
    'a key',
    'ws_listener',
    'ws_listner',
    "ws_listener: is missing; is 'ws_listner' meant to be it?",
  ],
  [
    'a key of a table',
    'database_url',
    'databas_url',
    "[database] database_url: is missing; is 'databas_url' meant to be it?",
  ],
  ['a table', '[database]', '[databse]', "database: is missing; is 'databse' meant to be it?"],
  ['a key like nothing', 'ws_listener', 'address', 'ws_listener: is missing'],
];

for (const [name, from, to, message] of misspelt) {
  test(`a required key that stands there misspelt is named: ${name}`, () => {
    const found = refusal(() => parseConfig(textWith().replace(from, to)));
    assert.is(found.replace(/ \(line \d+\)$/, ''), message);
  });
}

const warned: [name: string, lines: { [table: string]: string[] }, warnings: string[]][] = [
  ['plugins above the tables', { '': ['plugins = ["token"]'] }, []],
  [
    'plugins below a table header',
    { database: ['plugins = ["token"]'] },
    [
      'plugins stands inside the table [database] and chooses no plugins there: move it above the first table',
    ],
  ],
  [
    'extra_plugins below a table header',
    { '': ['plugins = []'], database: ['extra_plugins = ["./x"]'] },
    [
      'extra_plugins stands inside the table [database] and chooses no plugins there: move it above the first table',
    ],
  ],
  [
    'a table with a key of that name beside the list',
    { '': ['plugins = []'], other: ['plugins = ["x"]'] },
    [],
  ],
];

for (const [name, lines, warnings] of warned) {
  test(`warnings: ${name}`, () => assert.equal(parseConfig(textWith(lines)).warnings, warnings));
}

const Section = Type.Object({
  max_value_bytes: Type.Integer({ minimum: 1, default: 5 }),
  mode: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  nested: Type.Object(
    { list: Type.Array(Type.Object({ n: Type.Integer() }), { default: [] }) },
    { default: {} },
  ),
});

test("a plugin's section gets its defaults, also when it is absent, and the raw value stays as it was", () => {
  const raw = Object.freeze({});
  for (const given of [raw, undefined]) {
    assert.equal(validateSection('kv', Section, given, undefined), {
      max_value_bytes: 5,
      nested: { list: [] },
    });
  }
  const first = validateSection('kv', Section, undefined, undefined);
  first.nested.list.push({ n: 1 });
  assert.equal(
    validateSection('kv', Section, undefined, undefined).nested.list,
    [],
    'defaults are not shared',
  );
});

const sections: [name: string, lines: string[], message: string][] = [
  [
    'a wrong type',
    ['max_value_bytes = "x"'],
    '[kv] max_value_bytes: must be a whole number without quotes and units (line 6)',
  ],
  [
    'out of range',
    ['', '', 'max_value_bytes = 0'],
    '[kv] max_value_bytes: must be at least 1 (line 8)',
  ],
  ['no branch of a union', ['mode = "c"'], '[kv] mode: must be exactly a or b (line 6)'],
  [
    'inside a table',
    ['[kv.nested]', 'list = 5'],
    '[kv.nested] list: must be a list in brackets: ["one", "two"] (line 7)',
  ],
  [
    'inside a dotted key',
    ['nested.list = 5'],
    '[kv.nested] list: must be a list in brackets: ["one", "two"] (line 6)',
  ],
  [
    'in an array of tables',
    ['[[kv.nested.list]]', 'n = 1', '[[kv.nested.list]]', 'n = "x"'],
    '[kv.nested.list[1]] n: must be a whole number without quotes and units (line 9)',
  ],
  [
    'missing in an array of tables',
    ['[[kv.nested.list]]', 'm = 1'],
    '[kv.nested.list[0]] n: is missing (line 6)',
  ],
];

for (const [name, lines, message] of sections) {
  test(`a plugin's section: ${name} is told with key and line`, () => {
    const config = textWith({ kv: lines });
    const { raw } = parseConfig(config);
    assert.is(
      refusal(() => validateSection('kv', Section, raw['kv'], config)),
      message,
    );
    const bare = message.replace(/ \(line \d+\)$/, '');
    assert.is(
      refusal(() => validateSection('kv', Section, raw['kv'], undefined)),
      bare,
    );
  });
}

test("a plugin's section that is no table is refused", () => {
  const config = textWith({ '': ['kv = 5'] });
  const { raw } = parseConfig(config);
  assert.is(
    refusal(() => validateSection('kv', Section, raw['kv'], config)),
    'kv: must be a table (line 1)',
  );
});

test('claimed top-level keys are read from the whole file and nothing else comes along', () => {
  const Root = Type.Object({
    static_path: Type.String({ default: './static/' }),
    monitoring_buffer: Type.Object(
      { channel_capacity: Type.Integer({ minimum: 1, default: 9 }) },
      { default: {} },
    ),
  });
  const config = textWith({
    '': ['static_path = "x"'],
    monitoring_buffer: ['channel_capacity = 0'],
  });
  const { raw } = parseConfig(config);
  const message = '[monitoring_buffer] channel_capacity: must be at least 1 (line 7)';
  assert.is(
    refusal(() => validateSection('', Root, raw, config)),
    message,
  );
  assert.equal(validateSection('', Root, parseConfig(textWith()).raw, config), {
    static_path: './static/',
    monitoring_buffer: { channel_capacity: 9 },
  });
});

test.run();
