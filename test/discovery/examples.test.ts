// proof only: 14
/** The examples of the documentation are what a server answers: the blocks of the reference run as they stand, by curl and by the client. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, RpcError } from '@svc/client';
import type { App } from '@svc/kernel';
import type { Example, Plugin, TSchema } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Compile } from '@svc/plugin-sdk/typebox';
import * as assert from 'uvu/assert';
import { until } from '../agent-program-process.ts';
import { type Block, blocksOf, has, pagesOf, shell } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';
import { Player, shows, type Ways } from './player.ts';

const test = suite('examples');
let app: TestApp;
let plugins: readonly Plugin[] = [];
test.before(async () => {
  app = await bootForTest(undefined);
  plugins = (app.kernel as App).kernelOf('discovery')!.plugins;
});
test.after(() => app.stop());

/** The one that reloads the configuration comes last. */
const inOrder = () =>
  plugins
    .filter(({ examples }) => examples)
    .sort((a, b) => Number(a.name === 'server-info') - Number(b.name === 'server-info'));

/** The blocks of the reference under the heading of each method. */
interface Shown {
  readonly sh?: Block;
  readonly js: Block;
}
const reference = new Map<string, Shown>();
for (const page of pagesOf(['docs/reference/*.md'])) {
  let sh: Block | undefined;
  for (const block of blocksOf(page)) {
    if (block.language === 'sh') sh = block;
    if (block.language !== 'js') continue;
    reference.set(`${block.heading}`, { ...(sh && { sh }), js: block });
    sh = undefined;
  }
}

/** A page shows the first example of a method that succeeds; those of the method's own plugin come first. */
function isShown(example: Example): boolean {
  const owner = (app.kernel as App).methods.get(example.method)?.plugin;
  const own = plugins.find(({ name }) => name === owner)?.examples ?? [];
  const all = [...own, ...plugins.flatMap(({ examples = [] }) => examples)];
  return all.find(({ method, error }) => method === example.method && !error) === example;
}

/** A block with the values of this server in place of those that it shows. */
function filledIn({ text }: Block, shown: unknown, own: unknown): string {
  const quoted = (value: unknown) => JSON.stringify(value).replaceAll("'", "'\\''");
  for (const write of [JSON.stringify, quoted])
    if (text.includes(write(shown).slice(1, -1)))
      return text.replace(write(shown).slice(1, -1), () => write(own).slice(1, -1));
  throw new Error(`the block does not hold ${JSON.stringify(shown)}: ${text}`);
}

/** Every block for a shell: curl, and for streams the program `svc`. */
function byShell(server: TestApp): Ways {
  const program = resolve(import.meta.dirname, '../../cli/bin/svc.js');
  const npx = `npx() { shift; exec ${process.execPath} --conditions=source ${program} "$@"; }\n`;
  mkdirSync(join(server.dir, 'login', 'svc'), { recursive: true });
  const login = { url: server.url, token: server.superToken };
  const kept = JSON.stringify({ current: server.url, logins: [login] });
  writeFileSync(join(server.dir, 'login/svc/credentials.json'), kept);
  return {
    async call(example, params) {
      if (!isShown(example)) return undefined;
      const block = reference.get(example.method)?.sh;
      assert.ok(block, `${example.method} has no block for a shell`);
      const text = filledIn(block, example.params, params)
        .replace('http://127.0.0.1:2211', server.url)
        .replace('KEY:SECRET', server.superToken);
      const { code, output } = await shell(text, { cwd: server.dir });
      assert.is(code, 0, `${text}\n${output}`);
      return JSON.parse(output);
    },
    async stream({ method }, _params, give, signal) {
      const block = reference.get(method)?.sh;
      assert.ok(block, `${method} has no block for a shell`);
      const env = { ...process.env, XDG_CONFIG_HOME: join(server.dir, 'login') };
      const child = spawn('bash', ['-c', npx + block.text], { env, stdio: 'pipe' });
      createInterface(child.stdout).on('line', (line) => give(JSON.parse(line)));
      const ended = new Promise<void>((done) => child.on('close', () => done()));
      signal.addEventListener('abort', () => child.kill());
      await accepted(server, method);
      return { ended };
    },
  };
}

/** Waits until the server has accepted a stream of a method. */
const accepted = (server: TestApp, method: string) =>
  until(
    `a stream of ${method}`,
    async () => server.records(),
    (records) =>
      records.some(
        ({ message, fields }) => message === 'subscription accepted' && fields['method'] === method,
      ),
  );

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<unknown>;

