// auth.md §2: slow password hashes (`[token] password_kdf`).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, DatabaseChanged, definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { type BusLink, type BusTransport, BusTransports } from '../../plugins/bus/src/api.ts';
import { bareBus } from '../bus-kit.ts';
import { memoryLog } from '../kernel/database-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { AnyTokenChange, authProbe } from './auth-probe.ts';
import { eventually, keyOf, listen, type TokenServer, tokenServer, WRONG } from './token-kit.ts';

const SLOW = /^scrypt\$14\$[\w-]{22}\$[\w-]{43}$/;
const PLAIN = /^[0-9a-f]{64}$/;
/** The hash of "test" in auth.md §2. */
const HASH_TEST = 'c48c48d25dae9871f7a1bf8dffa3c671b07dd7f8efb9c4582099525ea53c7895';
const config = { token: { password_kdf: 'scrypt' } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth: passwords (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer(config, { dialect });
  });
  test.after(() => server.app.stop());

  const stored = async (name: string): Promise<string> => {
    const rows = await server.probe.sql('select password_hash from token where username = ?', [
      name,
    ]);
    return rows[0].password_hash;
  };
  /** An imported record. */
  const makePlain = async (name: string) => {
    const update = 'update token set password_hash = ? where username = ?';
    await server.probe.sql(update, [HASH_TEST, name]);
    await server.asSuper('token_edit', name, []);
  };

  test('slow hashes are the default', async () => {
    const slow = await tokenServer({ token: { password_kdf: undefined } }, { dialect });
    await slow.account('a password');
    const rows = await slow.table();
    await slow.app.stop();
    for (const { password_hash } of rows) assert.match(password_hash, SLOW);
  });

  test('plain hashes are made where they are asked for', async () => {
    const plain = await tokenServer({ token: { password_kdf: 'sha256' } }, { dialect });
    const [top] = await plain.table();
    const { name, token } = await plain.account('a password');
    assert.is((await plain.whoami(`${name}|a password`)).id, keyOf(token));
    const [, row] = await plain.table();
    await plain.app.stop();
    assert.match(top.password_hash, PLAIN);
    assert.match(row.password_hash, PLAIN);
  });

  test('new passwords are stored slow, each with its own salt; secrets stay plain', async () => {
    const first = await server.account('a password');
    const second = await server.account('a password');
    assert.match(await stored('root'), SLOW);
    assert.match(await stored(first.name), SLOW);
    assert.is.not(await stored(first.name), await stored(second.name));
    for (const { token_hash } of await server.table()) assert.match(token_hash, PLAIN);
    await server.asSuper('token_change_password', first.name, 'another one');
    assert.match(await stored(first.name), SLOW);
  });

  test('a slow password lets in, a wrong one does not, also many at once', async () => {
    const { name, token } = await server.account('a password');
    const right = Array.from({ length: 20 }, () => server.whoami(`${name}|a password`));
    const wrong = Array.from({ length: 3 }, (_item, at) => server.whoami(`${name}|wrong ${at}`));
    for (const caller of await Promise.all(right)) assert.is(caller.id, keyOf(token));
    for (const refusal of await Promise.all(wrong)) assert.is(refusal, WRONG);
    assert.is((await server.whoami(`root|${server.app.rootPassword}`)).super, true);
  });

  test('a plain hash is replaced at its next login, and the session goes on', async () => {
    const { name } = await server.account('another one');
    await makePlain(name);
    const { serial } = await server.whoami(`${name}|test`);
    await eventually(async () => assert.match(await stored(name), SLOW));
    const now = await server.whoami(`${name}|test`);
    assert.equal([now.serial, now.ended], [serial, false]);
    assert.is(await server.whoami(`${name}|another one`), WRONG);
    await server.app.restart();
    assert.type((await server.whoami(`${name}|test`)).id, 'string');
  });

  test('a session goes on though the whole table is read while the hash is replaced', async () => {
    const { name } = await server.account('another one');
    await makePlain(name);
    const { publish } = server.probe.kernel();
    const { serial } = await server.whoami(`${name}|test`);
    let reading = true;
    const reads = (async () => {
      for (; reading; await nextTurn()) publish(DatabaseChanged, { gap: true });
    })();
    await eventually(async () => assert.match(await stored(name), SLOW)).finally(() => {
      reading = false;
    });
    await reads;
    await server.app.reload();
    assert.is(server.probe.ended(serial), false);
    assert.is((await server.whoami(`${name}|test`)).serial, serial);
  });

  test('a new password ends the session, whatever is said of its form', async () => {
    const { name } = await server.account('first password');
    const { serial } = await server.whoami(`${name}|first password`);
    const [{ id }] = await server.probe.sql('select id from token where username = ?', [name]);
    const update = 'update token set password_hash = ? where username = ?';
    await server.probe.sql(update, [HASH_TEST, name]);
    const said = { id: Number(id), samePassword: true };
    server.probe.kernel().publish(AnyTokenChange, said);
    await eventually(async () => assert.type((await server.whoami(`${name}|test`)).id, 'string'));
    assert.is(await server.whoami(`${name}|first password`), WRONG);
    assert.is(server.probe.ended(serial), true);
  });

  test('a wrong password replaces nothing', async () => {
    const { name } = await server.account('another one');
    await makePlain(name);
    assert.is(await server.whoami(`${name}|wrong`), WRONG);
    assert.match(await stored(name), PLAIN);
  });

  test('parallel guesses are counted before their answers are known', async () => {
    const { name } = await server.account('a password');
    const from = { address: '192.0.2.9', transport: 'ws' } as const;
    const { auth } = server.probe.kernel();
    const tries = Array.from({ length: 30 }, (_item, at) => {
      const password = at === 29 ? 'a password' : `guess ${at}`;
      return auth.authenticate(`${name}|${password}`, from).then(
        () => 'in',
        (error) => error.message,
      );
    });
    const answers = new Set(await Promise.all(tries));
    assert.equal([...answers], ['Permission denied: Invalid credentials']);
  });

  // biome-ignore format: one case per line
  const unusable = ['scrypt$', 'scrypt$99$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'scrypt$14$x$y', '$2b$10$abcdefghijklmnopqrstuv', ''];
  for (const text of unusable) {
    test(`a stored hash '${text}' is no password`, async () => {
      const { name } = await server.account('a password');
      const update = 'update token set password_hash = ? where username = ?';
      await server.probe.sql(update, [text, name]);
      await server.asSuper('token_edit', name, []);
      for (const password of ['a password', '', text]) {
        assert.is(await server.whoami(`${name}|${password}`), WRONG);
      }
    });
  }

  test.run();
}

