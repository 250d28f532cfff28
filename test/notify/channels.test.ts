// Methods of channels (plugins/notify/README.md): values, rights, secrets.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  channel,
  create,
  notifyOf,
  outbox,
  PLUGINS,
  type Receiver,
  receiver,
  send,
  until,
  webhook,
} from './kit.ts';

const SECRET = 'tok-3b1f9c77e2d84a10';

const codeOf = (call: Promise<unknown>): Promise<number | undefined> =>
  call.then(
    () => undefined,
    (error: RpcFailure) => error.code,
  );
const errorOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => '',
    (error: RpcFailure) => `${error.message} ${JSON.stringify(error.data ?? '')}`,
  );

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`channels (${dialect})`);
  let app: TestApp;
  let hook: Receiver;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    hook = await receiver();
  });
  test.after(async () => {
    await app.stop();
    await hook.stop();
  });
  const call = (method: string, params: object = {}, token = app.superToken): Promise<any> =>
    app.call(method, { token, ...params });

  for (const [server, message] of [
    ['https://gotify.example.com/?token=x', /paths are appended/],
    ['https://gotify.example.com/#x', /paths are appended/],
  ] as const)
    test(`${server} is no server to which a path could be appended`, async () => {
      const channel = { name: 'g', kind: 'gotify', config: { server }, secret: { token: 'x' } };
      const given = { token: app.superToken, channel };
      assert.match(await errorOf(app.call('channel_create', given)), message);
    });

  test('a channel is made, read, listed, changed and deleted', async () => {
    const made = await create(app, webhook('ops', hook.url, { secret: { token: SECRET } }));
    assert.equal(
      [made.kind, made.language, made.zone, made.enable],
      ['webhook', 'en', 'UTC', true],
    );
    assert.equal(made.secret, { token: { set: true } });
    assert.is(made.owner, undefined);
    assert.is(await codeOf(create(app, webhook('ops', hook.url))), 108);
    assert.equal(await channel(app, 'ops'), made);
    assert.equal(await call('channel_list'), [made]);
    const change = { language: 'zh-CN', zone: 'Asia/Shanghai', enable: false };
    const { emptied, ...changed } = await call('channel_update', { name: 'ops', change });
    assert.equal(emptied, []);
    assert.equal({ ...made, ...change }, { ...changed, updated_at: made.updated_at });
    const defaults = { language: null, zone: null, enable: null };
    const again = await call('channel_update', { name: 'ops', change: defaults });
    assert.equal([again.language, again.zone, again.enable], ['en', 'UTC', true]);
    assert.equal(again.secret, { token: { set: true } }, 'an absent member keeps');
    const emptied2 = await call('channel_update', {
      name: 'ops',
      change: { secret: { token: null } },
    });
    assert.equal(emptied2.secret, {});
    assert.equal(await call('channel_delete', { name: 'ops' }), { success: true, dropped: 0 });
    assert.is(await codeOf(channel(app, 'ops')), 105);
    assert.is(await codeOf(call('channel_delete', { name: 'ops' })), 105);
  });

  test('bad input is refused and changes nothing', async () => {
    const url = hook.url;
    const rows: [string, string, object, number][] = [
      ['a name with a space', 'channel_create', { channel: webhook('a b', url) }, -32602],
      [
        'an unknown kind',
        'channel_create',
        { channel: { ...webhook('x', url), kind: 'fax' } },
        108,
      ],
      [
        'a field that is missing',
        'channel_create',
        { channel: { name: 'x', kind: 'webhook', config: {} } },
        108,
      ],
      [
        'a field that there is not',
        'channel_create',
        { channel: webhook('x', url, { config: { url, colour: 1 } }) },
        108,
      ],
      [
        'a secret among the others',
        'channel_create',
        { channel: webhook('x', url, { config: { url, token: 's' } }) },
        108,
      ],
      [
        'a zone that there is not',
        'channel_create',
        { channel: webhook('x', url, { zone: 'Mars/Base' }) },
        108,
      ],
      [
        'a language that there is not',
        'channel_create',
        { channel: webhook('x', url, { language: 'xx' }) },
        -32602,
      ],
      [
        'an unknown member',
        'channel_create',
        { channel: webhook('x', url, { owner: 'me' }) },
        -32602,
      ],
      [
        'an address of the page that is none',
        'channel_create',
        { channel: webhook('x', url), public_url: 'javascript:1' },
        108,
      ],
      ['an update of nothing', 'channel_update', { name: 'nothing', change: {} }, 105],
      ['a test of two', 'channel_test', { name: 'x', channel: webhook('x', url) }, 108],
      ['a test of none', 'channel_test', {}, 108],
      ['a test of nothing', 'channel_test', { name: 'nothing' }, 105],
      ['a message to nothing', 'channel_send', { name: 'nothing', title: 't', text: 't' }, 105],
      [
        'a message without a title',
        'channel_send',
        { name: 'nothing', title: '', text: 't' },
        -32602,
      ],
      ['too many of the outbox', 'channel_outbox', { limit: 1_001 }, -32602],
      ['a state that there is not', 'channel_outbox', { state: 'lost' }, -32602],
      ['a retry of nothing', 'channel_retry', { name: 'nothing' }, 105],
    ];
    for (const [name, method, params, code] of rows)
      assert.is(await codeOf(call(method, params)), code, name);
    assert.equal(await call('channel_list'), []);
    assert.equal(await outbox(app), []);
  });

  test('the kinds tell the fields of their forms, and a URL fills one', async () => {
    const kinds: any[] = await call('channel_kinds');
    for (const kind of ['webhook', 'smtp', 'ntfy'])
      assert.ok(
        kinds.some((one) => one.kind === kind),
        kind,
      );
    const { fields } = kinds.find((one) => one.kind === 'webhook');
    assert.ok(fields.every((field: object) => !('host' in field)));
    assert.is(await codeOf(app.call('channel_kinds', { token: 'no:token' })), 102);
  });

  test('each right opens its methods for the names of its scope only', async () => {
    await create(app, webhook('team-a', hook.url));
    await create(app, webhook('other', hook.url));
    const rights: [string, string, object][] = [
      ['read', 'channel_get', {}],
      ['write', 'channel_update', { change: { enable: true } }],
      ['write', 'channel_test', {}],
      ['use', 'channel_send', { title: 't', text: 't' }],
      ['write', 'channel_retry', {}],
      ['read', 'channel_outbox', {}],
      ['delete', 'channel_delete', {}],
    ];
    for (const word of ['read', 'write', 'use', 'delete']) {
      const token = await app.token([
        { scopes: [{ channel: 'team-*' }], permissions: [{ channel: word }] },
      ]);
      for (const [right, method, params] of rights) {
        assert.is(await codeOf(call(method, { name: 'other', ...params }, token)), 102, method);
        const code = await codeOf(call(method, { name: 'team-a', ...params }, token));
        assert.is(code, right === word ? undefined : 102, `${method} with ${word}`);
      }
      const names = (await call('channel_list', {}, token)).map((one: any) => one.name);
      assert.equal(names, word === 'read' ? ['team-a'] : []);
      const seen = new Set(
        (await call('channel_outbox', {}, token)).map((one: any) => one.channel),
      );
      assert.ok(!seen.has('other') && (word === 'read' || seen.size === 0), word);
    }
    await call('channel_delete', { name: 'other' });
  });

  test('a secret is in no answer, no log and no file', async () => {
    const answers: unknown[] = [];
    const noted = async (work: Promise<unknown>) => void answers.push(await work.catch(String));
    hook.reply = ({ headers }) => ({ status: 403, text: `no: ${headers.authorization}` });
    await noted(create(app, webhook('sealed', hook.url, { secret: { token: SECRET } })));
    await noted(call('channel_test', { name: 'sealed' }));
    await noted(
      call('channel_test', {
        channel: webhook('sealed', hook.url, { secret: { token: SECRET } }),
      }),
    );
    await noted(send(app, 'sealed', 'hello'));
    await until('tried', async () => (await channel(app, 'sealed')).last_status === 403);
    for (const method of ['channel_get', 'channel_update', 'channel_list', 'channel_outbox'])
      await noted(
        call(method, {
          ...(/get|update/.test(method) && { name: 'sealed' }),
          ...(/update/.test(method) && { change: { zone: 'UTC' } }),
        }),
      );
    const [{ last_error }] = await outbox(app, { name: 'sealed' });
    assert.match(last_error, '•••');
    assert.ok(hook.got.some(({ headers }) => headers.authorization === `Bearer ${SECRET}`));
    const logged = JSON.stringify(app.records()) + app.console.join('\n');
    for (const text of [JSON.stringify(answers), logged]) assert.not.match(text, SECRET);
    if (dialect === 'sqlite')
      for (const file of readdirSync(app.dir))
        if (/\.db|sqlite/.test(file))
          assert.not.ok(readFileSync(join(app.dir, file)).includes(SECRET), file);
    const rows = await app.sql('select secret from channel where secret is not null');
    assert.is(rows.length, 1);
    assert.not.match(Buffer.from(rows[0].secret).toString(), SECRET);
    hook.reply = () => 200;
    await call('channel_delete', { name: 'sealed' });
  });

  test('secrets in a header, a query and a password are in nothing that a receiver has said', async () => {
    const values = ['SECRETheader-1', 'SECRETquery-2', 'SECRETword-3'];
    const [header, query, password] = values;
    const secret = { header: `X-K: ${header}`, query: `key=${query}`, password };
    const config = { url: hook.url, user: 'bob' };
    hook.reply = ({ url, headers }) => ({
      status: 500,
      text: JSON.stringify({ ...headers, host: '', 'content-type': '', url }),
    });
    await create(app, webhook('parts', hook.url, { config, secret }));
    await send(app, 'parts', 'hello');
    await until('tried', async () => (await channel(app, 'parts')).last_status === 500);
    const tested = await call('channel_test', { name: 'parts' });
    const seen = [tested, await channel(app, 'parts'), await outbox(app), app.records()];
    const kept = 'select last_error from channel union select last_error from notify_outbox';
    const text = JSON.stringify([...seen, await app.sql(kept), app.console]);
    assert.match(text, '•••');
    for (const value of [...values, Buffer.from(`bob:${password}`).toString('base64')])
      assert.not.match(text, value);
    hook.reply = () => 200;
    await call('channel_delete', { name: 'parts' });
  });

  test('a new owner does not read what the receiver said to the earlier one', async () => {
    hook.reply = () => ({ status: 500, text: 'inner words' });
    await create(app, webhook('handed', hook.url));
    await send(app, 'handed', 'hello');
    await until('tried', async () => (await channel(app, 'handed')).last_status === 500);
    await call('channel_update', { name: 'handed', change: { enable: false } });
    assert.match((await channel(app, 'handed')).last_error, 'inner words');
    const rights = [{ channel: 'read' }, { channel: 'write' }];
    const token = await app.token([{ scopes: [{ channel: 'handed' }], permissions: rights }]);
    await call('channel_update', { name: 'handed', change: { zone: 'UTC' } }, token);
    const answers = [
      await call('channel_get', { name: 'handed' }, token),
      (await call('channel_outbox', { name: 'handed' }, token))[0],
    ];
    assert.equal(
      answers.map(({ last_error }) => last_error),
      [null, null],
    );
    hook.reply = () => 200;
    await call('channel_delete', { name: 'handed' });
  });

  test('a channel has no own header that decides receiver or form of the request', async () => {
    await create(app, webhook('own', hook.url, { secret: { token: SECRET } }));
    const names =
      'Host content-type Content-Length Transfer-Encoding Connection Expect webhook-id Webhook-Signature';
    for (const name of names.split(' ')) {
      const secret = { header: `${name}: attacker.example` };
      for (const refused of [
        () => create(app, webhook('other', hook.url, { secret })),
        () => call('channel_update', { name: 'own', change: { secret } }),
        () => call('channel_test', { channel: webhook('other', hook.url, { secret }) }),
        () => call('channel_read_url', { url: `generic://example.com/x?@${name}=attacker` }),
      ])
        assert.match(await errorOf(refused()), /choose another name/, name);
    }
    await call('channel_delete', { name: 'own' });
  });

  test('an own header Authorization is taken where the channel makes none', async () => {
    const header = 'authorization: Basic YWJj';
    const both = webhook('auth', hook.url, { secret: { header, token: SECRET } });
    assert.match(await errorOf(create(app, both)), /Empty these, or the header/);
    await create(app, webhook('auth', hook.url, { secret: { header } }));
    await call('channel_test', { name: 'auth' });
    assert.is(hook.got.at(-1)?.headers.authorization, 'Basic YWJj');
    await call('channel_delete', { name: 'auth' });
  });

  test('the Super Token alone decides the address in links, and its newer one counts', async () => {
    const token = await app.token([
      { scopes: [{ channel: '*' }], permissions: [{ channel: 'write' }, { channel: 'delete' }] },
    ]);
    const made = async (name: string, public_url: string, by?: string) => {
      await call('channel_create', { channel: webhook(name, hook.url), public_url }, by);
      await call('channel_delete', { name });
      return notifyOf(app).publicUrl();
    };
    assert.is(await made('a', 'https://evil.example', token), undefined);
    assert.is(await made('b', 'https://one.example/'), 'https://one.example');
    assert.is(await made('c', 'https://evil.example', token), 'https://one.example');
    assert.is(await made('d', 'https://two.example/svc/'), 'https://two.example/svc');
  });

  test('a channel whose owner lost the right sends nothing, says so, and sends when it is back', async () => {
    hook.reply = () => 200;
    const write = (name: string) => ({
      scopes: [{ channel: name }],
      permissions: [{ channel: 'write' }, { channel: 'read' }],
    });
    const token = await app.token([write('lost')]);
    await create(app, webhook('lost', 'http://127.0.0.1:9/'), token);
    assert.is((await channel(app, 'lost')).problem, null);
    const [key] = token.split(':');
    const edit = (limits: object[]) =>
      app.call('token_edit', { token: app.superToken, target_token: key, limit: limits });
    await edit([]);
    assert.match((await channel(app, 'lost')).problem, /may not write it any more/);
    await send(app, 'lost', 'waits');
    await create(app, webhook('next', hook.url));
    await send(app, 'next', 'goes');
    await until('sent', async () => (await channel(app, 'next')).sent === 1);
    const { failed, waiting } = await channel(app, 'lost');
    assert.equal([failed, waiting], [0, 1]);
    await edit([write('lost')]);
    assert.is((await channel(app, 'lost')).problem, null);
    await call('channel_retry', { name: 'lost' });
    await until('tried', async () => (await channel(app, 'lost')).failed > 0);
    for (const name of ['lost', 'next']) await call('channel_delete', { name });
  });

  test('another receiver empties the secrets, unless they come along', async () => {
    const other = 'http://127.0.0.2:9';
    await create(app, webhook('moved', hook.url, { secret: { token: SECRET } }));
    const same = await call('channel_update', {
      name: 'moved',
      change: { config: { url: `${hook.url}/path` } },
    });
    assert.equal([same.emptied, same.secret], [[], { token: { set: true } }]);
    const moved = await call('channel_update', {
      name: 'moved',
      change: { config: { url: other } },
    });
    assert.equal([moved.emptied, moved.secret], [['token'], {}]);
    const back = await call('channel_update', {
      name: 'moved',
      change: { config: { url: hook.url }, secret: { token: SECRET } },
    });
    assert.equal([back.emptied, back.secret], [[], { token: { set: true } }]);
    await call('channel_delete', { name: 'moved' });
  });

  test('channels of tokens reach no private address, by the test button either', async () => {
    hook.reply = () => 200;
    const limits = [
      {
        scopes: [{ channel: '*' }],
        permissions: ['read', 'write', 'use', 'delete'].map((channel) => ({ channel })),
      },
    ];
    const token = await app.token(limits);
    for (const url of [
      'http://169.254.169.254/',
      hook.url,
      hook.url.replace('127.0.0.1', 'localhost'),
      hook.url.replace('127.0.0.1', '[::1]'),
    ]) {
      const { ok, message } = await call('channel_test', { channel: webhook('x', url) }, token);
      assert.is(ok, false, url);
      assert.match(message, /private address/, url);
    }
    const before = hook.got.length;
    await create(app, webhook('theirs', hook.url), token);
    await call('channel_send', { name: 'theirs', title: 't', text: 't' }, token);
    await until('refused', async () => (await channel(app, 'theirs')).failed > 0);
    assert.is(hook.got.length, before);
    const mine = await call('channel_test', { channel: webhook('x', hook.url) });
    assert.equal([mine.ok, mine.status, mine.host], [true, 200, new URL(hook.url).host]);
    hook.reply = () => ({ status: 302, headers: { location: 'http://10.0.0.1/' } });
    assert.match(
      (await call('channel_test', { channel: webhook('x', hook.url) })).message,
      /redirect/,
    );
    hook.reply = () => 200;
    await call('channel_delete', { name: 'theirs' });
  });

  test('only the owner reads what the receiver said', async () => {
    hook.reply = () => ({ status: 404, text: 'inner words' });
    await create(app, webhook('quiet', hook.url));
    await send(app, 'quiet', 'hello');
    await until('tried', async () => (await channel(app, 'quiet')).last_status === 404);
    assert.match((await channel(app, 'quiet')).last_error, 'inner words');
    const token = await app.token([
      { scopes: [{ channel: '*' }], permissions: [{ channel: 'read' }, { channel: 'write' }] },
    ]);
    for (const answer of [
      await call('channel_get', { name: 'quiet' }, token),
      (await call('channel_outbox', { name: 'quiet' }, token))[0],
    ])
      assert.equal([answer.last_error, answer.last_status ?? answer.status], [null, 404]);
    const tried = await call('channel_test', { name: 'quiet' }, token);
    assert.not.match(tried.message, 'inner');
    assert.is(tried.status, 404);
    hook.reply = () => 200;
    await call('channel_delete', { name: 'quiet' });
  });

  test('a message arrives, and the same key is the same message', async () => {
    await create(app, webhook('keyed', hook.url));
    const before = hook.got.length;
    const first = await send(app, 'keyed', 'once', { key: 'a' });
    assert.equal(await send(app, 'keyed', 'once', { key: 'a' }), first);
    assert.not.equal(await send(app, 'keyed', 'once', { key: 'b' }), first);
    await until('both', () => hook.got.length === before + 2);
    await until(
      'marked',
      async () => (await outbox(app, { name: 'keyed', state: 'sent' })).length === 2,
    );
    const [, one] = await outbox(app, { name: 'keyed' });
    assert.equal(
      [one.message_id, one.type, one.title, one.status],
      [first.message_id, 'text', 'once', 200],
    );
    const { sent, waiting, last_ok_at } = await channel(app, 'keyed');
    assert.equal([sent, waiting, typeof last_ok_at], [2, 0, 'number']);
    await call('channel_delete', { name: 'keyed' });
  });

  test('a channel that is deleted with messages waiting drops them, and they stay in history', async () => {
    await create(app, webhook('brief', hook.url, { enable: false }));
    for (let n = 0; n < 5; n++) await send(app, 'brief', `m${n}`);
    assert.is((await channel(app, 'brief')).waiting, 5);
    assert.equal(await call('channel_delete', { name: 'brief' }), { success: true, dropped: 5 });
    const rows = await outbox(app, { name: 'brief' });
    assert.equal(
      rows.map(({ state }) => state),
      Array(5).fill('dropped'),
    );
    assert.match(rows[0].last_error, 'deleted');
  });

  test('a channel whose owner is suspended sends nothing, and its messages wait', async () => {
    const config = { token: { on_delete: 'suspend' }, notify: { allow_private: ['127.0.0.1'] } };
    const strict = await bootForTest(PLUGINS, config, { dialect });
    try {
      const permissions = [{ channel: 'write' }, { channel: 'use' }];
      const token = await strict.token([{ scopes: [{ channel: '*' }], permissions }]);
      await create(strict, webhook('orphan', hook.url), token);
      const before = hook.got.length;
      await send(strict, 'orphan', 'heard', { token });
      await until('heard', () => hook.got.length === before + 1);
      const [key] = token.split(':');
      await strict.call('token_delete', { token: strict.superToken, target_token: key });
      await send(strict, 'orphan', 'unheard');
      await send(strict, 'orphan', 'unheard');
      await create(strict, webhook('alive', hook.url));
      await send(strict, 'alive', 'heard');
      await until('heard', () => hook.got.length === before + 2);
      assert.is(hook.got.at(-1)?.json.title, 'heard');
      assert.is((await channel(strict, 'orphan')).waiting, 2);
    } finally {
      await strict.stop();
    }
  });

  test('links that open on one machine only are told once there is a channel', async () => {
    for (const [at, wanted] of [
      ['http://127.0.0.1:2211/svc', true],
      ['http://[::1]:2211', true],
      ['http://localhost:2211', true],
      ['https://fleet.example.net/svc', false],
    ] as const) {
      const fresh = await bootForTest(PLUGINS, {}, { dialect });
      const told = async () => {
        const found = await fresh.call('svc-server_config_warnings', [fresh.superToken]);
        return JSON.stringify(found).includes('notify.public_url');
      };
      try {
        assert.not(await told());
        const given = { channel: webhook('phone', hook.url), public_url: at };
        await fresh.call('channel_create', { token: fresh.superToken, ...given, dry_run: true });
        assert.not(await told(), 'a dry run makes no channel and keeps no address');
        await fresh.call('channel_create', { token: fresh.superToken, ...given });
        assert.is(await told(), wanted, at);
      } finally {
        await fresh.stop();
      }
    }
  });

  test('more channels than the limit are refused', async () => {
    const small = await bootForTest(PLUGINS, { notify: { max_channels: 1 } }, { dialect });
    try {
      const token = await small.token([
        { scopes: [{ channel: '*' }], permissions: [{ channel: 'write' }] },
      ]);
      await create(small, webhook('one', hook.url), token);
      assert.match(await errorOf(create(small, webhook('two', hook.url), token)), 'max_channels');
      await create(small, webhook('mine', hook.url));
    } finally {
      await small.stop();
    }
  });

  test.run();
}
