/** Methods without a credential, or with an access rule of their own: a new one shows up in review. */
import { readFile } from 'node:fs/promises';
import type { App } from '@svc/kernel';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const test = suite('open methods');

test('the public and custom methods are those of the golden file', async () => {
  const app = await bootForTest(undefined);
  const { methods } = app.kernel as App;
  const open = [...methods.values()]
    .map(({ name, definition: { access } }) => [
      name,
      typeof access === 'object' ? Object.keys(access)[0] : access,
    ])
    .filter(([, kind]) => kind === 'public' || kind === 'custom' || kind === 'authenticated')
    .map((line) => line.join(' '))
    .sort();
  await app.stop();
  const golden = await readFile(new URL('golden/open-methods.txt', import.meta.url), 'utf8');
  assert.is(`${open.join('\n')}\n`, golden);
});

test('every method but a public one refuses an unknown credential', async () => {
  const app = await bootForTest(undefined);
  const { methods } = app.kernel as App;
  for (const { name, definition, credential } of methods.values()) {
    if (definition.access === 'public') continue;
    assert.ok(credential, name);
    const { error, result } = await app.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: name,
      params: { [credential]: 'x:y' },
    });
    // Methods with further parameters miss those first; the others must refuse.
    assert.ok(
      result === undefined && (error.code === 102 || error.code < 0),
      `${name}: ${JSON.stringify(error)}`,
    );
  }
  await app.stop();
});

test('every method refuses half a surrogate pair wherever it stands, before it looks at the credential', async () => {
  const app = await bootForTest(undefined);
  const { methods } = app.kernel as App;
  for (const { name, definition, credential } of methods.values()) {
    // A method without parameters ignores them.
    if (credential === undefined && Object.keys(definition.params).length === 0) continue;
    const names = [credential, ...Object.keys(definition.params)].filter(
      (one) => one !== undefined,
    );
    for (const params of [
      names.map(() => '\ud800'),
      Object.fromEntries(names.map((one) => [one, { deep: ['a\udc00'] }])),
      [...names.map(() => 'x:y'), '\ud800'],
    ]) {
      const { error } = await app.rpc({ jsonrpc: '2.0', id: 1, method: name, params });
      assert.equal(
        [error?.code, error?.data],
        [-32602, 'a string holds half of a surrogate pair'],
        name,
      );
    }
  }
  await app.stop();
});

test.run();
