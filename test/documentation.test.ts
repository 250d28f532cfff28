// proof only: 28
/** What the pages show is what happens: their shell blocks run, their JSON examples are sent and answered as shown. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { parse } from 'smol-toml';
import * as assert from 'uvu/assert';
import { type Running, startAgent, stopAgent, until } from './agent-program-process.ts';
import {
  type Block,
  blocksOf,
  fits,
  has,
  type Message,
  messagesOf,
  pagesOf,
  root,
  shell,
} from './documentation-kit.ts';
import { freePort } from './ports.ts';
import { simAgent } from './protocol/task-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('documentation');

/** Their blocks run here. */
const pages = pagesOf(['README.md', 'cli/README.md', 'docs/guide/*.md', 'plugins/*/README.md']);
/** Programs with tests of their own (`example-*.test.ts`, `two-hosts`, `hello-plugin`, `agent-program-*`, `client/readme`): only the form is checked. */
const others = pagesOf([
  'agent/README.md',
  'checks/README.md',
  'client/README.md',
  'conditions/README.md',
  'examples/*/README.md',
  'fair-turns/README.md',
  'plugin-sdk/README.md',
]);

const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const LIMIT_MS = 60_000;
let dir = '';
let app: TestApp | undefined;
let agent: Running | undefined;

