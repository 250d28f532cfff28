/** The examples of the documentation are what a server answers: each plugin's run in their order on a server of their own. */
import type { App } from '@svc/kernel';
import type { Example, Plugin, TSchema } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Compile } from '@svc/plugin-sdk/typebox';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, pagesOf } from '../documentation-kit.ts';
import { Player, shows } from './player.ts';

const test = suite('examples');
let app: TestApp;
let plugins: readonly Plugin[] = [];
test.before(async () => {
  app = await bootForTest(undefined);
  plugins = (app.kernel as App).kernelOf('discovery')!.plugins;
});
test.after(() => app.stop());

/** The one that reloads the configuration comes last. */
const inOrder = () =>
  plugins
    .filter(({ examples }) => examples)
    .sort((a, b) => Number(a.name === 'server-info') - Number(b.name === 'server-info'));

test('the examples of every plugin are answered as shown', async () => {
  for (const { name, examples = [] } of inOrder()) {
    const played = await new Player(app).play(examples);
    assert.is(played.length, examples.length, name);
    for (const { example, answer, item } of played) {
      const where = `${example.method}: ${JSON.stringify(answer)} ${JSON.stringify(item)}`;
      if (example.error) assert.equal(errorOf(answer), example.error, where);
      else assert.ok(shows(answer.result, example.result, example.method), where);
      if (example.item) assert.ok(shows(item, example.item, example.method), where);
    }
  }
});

const errorOf = ({ error: { code, message } = {} as any }): Example['error'] => ({ code, message });

test('what examples show fits the schemas of results and items', () => {
  const { methods } = app.kernel as App;
  for (const { method, params, result, item, error } of plugins.flatMap(
    (one) => one.examples ?? [],
  )) {
    const { definition } = methods.get(method)!;
    const fits = (schema: TSchema, value: unknown) => {
      const [wrong] = Compile(schema).Errors(value);
      assert.is(wrong && `${wrong.instancePath} ${wrong.message}`, undefined, method);
    };
    if (error) continue;
    for (const [name, value] of Object.entries(params)) fits(definition.params[name]!, value);
    if (definition.result) fits(definition.result, result);
    if (definition.item) fits(definition.item, item);
  }
});

test('the blocks of the reference are these examples', () => {
  const { methods } = app.kernel as App;
  const requests = new Map<string, unknown>();
  for (const { method, params, result, error } of plugins.flatMap((one) => one.examples ?? [])) {
    if (error) continue;
    const credential = methods.get(method)!.credential;
    const given = credential ? { [credential]: 'KEY:SECRET', ...params } : params;
    const request = { jsonrpc: '2.0', id: 1, method, params: given };
    requests.set(JSON.stringify(request), { jsonrpc: '2.0', id: 1, result });
  }
  const blocks = pagesOf(['docs/reference/*.md']).flatMap(blocksOf);
  const curls = blocks.filter(({ language }) => language === 'sh');
  assert.ok(curls.length > 80, `${curls.length}`);
  for (const { text, page, line } of curls) {
    const sent = /^curl -sS http:\/\/127\.0\.0\.1:2211\/svc\/rpc -d '(.*)'\n$/.exec(text)?.[1];
    const body = sent?.replaceAll("'\\''", "'") ?? '';
    assert.ok(requests.has(body), `${page}:${line}`);
    const shown = blocks[blocks.findIndex((one) => one.page === page && one.line === line) + 2]!;
    assert.equal(JSON.parse(shown.text), requests.get(body), `${page}:${line}`);
  }
});

test('every method has an example that succeeds', () => {
  const shown = new Set(
    plugins
      .flatMap(({ examples = [] }) => examples.filter(({ error }) => !error))
      .map((e) => e.method),
  );
  const missing = [...(app.kernel as App).methods.keys()].filter((name) => !shown.has(name));
  assert.equal(missing, []);
});

test.run();
