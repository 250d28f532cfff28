// terminal.md §10: passes, an addition: what opens a terminal and nothing else. §4.1, §7: a terminal ends with the right to it.
import { readFile, writeFile } from 'node:fs/promises';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { authProbe } from './auth-probe.ts';
import { A, B, RESULTS, readyAgent, type SimAgent, simAgent } from './task-kit.ts';
import {
  agentQuery,
  PLUGINS,
  type Side,
  shellSide,
  shellTask,
  side,
  userQuery,
  userRefusal,
} from './terminal-kit.ts';
import { eventually, keyOf, PARAMS, WRONG } from './token-kit.ts';

const MINUTE = 60_000;
const MOST = 100;
const NO_RIGHT =
  '102 Permission denied: Permission Denied: Missing Terminal Connect permission for this agent';
const connect = (uuid = A) => [
  { scopes: [{ agent_uuid: uuid }], permissions: [{ terminal: 'connect' }] },
];

/** What the tests of one server do. */
function hand(app: TestApp, agent: () => SimAgent) {
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error: any) => `${error.code} ${error.message}`);
  const credentialOf = ({ key, secret }: { key: string; secret: string }) => `${key}:${secret}`;
  const on = {
    outcome,
    session: async (token: string) => credentialOf(await app.call('session_create', { token })),
    /** A pass for an agent, as a credential. */
    pass: async (token: string, agent_uuid = A) =>
      credentialOf(await app.call('terminal_pass', { token, agent_uuid })),
    /** The shell of a new terminal, at the server of its agent. */
    async shell(): Promise<Side> {
      const item = await shellTask(app, agent());
      const shell = await shellSide(app, agentQuery(item));
      shell.socket.once('close', () => {
        agent()
          .answer(item, RESULTS['web_shell'])
          .catch(() => {});
      });
      shell.socket.send('prompt');
      return shell;
    },
    /** A terminal with both sides. */
    async joined(token: string, at = app) {
      const shell = await on.shell();
      const person = await side(at, userQuery(app, { token }));
      assert.equal(await person.received(1), ['prompt']);
      return { shell, person };
    },
    /** How a user with this credential is refused. */
    refusal: (token: string, over = {}) => userRefusal(app, userQuery(app, { token, ...over })),
  };
  return on;
}