const several = suite('auth: passwords on several servers (postgres)');

several('a session goes on when another server replaces the hash', async () => {
  const probe = authProbe();
  const { apps, superToken, stop } = await sharedServers(2, ['token', probe.plugin], config);
  try {
    const [here, there] = apps as [TestApp, TestApp];
    const edit = (limits: unknown) => there.call('token_edit', [superToken, 'ada', limits]);
    /** The one server has heard of what the other one did. */
    const follows = (limits: unknown) =>
      eventually(async () =>
        assert.equal((await here.call('token_get', [token])).token_limit, limits),
      );
    const token = await there.token([], { username: 'ada', password: 'another one' });
    const update = 'update token set password_hash = ? where username = ?';
    await probe.sql(update, [HASH_TEST, 'ada']);
    await edit(listen);
    await follows(listen);
    const { serial } = await here.call('probe_whoami', [token]);
    await there.call('probe_whoami', ['ada|test']);
    const select = `select password_hash from token where username = 'ada'`;
    await eventually(async () => assert.match((await probe.sql(select))[0].password_hash, SLOW));
    await edit([]);
    await follows([]);
    assert.is(probe.ended(serial), false);
    assert.is((await here.call('probe_whoami', ['ada|test'])).serial, serial);
  } finally {
    await stop();
  }
});

several('a plain hash stays while a server of an older version is on the database', async () => {
  const probe = authProbe();
  const links = new Set<BusLink>();
  const transport: BusTransport = {
    name: 'memory',
    frameBytes: 1_000,
    connect: async (link) => {
      links.add(link);
      return {
        send: async (frames) => {
          for (const { text } of frames) for (const other of links) other.receive(text);
        },
        close: async () => void links.delete(link),
      };
    },
  };
  const memory = definePlugin({
    name: 'memory-bus',
    version: '1.0.0',
    requires: [BusTransports],
    setup: (kernel) => kernel.use(BusTransports).offer(transport, { configured: true }),
  });
  const options = { dialect: 'postgres', clock: true } as const;
  const app = await bootForTest(['token', 'bus', memory, probe.plugin], config, options);
  const older = bareBus(memoryLog(), app.clock as TestApp['clock'] & Clock, '0.5.9');
  try {
    await older.open(transport);
    await app.token([], { username: 'ada', password: 'another one' });
    const ada = async () => {
      const [row] = await probe.sql(`select password_hash from token where username = 'ada'`);
      return row.password_hash;
    };
    await probe.sql(`update token set password_hash = '${HASH_TEST}' where username = 'ada'`);
    await app.call('token_edit', [app.superToken, 'ada', listen]);
    const session = await app.call('probe_whoami', ['ada|test']);
    for (let second = 0; second < 10; second++) {
      await app.clock.advance(1_000);
      assert.is(await ada(), HASH_TEST);
    }
    await older.close();
    await eventually(async () => {
      await app.clock.advance(1_000);
      assert.match(await ada(), SLOW);
    });
    assert.is((await app.call('probe_whoami', ['ada|test'])).serial, session.serial);
  } finally {
    await older.close();
    await app.stop();
  }
});

several.run();
