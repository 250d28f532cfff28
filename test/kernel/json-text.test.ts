// The SDK's exact JSON, and parameters that arrive as the sender's own text.
import { definePlugin, Type } from '@svc/plugin-sdk';
import { parseSpelledJson, RawJson, respellJson, stringifyExact } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const json = suite('exact JSON');
const spelled = (text: string) =>
  stringifyExact(parseSpelledJson(text, (token) => new RawJson(token)));

const respell = (text: string) => respellJson(text, (token) => token);

json('a text of megabytes beside such a number is no obstacle', () => {
  const long = JSON.stringify(`${'x'.repeat(9_000_000)}${'\n"1.0'.repeat(500_000)}`);
  assert.ok(spelled(`[${long},2.0,12345678901234567890]`) === `[${long},2.0,12345678901234567890]`);
});

/** Texts that come back as they are. */
const kept = [
  '1.0',
  '-0.0',
  '1e3',
  '1E+2',
  '1e400',
  '[1.0,{"a":100.00}]',
  '18446744073709551616',
  '[9007199254740993,1.5,"1.0","1e3"]',
  '"a 1.0 9007199254740993 \\" \\\\"',
];
for (const text of kept) {
  json(`${text} comes back as it is`, () => {
    assert.is(spelled(text), text);
    assert.is(respell(text), text);
  });
}

for (const text of ['', '01', '1.', '.5', '[1,]', '{"a":1', "'a'", '1.0 2']) {
  json(`${JSON.stringify(text)} is a syntax error`, () =>
    assert.throws(
      () => spelled(text),
      (error: unknown) => error instanceof SyntaxError,
    ),
  );
}

json('every other value means what JSON.parse says', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(JSON.parse(String(spelled(text))), JSON.parse(text));
      assert.is(respell(text), spelled(text));
    }),
  );
});
json.run();

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  namespaces: ['probe'],
  setup(kernel) {
    kernel.hooks.methods.tap((methods) => {
      methods.add('probe_text', {
        summary: 'Gives back the text of its second parameter.',
        params: { name: Type.String(), any_value: JsonText, more: Type.Optional(JsonText) },
        result: Type.Array(Type.Unknown()),
        access: 'public',
        handle: ({ name, any_value, more }) => [name, any_value.text, more ? more.text : null],
      });
    });
  },
});

const bound = suite('parameters as text');
let app: TestApp;
bound.before(async () => {
  app = await bootForTest([probe]);
});
bound.after(() => app.stop());

/** [parameters as text, texts of both parameters; or the code of the error]. */
const cases: [string, [string, string | null] | number][] = [
  ['["x", 1.0 ]', ['1.0', null]],
  ['["x",{"a" : [1, 2]},  null]', ['{"a" : [1, 2]}', null]],
  ['["x",null,18446744073709551615]', ['null', '18446744073709551615']],
  ['{"any_value": "a\\u0062" ,"name":"x"}', ['"a\\u0062"', null]],
  ['{"anyValue":1e3,"name":"x","more":[]}', ['1e3', '[]']],
  ['{"name":"x","other":{"any_value":2},"any_value":1}', ['1', null]],
  ['["x"]', -32602],
  ['{"name":"x"}', -32602],
  ['{"name":"x","any_value":1,"any_value":2}', -32602],
  ['{"name":"x","any_value":1,"anyValue":2}', -32602],
];
for (const [params, expected] of cases) {
  bound(`${params} is read`, async () => {
    const body = `{"params":${params},"jsonrpc":"2.0","id":1,"method":"probe_text"}`;
    const headers = { 'content-type': 'application/json' };
    const single: any = await (await app.fetch('/', { method: 'POST', headers, body })).json();
    const batch = await app.fetch('/', { method: 'POST', headers, body: `[ ${body} ]` });
    assert.equal(await batch.json(), [single], 'the same in a batch');
    if (typeof expected === 'number') assert.is(single.error?.code, expected);
    else assert.equal(single.result, ['x', ...expected]);
  });
}

bound('a call in-process has no text, so it gets the value written as JSON', async () => {
  const kernel = app.kernel as { call(method: string, params: unknown): Promise<unknown> };
  const answer = await kernel.call('probe_text', ['x', { a: 2n ** 63n }]);
  assert.equal(answer, ['x', '{"a":9223372036854775808}', null]);
});
bound.run();
