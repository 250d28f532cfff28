// crontab.md §1, §3, §5: shapes of jobs, normal forms, and every error in the order of its detection.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { callText } from './agent-kit.ts';
import { A, agents, B, type Crontab, crontab, NEVER, PLUGINS, worker } from './crontab-kit.ts';
import { FORMAT } from './token-kit.ts';

const PARAMS = '-32602 Invalid params';
const WRONG = 'nobody:nothing';

/** A task as it is sent, and as it is stored and listed. */
const normalForms: readonly (readonly [given: unknown, stored: unknown])[] = [
  ['ip', 'ip'],
  [{ version: null }, 'version'],
  [{ ping: 'db1.example.net' }, { ping: 'db1.example.net' }],
  [{ http_ping: 'https://SHOP.example.net:443' }, { http_ping: 'https://shop.example.net/' }],
  [
    { http_request: { url: 'http://a.example', method: 'get' } },
    {
      http_request: {
        url: 'http://a.example/',
        method: 'get',
        headers: {},
        body: null,
        body_base64: null,
        ip: null,
      },
    },
  ],
  [
    { dns: { domain: 'a.example', record_types: ['a'] } },
    { dns: { domain: 'a.example', record_types: ['a'], dns_server: null } },
  ],
];

/** What is no `cron_type`. */
const badTypes: readonly (readonly [what: string, type: unknown])[] = [
  ['null', null],
  ['a word', 'agent'],
  ['the clean-up that only documents know', { server: 'clean_up_database' }],
  ['no member', {}],
  ['both members', { ...agents([A]), ...worker('w') }],
  ['an unknown tag', { client: [[A], { task: 'ip' }] }],
  ['an agent job without task', { agent: [[A]] }],
  ['an agent job with a third element', { agent: [[A], { task: 'ip' }, 1] }],
  ['one UUID instead of a list', { agent: [A, { task: 'ip' }] }],
  ['a malformed UUID', agents(['not-a-uuid'])],
  ['a bare task', { agent: [[A], 'ip'] }],
  ['a further member beside the task', { agent: [[A], { task: 'ip', more: 1 }] }],
  ['an unknown task', agents([A], 'reboot')],
  ['a relative URL', agents([A], { http_ping: '/health' })],
  ['a task without its content', agents([A], { execute: { cmd: 'df' } })],
  ['a worker job without parameters', { server: { js_worker: ['w'] } }],
  ['a worker job with a third element', { server: { js_worker: ['w', null, 1] } }],
  ['a worker whose name is no string', { server: { js_worker: [1, null] } }],
  ['an unknown server job', { server: { wasm: ['w', null] } }],
];

const badNames: readonly (readonly [what: string, name: string])[] = [
  ['empty', ''],
  ['129 characters long', 'n'.repeat(129)],
  ['129 characters outside the BMP long', '😀'.repeat(129)],
  ['with a slash', 'a/b'],
  ['with a backslash', 'a\\b'],
  ['with a line end', 'a\nb'],
  ['with a tab', '\ta'],
  ['with U+0000', 'a\0'],
  ['with DEL', 'a\x7f'],
  ['with a C1 control character', 'a\u0085'],
];

