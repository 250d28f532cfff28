// token.md §1, §3, §4, §9: the common rules, token_get, token_create, token_list_all_tokens; clients.md §2.10.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  A,
  FORMAT,
  keyOf,
  listen,
  PARAMS,
  type TokenServer,
  tokenServer,
  WRONG,
} from './token-kit.ts';

const TOKEN_FORMAT = `101 Parse error: Failed to parse token: ${FORMAT}`;
const PLAIN_FORMAT = `101 Parse error: ${FORMAT}`;
const none = { token_limit: [] };

/** `[method, parameters after the credential, text for text that is none, text for callers without the Super Token]`. */
// biome-ignore format: one case per line
const superMethods: [string, unknown[], string, string][] = [
  ['token_create', [none], TOKEN_FORMAT, '102 Permission denied: Permission Denied: Only Super Token can create new tokens'],
  ['token_delete', ['root'], TOKEN_FORMAT, '102 Permission denied: Only SuperToken can delete tokens'],
  ['token_edit', ['root', []], TOKEN_FORMAT, '102 Permission denied: Only SuperToken can edit token limits'],
  ['token_change_password', ['root', ''], PLAIN_FORMAT, '102 Permission denied: Only SuperToken can perform this operation'],
  ['token_roll_token_secret', ['root'], PLAIN_FORMAT, '102 Permission denied: Only SuperToken can perform this operation'],
  ['token_list_all_tokens', [], TOKEN_FORMAT, '102 Permission denied: Only SuperToken can list all tokens'],
];