test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-pages-'));
});
test.after.each(async () => {
  await stopAgent(agent);
  agent = undefined;
  await app?.stop();
  app = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const name = ({ page, line }: Block) => `${page}:${line}`;
const isExample = ({ language, text }: Block) => language !== 'sh' && text.includes('"jsonrpc"');
const isShell = ({ language }: Block) => language === 'sh';

for (const block of [...pages, ...others].flatMap(blocksOf)) {
  if (isShell(block)) {
    test(`${name(block)}: the shell block is sound`, async () => {
      const { code, output } = await shell(block.text, { cwd: dir, args: ['-n'] });
      assert.is(code, 0, output);
    });
  } else if (isExample(block)) {
    test(`${name(block)}: the JSON example is sound`, () => {
      assert.ok(messagesOf(block.text).some(({ method }) => method !== undefined));
    });
  } else if (block.language === 'toml') {
    test(`${name(block)}: the TOML is sound`, () => void parse(block.text));
  } else if (/^[jt]s$/.test(block.language) && !block.text.includes('…')) {
    test(`${name(block)}: the code is sound`, () => void stripTypeScriptTypes(block.text));
  }
}

test('a block that looks like a command line or a call is marked as one', () => {
  const strange = [...pages, ...others]
    .flatMap(blocksOf)
    .filter((block) => /^(?:curl|npm|npx|node|svc-server) /m.test(block.text) && !isShell(block));
  assert.equal(strange.map(name), []);
});

test('git ignores what the guides write into the folder of a clone, and no file of the project', () => {
  const git = (args: string[], input: string) =>
    spawnSync('git', args, { cwd: root, input, encoding: 'utf8' }).stdout;
  const written = pages
    .flatMap(blocksOf)
    .filter(isShell)
    .flatMap(
      ({ text }) =>
        text.match(/(?<=[\s'])[\w-]+(?:\.(?:tar|db|toml)|phrase\.txt)(?=[\s']|$)/g) ?? [],
    );
  const files = [...new Set([...written, 'backups/a', 'passphrase.txt'])].join('\n');
  assert.ok(files.includes('complete.tar') && files.includes('new.toml'), files);
  assert.is(git(['check-ignore', '--no-index', '--stdin'], files).trim(), files);
  assert.is(git(['ls-files', '--cached', '--ignored', '--exclude-standard'], ''), '');
});

/** What has to be there before the blocks of a page run. */
const before: { readonly [page: string]: (app: TestApp) => Promise<unknown> } = {
  'README.md': (app) => app.call('agent_report_dynamic_summary', [app.superToken, report(AGENT)]),
  'cli/README.md': async (app) => {
    await taskAgent(app);
    await app.call('kv_create', [app.superToken, 'fleet-notes']);
    writeFileSync(join(dir, 'nightly.js'), 'export default { onCall: () => 1 };');
  },
  'docs/guide/agents.md': (app) => taskAgent(app),
  'docs/guide/first-machine.md': async (app) => {
    await app.call('agent_report_dynamic_summary', [app.superToken, report(AGENT)]);
    const server = `[[server]]\nserver_uuid = "${await app.call('svc-server_uuid')}"\ntoken = "${app.superToken}"\n`;
    rmSync(join(dir, 'data'), { recursive: true, force: true });
    mkdirSync(join(dir, 'data'));
    symlinkSync(join(app.dir, 'config.toml'), join(dir, 'data', 'server.toml'));
    writeFileSync(join(dir, 'data', 'agent.toml'), `agent_uuid = "${AGENT}"\n${server}`);
  },
  'docs/guide/status-page.md': (app) =>
    app.call('agent_report_dynamic_summary', [app.superToken, report(AGENT)]),
  'docs/guide/backup.md': async (app) => {
    const config = readFileSync(join(app.dir, 'config.toml'), 'utf8');
    rmSync(join(dir, 'data'), { recursive: true, force: true });
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data', 'server.toml'), config);
    writeFileSync(join(dir, 'passphrase.txt'), 'correct horse battery\n');
    for (const name of ['new', 'third']) {
      const moved = config
        .replace(/^database_url = .*$/m, `database_url = "sqlite://${name}.db?mode=rwc"`)
        .replace(/^(static|db)_path = .*$/gm, `$1_path = "${name}/$1/"`);
      writeFileSync(join(dir, `${name}.toml`), moved);
    }
  },
  'docs/guide/hardening.md': configured,
  'docs/guide/upgrade.md': async (app) => {
    rmSync(join(dir, 'data'), { recursive: true, force: true });
    const [file = ''] = readdirSync(app.dir).filter((name) => /\.(?:db|sqlite)$/.test(name));
    symlinkSync(join(app.dir, file), join(dir, 'svc.db'));
    mkdirSync(join(dir, 'data'));
    symlinkSync(join(app.dir, 'config.toml'), join(dir, 'data', 'server.toml'));
  },
  'plugins/agent/README.md': (app) =>
    app.call('agent_report_dynamic_summary', [app.superToken, report(AGENT)]),
  'plugins/agent-uuid/README.md': (app) =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      report('c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20'),
    ]),
  'plugins/audit/README.md': configured,
  'plugins/enrol/README.md': configured,
  'plugins/discovery/README.md': configured,
  'plugins/db/README.md': async (app) => {
    await app.call('db_create', [app.superToken, 'metrics_eu']);
    const sql =
      "create table seen (host text, at integer); insert into seen values ('edge-7', 1790000000001)";
    await app.call('db_exec_sql', [app.superToken, 'metrics_eu', sql]);
  },
  'plugins/js-worker/README.md': (app) => {
    const script = Buffer.from('export default { onCall: () => ({ ok: true }) }');
    const params = [app.superToken, 'nightly', null, script.toString('base64')];
    return app.call('js-worker_create', params);
  },
  'plugins/kv/README.md': async (app) => {
    await app.call('kv_create', [app.superToken, 'fleet-notes']);
    const params = [app.superToken, 'fleet-notes', 'metadata_name', 'edge-7'];
    await app.call('kv_set_value', params);
    await app.call('kv_create', [app.superToken, 'global']);
  },
  'plugins/series/README.md': (app) =>
    app.call('agent_report_dynamic_summary', [app.superToken, report(AGENT)]),
  'plugins/static-bucket-file/README.md': (app) => bucket(app),
  'plugins/static-webdav/README.md': async (app) => {
    await bucket(app);
    mkdirSync(join(dir, 'folder'));
    writeFileSync(join(dir, 'folder', 'page.html'), 'synced');
    writeFileSync(join(dir, 'large.iso'), 'put');
  },
  'plugins/task/README.md': async (app) => {
    const agent = await simAgent(app, '0f6a4c0e-58d1-4c3b-8f0d-6b2f7c1d9e44');
    await agent.register();
    void agent.received(1).then(([item]) => item && agent.answer(item, { tcp_ping: 7.9 }));
  },
};

