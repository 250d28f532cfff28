import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import plugin from '../src/index.ts';

/** A real server with an empty SQLite database in a temporary folder. */
let app: TestApp;

before(async () => {
  app = await bootForTest(['token', plugin]);
});
after(() => app?.stop());

test('greets, and counts how often', async () => {
  const token = await app.token([
    { scopes: ['global'], permissions: [{ 'sample-plugin': 'greet' }] },
  ]);
  const greet = () => app.call('sample-plugin_greet', { token, name: 'Ada' });
  assert.deepEqual(await greet(), { text: 'Hello, Ada!', times: 1 });
  assert.deepEqual(await greet(), { text: 'Hello, Ada!', times: 2 });
});

test('refuses a caller without the permission', async () => {
  const token = await app.token([]);
  await assert.rejects(app.call('sample-plugin_greet', { token, name: 'Ada' }), {
    code: 102,
    message: 'Permission denied: missing sample-plugin.greet',
  });
});

test('refuses an empty name', async () => {
  const call = app.call('sample-plugin_greet', { token: app.superToken, name: '' });
  await assert.rejects(call, { code: -32602 });
});

test('answers its route', async () => {
  const response = await app.fetch('/sample-plugin/Ada');
  assert.equal(await response.text(), 'Hello, Ada!\n');
});

test('keeps its table over a restart', async () => {
  const greet = () => app.call('sample-plugin_greet', { token: app.superToken, name: 'Grace' });
  const { times } = await greet();
  await app.restart();
  assert.equal((await greet()).times, times + 1);
});
