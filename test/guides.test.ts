// proof only: 12
/** The code of the guides: all of it is type-checked, and the plugins of the plugin guide run together in one server. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { SCRIPT_TYPES } from '../cli/src/commands/script-types.ts';
import { until } from './agent-program-process.ts';
import { type Block, blocksOf, messagesOf, pagesOf, root, shell } from './documentation-kit.ts';
import { run } from './plugin-project.ts';
import { sharedPostgres } from './postgres.ts';
import { eventually } from './protocol/token-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('guides');
const PLUGINS = 'docs/guide/plugins.md';
let dir = '';
test.before(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-guides-'));
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'dir');
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const isCode = ({ language }: Block) => /^[jt]s$/.test(language);
/** The first line of a block may name its file. */
const fileOf = ({ page, line, language, text }: Block) =>
  /^\/\/ ([\w.-]+\.m?[jt]s)$/m.exec(text)?.[1] ?? `${page.replace(/\W/g, '-')}-${line}.${language}`;

/** Fails with what the compiler says of these files. */
async function typeCheck(files: readonly string[], options: object): Promise<void> {
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    noPropertyAccessFromIndexSignature: false,
    incremental: false,
    typeRoots: [join(root, 'node_modules/@types')],
    ...options,
  };
  const config = join(dir, 'tsconfig.json');
  const text = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  writeFileSync(config, JSON.stringify(text));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  // Checkers side by side would each read the SDK anew.
  const args = [tsc, '--singleThreaded', '-p', config];
  const checked = promisify(execFile)(process.execPath, args, { cwd: dir });
  await checked.catch(({ stdout }) => assert.unreachable(stdout));
}

/** For `docs/guide/database-driver.md`, which leaves this file to its reader. */
const OPEN = `import type { DatabaseHandle, DatabaseRequest } from '@svc/plugin-sdk/sql';
export declare function openExample(request: DatabaseRequest): Promise<DatabaseHandle>;\n`;

const AGENT = '5f0c7a6e-3f1d-4b7e-9a53-0a4f6f0d2b11';
const rights = (kinds: string) => [
  {
    scopes: [{ agent_uuid: AGENT }],
    permissions: [
      ...['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'].map((kind) => ({
        [kind]: 'write',
      })),
      ...[{ task: 'listen' }, { task: { write: kinds } }],
    ],
  },
];
const hasReported = (app: TestApp) =>
  until(
    'a report',
    () => app.call('agent-uuid_list', [app.superToken]),
    ([row]) => row?.uuid === AGENT && row.connected_for_tasks,
  );

