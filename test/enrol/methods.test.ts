// Codes: who may make them, what they are good for, and when they are refused (docs/protocol/enrol.md).
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { failure } from '../protocol/agent-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const PLUGINS = [
  'token',
  'server-info',
  'agent-uuid',
  'agent',
  'task',
  'kv',
  'audit',
  'static-bucket',
  'enrol',
];
const UUID = /^agent_uuid = "([0-9a-f-]{36})"$/m;
const TOKEN = /^token = "([^"]+)"$/m;

const MACHINE = [
  { static_monitoring: 'write' },
  { dynamic_monitoring: 'write' },
  { dynamic_monitoring_summary: 'write' },
  { task: 'listen' },
  { task: { write: '*' } },
  { kv: { write: 'agent_*' } },
];
const names = { kv: { write: 'metadata_*' } };
const globally = (...permissions: object[]) => [{ scopes: ['global'], permissions }];
const rights = globally({ token: 'create' }, ...MACHINE);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`enrolment codes (${dialect})`);
  let app: TestApp;
  const runtimes = mkdtempSync(join(tmpdir(), 'svc-runtimes-'));

  const create = (params: object = {}, token = app.superToken) =>
    app.call('enrol_create', { token, ...params });
  const list = (token = app.superToken) => app.call('enrol_list', { token });
  const exchange = (code: string) =>
    app.fetch('/svc/enrol/exchange', { method: 'POST', body: `code=${code}` });
  const enrolled = async (code: string) => {
    const response = await exchange(code);
    const text = await response.text();
    assert.is(response.status, 200, text);
    return { text, uuid: UUID.exec(text)?.[1] ?? '', token: TOKEN.exec(text)?.[1] ?? '' };
  };

  test.before(async () => {
    const enrol = { max_codes: 40, runtime_path: runtimes };
    app = await bootForTest(PLUGINS, { enrol }, { dialect, clock: true });
  });
  test.after(async () => {
    await app.stop();
    rmSync(runtimes, { recursive: true, force: true });
  });

  test('what the operator has put into the folder is handed out, with its digest in the manifest', async () => {
    const files = { runtime: 'node', terminal: 'pty.node' };
    mkdirSync(join(runtimes, 'linux-arm64-musl'));
    const { code } = await create();
    const headers = { authorization: `Code ${code}` };
    for (const [part, file] of Object.entries(files)) {
      const content = `the ${part}`;
      writeFileSync(join(runtimes, 'linux-arm64-musl', file), content);
      const got = await app.fetch(`/svc/enrol/${part}/linux-arm64-musl`, { headers });
      assert.equal([got.status, await got.text()], [200, content]);
      const manifest = await (await app.fetch('/svc/enrol/manifest')).text();
      const digest = createHash('sha256').update(content).digest('hex');
      assert.match(manifest, `${part} linux-arm64-musl ${digest} ${content.length}\n`);
    }
  });

  test('a code becomes the configuration of one machine, whose token reaches that machine alone', async () => {
    const made = await create({ name: 'web-1', tags: ['web', 'eu'], url: 'https://fleet.example' });
    assert.match(
      made.line,
      `https://fleet.example/svc/enrol/install | sh -s -- ${made.code} --key ${made.key}`,
    );
    const { text, uuid, token } = await enrolled(made.code);
    assert.match(text, `ws_url = "${app.url.replace('http', 'ws')}/svc/rpc"`);
    assert.match(text, 'allow_task = false\nignore_cert = false\n');
    const report = (of: string) =>
      app.call('agent_report_dynamic_summary', [token, { uuid: of, time: 1 }]);
    await report(uuid);
    const other = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
    assert.is((await failure(report(other))).code, 102);
    const [listed] = await app.call('agent-uuid_list', { token: app.superToken, agents: [uuid] });
    assert.equal([listed.name, listed.tags], ['web-1', ['web', 'eu']]);
    const [code] = await list();
    assert.equal([code.used, code.last_agent], [1, uuid]);
  });

  test('the token writes the documents of its own machine, and opens nothing else there', async () => {
    const { uuid, token } = await enrolled((await create({ tags: ['web'] })).code);
    const other = (await enrolled((await create()).code)).uuid;
    const set = (namespace: string, key: string) =>
      app.call('kv_set_value', [token, namespace, key, { time: 1 }]);
    for (const key of ['agent_sensors', 'agent_containers']) await set(uuid, key);
    const refused: [method: string, params: unknown[]][] = [
      ['kv_set_value', [uuid, 'metadata_name', 'x']],
      ['kv_set_value', [uuid, 'agent', 'x']],
      ['kv_set_value', [other, 'agent_sensors', 'x']],
      ['kv_set_value', ['global', 'agent_sensors', 'x']],
      ['kv_get_value', [uuid, 'agent_sensors']],
      ['kv_get_multi_value', [[{ namespace: uuid, key: 'metadata_*' }]]],
      ['kv_get_all_keys', [uuid]],
      ['kv_delete_key', [uuid, 'agent_sensors']],
      ['kv_delete_namespace', [uuid]],
      ['kv_create', ['mine']],
      ['kv_list_all_namespace', []],
      ['token_create', [{ token_limit: [] }]],
      ['token_list_all_tokens', []],
      ['enrol_create', []],
    ];
    for (const [method, params] of refused) {
      const { code } = await failure(app.call(method, [token, ...params]));
      assert.is(code, 102, `${method} ${JSON.stringify(params)}`);
    }
  });

  test('the code itself is stored nowhere', async () => {
    const { code } = await create();
    const rows = JSON.stringify(await app.sql('select * from enrol_code'));
    assert.not.ok(rows.includes(code));
    assert.not.ok(JSON.stringify(app.records()).includes(code));
  });

  test('who made and revoked a code stands in the audit, without the code', async () => {
    const { id, code } = await create({ name: 'db-7' });
    await app.call('enrol_revoke', { token: app.superToken, id });
    const { rows } = await app.call('audit_query', { token: app.superToken, query: {} });
    const told = rows.map(({ method, target }: any) => `${method} ${target}`);
    for (const line of [`enrol_create code ${id} db-7`, `enrol_revoke code ${id}`])
      assert.ok(told.includes(line), told.join(', '));
    assert.not.ok(JSON.stringify(rows).includes(code));
  });

  test('a code is good for as many machines as it says, and two at once take two uses', async () => {
    const { code } = await create({ uses: 2 });
    const all = await Promise.all([1, 2, 3, 4].map(() => exchange(code)));
    assert.equal(all.map(({ status }) => status).sort(), [200, 200, 403, 403]);
  });

  test('a code is used up when its machine has reported: one that never connects gives it back after half a minute', async () => {
    const { id, code } = await create({ uses: 2 });
    const first = await enrolled(code);
    const lost = await enrolled(code);
    await app.call('agent_report_dynamic_summary', [first.token, { uuid: first.uuid, time: 1 }]);
    const held = await exchange(code);
    assert.is(held.status, 403);
    assert.match(await held.text(), 'a machine came with this code a moment ago');
    await app.clock.advance(31_000);
    const again = await enrolled(code);
    const listed = (await list()).find((one: { id: number }) => one.id === id);
    assert.equal([listed.used, listed.last_agent], [2, again.uuid]);
    const report = (token: string, uuid: string) =>
      app.call('agent_report_dynamic_summary', [token, { uuid, time: 1 }]);
    const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
    const keys = tokens.map(({ token_key }: { token_key: string }) => token_key);
    const [lostKey, firstKey] = [lost, first].map(({ token }) => token.split(':')[0]);
    assert.equal([keys.includes(lostKey), keys.includes(firstKey)], [false, true]);
    const namespaces = await app.call('kv_list_all_namespace', [app.superToken]);
    assert.not.ok(namespaces.includes(lost.uuid));
    await report(again.token, again.uuid);
    await app.clock.advance(31_000);
    const over = await exchange(code);
    assert.is(over.status, 403);
    assert.match(await over.text(), 'not known, or it was used, revoked or has expired');
    await report(first.token, first.uuid);
    await app.call('enrol_revoke', { token: app.superToken, id });
    assert.equal(
      await app.sql(`select * from enrol_pending where code = ${id} and given_at is null`),
      [],
    );
  });

  test('machines that come at once take the places of all that came before and never reported', async () => {
    const { id, code } = await create({ uses: 12 });
    const all = () => Promise.all(Array.from({ length: 12 }, () => enrolled(code)));
    const lost = await all();
    await app.clock.advance(31_000);
    const came = await all();
    assert.is((await list()).find((one: { id: number }) => one.id === id).used, 12);
    const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
    const keys = tokens.map(({ token_key }: { token_key: string }) => token_key);
    const left = (machines: typeof came) =>
      machines.filter(({ token }) => keys.includes(token.split(':')[0])).length;
    assert.equal([left(lost), left(came)], [0, 12]);
    const pending = await app.sql(
      `select agent from enrol_pending where code = ${id} and given_at is null`,
    );
    const agents = pending.map(({ agent }: any) => agent).sort();
    assert.equal(agents, came.map(({ uuid }) => uuid).sort());
  });

  test('a machine that reports while others come keeps its place and its token', async () => {
    const { id, code } = await create({ uses: 3 });
    const first = [await enrolled(code), await enrolled(code), await enrolled(code)];
    const [kept] = first as [(typeof first)[0]];
    await app.clock.advance(31_000);
    const report = { uuid: kept.uuid, time: 1 };
    await app.call('agent_report_dynamic_summary', [kept.token, report]);
    const came = await Promise.all([1, 2, 3, 4].map(() => exchange(code)));
    assert.equal(came.map(({ status }) => status).sort(), [200, 200, 403, 403]);
    for (const response of came.filter(({ status }) => status === 403))
      assert.match(await response.text(), 'a machine came with this code a moment ago');
    await app.call('agent_report_dynamic_summary', [kept.token, report]);
    assert.is((await list()).find((one: { id: number }) => one.id === id).used, 3);
  });

  const report = ({ token, uuid }: { token: string; uuid: string }) =>
    app.call('agent_report_dynamic_summary', [token, { uuid, time: 1 }]);
  const keys = async () => {
    const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
    return tokens.map(({ token_key }: { token_key: string }) => token_key);
  };
  const keyOf = ({ token }: { token: string }) => token.split(':')[0];

  const subscribed = async (token: string, uuid: string) => {
    const socket = await app.connect();
    await socket.call('task_register_task', [token, uuid]);
    socket.close();
  };
  const listener = () =>
    app.token([
      { scopes: ['global'], permissions: [{ task: 'listen' }, { task: { write: '*' } }] },
    ]);
  const document = { time: 1 };
  const compact = (uuid: string) => uuid.replaceAll('-', '');
  const ways: [
    what: string,
    come: (machine: { token: string; uuid: string }) => Promise<unknown>,
  ][] = [
    ['only takes tasks', ({ token, uuid }) => subscribed(token, uuid)],
    ['writes its UUID without hyphens', ({ token, uuid }) => subscribed(token, compact(uuid))],
    ...[
      (uuid: string) => uuid.toUpperCase(),
      compact,
      (uuid: string) => `{${uuid}}`,
      (uuid: string) => `urn:uuid:${uuid}`,
    ].map((spelt): (typeof ways)[number] => [
      `takes tasks by another token, as ${spelt('uuid')}`,
      async ({ uuid }) => subscribed(await listener(), spelt(uuid)),
    ]),
    [
      'only writes documents',
      ({ token, uuid }) => app.call('kv_set_value', [token, uuid, 'agent_sensors', document]),
    ],
    ['makes any other call', ({ token }) => app.call('svc-server_plugins', [token])],
  ];
  for (const [what, come] of ways)
    test(`a machine that ${what} has connected, and keeps its place and its token`, async () => {
      const { id, code } = await create();
      const machine = await enrolled(code);
      await come(machine);
      const left = `select * from enrol_pending where agent = '${machine.uuid}'`;
      await eventually(async () => assert.equal(await app.sql(left), []));
      await app.clock.advance(31_000);
      const late = await exchange(code);
      assert.is(late.status, 403);
      assert.match(await late.text(), 'not known, or it was used, revoked or has expired');
      await app.sql(`update enrol_code set expires_at = 0 where id = ${id}`);
      await app.clock.advance(61_000);
      assert.ok((await keys()).includes(keyOf(machine)));
    });

  test('a call that is refused is no sign that the machine has come', async () => {
    const { code } = await create();
    const { token } = await enrolled(code);
    await failure(app.call('token_list_all_tokens', [token]));
    await app.clock.advance(31_000);
    await enrolled(code);
  });

  test('the first report of a machine that has lost its place is refused, though its token is still there', async () => {
    const machine = await enrolled((await create()).code);
    await app.sql(`update enrol_pending set given_at = 1 where agent = '${machine.uuid}'`);
    assert.is((await failure(report(machine))).code, 102);
    const all = await app.call('agent-uuid_list_all', { token: app.superToken });
    assert.not.ok(JSON.stringify(all).includes(machine.uuid));
  });

  test('a machine that reports in the moment in which its place would go is answered and keeps its token, or is refused', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { code } = await create();
      const first = await enrolled(code);
      await app.clock.advance(31_000);
      const answers = [
        report(first).then(
          () => true,
          () => false,
        ),
        exchange(code),
      ] as const;
      const [isTaken, other] = await Promise.all(answers);
      await other.body?.cancel();
      assert.is(other.status, isTaken ? 403 : 200);
      assert.is((await keys()).includes(keyOf(first)), isTaken);
      if (isTaken) await report(first);
    }
  });

  test('a machine that never came leaves nothing behind once its code is gone; one that came keeps everything', async () => {
    const { id, code } = await create({ uses: 2 });
    const [came, lost] = [await enrolled(code), await enrolled(code)];
    await report(came);
    await app.clock.advance(61_000);
    assert.ok((await keys()).includes(keyOf(lost)), 'it may still come');
    await app.sql(`update enrol_code set expires_at = 0 where id = ${id}`);
    // A round that is still under way leaves the next one out.
    await eventually(async () => {
      await app.clock.advance(61_000);
      assert.not.ok((await keys()).includes(keyOf(lost)));
    });
    assert.is((await failure(report(lost))).code, 102);
    const namespaces = () => app.call('kv_list_all_namespace', [app.superToken]);
    await eventually(async () => {
      const all = await namespaces();
      assert.equal(
        [came, lost].map(({ uuid }) => all.includes(uuid)),
        [true, false],
      );
    });
    await report(came);
    await app.sql(`update enrol_pending set given_at = 1 where code = ${id}`);
    const rows = () => app.sql(`select * from enrol_pending where code = ${id}`);
    await eventually(async () => {
      // A sweep that still runs leaves its next turn out.
      await app.clock.advance(61_000);
      assert.equal(await rows(), []);
    });
    const failed = app.records().filter(({ message }: any) => message === 'repeated task failed');
    assert.equal(failed, []);
  });

  test('the use of an exchange that ended before it had a token goes to the next machine', async () => {
    const { id, code } = await create();
    const { uuid } = await enrolled(code);
    await app.sql(`update enrol_pending set token_key = '' where agent = '${uuid}'`);
    await app.clock.advance(31_000);
    const next = await enrolled(code);
    const row = (await list()).find((one: { id: number }) => one.id === id);
    assert.equal([row.used, row.last_agent], [1, next.uuid]);
    const namespaces = await app.call('kv_list_all_namespace', [app.superToken]);
    assert.equal(
      [uuid, next.uuid].map((of) => namespaces.includes(of)),
      [false, true],
    );
  });

  test('who comes while the first exchange of a code still runs hears that the code is held', async () => {
    const { code } = await create();
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    const texts = await Promise.all(all.map((response) => response.text()));
    const held = texts.filter((text) =>
      text.includes('a machine came with this code a moment ago'),
    );
    assert.is(held.length, 7, texts.join(''));
  });

  test('a code that is known is never counted as a wrong one, be it used up, revoked or expired', async () => {
    const used = await create();
    const { uuid, token } = await enrolled(used.code);
    await app.call('agent_report_dynamic_summary', [token, { uuid, time: 1 }]);
    const revoked = await create();
    await app.call('enrol_revoke', { token: app.superToken, id: revoked.id });
    const expired = await create({ seconds: 60 });
    await app.clock.advance(61_000);
    for (const { code } of [used, revoked, expired]) {
      for (let n = 0; n < 40; n++) assert.is((await exchange(code)).status, 403);
      const headers = { authorization: `Code ${code}` };
      for (let n = 0; n < 40; n++)
        assert.is((await app.fetch('/svc/enrol/runtime/plan9-x64', { headers })).status, 401);
    }
    await enrolled((await create()).code);
  });

  test('an expired, a revoked and an unknown code are refused in the same words', async () => {
    const expired = await create({ seconds: 60 });
    const revoked = await create();
    await app.call('enrol_revoke', { token: app.superToken, id: revoked.id });
    await app.clock.advance(61_000);
    for (const code of [expired.code, revoked.code, 'A'.repeat(24), 'x', '']) {
      const response = await exchange(code);
      assert.is(response.status, 403);
      assert.match(await response.text(), 'not known, or it was used, revoked or has expired');
    }
  });

  test('what machines read on their way in asks for no report of the process each time', async () => {
    const { report } = process;
    const { getReport } = report;
    let reports = 0;
    report.getReport = (...given) => {
      reports++;
      return getReport.apply(report, given);
    };
    try {
      for (let asked = 0; asked < 3; asked++)
        for (const what of ['install', 'manifest'])
          assert.is((await app.fetch(`/svc/enrol/${what}`)).status, 200);
    } finally {
      report.getReport = getReport;
    }
    assert.ok(reports <= 1, `${reports} reports`);
  });

  for (const part of ['runtime', 'terminal'])
    test(`a ${part} is handed out for an open code and for a token of the server, to nobody else`, async () => {
      const { code } = await create();
      const status = async (authorization?: string, platform = 'plan9-x64') => {
        const headers: Record<string, string> = authorization ? { authorization } : {};
        const response = await app.fetch(`/svc/enrol/${part}/${platform}`, { headers });
        await response.body?.cancel();
        return response.status;
      };
      assert.is(await status(), 401);
      assert.is(await status(`Code ${'B'.repeat(24)}`), 401);
      assert.is(await status('Bearer no:token'), 401);
      assert.is(await status(`Code ${code}`), 404);
      const { token } = await enrolled(code);
      assert.is(await status(`Code ${code}`), 401);
      assert.is(await status(`Bearer ${token}`), 404);
      assert.is(await status(`Bearer ${token}`, '..%2f..'), 404);
    });

  test('codes are made by those who may make such tokens, who see and revoke their own', async () => {
    const maker = await app.token(rights);
    const other = await app.token(rights);
    const { id, code } = await create({}, maker);
    assert.equal(
      (await list(maker)).map((one: { id: number }) => one.id),
      [id],
    );
    assert.equal(await list(other), []);
    const theirs = app.call('enrol_revoke', { token: other, id });
    assert.is((await failure(theirs)).code, 105);
    assert.is((await failure(create({ name: 'x' }, maker))).code, 102);
    await create({ name: 'x' }, await app.token(globally({ token: 'create' }, names, ...MACHINE)));
    const { token } = await enrolled(code);
    assert.is((await failure(create({}, token))).code, 102);
    const less = await app.token(globally({ token: 'create' }, ...MACHINE.slice(1)));
    assert.is((await failure(create({}, less))).code, 102);
  });

  test('a code of a token that has lost its rights enrols nobody, and is not used up', async () => {
    const maker = await app.token(rights);
    const { id, code } = await create({}, maker);
    const key = maker.split(':')[0];
    await app.call('token_edit', { token: app.superToken, target_token: key, limit: globally() });
    const response = await exchange(code);
    assert.is(response.status, 403);
    assert.match(await response.text(), 'may not enrol machines any more');
    const row = (await list()).find((one: { id: number }) => one.id === id);
    assert.is(row.used, 0);
  });

  const ends: [what: string, end: (target_token: string) => Promise<unknown>][] = [
    [
      'is deleted',
      (target_token) => app.call('token_delete', { token: app.superToken, target_token }),
    ],
    [
      'has lost its rights',
      (target_token) =>
        app.call('token_edit', { token: app.superToken, target_token, limit: globally() }),
    ],
  ];
  for (const [what, end] of ends)
    test(`a code whose maker ${what} enrols nobody, and takes nothing from a machine that came with it`, async () => {
      const maker = await app.token(rights);
      const used = await create({}, maker);
      const open = await create({}, maker);
      const first = await enrolled(used.code);
      await end(keyOf({ token: maker })!);
      await app.clock.advance(31_000);
      const before = await keys();
      for (const { code } of [used, open]) {
        const response = await exchange(code);
        assert.is(response.status, 403);
        assert.match(await response.text(), 'may not enrol machines any more');
      }
      assert.equal(await keys(), before, 'no token was made or deleted');
      const namespaces = await app.call('kv_list_all_namespace', [app.superToken]);
      assert.ok(namespaces.includes(first.uuid));
      const rows = (await list()).filter(({ id }: { id: number }) =>
        [used.id, open.id].includes(id),
      );
      assert.equal(rows.map((one: { used: number }) => one.used).sort(), [0, 1]);
    });

  const session = async (token: string) => {
    const { key, secret } = await app.call('session_create', { token });
    return `${key}:${secret}`;
  };
  const asItIs = async (token: string) => token;
  const makers: [who: string, seconds: [from: number | null, to: number], by: typeof session][] = [
    ['token that ends', [null, 120], asItIs],
    ['token that begins and ends', [-60, 120], asItIs],
    ['session of a token that ends', [null, 120], session],
  ];
  for (const [who, seconds, by] of makers)
    test(`a machine that a ${who} has enrolled ends with that token, which the code's answer says`, async () => {
      const now = app.clock.now();
      const [from, to] = seconds.map((each) => (each === null ? null : now + each * 1_000));
      const times = { timestamp_from: from, timestamp_to: to };
      const made = await create({}, await by(await app.token(rights, times)));
      assert.is(made.machines_until, to);
      const machine = await enrolled(made.code);
      await report(machine);
      const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
      const stored = tokens.find((one: { token_key: string }) => one.token_key === keyOf(machine));
      assert.equal([stored.timestamp_from, stored.timestamp_to], [from, to]);
      await app.clock.advance(121_000);
      assert.is((await failure(report(machine))).code, 102);
    });

  test('a machine that a token without an end has enrolled has none', async () => {
    for (const maker of [app.superToken, await app.token(rights)]) {
      const made = await create({}, maker);
      assert.is(made.machines_until, null);
      const { token } = await enrolled(made.code);
      const { tokens } = await app.call('token_list_all_tokens', [app.superToken]);
      const stored = tokens.find((one: any) => one.token_key === keyOf({ token }));
      assert.equal([stored.timestamp_from, stored.timestamp_to], [null, null]);
    }
  });

  test('a code of a token that has expired enrols nobody', async () => {
    const { code } = await create(
      {},
      await app.token(rights, { timestamp_to: app.clock.now() + 60_000 }),
    );
    const load = async () => {
      const headers = { authorization: `Code ${code}` };
      return (await app.fetch('/svc/enrol/runtime/plan9-x64', { headers })).status;
    };
    assert.is(await load(), 404);
    await app.clock.advance(61_000);
    const response = await exchange(code);
    assert.is(response.status, 403);
    assert.match(await response.text(), 'may not enrol machines any more');
    assert.is(await load(), 401);
  });

  const wrong: [what: string, params: object, text: RegExp][] = [
    ['a name for several machines', { name: 'x', uses: 2 }, /one machine/],
    ['an address that a shell would take apart', { url: 'http://a$(id)' }, /is not like/],
    ['an address without a scheme', { url: 'fleet.example' }, /is not like/],
    ['an address with a quote', { url: "https://a'b" }, /is not like/],
  ];
  for (const [what, params, text] of wrong)
    test(`${what} is refused with a sentence`, async () => {
      const { code, message } = await failure(create(params));
      assert.is(code, 108);
      assert.match(message, text);
    });

  test('there are at most max_codes codes, and old ones make room', async () => {
    const codes = async () => {
      for (let n = 0; n < 50; n++) await create();
    };
    assert.match((await failure(codes())).message, /max_codes/);
    await app.sql('update enrol_code set expires_at = 0');
    await create();
    assert.is((await list()).length, 1);
  });

  test('the script names the address that was asked for, and holds the units of the agent', async () => {
    const script = await (await app.fetch('/svc/enrol/install')).text();
    assert.match(script, `BASE='${app.url}/svc/enrol'`);
    assert.not.match(script, /@(?:BASE|PIN|SYSTEM_UNIT|USER_UNIT|TASKS_UNIT|PING_UNIT)@/);
  });

  test('wrong codes are counted, slow their address down, and stand in the audit', async () => {
    const statuses = [];
    for (let n = 0; n < 40; n++) statuses.push((await exchange('C'.repeat(24))).status);
    assert.ok(statuses.includes(429), statuses.join(' '));
    const { code } = await create();
    assert.is((await exchange(code)).status, 429);
    await app.clock.advance(11_000);
    assert.is((await exchange(code)).status, 200);
    const query = { token: app.superToken, query: { method: 'login', success: false } };
    const { rows } = await app.call('audit_query', query);
    assert.ok(rows.some(({ count }: { count: number }) => count > 1));
    const came = { token: app.superToken, query: { method: 'enrol exchange' } };
    assert.ok((await app.call('audit_query', came)).rows.length > 0);
  });

  test.run();
}
