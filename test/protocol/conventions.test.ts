import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { suite } from '../runner/suite.ts';
import { probe } from './probe-plugin.ts';

const test = suite('conventions');
let app: TestApp;

test.before(async () => {
  app = await bootForTest([probe], {
    max_request_body_size: 100_000,
    max_response_body_size: 300_000,
  });
});
test.after(() => app.stop());

const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
const invalid = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"Invalid request"}}`;
const result = (id: string, value: string) => `{"jsonrpc":"2.0","id":${id},"result":${value}}`;
const hello = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"probe_hello"}`;

async function post(body: string | Uint8Array, headers: Record<string, string> = {}, path = '/') {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    headers: response.headers,
  };
}

/** conventions.md §2.1, §2.2, §2.5: text sent → exact text answered; undefined: nothing on WebSocket, `null` on HTTP. */
const envelopes: [name: string, sent: string, answered: string | undefined][] = [
  ['a call with a numeric id', hello('1'), result('1', '"hello"')],
  ['id 0', hello('0'), result('0', '"hello"')],
  [
    'the largest id, 2^64-1, unchanged',
    hello('18446744073709551615'),
    result('18446744073709551615', '"hello"'),
  ],
  ['an id above 2^53 unchanged', hello('9007199254740993'), result('9007199254740993', '"hello"')],
  ['an id above 2^64-1 is refused', hello('18446744073709551616'), invalid('null')],
  [
    'a string id with escapes comes back as written',
    hello('"\\u0041\\n"'),
    result('"\\u0041\\n"', '"hello"'),
  ],
  ['a null id is answered with null', hello('null'), result('null', '"hello"')],
  ['a negative id is refused', hello('-1'), invalid('null')],
  ['a fractional id is refused', hello('1.5'), invalid('null')],
  ['a fractional spelling of an integer is refused', hello('1.0'), invalid('null')],
  ['a boolean id is refused', hello('true'), invalid('null')],
  ['an object as id is refused', hello('{"id":1}'), invalid('null')],
  ['an array as id is refused', hello('[1]'), invalid('null')],
  [
    'unknown members are ignored',
    '{"jsonrpc":"2.0","id":1,"method":"probe_hello","x":{"id":[2,"}"]}}',
    result('1', '"hello"'),
  ],
  [
    'members in any order',
    '{"method":"probe_hello","id":7,"params":[],"jsonrpc":"2.0"}',
    result('7', '"hello"'),
  ],
  [
    'escaped member names',
    '{"jsonrpc":"2.0","\\u0069d":3,"method":"probe_hello"}',
    result('3', '"hello"'),
  ],
  [
    'without id: a notification, not executed',
    '{"jsonrpc":"2.0","method":"probe_throw","params":["x"]}',
    undefined,
  ],
  ['a notification of an unknown method', '{"jsonrpc":"2.0","method":"nope"}', undefined],
  [
    'a duplicated id is no call',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"probe_hello"}',
    undefined,
  ],
  [
    'a duplicated method is -32600 with the id',
    '{"jsonrpc":"2.0","id":1,"method":"probe_hello","method":"probe_hello"}',
    invalid('1'),
  ],
  [
    'duplicated params are -32600',
    '{"jsonrpc":"2.0","id":1,"method":"probe_hello","params":[],"params":[]}',
    invalid('1'),
  ],
  [
    'a duplicated jsonrpc is -32600',
    '{"jsonrpc":"2.0","jsonrpc":"2.0","id":"a","method":"probe_hello"}',
    invalid('"a"'),
  ],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"probe_hello"}', invalid('1')],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"probe_hello"}', invalid('1')],
  ['no jsonrpc', '{"id":1,"method":"probe_hello"}', invalid('1')],
  ['no method', '{"jsonrpc":"2.0","id":1}', invalid('1')],
  ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":5}', invalid('1')],
  ['neither call nor id', '{"jsonrpc":"2.0"}', PARSE_ERROR],
  ['an empty object', '{}', PARSE_ERROR],
  ['no method and a bad id', '{"jsonrpc":"2.0","id":-1}', PARSE_ERROR],
  ['a syntax error', '{"jsonrpc":"2.0","id":1,', PARSE_ERROR],
  ['text behind the brace', `${hello('1')} x`, PARSE_ERROR],
  ['127 bytes of leading space', ' '.repeat(127) + hello('1'), result('1', '"hello"')],
  ['128 bytes of leading space', ' '.repeat(128) + hello('1'), PARSE_ERROR],
  ['trailing white space', `${hello('1')} \n\t`, result('1', '"hello"')],
  [
    'an unknown method',
    '{"jsonrpc":"2.0","id":1,"method":"probe_nope"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
  ],
  [
    'a method name in other case',
    '{"jsonrpc":"2.0","id":1,"method":"Probe_hello"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
  ],
  [
    'a name of the object prototype is no method',
    '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
  ],
  [
    'methods without parameters ignore params of any type',
    '{"jsonrpc":"2.0","id":1,"method":"probe_hello","params":"x"}',
    result('1', '"hello"'),
  ],
  ['an empty batch', '[]', invalid('null')],
  ['a batch that is no JSON', '[1,', PARSE_ERROR],
  [
    'a batch of calls keeps order and ids',
    `[${hello('18446744073709551615')},${hello('"b"')}]`,
    `[${result('18446744073709551615', '"hello"')},${result('"b"', '"hello"')}]`,
  ],
  [
    'entries that are no calls',
    `[1,"x",null,[],{},{"id":5},${hello('1')}]`,
    `[${invalid('null')},${invalid('null')},${invalid('null')},${invalid('null')},${invalid('null')},${invalid('5')},${result('1', '"hello"')}]`,
  ],
  [
    'notifications take no place in a batch',
    `[{"jsonrpc":"2.0","method":"x"},${hello('1')}]`,
    `[${result('1', '"hello"')}]`,
  ],
  ['a batch of notifications only', '[{"jsonrpc":"2.0","method":"x"}]', undefined],
];

