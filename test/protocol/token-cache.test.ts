// auth.md §8: memory keeps the records that were used last. What it has no room for is as good as what it holds.

import { DatabaseChanged } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { authProbe } from './auth-probe.ts';
import { eventually, keyOf } from './token-kit.ts';

/** Together they take more than memory keeps. */
const TOKENS = 12;
const SCOPES = Array.from({ length: 9_900 }, (_, at) => ({
  kv_namespace: `${at}${'x'.repeat(150)}`,
}));
const LIMIT = [{ scopes: SCOPES, permissions: [{ kv: 'list_all_keys' }] }];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: more than memory keeps (${dialect})`);

  test('large tokens that are used at one moment are all let in, again and again', async () => {
    const app = await bootForTest(['token'], {}, { dialect, mayHold: true });
    try {
      const credentials: string[] = [];
      for (let at = 0; at < TOKENS; at++) {
        const made = await app.call('token_create', [app.superToken, { token_limit: LIMIT }]);
        const { key, secret } = made as { key: string; secret: string };
        credentials.push(`${key}:${secret}`);
      }
      await app.restart();
      for (let round = 0; round < 3; round++) {
        const use = (credential: string) => app.call('session_list', [credential]);
        const used = await Promise.allSettled(credentials.map(use));
        assert.equal(new Set(used.map(({ status }) => status)), new Set(['fulfilled']));
      }
    } finally {
      await app.stop();
    }
  });

  test('a write through exec_sql makes nobody read tokens again, since it changes none', async () => {
    const probe = authProbe();
    const plugins = ['server-info', 'token', probe.plugin];
    const app = await bootForTest(plugins, {}, { dialect, clock: true });
    try {
      const token = await app.token([]);
      const update = `update token set username = 'of somebody' where token_key = ?`;
      const nameOf = async () => (await app.call('token_get', [token])).username;
      const before = await nameOf();
      await probe.sql(update, [keyOf(token)]);
      const sql = 'create table somebodys (n integer)';
      await app.call('svc-server_exec_sql', [app.superToken, sql]);
      // Reads of tokens take turns: one that the write had asked for would end before this.
      await app.token([]);
      assert.is(await nameOf(), before);
      probe.kernel().publish(DatabaseChanged, { gap: true });
      await eventually(async () => assert.is(await nameOf(), 'of somebody'));
    } finally {
      await app.stop();
    }
  });

  test.run();
}
