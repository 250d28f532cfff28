// token.md §12: short-lived credentials with the rights of their token. Additions.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { authProbe } from './auth-probe.ts';
import { A, agents, PLUGINS as CRONTAB, NEVER } from './crontab-kit.ts';
import { eventually, keyOf, listen, PARAMS, WRONG } from './token-kit.ts';

const HOUR = 3_600_000;
const MOST = 5;
const OTHERS = '102 Permission denied: Only SuperToken can reach the sessions of another token';
const STEMS =
  '102 Permission denied: A session cannot change the secret or password that it stems from: give that one, not a session';
const CHILD =
  '102 Permission denied: A session creates no sessions: give the token or password itself';
const DENIED = '102 Permission denied: probe';
const onA = [{ agent_uuid: A }];
const creator = [
  {
    scopes: ['global'],
    permissions: [
      { token: 'create' },
      { crontab: 'read' },
      { crontab: 'write' },
      { task: { create: '*' } },
    ],
  },
];

/** What the tests of one server do. */
function hand(app: TestApp) {
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error: any) => `${error.code} ${error.message}`);
  return {
    outcome,
    asSuper: (method: string, ...rest: unknown[]) => outcome(method, [app.superToken, ...rest]),
    /** A session, as a credential. */
    async session(token: string, params: object = {}): Promise<string> {
      const { key, secret } = await app.call('session_create', { token, ...params });
      return `${key}:${secret}`;
    },
    list: async (token: string, target_token?: string): Promise<any[]> =>
      (await app.call('session_list', { token, target_token })).sessions,
    whoami: (credential: string) => outcome('probe_whoami', [credential]),
    /** Opens a subscription. @returns whether it is still open */
    async subscribe(credential: string) {
      const socket = await app.connect();
      const id = await socket.call('probe_watch', [credential]);
      return async () => {
        const open = await socket.call('probe_unwatch', [id]);
        socket.close();
        return open;
      };
    },
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`sessions (${dialect})`);
  const probe = authProbe();
  let app: TestApp;
  let on: ReturnType<typeof hand>;
  let last = 0;
  test.before(async () => {
    const limits = { max_sessions: MOST, max_session_hours: 48 };
    const token = { ...limits, password_kdf: 'sha256', on_delete: 'keep' };
    const config = { token, bus: { transport: 'local' } };
    app = await bootForTest([...CRONTAB, 'audit', probe.plugin], config, { dialect, clock: true });
    on = hand(app);
  });
  test.after(() => app.stop());

  /** A fresh account. */
  const account = async (limits: unknown = listen, extra: object = {}) => {
    const name = `user${++last}`;
    const given = { username: name, password: 'a password', ...extra };
    return { name, account: `${name}|a password`, token: await app.token(limits, given) };
  };

  test('a session has the name, the rights and the record of its token, whichever way that logged in', async () => {
    const { account: password, token, name } = await account();
    for (const credential of [token, password]) {
      const session = await on.session(credential);
      assert.match(session, /^[A-Za-z0-9]{16}:[A-Za-z0-9]{32}$/);
      assert.is((await on.whoami(session)).id, keyOf(token));
      assert.equal(await app.call('token_get', [session]), await app.call('token_get', [token]));
      assert.is((await app.call('token_get', [session])).username, name);
      const may = (permission: unknown) => on.outcome('probe_need', [session, onA, [permission]]);
      assert.equal(
        [await may({ task: 'listen' }), await may({ task: { create: 'ip' } })],
        [DENIED, DENIED],
      );
      const [key, secret] = session.split(':');
      assert.is(await app.call('probe_basic', { user: key, password: secret }), keyOf(token));
    }
  });

  test('it lasts as long as is asked for, no longer than the configuration and its token allow', async () => {
    const now = app.clock.now();
    const timestamp_to = now + HOUR;
    const { token } = await account();
    const { token: short } = await account(listen, { timestamp_to });
    const end = async (of: string, hours?: number) => {
      const { made_at, ends_at } = await app.call('session_create', { token: of, hours });
      assert.is(made_at, now);
      return ends_at;
    };
    assert.is(await end(token), now + 12 * HOUR);
    assert.is(await end(token, 0.5), now + HOUR / 2);
    assert.is(await end(token, 100_000), now + 48 * HOUR);
    assert.is(await end(short), timestamp_to);
  });

  test('what is over is refused like what never was, and its streams end', async () => {
    const { token } = await account();
    const session = await on.session(token, { hours: 1 });
    const { serial } = await on.whoami(session);
    const isOpen = await on.subscribe(session);
    await app.clock.advance(HOUR);
    assert.is((await on.whoami(session)).serial, serial);
    await app.clock.advance(1);
    assert.is(probe.ended(serial), true);
    assert.is(await isOpen(), false);
    assert.is(await on.whoami(session), WRONG);
    assert.is(await on.whoami(`${'x'.repeat(16)}:${'y'.repeat(32)}`), WRONG);
    assert.equal(await on.list(token), []);
    assert.is((await on.whoami(token)).ended, false);
  });

  // biome-ignore format: one case per line
  const endings: [string, (key: string, top: typeof on.asSuper) => Promise<unknown>, boolean][] = [
    ['deleting the token', (key, top) => top('token_delete', key), true],
    ['rolling its secret', (key, top) => top('token_roll_token_secret', key), true],
    ['changing its password', (key, top) => top('token_change_password', key, 'new password'), true],
    ['changing its limits', (key, top) => top('token_edit', key, []), false],
    ['changing another token', (_key, top) => top('token_create', { token_limit: [] }), false],
  ];
  for (const [name, change, ends] of endings) {
    test(`${name} ${ends ? 'ends' : 'does not end'} its sessions and their streams`, async () => {
      const { token } = await account();
      const session = await on.session(token);
      const { serial } = await on.whoami(session);
      const isOpen = await on.subscribe(session);
      assert.type(await change(keyOf(token), on.asSuper), 'object');
      assert.is(probe.ended(serial), ends);
      assert.is(await isOpen(), !ends);
      assert.is((await on.whoami(session)) === WRONG, ends);
      await app.restart();
      assert.is((await on.whoami(session)) === WRONG, ends, 'after a restart');
    });
  }

  test('a changed right holds at once for a session that is there', async () => {
    const { token } = await account();
    const session = await on.session(token);
    const asked = [session, onA, [{ crontab: 'read' }]];
    assert.is(await on.outcome('probe_need', asked), DENIED);
    await on.asSuper('token_edit', keyOf(token), [
      { scopes: ['global'], permissions: [{ crontab: 'read' }] },
    ]);
    assert.is(await on.outcome('probe_need', asked), 'allowed');
    await on.asSuper('token_edit', keyOf(token), []);
    assert.is(await on.outcome('probe_need', asked), DENIED);
  });

  test('a password that changes only its stored form ends no session', async () => {
    const { token, account: password, name } = await account();
    const session = await on.session(token);
    const { serial } = await on.whoami(session);
    const [before] = await probe.sql('select password_hash from token where username = ?', [name]);
    await configure('password_kdf', 'scrypt');
    await on.whoami(password);
    await eventually(async () => {
      await app.clock.advance(1_000);
      const [now] = await probe.sql('select password_hash from token where username = ?', [name]);
      assert.is.not(now.password_hash, before.password_hash);
    });
    assert.is((await on.whoami(session)).serial, serial);
    await app.restart();
    assert.is((await on.whoami(session)).id, keyOf(token));
    await configure('password_kdf', 'sha256');
  });

  test('a token that was deleted, rolled or made elsewhere is seen with its sessions', async () => {
    const { token } = await account();
    const [first, second] = [await on.session(token), await on.session(token)];
    const rolled = await account();
    const third = await on.session(rolled.token);
    await probe.sql('delete from token_session where session_key = ?', [keyOf(first)]);
    await probe.sql(`update token set token_hash = 'x' where token_key = ?`, [keyOf(rolled.token)]);
    await eventually(async () => {
      await app.clock.advance(1_000);
      for (const gone of [first, third]) assert.is(await on.whoami(gone), WRONG);
    });
    assert.is((await on.whoami(second)).id, keyOf(token));
  });

  test('a caller lists its own sessions, newest first, with the one that asks', async () => {
    const { token } = await account();
    const { token: other } = await account();
    await on.session(other);
    const first = await on.session(token, { name: 'Firefox on desk' });
    await app.clock.advance(1_000);
    const second = await on.session(token);
    const [made_at, lasts_ms] = [app.clock.now(), 12 * HOUR];
    const used_from = '127.0.0.1';
    await on.whoami(first);
    await eventually(async () => {
      await app.clock.advance(1_000);
      assert.is((await on.list(token)).at(-1).used_from, used_from);
    });
    const [young, old] = await on.list(first);
    const common = { made_at, ends_at: made_at + lasts_ms, used_at: made_at };
    assert.equal(young, { key: keyOf(second), name: '', ...common, used_from: '', current: false });
    assert.equal([old.key, old.name, old.current], [keyOf(first), 'Firefox on desk', true]);
    assert.equal(await on.list(app.superToken, keyOf(token)), await on.list(token));
    assert.equal(await on.list(token, keyOf(token)), await on.list(token));
  });

  test('a session is refused while its token is suspended, and its streams end', async () => {
    const { token: parent } = await account(creator);
    const { key, secret } = await app.call('token_create', [parent, { token_limit: [] }]);
    const session = await on.session(`${key}:${secret}`);
    const { serial } = await on.whoami(session);
    await on.asSuper('token_delete', keyOf(parent));
    assert.is(probe.ended(serial), false);
    await configure('on_delete', 'suspend');
    assert.is(await on.whoami(session), WRONG);
    assert.is(probe.ended(serial), true);
    await configure('on_delete', 'keep');
    assert.is((await on.whoami(session)).id, key);
  });

  test('one session is revoked, then all: their streams end and the token goes on', async () => {
    const { token } = await account();
    const sessions = [await on.session(token), await on.session(token), await on.session(token)];
    const [first, second, third] = sessions as [string, string, string];
    const isOpen = await on.subscribe(first);
    const own = { token: second, key: keyOf(first) };
    assert.equal(await on.outcome('session_revoke', own), { revoked: 1 });
    assert.is(await isOpen(), false);
    assert.is(await on.whoami(first), WRONG);
    assert.equal(await on.outcome('session_revoke', { token: third, all: true }), { revoked: 2 });
    for (const session of sessions) assert.is(await on.whoami(session), WRONG);
    assert.is((await on.whoami(token)).id, keyOf(token));
    assert.equal(await on.outcome('session_revoke', { token, all: true }), { revoked: 0 });
  });

  test('the Super Token ends sessions of any token, by their key or all of them', async () => {
    const { token, name } = await account();
    const [first, second] = [await on.session(token), await on.session(token)];
    assert.equal(await on.asSuper('session_revoke', keyOf(first)), { revoked: 1 });
    const all = { token: app.superToken, all: true, target_token: name };
    assert.equal(await on.outcome('session_revoke', all), { revoked: 1 });
    for (const session of [first, second]) assert.is(await on.whoami(session), WRONG);
  });

  test('what makes no sense, or reaches another token, is refused', async () => {
    const [{ token }, { token: other, name }] = [await account(), await account()];
    const session = await on.session(token);
    const key = keyOf(await on.session(other));
    const { token: over } = await account(listen, { timestamp_to: app.clock.now() - 1 });
    const late = '102 Permission denied: Permission Denied: Token is not valid now';
    // biome-ignore format: one case per line
    const refusals: [string, string, object, string | RegExp][] = [
      [session, 'session_create', {}, CHILD],
      [over, 'session_create', {}, late],
      ['a:b', 'session_create', {}, WRONG],
      [token, 'session_create', { hours: 0 }, PARAMS],
      [token, 'session_create', { name: 'x'.repeat(101) }, PARAMS],
      [token, 'session_create', { name: 'a\nb' }, /^108 .*control character/],
      [token, 'session_create', { name: 'a\0b' }, /^108 .*control character/],
      [token, 'session_list', { target_token: name }, OTHERS],
      [token, 'session_list', { target_token: 'stranger' }, OTHERS],
      [app.superToken, 'session_list', { target_token: 'stranger' }, /^105 /],
      [token, 'session_revoke', {}, /^108 .*either the key of a session or all: true/],
      [token, 'session_revoke', { key, all: true }, /^108 /],
      [token, 'session_revoke', { all: false }, /^108 /],
      [token, 'session_revoke', { all: true, target_token: name }, OTHERS],
      [token, 'session_revoke', { key }, `105 Not found in database: Session not found: ${key}`],
      [token, 'session_revoke', { key: 'zero\0' }, /^105 /],
      [app.superToken, 'session_revoke', { key: 'stranger' }, /^105 /],
    ];
    for (const [credential, method, params, refused] of refusals) {
      const answer = await on.outcome(method, { token: credential, ...params });
      const text = `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)}`;
      assert.ok(refused instanceof RegExp ? refused.test(answer) : answer === refused, text);
    }
    assert.is((await on.list(other)).length, 1);
  });

  test('with one session more than a token may have, the oldest ends', async () => {
    const { token } = await account();
    const sessions: string[] = [];
    for (let at = 0; at <= MOST; at++) {
      sessions.push(await on.session(token));
      await app.clock.advance(1);
    }
    assert.is(await on.whoami(sessions[0] as string), WRONG);
    assert.is((await on.whoami(sessions[1] as string)).id, keyOf(token));
    assert.is((await on.list(token)).length, MOST);
  });

  test('sessions outlive a restart, and rows go some time after their end', async () => {
    const { token } = await account();
    const [short, long] = [await on.session(token, { hours: 1 }), await on.session(token)];
    await app.restart();
    for (const session of [short, long]) assert.is((await on.whoami(session)).id, keyOf(token));
    assert.is((await on.list(short)).length, 2);
    const select = 'select session_key from token_session where parent = ?';
    const rows = async () =>
      (await probe.sql(select, [keyOf(token)])).map(({ session_key }) => session_key);
    await app.clock.advance(2 * HOUR);
    await eventually(async () => {
      await app.clock.advance(60_000);
      assert.equal(await rows(), [keyOf(long)]);
    });
    assert.is((await on.whoami(long)).id, keyOf(token));
  });

  test('the table holds no secret', async () => {
    const session = await on.session(app.superToken);
    const text = JSON.stringify(await probe.sql('select * from token_session'));
    assert.ok(text.includes(keyOf(session)) && !text.includes(session.slice(17)));
    await on.asSuper('session_revoke', keyOf(session));
  });

  test('what a session creates and writes belongs to its token', async () => {
    const { token } = await account(creator);
    const session = await on.session(token);
    const { key } = await app.call('token_create', [session, { token_limit: [] }]);
    await app.call('crontab_create', [session, 'job', NEVER, agents([A])]);
    const [{ kind, names }] = (await on.asSuper('token_dependents', keyOf(token))).dependents;
    assert.equal([kind, names], ['token', [key]]);
    const jobs = await app.call('crontab_get', [session]);
    assert.is(jobs.find(({ name }: any) => name === 'job').owner, keyOf(token));
    await on.outcome('session_revoke', { token, all: true });
    assert.is((await on.whoami(token)).id, keyOf(token));
    assert.is((await app.call('crontab_get', [token])).length, 1);
  });

  test("the Super Token's session may what that may, and does not change its secret or password", async () => {
    const session = await on.session(`root|${app.rootPassword}`);
    assert.is(await on.outcome('probe_super', [session]), 'allowed');
    const { key } = await app.call('token_create', [session, { token_limit: [] }]);
    const [made] = await probe.sql('select parent from token where token_key = ?', [key]);
    assert.is(made.parent, null);
    const roll = (target: string) => on.outcome('token_roll_token_secret', [session, target]);
    const password = (target: string) =>
      on.outcome('token_change_password', [session, target, 'new password']);
    for (const target of ['root', keyOf(app.superToken)]) {
      assert.equal([await roll(target), await password(target)], [STEMS, STEMS]);
    }
    assert.is((await roll(key)).key, key);
    assert.is((await password(key)).success, true);
    assert.is((await on.whoami(app.superToken)).super, true);
    assert.equal(await on.outcome('session_revoke', { token: session, all: true }), { revoked: 1 });
    assert.is(
      await on.outcome('probe_super', [session]),
      '102 Permission denied: Permission Denied: Super token required',
    );
  });

  test('guessing at a session is slowed down like guessing at a token', async () => {
    const { token } = await account();
    const session = await on.session(token);
    const login = (credential: string) =>
      probe
        .kernel()
        .auth.authenticate(credential, { address: '192.0.2.7', transport: 'ws' })
        .then(
          ({ id }) => id,
          ({ code, message }) => `${code} ${message}`,
        );
    for (let guess = 0; guess < 10; guess++)
      assert.is(await login(`${keyOf(session)}:guess ${guess}`), WRONG);
    assert.is(await login(session), WRONG, 'a stranger waits, also with the right one');
    await app.clock.advance(10_000);
    assert.is(await login(session), keyOf(token));
  });

  test('the record of changes has sessions by their key, and logins under the name of the token', async () => {
    const { token, name } = await account();
    const session = await on.session(token, { name: 'a page' });
    await on.outcome('probe_known', [session]);
    await on.outcome('session_revoke', { token: session, all: true });
    const { rows } = await app.call('audit_query', [app.superToken, { token: keyOf(token) }, 100]);
    const seen = rows.map((row: any) => [row.method, row.target, row.name]);
    for (const [method, target] of [
      ['session_create', keyOf(session)],
      ['session_revoke', 'all'],
    ])
      assert.ok(
        seen.some((row: any) => JSON.stringify(row) === JSON.stringify([method, target, name])),
        JSON.stringify(seen),
      );
    assert.ok(!JSON.stringify(rows).includes(session.slice(17)));
  });

  test('a token that makes sessions by the dozen keeps nobody from taking its rights away', async () => {
    const { token } = await account();
    const socket = await app.connect();
    let made = 0;
    const creations = Array.from({ length: 200 }, async () => {
      await socket.call('session_create', { token });
      made++;
    });
    await Promise.race(creations);
    const before = made;
    await on.asSuper('token_edit', keyOf(token), []);
    assert.ok(made - before < 30, `${made - before} sessions were made before the edit`);
    await Promise.all(creations);
    socket.close();
    await on.outcome('session_revoke', { token, all: true });
  });

  test('a whole credential in the place of a key or name is in no record of changes, and not in the log', async () => {
    const { token } = await account();
    const { account: ofAccount } = await account();
    const session = await on.session(token);
    const missing = /^105 /;
    const tried = await on.outcome('session_revoke', { token, key: session });
    assert.match(tried, missing);
    assert.match(await on.asSuper('session_revoke', null, true, token), missing);
    assert.match(await on.asSuper('session_list', token), missing);
    assert.match(await on.asSuper('session_list', ofAccount), missing);
    const { rows } = await app.call('audit_query', [app.superToken, {}, 100]);
    const told = JSON.stringify([rows, app.records()]);
    for (const secret of [token, session]) {
      assert.ok(told.includes(keyOf(secret)));
      assert.ok(!told.includes(secret.slice(17)));
    }
    assert.ok(!told.includes(ofAccount));
  });

  async function configure(key: string, value: string): Promise<void> {
    const { readFile, writeFile } = await import('node:fs/promises');
    const file = `${app.dir}/config.toml`;
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(new RegExp(`${key} = ".*"`), `${key} = "${value}"`));
    await app.reload();
  }

  test.run();
}

