// examples/hello-plugin as a third party uses it: by path from a copy, and as an installed npm package.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { installPackage, pack } from './plugin-project.ts';
import { makeSite, rpc, type ServerProcess, startServer, superToken } from './process/server.ts';
import { suite } from './runner/suite.ts';

const source = fileURLToPath(new URL('../examples/hello-plugin', import.meta.url));
const mayGreet = [{ scopes: ['global'], permissions: [{ hello: 'greet' }] }];

/** Packs the example, and installs the package in a folder. */
async function installPacked(folder: string): Promise<void> {
  const [packed = ''] = await pack(folder, source);
  await installPackage(folder, packed);
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`hello-plugin by path (${dialect})`);
  let folder: string;
  let app: TestApp;

  test.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-hello-'));
    const copy = join(folder, 'my-hello');
    await cp(source, copy, { recursive: true });
    app = await bootForTest(['token', copy], {}, { dialect });
  });
  test.after(async () => {
    await app?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('its method counts, for a caller with its own permission', async () => {
    const token = await app.token(mayGreet);
    assert.equal(await app.call('hello_greet', [token, 'Ada']), { text: 'Hello, Ada!', times: 1 });
    assert.equal(await app.call('hello_greet', { token, name: 'Ada' }), {
      text: 'Hello, Ada!',
      times: 2,
    });
  });

  test('a caller without that permission is refused', async () => {
    const token = await app.token([
      {
        scopes: [{ agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }],
        permissions: [{ hello: 'greet' }],
      },
    ]);
    const failure = await app.call('hello_greet', [token, 'Ada']).catch((error) => error);
    assert.is(failure.code, 102);
    assert.is(failure.message, 'Permission denied: missing hello.greet');
  });

  test('a word that its permission kind does not know is refused', async () => {
    const failure = await app
      .token([{ scopes: ['global'], permissions: [{ hello: 'wave' }] }])
      .catch((error) => error);
    assert.is(failure.code, -32602);
  });

  test('its schema refuses a bad name before anything is counted', async () => {
    const failure = await app.call('hello_greet', [app.superToken, '']).catch((error) => error);
    assert.is(failure.code, -32602);
    assert.equal(await app.sql("select name from hello_plugin_greetings where name = ''"), []);
  });

  test('its route answers', async () => {
    const answer = await app.fetch('/hello/Grace%20Hopper');
    assert.is(answer.status, 200);
    assert.is(await answer.text(), 'Hello, Grace Hopper!\n');
  });

  test('its migration ran once: a second start keeps the rows', async () => {
    await app.call('hello_greet', [app.superToken, 'Linus']);
    await app.restart();
    assert.is((await app.call('hello_greet', [app.superToken, 'Linus'])).times, 2);
    const steps = await app.sql("select name from schema_migrations where plugin = 'hello-plugin'");
    assert.equal(
      steps.map(({ name }) => name),
      ['0001-create'],
    );
  });

  test.run();
}

const test = suite('hello-plugin as an npm package');

test('is found in the node_modules of the configuration file, and answers', async () => {
  const plugins = 'plugins = ["token", "server-info", "svc-hello-plugin"]';
  const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc', plugins);
  let server: ServerProcess | undefined;
  try {
    await installPacked(site.dir);
    server = await startServer(site);
    const token = superToken(server.output());
    const { result } = await rpc(site.url, 'hello_greet', [token, 'Ada']);
    assert.equal(result, { text: 'Hello, Ada!', times: 1 });
    assert.is(await (await fetch(`${site.url}/hello/Ada`)).text(), 'Hello, Ada!\n');
    const { plugins: listed } = (await rpc(site.url, 'svc-server_plugins', [token])).result;
    const { version } = listed.find(({ name }: { name: string }) => name === 'hello-plugin');
    assert.is(version, '1.0.0', 'that of its package');
  } finally {
    await server?.end('SIGTERM');
    site.remove();
  }
});

test.run();
