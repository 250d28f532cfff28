/** The configurations that come with the server: valid, without a warning, and `all.toml` is complete. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { HeadSchema } from '../../server/src/config/head.ts';
import { parseConfig } from '../../server/src/config/load.ts';
import { unknownKeys } from '../../server/src/config/unknown.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { suite } from '../runner/suite.ts';

const test = suite('configuration files');

const folder = resolve(import.meta.dirname, '../../config');
const UUID = '0190b7e4-3a52-4c01-9f6e-0f5a3a1b2c3d';
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const parse = (text: string) => parseConfig(text.replace('"auto_gen"', `"${UUID}"`));

/** What the built-in plugins read, so that a misspelt key of theirs is found too. */
const plugins = await Promise.all(builtInNames().map((name) => loadPlugin(name, folder)));
const known = {
  sections: Object.fromEntries(plugins.map(({ name, config }) => [name, config])),
  root: plugins.flatMap(({ rootConfig }) => rootConfig ?? []),
};

for (const name of readdirSync(folder)) {
  test(`${name} asks for a UUID of its own and is valid without a warning`, () => {
    assert.match(read(name), /^server_uuid = "auto_gen"$/m);
    const { raw, warnings } = parse(read(name));
    assert.equal(warnings, []);
    assert.equal(unknownKeys(raw, known), []);
  });
}

test('all.toml says every key of the kernel, at its default', () => {
  const text = read('all.toml');
  const shown = parse(text).head;
  const minimal = parse(read('minimal.toml')).head;
  assert.equal(shown, minimal);
  const commented = (key: string) => new RegExp(`^(# )?${key} = `, 'm').test(text);
  for (const [key, schema] of Object.entries(HeadSchema.properties)) {
    const inner = 'properties' in schema ? Object.keys(schema.properties as object) : [];
    for (const name of inner.length > 0 ? inner : [key]) assert.ok(commented(name), name);
  }
});

test.run();