const goodNames = [
  'n',
  ' ',
  ' padded ',
  'n'.repeat(128),
  '😀'.repeat(128),
  'edge latency',
  '定时-任务',
  '[extension-worker]:x',
  'a*',
  'it\'s %s "quoted"',
  'a\u200bb',
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab (${dialect})`);
  let app: TestApp;
  let cron: Crontab;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    cron = crontab(app, app.superToken);
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { name } of await cron.get()) await cron.remove(name);
  });

  test('a new job is enabled, has never run, and is listed as it was stored', async () => {
    const made = await cron.create('edge latency', ' 0/20 * * * * * ', agents([A, B]));
    assert.equal(Object.keys(made), ['id']);
    assert.ok(Number.isSafeInteger(made.id));
    assert.equal(await cron.get(), [
      {
        id: made.id,
        name: 'edge latency',
        enable: true,
        cron_expression: ' 0/20 * * * * * ',
        cron_type: { agent: [[A, B], { task: 'ip' }] },
        last_run_time: null,
      },
    ]);
  });

  for (const [given, stored] of normalForms) {
    test(`a task ${JSON.stringify(given)} is listed as ${JSON.stringify(stored)}`, async () => {
      await cron.create('normal', NEVER, agents([A], given));
      assert.equal((await cron.job('normal')).cron_type, agents([A], stored));
    });
  }

  test('UUIDs are written in lower case with hyphens; duplicates and order are kept', async () => {
    const spelled = [`{${B.toUpperCase()}}`, A.replaceAll('-', ''), `urn:uuid:${B}`, A];
    await cron.create('uuids', NEVER, agents(spelled));
    assert.equal((await cron.job('uuids')).cron_type.agent[0], [B, A, B, A]);
  });

  test('an empty list of agents is taken', async () => {
    await cron.create('empty', NEVER, agents([], { ping: 'a' }));
    assert.equal((await cron.job('empty')).cron_type, agents([], { ping: 'a' }));
  });

  test('parameters of a worker job are any JSON, and survive a restart', async () => {
    const values = [null, 0, 'x', [], { window: '24h', top: 10, deep: [{ '\0': '\u{1f600}' }] }];
    for (const [at, value] of values.entries()) {
      assert.ok((await cron.create(`worker ${at}`, NEVER, worker('nightly', value))).id);
    }
    await app.restart();
    const listed = await cron.get();
    assert.equal(
      listed.map((job: any) => job.cron_type),
      values.map((value) => worker('nightly', value)),
    );
  });

  test('64-bit integers in parameters are not rounded', async () => {
    const params = '[9223372036854775807,{"n":-9007199254740993}]';
    await callText(
      app,
      'crontab_create',
      `["${app.superToken}","exact","@daily",{"server":{"js_worker":["w",${params}]}}]`,
    );
    await app.restart();
    const answer = await callText(app, 'crontab_get', `["${app.superToken}"]`);
    assert.ok(answer.includes(`"js_worker":["w",${params}]`), answer);
  });

  test('parameters may be named, in either spelling', async () => {
    const token = app.superToken;
    const cron_type = agents([A]);
    const first = { token, name: 'one', cron_expression: NEVER, cron_type };
    const second = { token, name: 'two', cronExpression: NEVER, cronType: cron_type };
    assert.ok((await app.call('crontab_create', first)).id);
    assert.ok((await app.call('crontab_create', second)).id);
    assert.equal(
      (await cron.get()).map((job: any) => job.name),
      ['one', 'two'],
    );
  });

  test('edit replaces expression and type only', async () => {
    const { id } = await cron.create('job', NEVER, agents([A]));
    await cron.enable('job', false);
    const edited = await cron.edit('job', '@daily', worker('w', { a: 1 }));
    assert.equal(edited, { id, success: true });
    assert.equal(await cron.job('job'), {
      id,
      name: 'job',
      enable: false,
      cron_expression: '@daily',
      cron_type: worker('w', { a: 1 }),
      last_run_time: null,
    });
  });

  test('switching on and off answers the stored state, also when nothing changes', async () => {
    await cron.create('job');
    for (const enable of [true, false, false, true]) {
      assert.equal(await cron.enable('job', enable), { success: true, enabled: enable });
      assert.is((await cron.job('job')).enable, enable);
    }
  });

  test('a job made under the name of a deleted one has a new id', async () => {
    const first = await cron.create('job');
    assert.equal(await cron.remove('job'), { success: true });
    assert.equal(await cron.get(), []);
    const second = await cron.create('job');
    assert.ok(second.id > first.id);
  });

  test('jobs are listed by id, also after a restart', async () => {
    for (const name of ['c', 'a', 'b']) await cron.create(name);
    await cron.edit('c', '@hourly');
    const names = async () => (await cron.get()).map((job: any) => job.name);
    assert.equal(await names(), ['c', 'a', 'b']);
    await app.restart();
    assert.equal(await names(), ['c', 'a', 'b']);
  });

  test('a batch of edits and creations upserts', async () => {
    await cron.create('known');
    const call = (id: number, method: string, name: string) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: [app.superToken, name, '@hourly', agents([B])],
    });
    const answers = await app.rpc([
      call(1, 'crontab_edit', 'known'),
      call(2, 'crontab_create', 'fresh'),
    ]);
    assert.ok(answers.every((answer: any) => answer.result.id > 0));
    assert.equal(
      (await cron.get()).map((job: any) => [job.name, job.cron_expression]),
      [
        ['known', '@hourly'],
        ['fresh', '@hourly'],
      ],
    );
  });

  for (const name of goodNames) {
    test(`the name ${JSON.stringify(name).slice(0, 30)} is taken as it is`, async () => {
      assert.ok((await cron.create(name)).id);
      assert.is((await cron.get())[0].name, name);
      assert.equal(await cron.enable(name, false), { success: true, enabled: false });
      assert.ok((await cron.edit(name)).success);
      assert.equal(await cron.remove(name), { success: true });
    });
  }

  for (const [what, name] of badNames) {
    test(`a name ${what} is 108 in all four methods, before the credential is looked at`, async () => {
      const calls: [string, ...unknown[]][] = [
        ['crontab_create', name, 'no expression', agents([A])],
        ['crontab_edit', name, 'no expression', agents([A])],
        ['crontab_delete', name],
        ['crontab_set_enable', name, true],
      ];
      for (const [method, ...params] of calls) {
        const error = await app.call(method, ['malformed', ...params]).catch((e) => e);
        assert.is(error.code, 108, method);
        assert.match(error.message, /^Invalid input: /);
        assert.is(error.data, undefined);
      }
      assert.equal(await cron.get(), []);
    });
  }

  test('a job may have 4 million characters of text, names of members included', async () => {
    const half = 'x'.repeat(2 ** 21);
    const job = (params: unknown) => ({
      token: app.superToken,
      name: 'long',
      cron_expression: NEVER,
      cron_type: worker('w', params),
    });
    const error = await app.call('crontab_create', job([half, { [half]: 1 }])).catch((e) => e);
    assert.is(`${error.code} ${error.message}`, PARAMS);
    assert.match(error.data, /4194304 characters/);
    assert.ok(await app.call('crontab_create', job([half, half.slice(100)])));
    await app.call('crontab_delete', { token: app.superToken, name: 'long' });
  });

  for (const [what, type] of badTypes) {
    test(`${what} is no type: -32602 before the name and the credential`, async () => {
      for (const method of ['crontab_create', 'crontab_edit']) {
        const params = ['malformed', '', 'no expression', type];
        const error = await app.call(method, params).catch((e) => e);
        assert.is(`${error.code} ${error.message}`, PARAMS);
        assert.type(error.data, 'string');
      }
    });
  }

  test('missing and mistyped parameters are -32602', async () => {
    const token = app.superToken;
    const calls: [string, ...unknown[]][] = [
      ['crontab_create'],
      ['crontab_create', token, 'n', NEVER],
      ['crontab_create', token, 1, NEVER, agents([A])],
      ['crontab_create', token, 'n', null, agents([A])],
      ['crontab_get'],
      ['crontab_get', 5],
      ['crontab_delete', token],
      ['crontab_set_enable', token, 'n'],
      ['crontab_set_enable', token, 'n', 'yes'],
      ['crontab-result_query', token],
      ['crontab-result_query', token, {}],
      ['crontab-result_delete', token, { condition: {} }],
    ];
    for (const [method, ...params] of calls) {
      const error = await app.call(method, params).catch((e) => e);
      assert.is(`${error.code} ${error.message}`, PARAMS, `${method} ${params.length}`);
    }
  });

  test('there is no toggle method', async () => {
    const error = await app.call('crontab_toggle_enable', [app.superToken, 'n']).catch((e) => e);
    assert.is(error.code, -32601);
  });

  test('a blank command is 108, and so is what no database can hold', async () => {
    for (const cmd of ['', '  ', 'df\0']) {
      const type = agents([A], { execute: { cmd, args: [] } });
      assert.match(await cron.create('job', NEVER, type), /^108 Invalid input: /);
    }
    assert.equal(await cron.get(), []);
  });

  test('create: credential, rights, script name, expression, name taken, in this order', async () => {
    await cron.create('taken', '@daily', agents([B]));
    const call = async (token: string, expression: string, type: unknown = agents([A])) =>
      crontab(app, token).create('taken', expression, type);
    assert.is(await call('malformed', 'bad'), `101 Parse error: Failed to parse token: ${FORMAT}`);
    assert.is(await call(WRONG, 'bad'), '102 Permission denied: Invalid credentials');
    const some = await app.token([{ scopes: ['global'], permissions: [{ crontab: 'read' }] }]);
    assert.match(await call(some, 'bad'), /^102 Permission denied: Permission Denied: /);
    assert.match(await call(some, 'bad', worker(' ')), /^102 /);
    assert.match(await call(app.superToken, 'bad', worker(' ')), /^108 /);
    assert.match(await call(app.superToken, 'bad', worker('')), /^108 /);
    assert.match(
      await call(app.superToken, 'bad'),
      /^101 Parse error: Invalid cron expression: bad\n\^\n/,
    );
    assert.match(await call(app.superToken, NEVER), /^108 Invalid input: .*taken/);
    assert.equal((await cron.job('taken')).cron_type, agents([B]));
  });

  test('edit: credential, unknown name, unreadable type, script name, expression, in this order', async () => {
    await cron.create('job', '@daily', agents([B]));
    const edit = (token: string, name: string, expression: string, type: unknown = agents([A])) =>
      crontab(app, token).edit(name, expression, type);
    assert.match(await edit('malformed', 'none', 'bad'), /^101 Parse error: Failed to parse token/);
    assert.is(await edit(WRONG, 'none', 'bad'), '102 Permission denied: Invalid credentials');
    const blank = worker('');
    assert.match(await edit(app.superToken, 'none', 'bad', blank), /^105 Not found in database: /);
    assert.match(await edit(app.superToken, 'job', 'bad', blank), /^108 /);
    assert.match(
      await edit(app.superToken, 'job', 'bad'),
      /^101 Parse error: Invalid cron expression: /,
    );
    assert.is((await cron.job('job')).cron_expression, '@daily');
    assert.equal((await cron.job('job')).cron_type, agents([B]));
  });

  test('delete and set_enable: credential before the unknown name', async () => {
    for (const token of ['malformed', WRONG, app.superToken]) {
      const code = { malformed: 101, [WRONG]: 102, [app.superToken]: 105 }[token];
      const prefix = new RegExp(`^${code} `);
      assert.match(await crontab(app, token).remove('none'), prefix);
      assert.match(await crontab(app, token).enable('none'), prefix);
    }
  });

  test('a row whose type is unreadable is not listed, keeps its name, and is 101 to change', async () => {
    for (const type of ['no json', '{"agent":[]}', '{"agent":[["x"],{"task":"ip"}]}']) {
      const { id } = await cron.create('broken');
      const json = dialect === 'postgres' && type === 'no json' ? '"no type"' : type;
      await app.sql(`update crontab set cron_type = '${json}' where id = ${id}`);
      await app.restart();
      assert.equal(await cron.get(), []);
      assert.match(await cron.create('broken'), /^108 /);
      for (const answer of [cron.edit('broken'), cron.enable('broken'), cron.remove('broken')]) {
        assert.match(await answer, /^101 Parse error: /);
      }
      await app.sql(`delete from crontab where id = ${id}`);
    }
  });

  test('a row whose expression is unreadable is not listed and can be changed', async () => {
    const { id } = await cron.create('broken');
    await app.sql(`update crontab set cron_expression = '* * * * *' where id = ${id}`);
    await app.restart();
    assert.equal(await cron.get(), []);
    assert.equal(await cron.enable('broken', false), { success: true, enabled: false });
    assert.equal(await cron.edit('broken', '@daily'), { id, success: true });
    assert.is((await cron.job('broken')).cron_expression, '@daily');
    assert.equal(await cron.remove('broken'), { success: true });
  });

  test('of several creations at once one wins, and the others are 108', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => cron.create('race')));
    const lost = answers.filter((answer) => typeof answer === 'string');
    assert.is(lost.length, 7);
    assert.ok(lost.every((answer) => answer.startsWith('108 ')));
    assert.is((await cron.get()).length, 1);
  });

  test('changes at once of one job all succeed', async () => {
    await cron.create('busy');
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => cron.edit('busy', '@daily')),
      ...Array.from({ length: 3 }, () => cron.enable('busy', true)),
    ]);
    assert.ok(
      answers.every(({ success }) => success === true),
      JSON.stringify(answers),
    );
  });

  test('without its table every method is 103, and delete 999 only when deleting fails', async () => {
    await cron.create('job');
    await app.sql('alter table crontab rename to elsewhere');
    await app.sql('alter table crontab_result rename to elsewhere_result');
    try {
      const answers = await Promise.all([
        cron.create('other'),
        cron.edit('job'),
        cron.remove('job'),
        cron.enable('job'),
        cron.query(),
        cron.erase(),
      ]);
      for (const answer of answers) assert.match(answer, /^103 Database error: [a-z ]+$/);
    } finally {
      await app.sql('alter table elsewhere rename to crontab');
      await app.sql('alter table elsewhere_result rename to crontab_result');
    }
    const refuse = {
      sqlite: `create trigger refuse before delete on crontab begin select raise(abort, 'no'); end`,
      postgres: `create rule refuse as on delete to crontab do instead select 1/0 as id`,
    }[dialect];
    await app.sql(refuse);
    assert.match(await cron.remove('job'), /^999 Other error: /);
    await app.sql(dialect === 'sqlite' ? 'drop trigger refuse' : 'drop rule refuse on crontab');
    assert.equal(await cron.remove('job'), { success: true });
  });

  test.run();
}