/** Every block of client code. */
function byClient(server: TestApp): Ways {
  const client = createClient(server.url, { token: server.superToken });
  return {
    async call(example, params) {
      if (!isShown(example)) return undefined;
      const block = reference.get(example.method)?.js;
      assert.ok(block, `${example.method} has no block of client code`);
      const text =
        Object.keys(params).length > 0 ? filledIn(block, example.params, params) : block.text;
      return new AsyncFunction('client', `return ${text}`)(client).then(
        (result) => ({ result }),
        (error) => {
          if (error instanceof RpcError) return { error };
          throw error;
        },
      );
    },
    async stream({ method }, _params, give, signal) {
      const block = reference.get(method)?.js;
      assert.ok(block, `${method} has no block of client code`);
      signal.addEventListener('abort', () => client.close());
      const run = new AsyncFunction('client', 'console', block.text);
      const ended = run(client, { log: give });
      await accepted(server, method);
      return { ended };
    },
  };
}

/** Plays every example on a server of its own. */
async function play(way: string, waysTo: (server: TestApp) => Ways): Promise<void> {
  const server = await bootForTest(undefined);
  try {
    for (const { name, examples = [] } of inOrder()) {
      const played = await new Player(server, waysTo(server)).play(examples);
      assert.is(played.length, examples.length, `${way}: ${name}`);
      for (const { example, answer, item } of played) {
        const where = `${way}: ${example.method}: ${JSON.stringify(answer)} ${JSON.stringify(item)}`;
        if (example.error) assert.equal(errorOf(answer), example.error, where);
        else assert.ok(shows(answer.result, example.result, example.method), where);
        if (example.item) assert.ok(shows(item, example.item, example.method), where);
      }
    }
  } finally {
    await server.stop();
  }
}

const hasCurl = has('curl');
if (!hasCurl) process.stdout.write('  skipped: curl is not installed\n');

// Both at a time: they wait for runs and jobs.
(hasCurl ? test : test.skip)(
  'the blocks of the reference run, and are answered as shown',
  async () => {
    await Promise.all([play('by a shell', byShell), play('by the client', byClient)]);
  },
);

const errorOf = ({ error: { code, message } = {} as any }): Example['error'] => ({ code, message });

test('what examples show fits the schemas of results and items', () => {
  const { methods } = app.kernel as App;
  for (const { method, params, result, item, error } of plugins.flatMap(
    (one) => one.examples ?? [],
  )) {
    const { definition } = methods.get(method)!;
    const fits = (schema: TSchema, value: unknown) => {
      const [wrong] = Compile(schema).Errors(value);
      assert.is(wrong && `${wrong.instancePath} ${wrong.message}`, undefined, method);
    };
    if (error) continue;
    for (const [name, value] of Object.entries(params)) fits(definition.params[name]!, value);
    if (definition.result) fits(definition.result, result);
    if (definition.item) fits(definition.item, item);
  }
});

test('the answers of the reference are those of the examples', () => {
  const blocks = pagesOf(['docs/reference/*.md']).flatMap(blocksOf);
  const answers = blocks.filter(({ language }) => language === 'json');
  assert.ok(answers.length > 80, `${answers.length}`);
  const shown = plugins.flatMap(({ examples = [] }) => examples).filter(isShown);
  assert.equal(
    answers.map(({ heading, text }) => `${heading} ${text.trim()}`).sort(),
    shown
      .map(({ method, result, item }) => {
        const answer = item === undefined ? { jsonrpc: '2.0', id: 1, result } : item;
        return `${method} ${JSON.stringify(answer)}`;
      })
      .sort(),
  );
});

test('a stream ends as the reference says', async () => {
  for (const [name, { js, sh }] of reference) {
    if (sh) continue;
    const client = createClient(app.url, { token: app.superToken });
    await new AsyncFunction('client', js.text)(client);
    client.close();
    assert.match(name, /_un/);
  }
});

/** Methods about an alert: reports open one at the time that they name, which no written example knows. test/alert/rights.test.ts calls them. */
const ABOUT_ALERTS = ['alert_get', 'alert_ack', 'alert_unack', 'alert_close', 'alert_note'];

test('every method has an example that succeeds', () => {
  const shown = new Set(
    plugins
      .flatMap(({ examples = [] }) => examples.filter(({ error }) => !error))
      .map((e) => e.method),
  );
  const missing = [...(app.kernel as App).methods.keys()].filter((name) => !shown.has(name));
  assert.equal(missing.sort(), ABOUT_ALERTS.sort());
});

test.run();
