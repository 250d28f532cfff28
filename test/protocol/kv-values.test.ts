// kv.md §1.3: what a value and a name may be. Values are JSON text: numbers must be seen before they are parsed.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { DONE, type KvServer, kvServer } from './kv-kit.ts';

/** [what holds, text sent, text that comes back without blanks; undefined: the same]. */
const texts: [string, string, string?][] = [
  ['null is a value', 'null'],
  ['false stays false', 'false'],
  ['the largest unsigned 64-bit integer stays exact', '18446744073709551615'],
  ['the least signed 64-bit integer stays exact', '-9223372036854775808'],
  ['a long integer inside an object stays exact', '{"list":[9007199254740993]}'],
  ['a long integer in a string stays a string', '"9007199254740993"'],
  ['1.0 stays 1.0', '1.0'],
  ['1.0 inside stays 1.0', '{"a":[1.0,1]}'],
  ['zero with a fraction stays', '[0.0]'],
  [
    'a large value keeps all of that',
    `{"b":[1.0${' , 1.0'.repeat(20_000)}],"a":1,"1":2,"b":9007199254740993,"c":[0${',0'.repeat(20_000)}]}`,
    `{"1":2,"b":9007199254740993,"a":1,"c":[0${',0'.repeat(20_000)}]}`,
  ],
  ['a number with a fraction stays', '0.1'],
  ['of equal member names the last one wins', '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
  ['text with escapes comes back as text', '"\\u4e2d\\ud83d\\ude00\\n\\"\\\\u0000"'],
  ['__proto__ is a member like any other', '{"__proto__":{"x":1}}'],
  ['an empty member name is one', '{"":0}'],
];

/** [what is refused, text sent, reason]. */
const refused: [string, string, RegExp][] = [
  ['a number that no double holds', '1e400', /out of range/],
  ['an integer that no double holds', `1${'0'.repeat(400)}`, /out of range/],
  ['half a surrogate pair', '"\\ud800"', /surrogate/],
  ['half a surrogate pair as a member name', '{"a":{"\\udc00x":1}}', /surrogate/],
];

/** Names that occur in the field, and hostile ones. */
const names = [
  '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
  'frontend_svc',
  '[static]:0b6f1c52',
  '脚本 片段',
  'dir/with space/日本.txt',
  'quote \' " ` ; --',
  '%_\\?$1:name',
  '😀',
  '\uffff',
  '\u0001\u001f\u007f',
  'null',
  '12',
  '__proto__',
  ' ',
];

/** Any text without half surrogate pairs; `*` and U+0000 are left to their own cases. */
const anyName = (least: number) =>
  fc
    .string({ unit: 'binary', minLength: least, maxLength: 40 })
    .filter((text) => !/\p{Surrogate}|\*|\0/u.test(text));

const anyValue = fc.jsonValue().filter((value) => {
  const text = JSON.stringify(value);
  return !/\\u0000|\\ud[89a-f]/.test(text) && !/-0(?![.\d])/.test(text);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`kv: values and names (${dialect})`);
  let server: KvServer;

  test.before(async () => {
    server = await kvServer({}, { dialect });
    await server.fill('v', {});
  });
  test.after(() => server.app.stop());

  const head = () => JSON.stringify(server.app.superToken);
  const set = (text: string) => server.raw('kv_set_value', `[${head()},"v","k",${text}]`);
  const setNamed = (text: string) =>
    server.raw(
      'kv_set_value',
      `{ "value" : ${text} , "key":"k", "namespace":"v", "token":${head()}}`,
    );
  const compact = (text: string) => text.replace(/(?<=[:,[{\]}"\d]) (?=[[{\]}"\d:-])/g, '');
  const got = async () => {
    const single = await server.raw('kv_get_value', `[${head()},"v","k"]`);
    const items = '[{"namespace":"v","key":"k*"}]';
    const multi = await server.raw('kv_get_multi_value', `[${head()},${items}]`);
    const text = (of: string) => /^\{"jsonrpc":"2.0","id":1,"result":(.*)\}$/s.exec(of)?.[1] ?? of;
    const inner = /^\[\{"namespace":"v","key":"k","value":(.*)\}\]$/s.exec(text(multi))?.[1];
    assert.is(inner, text(single), 'both reads give the same text');
    return text(single);
  };
  /** Members may come in any order. */
  const sorted = (text: string) =>
    [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+|[a-z]+|[[\]{}]/g)].map(([x]) => x).sort();

  for (const [name, sent, back = sent] of texts) {
    test(name, async () => {
      for (const send of [set, setNamed]) {
        assert.match(await send(sent), '"result":{"success":true}');
        const text = compact(await got());
        assert.equal(JSON.parse(text), JSON.parse(sent));
        if (/\d/.test(back) && !back.includes('\\')) assert.equal(sorted(text), sorted(back));
      }
    });
  }

  test('a text of megabytes is a value in any spelling', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(9_000_000), n: 1 });
    assert.match(await set(text.replaceAll(':', ': ')), '"result":{"success":true}');
    assert.ok(compact(await got()).length === text.length);
  });

  test('an integer beyond 64 bits comes back as a double', async () => {
    await set('[340282366920938463463374607431768211456]');
    assert.equal(JSON.parse(await got()), [2 ** 128]);
  });

  for (const [name, sent, reason] of refused) {
    test(`refuses ${name}, and keeps what was there`, async () => {
      await set('"before"');
      const { error } = JSON.parse(await set(sent));
      assert.is(error?.code, -32602);
      assert.match(error.data, reason);
      assert.is(await got(), '"before"');
    });
  }

  test('a bad number is refused before the credential', async () => {
    const answer = JSON.parse(await server.raw('kv_set_value', '["no credential","v","k",1e400]'));
    assert.is(answer.error.code, -32602);
  });

  for (const name of names) {
    test(`${JSON.stringify(name)} is a namespace and a key`, async () => {
      const { asSuper } = server;
      assert.equal(await asSuper('kv_create', name), { namespace: name, kv: {} });
      assert.equal(await asSuper('kv_set_value', name, name, { name }), DONE);
      assert.equal(await asSuper('kv_get_value', name, name), { name });
      const item = { namespace: name, key: name };
      const answer = { ...item, value: { name } };
      const items = [item, { namespace: name, key: `${name}*` }];
      assert.equal(await asSuper('kv_get_multi_value', items), [answer, answer]);
      assert.ok((await asSuper('kv_list_all_namespace')).includes(name));
      assert.ok((await asSuper('kv_get_all_keys', name)).includes(name));
      assert.equal(await asSuper('kv_delete_key', name, name), DONE);
      assert.equal(await asSuper('kv_delete_namespace', name), DONE);
    });
  }

  test('half a surrogate pair in a name is -32602', async () => {
    const bad = '"a\\ud800"';
    const calls: [string, string][] = [
      ['kv_create', bad],
      ['kv_get_value', `"v",${bad}`],
      ['kv_set_value', `${bad},"k",1`],
      ['kv_delete_key', `"v",${bad}`],
      ['kv_get_multi_value', `[{"namespace":"v","key":${bad}}]`],
    ];
    for (const [method, rest] of calls) {
      const answer = JSON.parse(await server.raw(method, `[${head()},${rest}]`));
      assert.is(answer.error?.code, -32602, method);
    }
  });

  test('U+0000 is held by the embedded database and refused with 999 by the other', async () => {
    const { asSuper } = server;
    const zero = 'a\0b';
    const before = await server.rows();
    const steps: [string, unknown[], unknown][] = [
      ['kv_create', [zero], { namespace: zero, kv: {} }],
      ['kv_set_value', [zero, zero, { [zero]: zero }], DONE],
      ['kv_get_value', [zero, zero], { [zero]: zero }],
      ['kv_get_value', [zero, 'a'], null],
      [
        'kv_get_multi_value',
        [[{ namespace: zero, key: 'a*' }]],
        [{ namespace: zero, key: zero, value: { [zero]: zero } }],
      ],
      ['kv_get_all_keys', [zero], ['__svc_namespace_marker__', zero]],
      ['kv_set_value', ['v', 'k', zero], DONE],
      ['kv_delete_key', [zero, zero], DONE],
      ['kv_delete_namespace', [zero], DONE],
    ];
    for (const [method, params, expected] of steps) {
      const answer = await asSuper(method, ...params);
      if (dialect === 'sqlite') assert.equal(answer, expected, method);
      else assert.match(answer, /^999 Other error: .*U\+0000/, method);
    }
    if (dialect === 'postgres') assert.equal(await server.rows(), before);
  });

  test('a backslash before u0000 is no zero', async () => {
    assert.equal(await server.asSuper('kv_set_value', 'v', 'k', 'a\\u0000'), DONE);
    assert.is(await server.asSuper('kv_get_value', 'v', 'k'), 'a\\u0000');
  });

  test('any name and any value survive', async () => {
    const property = fc.asyncProperty(anyName(0), anyName(0), anyValue, async (ns, key, value) => {
      await server.asSuper('kv_create', ns);
      assert.equal(await server.asSuper('kv_set_value', ns, key, value), DONE);
      assert.equal(await server.asSuper('kv_get_value', ns, key), value);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('a pattern finds the keys that begin with it, in byte order', async () => {
    const unit = fc.constantFrom(
      'a',
      'b',
      'ÿ',
      '中',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '\u{10ffff}',
      '/',
    );
    const word = (least: number) => fc.string({ unit, minLength: least, maxLength: 4 });
    const property = fc.asyncProperty(
      fc.uniqueArray(word(1), { minLength: 1, maxLength: 25 }),
      fc.array(word(0), { minLength: 1, maxLength: 5 }),
      async (keys, prefixes) => {
        await server.fill('pattern', Object.fromEntries(keys.map((key, n) => [key, n])));
        const items = prefixes.map((prefix) => ({ namespace: 'pattern', key: `${prefix}*` }));
        const all = [...keys, '__svc_namespace_marker__'].sort((x, y) =>
          Buffer.compare(Buffer.from(x), Buffer.from(y)),
        );
        const expected = prefixes.flatMap((prefix) => all.filter((key) => key.startsWith(prefix)));
        const answer = await server.asSuper('kv_get_multi_value', items);
        assert.equal(
          answer.map(({ key }: { key: string }) => key),
          expected,
        );
        assert.equal(await server.asSuper('kv_get_all_keys', 'pattern'), all);
        await server.asSuper('kv_delete_namespace', 'pattern');
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  test.run();
}