for (const [name, sent, answered] of envelopes) {
  test(`WebSocket: ${name}`, async () => {
    const socket = await app.connect();
    if (answered === undefined) socket.send(sent);
    const got = await rawExchange(socket.raw, answered === undefined ? hello('"after"') : sent);
    assert.is(got, answered ?? result('"after"', '"hello"'));
    socket.close();
  });
  test(`HTTP: ${name}`, async () => {
    const { status, text, type } = await post(sent);
    assert.is(text, answered ?? 'null');
    assert.is(type, 'application/json; charset=utf-8');
    assert.is(status, sent.startsWith(' '.repeat(128)) ? 400 : 200);
  });
}

async function rawExchange(socket: WebSocket, text: string | Buffer): Promise<string> {
  const answer = once(socket, 'message');
  socket.send(text);
  const [data] = await answer;
  return String(data);
}

/** conventions.md §2.3 */
const big = '9223372036854775807';
const params: [name: string, method: string, params: string, expected: string | number][] = [
  ['positional', 'probe_typed', '["a",5,true]', '{"name":"a","count":5,"flag":true}'],
  [
    'surplus elements are ignored',
    'probe_typed',
    '["a",5,true,1,{}]',
    '{"name":"a","count":5,"flag":true}',
  ],
  ['an absent optional', 'probe_typed', '["a",5]', '{"name":"a","count":5,"flag":null}'],
  ['a null optional', 'probe_typed', '["a",5,null]', '{"name":"a","count":5,"flag":null}'],
  ['named', 'probe_typed', '{"count":5,"name":"a"}', '{"name":"a","count":5,"flag":null}'],
  [
    'a named null optional',
    'probe_typed',
    '{"count":5,"name":"a","flag":null}',
    '{"name":"a","count":5,"flag":null}',
  ],
  [
    'unknown names are ignored',
    'probe_typed',
    '{"count":5,"name":"a","zzz":1}',
    '{"name":"a","count":5,"flag":null}',
  ],
  [
    'unknown names may even be repeated',
    'probe_typed',
    '{"count":5,"name":"a","z":1,"z":2}',
    '{"name":"a","count":5,"flag":null}',
  ],
  ['snake_case names', 'probe_echo', '{"config_string":1,"second_value":2}', '[1,2]'],
  ['camelCase names', 'probe_echo', '{"configString":1,"secondValue":2}', '[1,2]'],
  [
    '64-bit integers survive',
    'probe_typed',
    `["a",${big}]`,
    `{"name":"a","count":${big},"flag":null}`,
  ],
  [
    'the smallest 64-bit integer',
    'probe_typed',
    '["a",-9223372036854775808]',
    '{"name":"a","count":-9223372036854775808,"flag":null}',
  ],
  [
    '2^53+1 inside any value',
    'probe_echo',
    '[{"a":[9007199254740993,"9007199254740993"]}]',
    '[{"a":[9007199254740993,"9007199254740993"]},null]',
  ],
  ['both spellings of one name', 'probe_echo', '{"config_string":1,"configString":1}', -32602],
  ['one name twice', 'probe_typed', '{"name":"a","name":"b","count":1}', -32602],
  ['no params', 'probe_typed', '', -32602],
  ['null params', 'probe_typed', 'null', -32602],
  ['empty params', 'probe_typed', '[]', -32602],
  ['a missing element', 'probe_typed', '["a"]', -32602],
  ['a missing name', 'probe_typed', '{"name":"a"}', -32602],
  ['null for a required one', 'probe_typed', '[null,5]', -32602],
  ['a wrong type', 'probe_typed', '[5,5]', -32602],
  ['a numeric string for an integer', 'probe_typed', '["a","5"]', -32602],
  ['a fraction for an integer', 'probe_typed', '["a",5.5]', -32602],
  ['an integer above the type', 'probe_typed', '["a",9223372036854775808]', -32602],
  ['a string as params', 'probe_typed', '"x"', -32602],
  ['a number as params', 'probe_typed', '5', -32602],
  [
    'nesting of 128',
    'probe_echo',
    `[${'['.repeat(128)}${']'.repeat(128)}]`,
    `[${'['.repeat(128)}${']'.repeat(128)},null]`,
  ],
  ['half a surrogate pair', 'probe_typed', '["\\ud800",5]', -32602],
  ['the other half', 'probe_typed', '["a\\uDFFFb",5]', -32602],
  ['two halves in the wrong order', 'probe_typed', '["\\ude00\\ud83d",5]', -32602],
  ['half a pair behind a whole one', 'probe_typed', '["\\ud83d\\ude00\\ud83d",5]', -32602],
  ['half a pair deep inside', 'probe_echo', '[{"a":[{"b":"\\udc00"}]}]', -32602],
  ['half a pair in a member name', 'probe_echo', '[{"\\ud800":1}]', -32602],
  ['half a pair by name', 'probe_echo', '{"config_string":"\\ud800"}', -32602],
  ['half a pair in an element that is not used', 'probe_typed', '["a",5,true,"\\ud800"]', -32602],
  [
    'half a pair under an unknown name',
    'probe_typed',
    '{"count":5,"name":"a","z":"\\ud800"}',
    -32602,
  ],
  ['half a pair behind an escaped backslash', 'probe_typed', '["\\\\\\ud800",5]', -32602],
  ['a whole pair', 'probe_typed', '["\\uD83D\\uDE00",5]', '{"name":"😀","count":5,"flag":null}'],
  [
    'an escaped backslash before the letters of a half',
    'probe_typed',
    '["\\\\ud800",5]',
    '{"name":"\\\\ud800","count":5,"flag":null}',
  ],
  ['a number that no double holds', 'probe_echo', '[1e400]', -32602],
  ['such a number that a repeated name hides', 'probe_echo', '[{"a":1e400,"a":1}]', -32602],
  ['such a number with sign, point and zeros', 'probe_echo', '[{"a":[-12.5E+0400]}]', -32602],
  ['such a number with a small exponent', 'probe_echo', `[1${'0'.repeat(300)}e99]`, -32602],
  ['an integer of 400 digits', 'probe_echo', `[1${'0'.repeat(400)}]`, -32602],
  ['such a number for an integer', 'probe_typed', '["a",1e400]', -32602],
  ['the letters of such a number', 'probe_echo', '["1e400"]', '["1e400",null]'],
  ['a large number that a double holds', 'probe_echo', '[1e300]', '[1e+300,null]'],
  ['a number that a double rounds to zero', 'probe_echo', '[1e-400]', '[0,null]'],
  ['nesting of 129', 'probe_echo', `[${'['.repeat(129)}${']'.repeat(129)}]`, -32602],
  [
    'nesting of 50,000 does no harm',
    'probe_echo',
    `[${'['.repeat(40_000)}${']'.repeat(40_000)}]`,
    -32602,
  ],
];

