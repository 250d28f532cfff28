/** Whoever writes a text of the wrong form is told the form in words, never as a regular expression. */
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { HeadSchema } from '../../server/src/config/head.ts';
import { validateSection } from '../../server/src/config/section.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { suite } from '../runner/suite.ts';
import { refusal } from './config-kit.ts';

const test = suite('words for forms');

/** Places of a schema with a pattern and no words for it. */
function wordless(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, description } = schema as { pattern?: unknown; description?: unknown };
  const here = typeof pattern === 'string' && !description ? [at] : [];
  const inner = Object.entries(schema).flatMap(([key, part]) => wordless(part, `${at}.${key}`));
  return [...here, ...inner];
}

test('every form that a key of the configuration asks for has words', async () => {
  const found = wordless(HeadSchema, 'head');
  for (const name of builtInNames()) {
    const { config, rootConfig } = await loadPlugin(name, '.');
    found.push(...wordless(config, name), ...wordless(rootConfig, `${name} (root)`));
  }
  assert.equal(found, []);
});

test('every form that a parameter asks for has words', async () => {
  const app = await bootForTest(undefined);
  try {
    const { methods } = await app.call('rpc.discover', [app.superToken]);
    assert.ok(methods.length > 100);
    const found = methods.flatMap(({ name, params }: { name: string; params: unknown }) =>
      wordless(params, name),
    );
    assert.equal(found, []);
  } finally {
    await app.stop();
  }
});

const cases: [plugin: string, key: string, value: unknown, says: RegExp][] = [
  [
    'dashboard',
    'servers',
    ['eu.example.net/x'],
    /^\[dashboard\] servers\[0\]: must be: `https:\/\/HOST`/,
  ],
  ['metrics', 'otlp_headers', ['x'], /otlp_headers\[0\]: must be: `Name: value`/],
];
for (const [plugin, key, value, says] of cases)
  test(`an element of the wrong form: ${plugin}.${key}`, async () => {
    const { config } = await loadPlugin(plugin, '.');
    assert.match(
      refusal(() => validateSection(plugin, config as never, { [key]: value }, undefined)),
      says,
    );
  });

test.run();