/** Runs a program beside `work`, and ends it. */
async function beside(args: string[], env: object, work: () => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: dir, env: { ...process.env, ...env } });
  const closed = new Promise((done) => child.on('close', done));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      printed += part;
    });
  try {
    await work();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${printed}`);
  } finally {
    child.kill();
    await closed;
  }
}

test('the agent of the agent guide reports, measures, and answers what it cannot do', async () => {
  const block = blocksOf('docs/guide/agents.md').find(isCode);
  writeFileSync(join(dir, 'my-agent.mjs'), block?.text ?? '');
  const app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid', 'task']);
  const env = { SVC_URL: app.url, SVC_TOKEN: await app.token(rights('*')), SVC_AGENT_UUID: AGENT };
  const ask = (kind: unknown) =>
    app.call('task_create_task_blocking', [app.superToken, AGENT, kind, 10_000]);
  try {
    await beside(['my-agent.mjs'], env, async () => {
      await hasReported(app);
      const done = await ask({ tcp_ping: new URL(app.url).host });
      assert.type(done.task_event_result.tcp_ping, 'number');
      const { success, error_message } = await ask('version');
      assert.equal([success, error_message], [false, 'Error: only tcp_ping']);
    });
  } finally {
    await app.stop();
  }
});

test('the second machine appears and takes a task by the steps of its guide', async () => {
  const blocks = blocksOf('docs/guide/second-machine.md');
  const having = (words: string) => blocks.find(({ text }) => text.includes(words));
  const [create, ask, task] = ['token_create', 'svc-server_uuid', '"tcp_ping":'].map(having);
  const [start, file] = ['agent.toml --dry-run', '[[server]]'].map(having);
  const app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid', 'task']);
  try {
    const of = (block?: Block) => messagesOf(block?.text ?? '')[0] ?? {};
    const filledIn = (text: string) => text.replaceAll('KEY:SECRET', app.superToken);
    const request = filledIn(JSON.stringify(of(create)));
    const more = '{"task":"listen"},{"task":{"write":"*"}},{"static_monitoring"';
    const { result } = await app.rpc(JSON.parse(request.replace('{"static_monitoring"', more)));
    const server = (await app.rpc(of(ask))).result;
    const toml = (file?.text ?? '')
      .replace(/^token = .*$/m, `token = "${result.key}:${result.secret}"`)
      .replace(/^server_uuid = .*$/m, `server_uuid = "${server}"`)
      .replace(/^ws_url = .*$/m, `ws_url = "${app.url.replace('http', 'ws')}/svc/rpc"`)
      .replace('[[server]]', 'ntp_server = ""\n[[server]]');
    writeFileSync(join(dir, 'agent.toml'), toml);
    symlinkSync(join(root, 'agent'), join(dir, 'agent'), 'dir');
    const [dryRun = '', run = ''] = (start?.text ?? '').trim().split('\n');
    const { code, output } = await shell(dryRun, { cwd: dir });
    assert.equal([code, /cpu/.test(output)], [0, true], output);
    await beside(run.split(' ').slice(1), {}, async () => {
      await hasReported(app);
      const text = filledIn(task?.text ?? '')
        .replace('http://127.0.0.1:2211', app.url)
        .replace('db1.example.net:5432', new URL(app.url).host);
      const asked = await shell(text, { cwd: dir });
      assert.match(asked.output, /"success":true.*"tcp_ping":/);
    });
  } finally {
    await app.stop();
  }
});

const WORKERS = 'docs/guide/workers.md';
const isFleet = (block: Block) => isCode(block) && fileOf(block) === 'fleet.js';

test('the script of the worker guide fits the types of scripts, also without @svc/client', async () => {
  const blocks = blocksOf(WORKERS);
  const config = blocks.find(({ language, text }) => language === 'json' && /checkJs/.test(text));
  for (const hasClient of [true, false]) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-worker-'));
    if (hasClient) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    writeFileSync(join(folder, 'svc.d.ts'), SCRIPT_TYPES);
    writeFileSync(join(folder, 'jsconfig.json'), config?.text ?? '');
    writeFileSync(join(folder, 'fleet.js'), blocks.find(isFleet)?.text ?? '');
    // Without the client nothing is known of methods.
    const typo = "// @ts-check\nawait svc('agent-uuid_list_al', {});\nexport {};\n";
    if (hasClient) writeFileSync(join(folder, 'typo.js'), typo);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const said = await run(folder, process.execPath, tsc, '-p', 'jsconfig.json').catch(String);
    rmSync(folder, { recursive: true });
    if (hasClient) assert.match(said, /^Error: .*\n?typo\.js\(2,.*"agent-uuid_list_al".*\n$/);
    else assert.is(said, '');
  }
});

test('the script of the worker guide runs by call, by the clock, and for HTTP', async () => {
  const app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid', 'js-worker']);
  try {
    const script = Buffer.from(blocksOf(WORKERS).find(isFleet)?.text ?? '').toString('base64');
    const token = await app.token([
      { scopes: ['global'], permissions: [{ monitoring_uuid: 'list' }] },
    ]);
    const worker = { name: 'fleet', route_name: 'fleet', js_script_base64: script, env: { token } };
    await app.call('js-worker_create', { token: app.superToken, ...worker });
    for (const [handler, result] of [
      ['call', { agents: 0 }],
      ['cron', 0],
    ] as const) {
      const { id } = await app.call('js-worker_run', [app.superToken, 'fleet', handler, {}]);
      const query = [app.superToken, { condition: [{ id }] }];
      await eventually(async () => {
        const [row] = await app.call('js-result_query', query);
        assert.equal([row.result, row.error_message], [result, null]);
      });
    }
    const answer = await app.fetch('/svc/worker-route/fleet/list');
    assert.equal(await answer.json(), { pathname: '/svc/worker-route/fleet/list', agents: [] });
  } finally {
    await app.stop();
  }
});

test('the code of the guides and of the reference is type-checked', async () => {
  const guides = pagesOf(['docs/guide/*.md'])
    .filter((page) => page !== WORKERS)
    .flatMap(blocksOf)
    .filter(isCode);
  for (const block of guides) writeFileSync(join(dir, fileOf(block)), block.text);
  writeFileSync(join(dir, 'open.ts'), OPEN);
  const calls = pagesOf(['docs/reference/*.md'])
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'js')
    .map(({ text, heading }) => `// ${heading}\nasync () => {\n${text}};\n`);
  assert.ok(calls.length > 90, `${calls.length}`);
  const client = "import { createClient } from '@svc/client';\nconst client = createClient('/');\n";
  writeFileSync(join(dir, 'reference.ts'), client + calls.join(''));
  await typeCheck([...guides.map(fileOf), 'reference.ts'], { types: ['node'] });
});