for (const [name, method, given, expected] of params) {
  test(`parameters: ${name}`, async () => {
    const member = given === '' ? '' : `,"params":${given}`;
    const { text, status } = await post(`{"jsonrpc":"2.0","id":1,"method":"${method}"${member}}`);
    assert.is(status, 200);
    if (typeof expected === 'string') {
      assert.is(text, result('1', expected));
      return;
    }
    const { error } = JSON.parse(text);
    assert.is(error.code, expected);
    assert.is(error.message, 'Invalid params');
    assert.type(error.data, 'string');
  });
}

test('reasons follow the wording of the chapter', async () => {
  const reason = async (method: string, given: string) =>
    JSON.parse((await post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${given}}`)).text)
      .error.data;
  assert.is(await reason('probe_typed', '[]'), 'No more params');
  assert.is(await reason('probe_typed', '{"name":"a"}'), 'missing field `count`');
  assert.is(
    await reason('probe_typed', '{"name":"a","conut":1}'),
    'missing field `count`; unknown field `conut`, expected one of `name`, `count`, `flag`',
  );
  assert.is(
    await reason('probe_typed', '{"name":"a","name":"b","count":1}'),
    'duplicate field `name`',
  );
  assert.match(await reason('probe_typed', '[5,5]'), /^invalid type: integer `5`/);
  assert.is(
    await reason('probe_typed', '"x"'),
    `Invalid params. Expected one of '[', ']' or ',' but found "\\"x\\""`,
  );
  assert.match(
    await reason('probe_echo', `[${'['.repeat(200)}${']'.repeat(200)}]`),
    /^recursion limit exceeded/,
  );
});

test('a reason never shows the text of a string', async () => {
  const { text } = await post(
    '{"jsonrpc":"2.0","id":1,"method":"probe_typed","params":["a","hidden-secret"]}',
  );
  assert.not.match(text, /hidden-secret/);
});

test('any JSON value of any depth to 100 comes back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 20 }), async (text) => {
      const { text: answer } = await post(
        `{"jsonrpc":"2.0","id":1,"method":"probe_echo","params":[${text}]}`,
      );
      assert.equal(JSON.parse(answer).result[0], JSON.parse(text));
    }),
    { numRuns: 50 },
  );
});

test('any text gets one answer of the envelope and the server goes on', async () => {
  const socket = await app.connect();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((text) => `{${text}`),
      ),
      async (text) => {
        const answer = JSON.parse(await rawExchange(socket.raw, text));
        assert.ok(
          Array.isArray(answer) || answer.error.code === -32700 || answer.error.code === -32600,
        );
      },
    ),
    { numRuns: 200 },
  );
  assert.is(await socket.call('probe_hello'), 'hello');
  socket.close();
});

/** conventions.md §4 */
const types: [type: string, status: number][] = [
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/json;charset=utf-8', 200],
  ['application/json-rpc', 200],
  ['application/json-rpc; charset=utf-8', 200],
  ['application/json-rpc;charset=utf-8', 200],
  ['APPLICATION/JSON; CHARSET=UTF-8', 200],
  ['text/plain', 415],
  ['application/json; charset=latin1', 415],
  ['application/json, text/plain', 415],
  ['', 415],
];

for (const [type, status] of types) {
  test(`content type ${type || '(none)'} gives ${status}`, async () => {
    const { status: got, text } = await rawPost(hello('1'), type);
    assert.is(got, status);
    if (status === 415) {
      assert.is(
        text,
        'Supplied content type is not allowed. Content-Type: application/json is required\n',
      );
    }
  });
}

/** `fetch` always adds a content type; this does not. */
function rawPost(
  body: string,
  type: string,
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = type === '' ? {} : { 'content-type': type };
    const request = httpRequest(app.url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
  test(`${method} on a path without a route is 405`, async () => {
    const response = await app.fetch('/any/path', { method });
    assert.is(response.status, 405);
    assert.is(response.headers.get('allow'), null);
    if (method !== 'HEAD')
      assert.is(await response.text(), 'Used HTTP Method is not allowed. POST is required\n');
  });
}

test('OPTIONS is answered for browsers on other origins', async () => {
  const response = await app.fetch('/svc/rpc', { method: 'OPTIONS' });
  assert.is(response.status, 204);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('access-control-allow-methods'), 'POST, OPTIONS');
  assert.is(response.headers.get('access-control-allow-headers'), '*');
});

test('POST answers carry the origin header, a date and no server name', async () => {
  const { headers } = await post(hello('1'));
  assert.is(headers.get('access-control-allow-origin'), '*');
  assert.ok(headers.get('date'));
  assert.is(headers.get('server'), null);
  assert.is(headers.get('x-powered-by'), null);
});

for (const path of ['/', '/svc/rpc', '/anything/at/all?query=1']) {
  test(`JSON-RPC answers POST and WebSocket on ${path}`, async () => {
    assert.is((await post(hello('1'), {}, path)).text, result('1', '"hello"'));
    const socket = await app.connect(path);
    assert.is(await socket.call('probe_hello'), 'hello');
    socket.close();
  });
}

for (const [name, body] of [
  ['an empty body', ''],
  ['a scalar', '5'],
  ['a byte order mark', `\uFEFF${hello('1')}`],
] as const) {
  test(`HTTP: ${name} is 400 with -32700`, async () => {
    const { status, text } = await post(body);
    assert.is(status, 400);
    assert.is(text, PARSE_ERROR);
  });
}

test('bytes that are not UTF-8 are -32700, and the socket stays open', async () => {
  const bad = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"probe_echo","params":["'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"]}'),
  ]);
  assert.is((await post(bad)).text, PARSE_ERROR);
  const socket = await app.connect();
  assert.is(await rawExchange(socket.raw, bad), PARSE_ERROR);
  assert.is(await socket.call('probe_hello'), 'hello');
  socket.close();
});

test('binary frames are taken like text frames, answers are text', async () => {
  const socket = await app.connect();
  const answer = once(socket.raw, 'message');
  socket.raw.send(Buffer.from(hello('1')), { binary: true });
  const [data, binary] = await answer;
  assert.is(binary, false);
  assert.is(String(data), result('1', '"hello"'));
  socket.close();
});

test('a body of exactly the limit is read, one byte more is 413 with -32007', async () => {
  const fit = hello('1').padEnd(100_000, ' ');
  assert.is((await post(fit)).status, 200);
  const { status, text } = await post(`${fit} `);
  assert.is(status, 413);
  assert.is(
    text,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"Request is too big","data":"Exceeded max limit of 100000"}}',
  );
});

test('a chunked body that grows past the limit is 500 with -32603', async () => {
  const answer = await new Promise<{ status: number | undefined; text: string }>(
    (resolve, reject) => {
      const request = httpRequest(
        app.url,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      request.on('error', reject);
      request.write(' '.repeat(60_000));
      request.end(' '.repeat(60_000));
    },
  );
  assert.is(answer.status, 500);
  assert.is(
    answer.text,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}',
  );
});

test('a WebSocket frame below the limit is read, one of the limit closes with 1009', async () => {
  const small = await app.connect();
  assert.is(await rawExchange(small.raw, hello('1').padEnd(99_999, ' ')), result('1', '"hello"'));
  small.close();
  const large = await app.connect();
  large.send(hello('1').padEnd(100_000, ' '));
  assert.is((await large.closed).code, 1009);
});

test('a response over the limit becomes -32008 with the id of the call', async () => {
  const { text } = await post(
    '{"jsonrpc":"2.0","id":"big","method":"probe_raw","params":[300001]}',
  );
  assert.is(
    text,
    '{"jsonrpc":"2.0","id":"big","error":{"code":-32008,"message":"Response is too big","data":"Exceeded max limit of 300000"}}',
  );
  assert.is(
    JSON.parse((await post('{"jsonrpc":"2.0","id":1,"method":"probe_raw","params":[299000]}')).text)
      .result.length,
    299_000,
  );
});

test('a batch answer over the limit becomes one -32011', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"probe_raw","params":[200000]}';
  const { text } = await post(`[${call},${call}]`);
  assert.is(
    text,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32011,"message":"The batch response was too large","data":"Exceeded max limit of 300000"}}',
  );
});

const failures: [how: string, error: object][] = [
  ['rpc', { code: 105, message: 'Not found in database: it', data: { a: 1 } }],
  ['throw', { code: 999, message: 'Other error: Internal server error' }],
  ['async', { code: 999, message: 'Other error: Internal server error' }],
  ['cycle', { code: -32603, message: 'Internal error' }],
];
for (const [how, error] of failures) {
  test(`a handler that fails (${how}) gives its error and nothing of its cause`, async () => {
    const { text, status } = await post(
      `{"jsonrpc":"2.0","id":1,"method":"probe_throw","params":["${how}"]}`,
    );
    assert.is(status, 200);
    assert.equal(JSON.parse(text), { jsonrpc: '2.0', id: 1, error });
  });
}

test('calls of one connection run side by side and are answered as they finish', async () => {
  const socket = await app.connect();
  const held = socket.call('probe_hold');
  assert.is(await socket.call('probe_hello'), 'hello');
  await socket.call('probe_release');
  assert.is(await held, 'released');
  socket.close();
});

test('beyond 256 calls in progress the socket is not read, and nothing is lost', async () => {
  const socket = await app.connect();
  const other = await app.connect();
  const held = Array.from({ length: 400 }, () => socket.call('probe_hold'));
  let released = 0;
  while (released < 400) released += await other.call('probe_release');
  assert.equal(new Set(await Promise.all(held)), new Set(['released']));
  socket.close();
  other.close();
});

test('subscriptions: the reply comes first, then frames under the subscribe name with an integer id', async () => {
  const socket = await app.connect();
  const reply = await socket.exchange('{"jsonrpc":"2.0","id":1,"method":"probe_stream"}');
  assert.ok(Number.isSafeInteger(reply.result) && reply.result >= 0);
  for (const item of ['first', 'second']) {
    assert.equal(await socket.next(), {
      jsonrpc: '2.0',
      method: 'probe_stream',
      params: { subscription: reply.result, result: item },
    });
  }
  socket.close();
});

test('a subscription inside a batch is answered once, inside the batch', async () => {
  const socket = await app.connect();
  const [reply] = await socket.exchange('[{"jsonrpc":"2.0","id":1,"method":"probe_stream"}]');
  assert.is((await socket.next()).params.subscription, reply.result);
  socket.close();
});

test('unsubscribe: by position, by name, once, and only on its own connection', async () => {
  const [one, two] = [await app.connect(), await app.connect()];
  const subscribe = async () => {
    const { result: id } = await one.exchange('{"jsonrpc":"2.0","id":1,"method":"probe_stream"}');
    await one.next();
    await one.next();
    return id;
  };
  const first = await subscribe();
  assert.is(await two.call('probe_unsubscribe_stream', [first]), false);
  assert.is(await one.call('probe_unsubscribe_stream', [first]), true);
  assert.is(await one.call('probe_unsubscribe_stream', [first]), false);
  const second = await subscribe();
  for (const bad of [
    [],
    ['x'],
    [String(second)],
    [second, 1],
    { subscription: 'x' },
    { other: second },
  ]) {
    assert.is(await one.call('probe_unsubscribe_stream', bad), false);
  }
  assert.is(await one.call('probe_unsubscribe_stream', { subscription: second }), true);
  one.close();
  two.close();
});

test('an unsubscribe method ends only the streams of its own kind', async () => {
  const socket = await app.connect();
  const stream = await socket.call('probe_stream');
  const other = await socket.call('probe_other_stream');
  assert.is(await socket.call('probe_unsubscribe_stream', [other]), false);
  assert.is(await socket.call('probe_unsubscribe_other_stream', { subscription: stream }), false);
  assert.is(await socket.call('probe_unsubscribe_other_stream', [other]), true);
  assert.is(await socket.call('probe_unsubscribe_stream', [stream]), true);
  socket.close();
});

test('subscriptions over HTTP are -32603', async () => {
  for (const method of ['probe_stream', 'probe_unsubscribe_stream']) {
    const { text } = await post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":[1]}`);
    assert.is(JSON.parse(text).error.code, -32603);
  }
});