/** Wrong types, each with any credential. */
// biome-ignore format: one case per line
const badParams: [string, unknown[]][] = [
  ['token_get', []], ['token_get', ['SUPER', 5]], ['token_get', [{}]],
  ['token_create', ['CREDENTIAL']], ['token_create', ['CREDENTIAL', null]], ['token_create', ['CREDENTIAL', []]], ['token_create', ['CREDENTIAL', {}]],
  ['token_create', ['CREDENTIAL', { ...none, username: 5 }]], ['token_create', ['CREDENTIAL', { ...none, password: [] }]],
  ['token_create', ['CREDENTIAL', { ...none, timestamp_from: '5' }]], ['token_create', ['CREDENTIAL', { ...none, timestamp_to: 1.5 }]],
  ['token_create', ['CREDENTIAL', { ...none, version: 2 ** 31 }]], ['token_create', ['CREDENTIAL', { ...none, version: 'x' }]],
  ['token_create', ['CREDENTIAL', { token_limit: null }]], ['token_create', ['CREDENTIAL', { token_limit: [{}] }]],
  ['token_delete', ['CREDENTIAL']], ['token_delete', ['CREDENTIAL', null]], ['token_delete', ['CREDENTIAL', 5]],
  ['token_edit', ['CREDENTIAL', 'root']], ['token_edit', ['CREDENTIAL', 5, []]], ['token_edit', ['CREDENTIAL', 'root', {}]], ['token_edit', ['CREDENTIAL', 'root', null]],
  ['token_change_password', ['CREDENTIAL', 'root']], ['token_change_password', ['CREDENTIAL', 'root', 123456]],
  ['token_roll_token_secret', ['CREDENTIAL']], ['token_roll_token_secret', ['CREDENTIAL', true]],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer({}, { dialect });
  });
  test.after(() => server.app.stop());

  for (const [method, rest, malformed, denied] of superMethods) {
    test(`${method} refuses what is no credential, a wrong secret and an ordinary token, and changes nothing`, async () => {
      const token = await server.app.token(listen);
      const before = await server.table();
      assert.is(await server.outcome(method, ['nonsense', ...rest]), malformed);
      const wrong = ['a:b', 'a|b', `${token}x`, token, `root|${server.app.rootPassword}x`];
      for (const credential of wrong)
        assert.is(await server.outcome(method, [credential, ...rest]), denied);
      assert.equal(await server.table(), before);
    });
  }

  for (const [method, params] of badParams) {
    test(`${method} ${JSON.stringify(params)} is refused before the credential is looked at`, async () => {
      for (const credential of ['nonsense', 'a:b', server.app.superToken]) {
        const given = params.map((value) => (value === 'CREDENTIAL' ? credential : value));
        assert.is(await server.outcome(method, given), PARAMS);
      }
    });
  }

  test('token_get shows the record of a key and secret, and of a username and password', async () => {
    const { name, token } = await server.account('my pass|word');
    const expected = {
      version: 1,
      token_key: keyOf(token),
      timestamp_from: null,
      timestamp_to: null,
      token_limit: listen,
      username: name,
    };
    assert.equal(await server.app.call('token_get', [token]), expected);
    assert.equal(await server.app.call('token_get', [token, null]), expected);
    assert.equal(await server.app.call('token_get', { token: `${name}|my pass|word` }), expected);
    const root = await server.app.call('token_get', [server.app.superToken]);
    assert.equal([root.username, root.token_limit, root.timestamp_from], ['root', [], null]);
  });

  test('token_get in plain mode refuses text that is no credential, and a wrong one', async () => {
    assert.is(await server.outcome('token_get', ['nonsense']), TOKEN_FORMAT);
    assert.is(await server.outcome('token_get', ['a:b']), WRONG);
    assert.is(await server.outcome('token_get', ['root|wrong']), WRONG);
  });

  test('a refused login as root says in its data what helps when the password is lost', async () => {
    const lost = 'wrong password of root; when it is lost: svc-server roll-super-token -c FILE';
    const data = async (method: string, credential: string) =>
      (await server.app.call(method, [credential]).catch((error) => error)).data;
    for (const method of ['token_get', 'token_list_all_tokens', 'probe_whoami'])
      assert.is(await data(method, 'root|wrong'), lost, method);
    for (const credential of ['other|wrong', 'root:wrong', `${keyOf(server.app.superToken)}:wrong`])
      assert.is(await data('token_get', credential), undefined, credential);
  });

  test('token_get in Super mode checks the Super Token first', async () => {
    const { token } = await server.account();
    const denied =
      '102 Permission denied: Only SuperToken can query by username/token_key in token_get';
    const format = `101 Parse error: Failed to parse supertoken: ${FORMAT}`;
    for (const target of ['nonsense', 'root', token]) {
      assert.is(await server.outcome('token_get', [target, 'nonsense']), format);
      for (const credential of ['a:b', token, `${server.app.superToken}x`]) {
        assert.is(await server.outcome('token_get', [target, credential]), denied);
      }
    }
  });

  test('token_get in Super mode finds by key, by username and by credential', async () => {
    const { name, token } = await server.account();
    for (const target of [keyOf(token), name, token, `${name}|a password`]) {
      const found = await server.app.call('token_get', {
        token: target,
        supertoken: server.app.superToken,
      });
      assert.is(found.token_key, keyOf(token), target);
    }
    const root = `root|${server.app.rootPassword}`;
    assert.is((await server.app.call('token_get', [name, root])).token_key, keyOf(token));
  });

  test('token_get in Super mode refuses a wrong credential, unless the whole text is a username', async () => {
    const { name, token } = await server.account();
    assert.is(await server.outcome('token_get', [`${token}x`, server.app.superToken]), WRONG);
    assert.is(await server.outcome('token_get', [`${name}|wrong`, server.app.superToken]), WRONG);
    for (const username of [`[agent]:${A}`, 'left|right', `${name}:x`]) {
      const { token: other } = await server.account('a password', username);
      const found = await server.app.call('token_get', [username, server.app.superToken]);
      assert.is(found.token_key, keyOf(other));
    }
    const missing = '105 Not found in database: Token not found by key/username: nobody';
    assert.is(await server.outcome('token_get', ['nobody', server.app.superToken]), missing);
    const empty = '105 Not found in database: Token not found by key/username: ';
    assert.is(await server.outcome('token_get', ['', server.app.superToken]), empty);
  });

  test('token_create gives a key of 16 and a secret of 32 letters and digits that work at once', async () => {
    const made = await server.app.call('token_create', [
      server.app.superToken,
      { token_limit: listen },
    ]);
    assert.equal(Object.keys(made).sort(), ['key', 'secret']);
    assert.match(made.key, /^[A-Za-z0-9]{16}$/);
    assert.match(made.secret, /^[A-Za-z0-9]{32}$/);
    const { id } = await server.app.call('probe_whoami', [`${made.key}:${made.secret}`]);
    assert.is(id, made.key);
    const [row] = await server.probe.sql('select * from token where token_key = ?', [made.key]);
    assert.is(Number(row.version), 1);
    assert.match(row.token_hash, /^[0-9a-f]{64}$/);
    assert.equal([row.username, row.password_hash], [null, null]);
  });

  // biome-ignore format: one case per line
  const creations: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['times', { timestamp_from: 0, timestamp_to: 1798761600000 }, { timestamp_from: 0, timestamp_to: 1798761600000, username: null }],
    ['times that exclude each other', { timestamp_from: 5, timestamp_to: -5 }, { timestamp_from: 5, timestamp_to: -5 }],
    ['null everywhere', { timestamp_from: null, timestamp_to: null, username: null, password: null, version: null }, { timestamp_from: null, timestamp_to: null, username: null }],
    ['a version, which is ignored', { version: 7 }, { version: 1 }],
    ['unknown members', { note: 'x', id: 1 }, { version: 1 }],
    ['the shortest password', { username: 'short', password: 'x1 y2 z3' }, { username: 'short' }],
    ['an empty username', { username: '', password: 'a password' }, { username: '' }],
    ['any characters', { username: ' "ä\n\u{1f600}|:\\ ', password: '\t "ä\n\u{1f600}|\\ x' }, { username: ' "ä\n\u{1f600}|:\\ ' }],
    ['a long name', { username: 'n'.repeat(2000), password: 'p'.repeat(100_000) }, { username: 'n'.repeat(2000) }],
  ];
  for (const [name, extra, shown] of creations) {
    test(`token_create accepts ${name}`, async () => {
      const token = await server.app.token([], extra);
      const found = await server.app.call('token_get', [token]);
      for (const [member, value] of Object.entries(shown)) assert.equal(found[member], value);
      await server.asSuper('token_delete', keyOf(token));
    });
  }

  test('token_create refuses an empty password, and makes nothing', async () => {
    const before = await server.table();
    const blank = { ...none, username: '', password: '' };
    const refusal = '108 Invalid input: Password cannot be empty';
    assert.is(await server.asSuper('token_create', blank), refusal);
    assert.equal(await server.table(), before);
  });

  test('token_create keeps 64-bit times exactly', async () => {
    const times = '"timestamp_from":-9223372036854775808,"timestamp_to":9223372036854775807';
    const post = async (body: string) =>
      (
        await server.app.fetch('/', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
      ).text();
    const made = await post(
      `{"jsonrpc":"2.0","id":1,"method":"token_create","params":["${server.app.superToken}",{"token_limit":[],${times}}]}`,
    );
    const { key, secret } = JSON.parse(made).result;
    const shown = await post(
      `{"jsonrpc":"2.0","id":1,"method":"token_get","params":["${key}:${secret}"]}`,
    );
    for (const time of times.split(',')) assert.match(shown, time);
  });

  test('token_create wants username and password both or neither, after the Super check', async () => {
    const both = '101 Parse error: Username and Password must be both provided or both absent';
    const before = await server.table();
    for (const extra of [
      { username: 'x' },
      { password: 'x' },
      { username: '', password: null },
      { username: null, password: '' },
    ]) {
      assert.is(await server.asSuper('token_create', { ...none, ...extra }), both);
      const denied = superMethods[0]?.[3];
      assert.is(await server.outcome('token_create', ['a:b', { ...none, ...extra }]), denied);
    }
    assert.equal(await server.table(), before);
  });

  test('token_create refuses a username in use, root included, with the same words on each database', async () => {
    const { name } = await server.account();
    const taken = '103 Database error: Database insert error: the username is already in use';
    const before = await server.table();
    for (const username of ['root', name]) {
      const creation = { ...none, username, password: 'a password' };
      assert.is(await server.asSuper('token_create', creation), taken);
    }
    assert.equal(await server.table(), before);
  });

  test('token_create takes the credential under the name father_token, in both spellings', async () => {
    for (const credential of ['father_token', 'fatherToken']) {
      for (const creation of ['token_creation', 'tokenCreation']) {
        const made = await server.app.call('token_create', {
          [credential]: server.app.superToken,
          [creation]: none,
        });
        assert.type(made.secret, 'string');
      }
    }
    assert.is(
      await server.outcome('token_create', { token: server.app.superToken, token_creation: none }),
      PARAMS,
    );
  });

  test('token_list_all_tokens shows every record in the order of creation, without secrets', async () => {
    const { tokens } = await server.app.call('token_list_all_tokens', [server.app.superToken]);
    const ids = await server.probe.sql('select token_key from token order by id');
    assert.equal(
      tokens.map((token: any) => token.token_key),
      ids.map((row) => row.token_key),
    );
    assert.is(tokens[0].username, 'root');
    const members = 'timestamp_from timestamp_to token_key token_limit username version';
    for (const token of tokens) assert.is(Object.keys(token).sort().join(' '), members);
  });

  test('the token that the dashboard makes for an agent does what an agent does', async () => {
    const kinds =
      'ping tcp_ping http_ping web_shell execute edit_config read_config http_request self_update ip version';
    const writes = kinds.split(' ').map((kind) => ({ task: { write: kind } }));
    const reports = ['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'];
    const permissions = [
      ...reports.map((kind) => ({ [kind]: 'write' })),
      { task: 'listen' },
      ...writes,
    ];
    const uuid = '11111111-2222-4333-8444-555555555555';
    const { key } = await server.app.call('token_create', [
      server.app.superToken,
      {
        username: `[agent]:${uuid}`,
        password: 'sixteen random c',
        timestamp_from: null,
        timestamp_to: null,
        version: 1,
        token_limit: [{ scopes: [{ agent_uuid: uuid }], permissions }],
      },
    ]);
    const found = await server.app.call('token_get', [`[agent]:${uuid}`, server.app.superToken]);
    assert.is(found.token_key, key);
    // The colon makes it token mode, so the account form of such a name never logs in (auth.md §1).
    assert.is(await server.outcome('token_get', [`[agent]:${uuid}|sixteen random c`]), WRONG);
    const rolled = await server.app.call('token_roll_token_secret', [
      server.app.superToken,
      `[agent]:${uuid}`,
    ]);
    const agent = `${rolled.key}:${rolled.secret}`;
    for (const permission of permissions) {
      const asked = [agent, [{ agent_uuid: uuid }], [permission]];
      assert.is(await server.outcome('probe_need', asked), 'allowed');
      assert.is(
        await server.outcome('probe_need', [agent, [{ agent_uuid: A }], [permission]]),
        '102 Permission denied: probe',
      );
    }
    const dns = [agent, [{ agent_uuid: uuid }], [{ task: { write: 'dns' } }]];
    assert.is(await server.outcome('probe_need', dns), '102 Permission denied: probe');
  });

  test.run();
}