/** Names of the members of an interface in a file of the SDK. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(join(root, 'plugin-sdk/src', file), 'utf8');
  const [, body = ''] =
    new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms').exec(text) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:<(]/gm)].map(([, member = '']) => member);
}

for (const [file, name, most] of [
  ['plugin.ts', 'Hooks', 23],
  ['plugin.ts', 'Plugin', 18],
  ['plugin.ts', 'Kernel', 21],
] as const) {
  test(`the first columns of the plugin guide name every member of ${name}`, () => {
    const members = membersOf(file, name);
    assert.ok(members.length >= most, `${members}`);
    const cells = readFileSync(join(root, PLUGINS), 'utf8').matchAll(/^\|([^|]+)\|/gm);
    const named = [...cells].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)]);
    const words = new Set(named.map(([, word]) => word));
    assert.equal(
      members.filter((member) => !words.has(member)),
      [],
    );
  });
}

test('the code of the plugin guide taps every hook that is not for drivers and buses', () => {
  const code = blocksOf(PLUGINS).filter(isCode);
  const tapped = code.flatMap(({ text }) => [...text.matchAll(/\bhooks\.(\w+)\.tap\(/g)]);
  const names = new Set(tapped.map(([, name]) => name));
  const rest = membersOf('plugin.ts', 'Hooks').filter((name) => !names.has(name));
  assert.equal(rest, ['database', 'bus']);
});

test('the plugins of the plugin guide work', async () => {
  for (const block of blocksOf(PLUGINS).filter(isCode))
    writeFileSync(join(dir, fileOf(block)), block.text);
  const names = ['life', 'web', 'calls', 'doors', 'umbrella', 'weather', 'noted'];
  const files = names.map((name) => `${name}.ts`);
  const own = files.map((file) => join(dir, file));
  const app = await bootForTest(['token', 'server-info', 'audit', ...own], {
    life: { greeting: '' },
  });
  const messages = () => app.records().map(({ message }) => message);
  try {
    await eventually(async () =>
      assert.equal(await app.call('umbrella_needed', [app.superToken]), { needed: false, told: 1 }),
    );
    assert.is(await (await app.fetch('/web/Ada')).text(), 'hello Ada\n');
    assert.match(await (await app.fetch('/robots.txt')).text(), /^User-agent/);
    const guest = 'guest:0123456789';
    assert.equal(await app.call('umbrella_needed', [guest]), { needed: false, told: 1 });
    const { code } = await app.call('svc-server_exec_sql', [guest, 'select 1']).catch((e) => e);
    assert.is(code, 102);
    const { warnings } = await app.call('svc-server_config_warnings', [app.superToken]);
    const { message } = warnings.find(({ key }: { key: string }) => key === 'life.greeting');
    assert.is(message, 'life.greeting is empty: nobody is greeted');
    assert.is(await app.call('noted_note', [app.superToken, 'a stone']), true);
    await eventually(async () => {
      const { rows } = await app.call('audit_query', [app.superToken, { method: 'noted_note' }]);
      assert.is(rows[0]?.target, 'a stone');
    });
    const echo = await app.connect('/echo');
    assert.equal(await echo.exchange('["is", "here"]'), ['is', 'here']);
    echo.close();
    const socket = await app.connect();
    await socket.call('web_ticks', [app.superToken, 100]);
    assert.type((await socket.next()).params.result, 'number');
    socket.close();
    assert.ok(messages().includes('listening') && messages().includes('known now'));
    await app.reload();
    await eventually(() => assert.ok(messages().includes('new settings')));
  } finally {
    await app.stop();
  }
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`the shelf of the plugin guide counts what each owner keeps (${dialect})`, async () => {
    const block = blocksOf(PLUGINS).find((one) => isCode(one) && fileOf(one) === 'shelf.ts');
    writeFileSync(join(dir, 'shelf.ts'), block?.text ?? '');
    const shelf = { max_things_per_owner: 2 };
    const app = await bootForTest(['token', join(dir, 'shelf.ts')], { shelf }, { dialect });
    try {
      const [own, other] = await Promise.all(
        [1, 2].map(() => app.token([{ scopes: ['global'], permissions: [{ shelf: 'put' }] }])),
      );
      const put = (token: string | undefined, thing: string) =>
        app.call('shelf_put', { token, thing }).catch((error) => `${error.code} ${error.message}`);
      assert.equal([await put(own, 'a'), await put(own, 'b'), await put(other, 'c')], [1, 2, 3]);
      assert.match(await put(own, 'd'), /^108 .*max_things_per_owner under \[shelf\]/);
      assert.match(await put(other, 'e'.repeat(2_000)), /^108 .*max_things_per_owner/);
      const rows = await app.sql('select thing from shelf_things order by id');
      assert.is(rows.map(({ thing }) => thing).join(), 'a,b,c');
      const { owners } = await app.call('token_holdings', [own]);
      const [counted] = owners[0].kinds.filter((one: any) => one.kind === 'thing');
      assert.equal(counted, { kind: 'thing', rows: 2, bytes: 2, max_rows: 2, max_bytes: 2_000 });
    } finally {
      await app.stop();
    }
  });

  test(`the logbook of the plugin guide keeps, finds, corrects and burns, for those with a right in its book (${dialect})`, async () => {
    const block = blocksOf(PLUGINS).find((one) => isCode(one) && fileOf(one) === 'logbook.ts');
    writeFileSync(join(dir, 'logbook.ts'), block?.text ?? '');
    const app = await bootForTest(['token', join(dir, 'logbook.ts')], {}, { dialect });
    try {
      const right = (book: string, word: string) => ({
        scopes: [{ logbook: book }],
        permissions: [{ logbook: word }],
      });
      const token = await app.token([right('gar*', 'write'), right('garden', 'read')]);
      const write = (book: string, text: string) =>
        app.call('logbook_write', { token, book, text });
      assert.equal(await write('garden', 'sowed peas'), { id: 1, entries: 1 });
      assert.equal(await write('garden', 'rain'), { id: 2, entries: 2 });
      assert.equal(await write('garage', 'new tyres'), { id: 3, entries: 1 });
      const refused = await write('kitchen', 'soup').catch((error) => error);
      assert.is(refused.message, "Permission denied: no right to write the book 'kitchen'");
      const read = (more = {}) => app.call('logbook_read', { token, book: 'garden', ...more });
      assert.equal(await read(), [
        { id: 2, text: 'rain' },
        { id: 1, text: 'sowed peas' },
      ]);
      await app.call('logbook_correct', { token, book: 'garden', id: 2, text: 'hail' });
      assert.equal(await read({ contains: 'ai' }), [{ id: 2, text: 'hail' }]);
      const wrong = { token, book: 'garden', id: 3, text: 'x' };
      assert.is((await app.call('logbook_correct', wrong).catch((e) => e)).code, 105);
      assert.is(await app.call('logbook_burn', { token, book: 'garden' }), 2);
      assert.equal(await read(), []);
      const steps = await app.sql(
        "select name from schema_migrations where plugin = 'logbook' order by name",
      );
      assert.equal(
        steps.map(({ name }) => name),
        ['0001-create', '0002-books'],
      );
    } finally {
      await app.stop();
    }
  });
}

const ON_POSTGRES = `import { bootForTest } from '@svc/plugin-sdk/testing';
const app = await bootForTest(['token'], {}, { dialect: 'postgres' });
console.log(app.dialect, (await app.sql('select count(*) as n from token'))[0].n);
await app.stop();
`;

test('a test of a plugin runs on the Postgres that PGHOST names (postgres)', async () => {
  writeFileSync(join(dir, 'on-postgres.mjs'), ON_POSTGRES);
  const url = new URL(sharedPostgres());
  const host = url.searchParams.get('host') ?? url.hostname;
  const { SVC_TEST_POSTGRES_URL: _, ...env } = process.env;
  const named = { PGHOST: host, PGPORT: url.port, PGUSER: url.username, PGPASSWORD: url.password };
  const done = (more: object) =>
    promisify(execFile)(process.execPath, ['on-postgres.mjs'], {
      cwd: dir,
      env: { ...env, ...more },
    });
  assert.is((await done(named)).stdout, 'postgres 1\n');
  const { stderr } = await done({ PGHOST: '' }).catch((error) => error);
  assert.match(stderr, 'no Postgres for the test: set PGHOST');
});

test('the test of the plugin guide passes', async () => {
  for (const name of ['dice.mjs', 'dice.test.ts']) {
    const block = blocksOf(PLUGINS).find((one) => isCode(one) && fileOf(one) === name);
    writeFileSync(join(dir, name), block?.text ?? '');
  }
  assert.match(await run(dir, process.execPath, '--test', 'dice.test.ts'), /pass 1\n/);
});

test.run();
