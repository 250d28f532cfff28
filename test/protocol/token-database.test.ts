// token.md §5 to §7; auth.md §8: what a failing database does to calls and to the memory.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { AnyTokenChange } from './auth-probe.ts';
import { eventually, keyOf, listen, type TokenServer, tokenServer } from './token-kit.ts';

/** `[method, parameters, text before the driver's when nothing can be read, and when nothing can be written]`. */
// biome-ignore format: one case per line
const methods: [string, unknown[], string, string][] = [
  ['token_create', [{ token_limit: [] }], 'Database insert error: ', 'Database insert error: '],
  ['token_delete', ['victim'], '', ''],
  ['token_edit', ['victim', []], 'Database query error: ', 'Database update error: '],
  ['token_change_password', ['victim', 'a password'], 'DB query error: ', 'Failed to update password: '],
  ['token_roll_token_secret', ['victim'], 'DB query error: ', 'Failed to update token secret: '],
];
const missing = { sqlite: 'no such table: token', postgres: 'relation "token" does not exist' };

/** Refuses every write to the table, as a full disk would. */
const readOnly = {
  sqlite: ['insert', 'update', 'delete'].map(
    (verb) =>
      `create trigger no_${verb} before ${verb} on token begin select raise(abort, 'disk full'); end`,
  ),
  postgres: [
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$`,
    'create trigger no_write before insert or update or delete on token execute function refuse()',
  ],
};
const writable = {
  sqlite: ['insert', 'update', 'delete'].map((verb) => `drop trigger no_${verb}`),
  postgres: ['drop function refuse() cascade'],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: database (${dialect})`);
  let server: TokenServer;
  let token: string;
  test.before(async () => {
    server = await tokenServer({}, { dialect, clock: true });
    ({ token } = await server.account('a password', 'victim'));
  });
  test.after(() => server.app.stop());

  const hideTable = () => server.probe.sql('alter table token rename to hidden');
  const showTable = () => server.probe.sql('alter table hidden rename to token');

  test('a table that cannot be read gives 103 to changes, and credentials still work', async () => {
    const before = await server.table();
    await hideTable();
    try {
      for (const [method, params, text] of methods) {
        const expected = `103 Database error: ${text}${missing[dialect]}`;
        assert.is(await server.asSuper(method, ...params), expected);
      }
      assert.is((await server.whoami(token)).id, keyOf(token));
      assert.is((await server.outcome('token_get', [token])).username, 'victim');
      assert.is(
        await server.asSuper('token_list_all_tokens'),
        `103 Database error: ${missing[dialect]}`,
      );
    } finally {
      await showTable();
    }
    assert.equal(await server.table(), before);
  });

  test('a table that cannot be written gives 103 and changes nothing', async () => {
    const before = await server.table();
    for (const statement of readOnly[dialect]) await server.probe.sql(statement);
    try {
      for (const [method, params, , text] of methods) {
        const expected = `103 Database error: ${text}disk full`;
        assert.is(await server.asSuper(method, ...params), expected);
      }
    } finally {
      for (const statement of writable[dialect]) await server.probe.sql(statement);
    }
    assert.equal(await server.table(), before);
    assert.is((await server.whoami(token)).id, keyOf(token));
  });

  test('a changed record that cannot be read is refused, and comes back when it can', async () => {
    const [{ id }] = await server.probe.sql(`select id from token where username = 'victim'`);
    const other = await server.app.token(listen);
    await hideTable();
    try {
      server.probe.kernel().publish(AnyTokenChange, { id: Number(id) });
      const away = `103 Database error: ${missing[dialect]}`;
      await eventually(async () => assert.is(await server.whoami(token), away));
      assert.is((await server.whoami(other)).id, keyOf(other));
      await server.app.clock.advance(2_000);
      assert.is(await server.whoami(token), away);
    } finally {
      await showTable();
    }
    await eventually(async () => {
      // Again and again: a look that is still under way leaves the next one out.
      await server.app.clock.advance(1_000);
      assert.is((await server.whoami(token)).id, keyOf(token));
    });
  });

  test('errors and log records hold neither a hash nor a statement with values', async () => {
    const [{ token_hash }] = await server.probe.sql(
      `select token_hash from token where username = 'victim'`,
    );
    const records = JSON.stringify(server.app.records());
    assert.not.match(records, token_hash);
    assert.not.match(records, token.slice(17));
    assert.not.match(records, server.app.superToken.slice(17));
    assert.not.match(records, server.app.rootPassword);
    assert.not.match(records, 'a password');
  });

  test.run();
}