const several = suite('sessions: several servers (postgres)');

several('a session is good on every server, and ends on all of them at once', async () => {
  const probe = authProbe();
  const { apps, superToken, stop } = await sharedServers(2, ['token', probe.plugin]);
  const [here, there] = apps.map((app) => ({ app, ...hand(app) })) as [any, any];
  try {
    const token = await here.app.token(listen, { username: 'ada', password: 'a password' });
    await eventually(async () => assert.is((await there.whoami(token)).id, keyOf(token)));
    const [first, second] = [await here.session(token), await there.session('ada|a password')];
    for (const session of [first, second])
      for (const { whoami } of [here, there])
        await eventually(async () => assert.is((await whoami(session)).id, keyOf(token)));
    assert.is((await here.list(token)).length, 2);

    const isOpen = await there.subscribe(first);
    const { serial } = await there.whoami(first);
    assert.equal(await here.outcome('session_revoke', [first, keyOf(first)]), { revoked: 1 });
    await eventually(async () => assert.is(await there.whoami(first), WRONG));
    assert.is(probe.ended(serial), true);
    assert.is(await isOpen(), false);
    assert.is((await there.whoami(second)).id, keyOf(token));

    const isOther = await here.subscribe(second);
    await there.app.call('token_change_password', [superToken, 'ada', 'new password']);
    await eventually(async () => assert.is(await here.whoami(second), WRONG));
    assert.is(await isOther(), false);
  } finally {
    await stop();
  }
});

several.run();
