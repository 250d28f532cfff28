/** The examples of the documentation are what a server answers: each plugin's run in their order on a server of their own. */
import type { App } from '@svc/kernel';
import type { Example, Plugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Player, shows } from './player.ts';

const test = suite('examples');
let app: TestApp;
let plugins: readonly Plugin[] = [];
test.before(async () => {
  app = await bootForTest(undefined);
  plugins = (app.kernel as App).kernelOf('discovery')!.plugins;
});
test.after(() => app.stop());

const names =
  'agent-uuid agent kv db static-bucket static-bucket-file js-worker task crontab token audit discovery';
// The last one reloads the configuration.
for (const name of [...names.split(' '), 'server-info']) {
  test(`those of ${name} are answered as shown`, async () => {
    const { examples = [] } = plugins.find((plugin) => plugin.name === name)!;
    assert.ok(examples.length > 0);
    const played = await new Player(app).play(examples);
    assert.is(played.length, examples.length);
    for (const { example, answer, item } of played) {
      const where = `${example.method}: ${JSON.stringify(answer)} ${JSON.stringify(item)}`;
      if (example.error) assert.equal(errorOf(answer), example.error, where);
      else assert.ok(shows(answer.result, example.result, example.method), where);
      if (example.item) assert.ok(shows(item, example.item, example.method), where);
    }
  });
}

const errorOf = ({ error: { code, message } = {} as any }): Example['error'] => ({ code, message });

test('every plugin with examples is played', () => {
  const withExamples = plugins.filter(({ examples }) => examples).map(({ name }) => name);
  assert.equal(withExamples.toSorted(), [...names.split(' '), 'server-info'].toSorted());
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
