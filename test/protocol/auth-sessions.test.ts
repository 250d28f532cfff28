// auth.md §6.4, §8: one principal per record, when it ends, and how soon changes made elsewhere are seen.
import { DatabaseChanged } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { mayHaveWritten } from '../../plugins/token/src/records/refresh.ts';
import { suite } from '../runner/suite.ts';
import { AnyTokenChange } from './auth-probe.ts';
import { eventually, keyOf, listen, type TokenServer, tokenServer, WRONG } from './token-kit.ts';

const DAY = 86_400_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth: sessions (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    // Without other servers: what was written elsewhere must not be read again before the test says so.
    server = await tokenServer({ bus: { transport: 'local' } }, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  const serialOf = async (credential: string): Promise<number> =>
    (await server.whoami(credential)).serial;

  /** Lets seconds pass, each a look at the table, until the check holds: a look under way leaves the next one out. */
  const watched = (check: () => Promise<void>) =>
    eventually(async () => {
      await server.app.clock.advance(1_000);
      await check();
    });

  /** Opens a subscription with this credential. @returns whether it is still open */
  const subscribe = async (credential: string) => {
    const socket = await server.app.connect();
    const id = await socket.call('probe_watch', [credential]);
    return async () => {
      const open = await socket.call('probe_unwatch', [id]);
      socket.close();
      return open;
    };
  };

  test('all calls and both modes of one record have the same principal', async () => {
    const { name, token } = await server.account('a passphrase');
    const serial = await serialOf(token);
    assert.is(await serialOf(token), serial);
    assert.is(await serialOf(`${name}|a passphrase`), serial);
    assert.is.not(await serialOf((await server.account()).token), serial);
  });

  // biome-ignore format: one case per line
  const endings: [string, (target: string) => [string, unknown[]], boolean][] = [
    ['deleting it', (target) => ['token_delete', [target]], true],
    ['rolling its secret', (target) => ['token_roll_token_secret', [target]], true],
    ['changing its password', (target) => ['token_change_password', [target, 'new password']], true],
    ['editing its limits', (target) => ['token_edit', [target, []]], false],
    ['changing another token', () => ['token_create', [{ token_limit: [] }]], false],
  ];
  for (const [name, change, ends] of endings) {
    test(`${name} ${ends ? 'ends' : 'does not end'} the principal and its subscriptions`, async () => {
      const { name: target, token } = await server.account();
      const serial = await serialOf(token);
      const isOpen = await subscribe(token);
      const [method, params] = change(target);
      assert.type(await server.asSuper(method, ...params), 'object');
      assert.is(server.probe.ended(serial), ends);
      assert.is(await isOpen(), !ends);
    });
  }

  test('after a new password the secret goes on under a new principal', async () => {
    const { name, token } = await server.account('old password');
    const serial = await serialOf(token);
    await server.asSuper('token_change_password', name, 'new password');
    const now = await server.whoami(token);
    assert.is.not(now.serial, serial);
    assert.is(now.ended, false);
    assert.is(await server.whoami(`${name}|old password`), WRONG);
    assert.is(await serialOf(`${name}|new password`), now.serial);
  });

  test('new limits hold at once for the principal that is there', async () => {
    const token = await server.app.token(listen);
    const serial = await serialOf(token);
    const asked = [token, ['global'], [{ kv: 'list_all_keys' }]];
    assert.is(await server.outcome('probe_need', asked), '102 Permission denied: probe');
    const limits = [{ scopes: ['global'], permissions: [{ kv: 'list_all_keys' }] }];
    await server.asSuper('token_edit', keyOf(token), limits);
    assert.is(await server.outcome('probe_need', asked), 'allowed');
    assert.is(await serialOf(token), serial);
  });

  test('a token ends in the millisecond after its last one, and still reads itself', async () => {
    const { clock } = server.app;
    const timestamp_to = clock.now() + 1_000;
    const token = await server.app.token(listen, { timestamp_to });
    const serial = await serialOf(token);
    const isOpen = await subscribe(token);
    await clock.advance(1_000);
    assert.is(server.probe.ended(serial), false);
    assert.is(await server.outcome('probe_need', [token, [], []]), 'allowed');
    await clock.advance(1);
    assert.is(server.probe.ended(serial), true);
    assert.is(await isOpen(), false);
    assert.is(await server.outcome('probe_need', [token, [], []]), '102 Permission denied: probe');
    assert.is((await server.outcome('token_get', [token])).timestamp_to, timestamp_to);
  });

  test('an end further away than a timer of the machine reaches is waited for', async () => {
    const machine = await tokenServer({}, { dialect });
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => {
      if (name === 'TimeoutOverflowWarning') warnings.push(name);
    };
    process.on('warning', onWarning);
    try {
      // Beyond 2^31 - 1 ms the machine's timers fire at once, with a warning.
      for (const timestamp_to of [Date.now() + 60 * DAY, 2 ** 53, '9223372036854775807']) {
        const token = await machine.app.token(listen, { timestamp_to: Date.now() + 60 * DAY });
        const update = 'update token set time_stamp_to = ? where token_key = ?';
        await machine.probe.sql(update, [timestamp_to, keyOf(token)]);
        await machine.asSuper('token_edit', keyOf(token), listen);
        const { serial } = await machine.whoami(token);
        for (let call = 0; call < 10; call++) await machine.whoami(token);
        assert.is(machine.probe.ended(serial), false);
      }
      assert.equal(warnings, []);
    } finally {
      process.off('warning', onWarning);
      await machine.app.stop();
    }
  });

  test('a token that has expired already has ended', async () => {
    const token = await server.app.token([], { timestamp_to: server.app.clock.now() - 1 });
    assert.is((await server.whoami(token)).ended, true);
  });

  test('a later end of validity gives an expired token a new principal', async () => {
    const token = await server.app.token(listen, { timestamp_to: server.app.clock.now() - 1 });
    const serial = await serialOf(token);
    const update = 'update token set time_stamp_to = ? where token_key = ?';
    await server.probe.sql(update, [server.app.clock.now() + DAY, keyOf(token)]);
    server.probe.kernel().publish(DatabaseChanged, { gap: true });
    await eventually(async () => assert.is.not(await serialOf(token), serial));
    assert.is((await server.whoami(token)).ended, false);
  });

  // biome-ignore format: one case per line
  const foreign: [string, string, boolean][] = [
    ['a deleted record', 'delete from token where token_key = ?', true],
    ['a replaced hash', `update token set token_hash = 'x' where token_key = ?`, true],
    ['a changed key', `update token set token_key = 'other key' where token_key = ?`, true],
    ['changed limits', `update token set token_limit = '[]' where token_key = ?`, false],
  ];
  for (const [name, statement, refused] of foreign) {
    test(`${name} is seen after messages were lost`, async () => {
      const token = await server.app.token(listen);
      const serial = await serialOf(token);
      await server.probe.sql(statement, [keyOf(token)]);
      assert.is(await serialOf(token), serial);
      server.probe.kernel().publish(DatabaseChanged, { gap: true });
      await eventually(async () => {
        if (refused) assert.is(await server.whoami(token), WRONG);
        else assert.equal((await server.outcome('token_get', [token])).token_limit, []);
      });
      assert.is(server.probe.ended(serial), refused);
      await server.probe.sql(`delete from token where token_key = 'other key'`);
    });
  }

  test('changed limits are seen after a reload of the configuration', async () => {
    const token = await server.app.token(listen);
    await server.probe.sql(`update token set token_limit = '[]' where token_key = ?`, [
      keyOf(token),
    ]);
    assert.equal((await server.outcome('token_get', [token])).token_limit, listen);
    await server.app.reload();
    assert.equal((await server.outcome('token_get', [token])).token_limit, []);
  });

  test("another server's change of one record is seen after its message", async () => {
    const token = await server.app.token(listen);
    await server.probe.sql(`update token set token_limit = '[]' where token_key = ?`, [
      keyOf(token),
    ]);
    const [{ id }] = await server.probe.sql('select id from token where token_key = ?', [
      keyOf(token),
    ]);
    const kernel = server.probe.kernel();
    for (const nonsense of [null, 5, 'x', {}, { id: 'x' }])
      kernel.publish(AnyTokenChange, nonsense);
    kernel.publish(AnyTokenChange, { id: Number(id) });
    await eventually(async () =>
      assert.equal((await server.outcome('token_get', [token])).token_limit, []),
    );
  });

  test('a Super Token replaced, a token made and a token deleted elsewhere are seen within a second', async () => {
    const token = await server.app.token(listen);
    const [made] = await server.probe.sql('select token_hash from token where token_key = ?', [
      keyOf(token),
    ]);
    const [top] = await server.probe.sql('select token_key, token_hash from token where id = 1');
    const secret = token.slice(17);

    await server.probe.sql('update token set token_hash = ? where id = 1', [made.token_hash]);
    await watched(async () => assert.is(await server.whoami(server.app.superToken), WRONG));
    assert.is((await server.whoami(`${top.token_key}:${secret}`)).super, true);
    await server.probe.sql('update token set token_hash = ? where id = 1', [top.token_hash]);
    await watched(async () => assert.ok((await server.whoami(server.app.superToken)).super));

    const insert = `insert into token (token_key, token_hash, token_limit) values ('elsewhere', ?, '[]')`;
    await server.probe.sql(insert, [made.token_hash]);
    await watched(async () =>
      assert.is((await server.whoami(`elsewhere:${secret}`)).id, 'elsewhere'),
    );

    await server.probe.sql('delete from token where token_key = ?', [keyOf(token)]);
    await watched(async () => assert.is(await server.whoami(token), WRONG));
  });

  test('what is known is known again after a restart', async () => {
    const { name, token } = await server.account('a passphrase');
    await server.app.restart();
    assert.is((await server.whoami(token)).id, keyOf(token));
    assert.is((await server.whoami(`${name}|a passphrase`)).id, keyOf(token));
    assert.is((await server.whoami(server.app.superToken)).super, true);
  });

  test.run();
}

const senders = suite('auth: SQL of servers of other versions');
for (const [version, may] of [
  ['0.8.2', true],
  ['0.9.0', false],
  ['0.10.0', false],
  ['', true],
] as const)
  senders(
    `SQL at a server of version ${version || 'unknown'} ${may ? 'may change' : 'changes no'} tokens`,
    () => {
      const servers = version ? [{ id: 'other', version }] : [];
      assert.is(mayHaveWritten({ own: false, id: 'other' }, servers), may);
      assert.is(mayHaveWritten({ own: true, id: 'this' }, servers), false);
    },
  );
senders.run();