/** An agent that runs programs. */
async function taskAgent(app: TestApp): Promise<void> {
  const permissions = [
    ...[{ dynamic_monitoring_summary: 'write' }, { task: 'listen' }],
    { task: { write: 'execute' } },
  ];
  const token = await app.token([{ scopes: [{ agent_uuid: AGENT }], permissions }]);
  agent = await startAgent(app, token, { server: 'allow_task = true\nallow_execute = true' });
  const list = () => app.call('agent-uuid_list', [app.superToken]);
  await until('an agent with tasks', list, ([row]) => row?.connected_for_tasks);
}

/** The configuration of the server under the name that pages give it. */
async function configured(app: TestApp): Promise<void> {
  symlinkSync(join(app.dir, 'config.toml'), join(dir, 'server.toml'));
}

const report = (uuid: string) => ({ uuid, time: 1_781_000_002_000, cpu_usage: 172 });
const bucket = (app: TestApp) =>
  app.call('static-bucket_create', [app.superToken, 'docs', 'sites/docs', false, true]);

/** The page's placeholders with what this server has. */
function filledIn(text: string, { superToken, url }: TestApp): string {
  const [key = '', secret = ''] = superToken.split(':');
  return text
    .replaceAll('http://127.0.0.1:2211', url)
    .replaceAll('https://svc.example.net', url)
    .replace(/KEY:SECRET|SUPER[_:]TOKEN/g, superToken)
    .replace(/\bKEY\b/g, key)
    .replace(/\bSECRET\b/g, secret)
    .replaceAll('"UUID"', JSON.stringify(AGENT));
}

/** Why the machine cannot run a block; undefined when it can. */
function missing({ text }: Block): string | undefined {
  const program = ['rclone', 'curl', 'sqlite3', 'jq'].find((word) =>
    new RegExp(`(?:^|\\| )${word} `, 'm').test(text),
  );
  return program === undefined || has(program) ? undefined : `${program} is not installed`;
}

/** Programs of the repository by their names. Their input is the credential that `login` asks for; what runs on ends with its first line. */
const npx = `
npx() {
  local name=$1 count=; shift
  case "$1 \${2:-}" in 'worker dev'|'logs -f'|'call -f'|'watch '*) count='-n1' ;; esac
  "$SVC_NODE" "$SVC_BIN/$name" "$@" $count <<< "$SVC_TOKEN"
}
`;