test('the 1,025th subscription of a connection is -32006', async () => {
  const socket = await app.connect();
  let replies = 0;
  const errors: unknown[] = [];
  const done = new Promise<any>((resolve) => {
    socket.raw.on('message', (data: Buffer) => {
      const message = JSON.parse(String(data));
      if (message.id === undefined) return;
      replies++;
      if (message.error) errors.push(message.error);
      if (replies === 1025) resolve(errors);
    });
  });
  for (let at = 0; at <= 1024; at++)
    socket.send(`{"jsonrpc":"2.0","id":${at},"method":"probe_stream"}`);
  assert.equal(await done, [
    {
      code: -32006,
      message: 'Too many subscriptions on the connection',
      data: 'Exceeded max limit of 1024',
    },
  ]);
  socket.close();
});

test('a client ping is answered with the same payload', async () => {
  const socket = await app.connect();
  const pong = once(socket.raw, 'pong');
  socket.raw.ping('payload');
  assert.is(String((await pong)[0]), 'payload');
  socket.close();
});

test('a client close frame is echoed with its code', async () => {
  const socket = await app.connect();
  socket.raw.close(4001, 'bye');
  assert.equal(await socket.closed, { code: 4001, reason: 'bye' });
});

test('an unmasked frame closes that connection with 1002 and nothing else', async () => {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'GET / HTTP/1.1\r\nhost: x\r\nupgrade: WebSocket\r\nconnection: keep-alive, Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head] = await once(socket, 'data');
  assert.match(String(head), /^HTTP\/1\.1 101 /);
  const answer = once(socket, 'data');
  socket.write(Buffer.from([0x81, 0x02, 0x7b, 0x7d]));
  assert.equal([...(await answer)[0]].slice(0, 4), [0x88, 2, 0x03, 0xea]);
  socket.destroy();
  assert.is((await post(hello('1'))).status, 200);
});