const ended = async ({ shell, person }: { shell: Side; person: Side }) => {
  assert.is((await person.closed).code, 1008);
  assert.is((await shell.closed).code, 1001);
};
/** Both sides hear each other. */
const works = async ({ shell, person }: { shell: Side; person: Side }) => {
  const seen = shell.messages.length;
  person.socket.send('ls');
  assert.is((await shell.received(seen + 1)).at(-1), 'ls');
};
const leave = async ({ shell, person }: { shell: Side; person: Side }) => {
  person.socket.close();
  await shell.closed;
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`terminal: passes (${dialect})`);
  const probe = authProbe();
  let app: TestApp;
  let agent: SimAgent;
  let on: ReturnType<typeof hand>;
  let top: (method: string, ...rest: unknown[]) => Promise<any>;
  test.before(async () => {
    const plugins = [...PLUGINS, 'audit', 'static-bucket', 'static-webdav', probe.plugin];
    const config = { token: { password_kdf: 'sha256' }, bus: { transport: 'local' } };
    app = await bootForTest(plugins, config, { dialect, clock: true });
    agent = await readyAgent(app);
    on = hand(app, () => agent);
    top = (method, ...rest) => on.outcome(method, [app.superToken, ...rest]);
  });
  test.after(() => app?.stop());
  // The agent is ready for ten tasks at once again.
  test.after.each(() => app.clock.advance(1_000));

  test('a session, which makes no sessions, opens a terminal by a pass', async () => {
    const token = await app.token(connect());
    const session = await on.session(token);
    const made = await app.call('terminal_pass', { token: session, agent_uuid: A.toUpperCase() });
    assert.equal(Object.keys(made), ['key', 'secret', 'ends_at']);
    assert.match(made.key, /^[A-Za-z0-9]{16}$/);
    assert.match(made.secret, /^[A-Za-z0-9]{32}$/);
    assert.is(made.ends_at, app.clock.now() + 10 * MINUTE);
    const both = await on.joined(`${made.key}:${made.secret}`);
    await works(both);
    await leave(both);
  });

  test('a pass is a credential nowhere else: not of another agent, a method, WebDAV or another pass', async () => {
    const token = await app.token([...connect(), ...connect(B)]);
    const pass = await on.pass(token);
    assert.is(await on.refusal(pass, { agent_uuid: B }), '102 1008');
    for (const [method, params] of [
      ['token_get', {}],
      ['probe_whoami', {}],
      ['session_create', {}],
      ['session_list', {}],
      ['terminal_pass', { agent_uuid: A }],
    ] as const)
      assert.is(await on.outcome(method, { token: pass, ...params }), WRONG, method);
    const [user, password] = pass.split(':');
    assert.is.not(await on.outcome('probe_basic', { user, password }), keyOf(token));
    const authorization = `Basic ${Buffer.from(pass).toString('base64')}`;
    const dav = await fetch(`${app.url}/svc/static-webdav/x/`, {
      method: 'PROPFIND',
      headers: { authorization },
    });
    assert.is(dav.status, 401);
    assert.equal((await app.call('session_list', { token })).sessions, []);
  });

  test('making one needs the right to the terminal of that agent', async () => {
    const token = await app.token(connect(B));
    const over = await app.token(connect(), { timestamp_to: app.clock.now() - 1 });
    const seen = app.records().length;
    assert.is(await on.outcome('terminal_pass', { token, agent_uuid: A }), NO_RIGHT);
    const told = app
      .records()
      .slice(seen)
      .filter(({ level }: any) => /WARN|ERROR/.test(level));
    assert.equal(
      told.map(({ level, message }: any) => [level, message]),
      [['WARN', 'terminal refused']],
    );
    assert.is(await on.outcome('terminal_pass', { token: over, agent_uuid: A }), NO_RIGHT);
    assert.is(await on.outcome('terminal_pass', { token: 'a:b', agent_uuid: A }), WRONG);
    assert.is(await on.outcome('terminal_pass', { token, agent_uuid: 'x' }), PARAMS);
    assert.is(await on.outcome('terminal_pass', { token }), PARAMS);
    const whole = await app.token([{ scopes: ['global'], permissions: [{ terminal: 'connect' }] }]);
    for (const may of [whole, app.superToken]) await leave(await on.joined(await on.pass(may)));
  });

  test('it opens for ten minutes, and no longer than what it stems from; the terminal goes on', async () => {
    const token = await app.token(connect());
    const pass = await on.pass(token);
    const short = await app.token(connect(), { timestamp_to: app.clock.now() + MINUTE });
    const made = await app.call('terminal_pass', { token: short, agent_uuid: A });
    assert.is(made.ends_at, app.clock.now() + MINUTE);
    const both = await on.joined(pass);
    await app.clock.advance(10 * MINUTE + 1);
    await works(both);
    await leave(both);
    assert.is(await on.refusal(pass), '102 1008');
  });

  test('a wrong secret, another key and a shape that is none are refused like a wrong credential', async () => {
    const pass = await on.pass(await app.token(connect()));
    for (const wrong of [
      `${keyOf(pass)}:guess`,
      `${'x'.repeat(16)}:${pass.slice(17)}`,
      `${keyOf(pass)}|${pass.slice(17)}`,
      'zero\0:x',
    ])
      assert.is(await on.refusal(wrong), '102 1008', wrong);
  });

  // biome-ignore format: one case per line
  const endings: [name: string, by: 'session' | 'token', end: (token: string, maker: string) => Promise<unknown>][] = [
    ['its session is revoked', 'session', (_token, maker) => on.outcome('session_revoke', [maker, keyOf(maker)])],
    ['the token of its session is deleted', 'session', (token) => top('token_delete', keyOf(token))],
    ['its token is deleted', 'token', (token) => top('token_delete', keyOf(token))],
    ['its token gets another secret', 'token', (token) => top('token_roll_token_secret', keyOf(token))],
    ['its token loses the right', 'token', (token) => top('token_edit', keyOf(token), [])],
    ['the token of its session keeps the right to another agent only', 'session', (token) => top('token_edit', keyOf(token), connect(B))],
  ];
  for (const [name, by, end] of endings)
    test(`where ${name}, a pass opens nothing more, and the terminal that it opened ends`, async () => {
      const token = await app.token(connect());
      const maker = by === 'session' ? await on.session(token) : token;
      const pass = await on.pass(maker);
      const both = await on.joined(pass);
      assert.type(await end(token, maker), 'object');
      await ended(both);
      assert.is(await on.refusal(pass), '102 1008');
    });

  test('a terminal that was opened without a pass ends with the right, too, and with no other change', async () => {
    const token = await app.token(connect());
    const both = await on.joined(token);
    await top('token_edit', keyOf(token), [...connect(B), ...connect()]);
    await works(both);
    await top('token_edit', keyOf(token), connect(B));
    await ended(both);
  });

  test('a user who waits for the agent is refused as soon as the right is gone', async () => {
    const token = await app.token(connect());
    await shellTask(app, agent);
    const user = await side(app, userQuery(app, { token }));
    await top('token_edit', keyOf(token), []);
    const { code } = await user.closed;
    assert.equal([JSON.parse(user.text()).error_id, code], [102, 1008]);
    await agent.answer(agent.items.at(-1)!, RESULTS['web_shell']);
  });

  test('a change of the stored form of the password keeps what was made', async () => {
    const token = await app.token(connect(), { username: 'ada', password: 'a password' });
    const stored = async () => {
      const select = `select password_hash from token where username = 'ada'`;
      return (await probe.sql(select))[0].password_hash;
    };
    const [pass, before] = [await on.pass(token), await stored()];
    await slowHashes();
    await app.call('token_get', ['ada|a password']);
    await eventually(async () => {
      await app.clock.advance(1_000);
      assert.is.not(await stored(), before);
    });
    // So much time went by that its connection was given up.
    agent = await readyAgent(app);
    await leave(await on.joined(pass));
  });

  test(`a token has at most ${MOST}: with one more the oldest opens nothing`, async () => {
    const token = await app.token(connect());
    const passes: string[] = [];
    for (let at = 0; at <= MOST; at++) {
      passes.push(await on.pass(token));
      await app.clock.advance(1);
    }
    assert.is(await on.refusal(passes[0] as string), '102 1008');
    await leave(await on.joined(passes[1] as string));
    const count = 'select count(*) as rows from token_pass where parent = ?';
    assert.is(Number((await probe.sql(count, [keyOf(token)]))[0].rows), MOST);
  });

  test('the table holds no secret, and what is over goes from it', async () => {
    const pass = await on.pass(app.superToken);
    const text = JSON.stringify(await probe.sql('select * from token_pass'));
    assert.ok(text.includes(keyOf(pass)) && !text.includes(pass.slice(17)));
    await app.clock.advance(21 * MINUTE);
    await eventually(async () => {
      await app.clock.advance(MINUTE);
      assert.equal(await probe.sql('select * from token_pass'), []);
    });
  });

  test('it outlives a restart of the server', async () => {
    const pass = await on.pass(await on.session(await app.token(connect())));
    await app.restart();
    agent = await readyAgent(app);
    await leave(await on.joined(pass));
  });

  test('the record of changes has a pass by its agent, and a terminal under the token', async () => {
    const token = await app.token(connect(), { username: 'eve', password: 'a password' });
    await leave(await on.joined(await on.pass(await on.session(token))));
    const { rows } = await app.call('audit_query', [app.superToken, { token: keyOf(token) }, 100]);
    const seen = rows.map((row: any) => `${row.method} ${row.name}`);
    for (const method of ['terminal_pass', 'terminal'])
      assert.ok(seen.includes(`${method} eve`), seen.join());
  });

  async function slowHashes(): Promise<void> {
    const file = `${app.dir}/config.toml`;
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('password_kdf = "sha256"', 'password_kdf = "scrypt"'));
    await app.reload();
  }

  test.run();
}

const several = suite('terminal: passes at several servers (postgres)');

several(
  'a pass that one server made opens a terminal on the other, which ends with what made it',
  async () => {
    const { apps, superToken, stop } = await sharedServers(2, PLUGINS);
    const [here, there] = apps as [TestApp, TestApp];
    try {
      const agent = await simAgent(here, A, superToken);
      await agent.register();
      const on = hand(here, () => agent);
      const token = await here.token(connect());
      const session = await on.session(token);
      const known = () => there.call('token_get', [session]);
      await eventually(async () => assert.ok(await known()));
      const first = await on.joined(await on.pass(session), there);
      await works(first);
      await on.outcome('session_revoke', [session, keyOf(session)]);
      await ended(first);
      const second = await on.joined(await on.pass(token), there);
      await here.call('token_edit', [superToken, keyOf(token), []]);
      await ended(second);
    } finally {
      await stop();
    }
  },
);

several.run();