async function runShell(block: Block, server: TestApp): Promise<void> {
  const env = {
    HOME: dir,
    XDG_CONFIG_HOME: join(dir, '.config'),
    RCLONE_CONFIG: join(dir, 'rclone.conf'),
    SVC_TOKEN: server.superToken,
    SVC_NODE: process.execPath,
    SVC_BIN: join(root, 'node_modules/.bin'),
  };
  const { code, output } = await shell(npx + filledIn(block.text, server), { cwd: dir, env });
  const where = `${name(block)}\n${output}`;
  assert.is(code, 0, where);
  assert.not.match(output, /"error":\{|HTTP\/1\.1 [45]|^broken/m, where);
}

/** Sends the requests; each answer fits the one that the page shows behind it. */
async function runExample(block: Block, server: TestApp): Promise<void> {
  const messages = messagesOf(filledIn(block.text, server));
  const ids = new Map<unknown, unknown>();
  for (const [at, request] of messages.entries()) {
    if (request['method'] === undefined) continue;
    const next = messages[at + 1];
    const shown = next && next['method'] === undefined ? next : undefined;
    const answer = await answerLike(shown, withIds(request, ids), server);
    const where = `${name(block)}\n${JSON.stringify(answer)}`;
    assert.is(answer['error'], undefined, where);
    if (shown) assert.ok(fits(answer, shown), where);
    if (shown) ids.set(shown['result']?.id, answer['result']?.id);
  }
}

/** Results of runs come some time after the run was asked for. */
async function answerLike(shown: Message | undefined, request: Message, server: TestApp) {
  for (const end = Date.now() + LIMIT_MS; ; ) {
    const answer = (await server.rpc(request)) as Message;
    const isLate = /_query$/.test(request['method']) && Date.now() < end;
    if (!shown || fits(answer, shown) || !isLate) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An id that an earlier answer of the page showed is another one here. */
const withIds = (request: Message, ids: ReadonlyMap<unknown, unknown>): Message => ({
  ...request,
  params: JSON.parse(JSON.stringify(request['params']), (key, value) =>
    key === 'id' && ids.has(value) ? ids.get(value) : value,
  ),
});

for (const page of pages) {
  const blocks = blocksOf(page).filter((block) => isShell(block) || isExample(block));
  const toRun: Block[] = [];
  for (const block of blocks.filter(({ text }) => !starts(text))) {
    const { reason = missing(block) } = block;
    if (reason === undefined) toRun.push(block);
    else if (block.reason) process.stdout.write(`  not run: ${name(block)}: ${reason}\n`);
    else {
      process.stdout.write(`  skipped: ${name(block)}: ${reason}\n`);
      test.skip(name(block), () => {});
    }
  }
  if (toRun.length === 0) continue;
  test(`${page}: its ${toRun.length} blocks run as they stand`, async () => {
    app = await bootForTest(pluginsOf(page));
    await before[page]?.(app);
    for (const block of toRun) await (isShell(block) ? runShell : runExample)(block, app);
  });
}

/** The server of the plugin guide runs the plugin that the page shows. */
function pluginsOf(page: string): string[] | undefined {
  if (page !== 'docs/guide/plugins.md') return undefined;
  const file = join(dir, 'dice.mjs');
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'dir');
  writeFileSync(file, blocksOf(page).find(({ language }) => language === 'js')?.text ?? '');
  return ['token', 'server-info', file];
}

/** True for a block that starts a server of its own. */
function starts(text: string): boolean {
  return /^(?:npm start|npx svc-server serve)\b/m.test(text);
}

/** Runs a server until it listens, then ends it; its output is kept. */
const untilReady = `
until_ready() {
  # A group of its own: a Ctrl-C of a terminal reaches npm and what it started alike.
  setsid "$@" >server.log 2>&1 & local pid=$!
  for i in $(seq 1 600); do
    if grep -q 'server: listening' server.log; then break; fi
    kill -0 $pid || { cat server.log; return 1; }
    sleep 0.1
  done
  kill -- -$pid
  for i in $(seq 1 300); do kill -0 -- -$pid 2>&- || break; sleep 0.1; done
  wait $pid || true
  cat server.log
}
`;

/** A folder that looks like the repository: what is written there is gone afterwards. */
async function lookAlike(): Promise<string> {
  for (const entry of readdirSync(root))
    if (!['.git', 'config', 'data'].includes(entry))
      symlinkSync(join(root, entry), join(dir, entry));
  cpSync(join(root, 'config'), join(dir, 'config'), { recursive: true });
  const minimal = join(dir, 'config', 'minimal.toml');
  const address = `127.0.0.1:${await freePort()}`;
  writeFileSync(minimal, readFileSync(minimal, 'utf8').replace('127.0.0.1:2211', address));
  return address;
}

for (const block of pages.flatMap(blocksOf).filter(({ text, reason }) => !reason && starts(text))) {
  test(`${name(block)}: the servers of the block start, and stop in order`, async () => {
    const address = await lookAlike();
    const script = block.text
      .replaceAll('/etc/svc-server.toml', join(dir, 'svc-server.toml'))
      .replace(
        /^npm start(?: --)?/gm,
        `npm start -- --data ${join(dir, 'data')} --listen ${address}`,
      )
      .replace(/^(?=npm start|npx svc-server serve)/gm, 'until_ready ');
    const { code, output } = await shell(untilReady + script, { cwd: dir });
    assert.is(code, 0, output);
    assert.match(output, /^Super Token: \S+$/m);
    assert.match(output, /server: stopping/);
  });
}

test.run();