for (const [name, headers] of [
  ['no key', 'sec-websocket-version: 13\r\n'],
  [
    'another version',
    'sec-websocket-version: 8\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
  ],
] as const) {
  test(`a WebSocket handshake with ${name} is refused with a status`, async () => {
    const answer = await rawHttp(
      `GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n${headers}\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 4(00|26) /);
  });
}

async function rawHttp(text: string, url = app.url): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    const [, head, body] = /^(.*?)\r\n\r\n(.*)$/s.exec(answer) ?? [];
    const length = /^content-length: (\d+)/im.exec(head ?? '')?.[1];
    if (length !== undefined && body!.length >= Number(length)) break;
  }
  socket.destroy();
  return answer;
}

test('an offer of another protocol is ignored: h2c clients get their answer', async () => {
  const body = hello('1');
  const answer = await rawHttp(
    `POST / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /"result":"hello"/);
});

test('an upgrade on a route of a plugin is an ordinary request', async () => {
  const answer = await rawHttp(
    'GET /svc/probe/a/b HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /GET a b/);
});

const routes: [path: string, expected: string | number][] = [
  ['/svc/probe/name/rest/of/it', 'GET name rest/of/it'],
  ['/svc/probe/name/a%2Fb%20c?query', 'GET name a/b c'],
  ['/svc/probe/name/%2e%2e/x', 'GET name ../x'],
  ['/SVC/probe/name/x', 405],
  ['/svc/Probe/name/x', 405],
  ['/svc/probe', 405],
  ['/svc/probe/name/%zz', 405],
];
for (const [path, expected] of routes) {
  test(`route ${path} gives ${expected}`, async () => {
    const answer = await rawHttp(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    if (typeof expected === 'number') assert.match(answer, new RegExp(`^HTTP/1.1 ${expected} `));
    else assert.is(answer.split('\r\n\r\n')[1], expected);
  });
}

test('a request without a body leaves its connection to the next one, an unread body does not', async () => {
  const asked = 'GET /svc/probe/name/x HTTP/1.1\r\nhost: x\r\n';
  const both = await rawHttp(`${asked}\r\n${asked}connection: close\r\n\r\n`);
  assert.is(both.match(/HTTP\/1\.1 200 /g)?.length, 2);
  for (const body of ['content-length: 9', 'transfer-encoding: chunked'])
    assert.match(await rawHttp(`${asked}${body}\r\n\r\n`), /\r\nconnection: close\r\n/i);
});

test('a request that is no HTTP is answered 400 and the server goes on', async () => {
  assert.match(await rawHttp('Bad\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.is((await post(hello('1'))).status, 200);
});

test.run();

const batches = suite('long batches');

const refusedEntry = (id: string, most: number) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"Invalid request","data":"Exceeded max limit of ${most} entries"}}`;

batches('10,000 entries are answered in their order, of one more each is refused', async () => {
  const large = await bootForTest([probe]);
  const entries = Array.from({ length: 10_001 }, (_, index) => hello(String(index)));
  const socket = await large.connect();
  const answered = await socket.exchange(`[${entries.slice(1).join(',')}]`);
  assert.equal(
    answered.map(({ id }: { id: number }) => id),
    entries.slice(1).map((_, index) => index + 1),
  );
  const refused = await rawExchange(socket.raw, `[${entries.join(',')}]`);
  assert.is(refused, `[${entries.map((_, id) => refusedEntry(String(id), 10_000)).join(',')}]`);
  await large.stop();
});

// biome-ignore format: one batch per line
const tooLong: [name: string, entries: string[], answered: string | undefined][] = [
  ['as many entries as may be', [hello('1'), hello('"b"')], `[${result('1', '"hello"')},${result('"b"', '"hello"')}]`],
  ['every kind of id', [hello('1'), hello('"b"'), hello('18446744073709551615'), hello('null')], `[${['1', '"b"', '18446744073709551615', 'null'].map((id) => refusedEntry(id, 2)).join(',')}]`],
  ['the ids of entries that are no calls', ['{"id":7}', '5', '{"jsonrpc":"2.0","method":"probe_hello"}'], `[${refusedEntry('7', 2)}]`],
  ['no id at all', ['1', '2', '[]'], refusedEntry('null', 2)],
];
for (const [name, entries, answered] of tooLong) {
  batches(`a batch beyond a configured limit of two: ${name}`, async () => {
    const small = await bootForTest([probe], { jsonrpc_max_batch_entries: 2 });
    const socket = await small.connect();
    assert.is(await rawExchange(socket.raw, `[${entries.join(',')}]`), answered);
    await small.stop();
  });
}

batches.run();

const limited = suite('connection limit');

limited('with no place free, WebSocket and POST get 429', async () => {
  const small = await bootForTest([probe], { jsonrpc_max_connections: 2 });
  const [one, two] = [await small.connect(), await small.connect()];
  const response = await small.fetch('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: hello('1'),
  });
  assert.is(response.status, 429);
  assert.is(await response.text(), 'Too many connections. Please try again later.');
  assert.is(response.headers.get('content-type'), 'text/plain');
  const third = new WebSocket(small.url.replace('http', 'ws'));
  const [, refused] = await once(third, 'unexpected-response');
  assert.is(refused.statusCode, 429);
  one.close();
  await one.closed;
  two.close();
  await two.closed;
  await small.stop();
});

limited(
  'a large limit keeps places beyond it for POST, so an operator is never locked out',
  async () => {
    const small = await bootForTest([probe], { jsonrpc_max_connections: 100 });
    const sockets = [];
    for (let at = 0; at < 100; at++) sockets.push(await small.connect());
    const next = new WebSocket(small.url.replace('http', 'ws'));
    const [, refused] = await once(next, 'unexpected-response');
    assert.is(refused.statusCode, 429);
    assert.is(await small.call('probe_hello'), 'hello');
    await small.stop();
  },
);

limited(
  'a handshake that is refused gives its place back, and so does a socket that ends',
  async () => {
    const small = await bootForTest([probe], { jsonrpc_max_connections: 2 });
    const noKey =
      'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n\r\n';
    for (let tried = 0; tried < 5; tried++) {
      assert.match(await rawHttp(noKey, small.url), /^HTTP\/1\.1 400 /);
      const socket = await small.connect();
      assert.is(await socket.call('probe_hello'), 'hello');
      // Without a close frame.
      socket.raw.terminate();
      await socket.closed;
    }
    await small.stop();
  },
);

limited.run();

const liveness = suite('liveness');

async function pingsAfter(answers: number, seconds: number): Promise<number> {
  const timed = await bootForTest([probe], {}, { clock: true });
  const socket = await timed.connect();
  for (let at = 0; at < answers; at++) await socket.call('probe_hello');
  let pings = 0;
  socket.raw.on('ping', () => pings++);
  await timed.clock.advance(seconds * 1000);
  const pong = once(socket.raw, 'pong');
  socket.raw.ping();
  await pong;
  await timed.stop();
  return pings;
}

liveness('no ping in the first 20 s, when an agent is still starting up', async () => {
  assert.is(await pingsAfter(2, 20), 0);
});

liveness(
  'no ping at 30 s before the second answer: it would make the agent reconnect',
  async () => {
    assert.is(await pingsAfter(1, 30), 0);
  },
);

liveness('a ping after 30 s and two answers', async () => {
  assert.is(await pingsAfter(2, 30), 1);
});

liveness('a peer that answers no ping loses its place', async () => {
  const timed = await bootForTest([probe], {}, { clock: true });
  const { port } = new URL(timed.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'data');
  socket.resume();
  const gone = once(socket, 'close');
  await timed.clock.advance(180_000);
  await gone;
  await timed.stop();
});

liveness.run();
