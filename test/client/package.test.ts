// proof only: 5
/** What `@svc/client` weighs, and that it runs in a browser. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bootForTest } from '@svc/plugin-sdk/testing';
import { buildSync } from 'esbuild';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const MOST_BYTES = 6_000;
const entry = resolve(import.meta.dirname, '../../client/src/index.ts');

function bundle(): string {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  assert.ok(inputs.every((path) => /(?:^|\/)client\/src\//.test(path)));
  return outputFiles[0]?.text ?? '';
}

const test = suite('client: package');

test(`bundled, minified and compressed it has ${MOST_BYTES} bytes at most, and no dependency`, () => {
  const bytes = gzipSync(bundle(), { level: 9 }).length;
  process.stdout.write(`  client: ${bytes} bytes compressed\n`);
  assert.ok(bytes > 0 && bytes <= MOST_BYTES, `${bytes} bytes`);
});

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['SVC_CHROMIUM'] ?? programs.find((path) => existsSync(path));
if (!program) process.stdout.write('  skipped: chromium not installed\n');

/** Runs in the page: its own origin, both transports, a subscription, integers beyond 2^53. */
const page = `import { createClient, RpcError } from './client.mjs';
const run = async (token) => {
  const client = createClient('/', { token });
  const value = 9223372036854775807n;
  await client.call('kv_create', { namespace: 'page' });
  await client.call('kv_set_value', { namespace: 'page', key: 'a', value });
  const options = { transport: 'http' };
  const back = await client.call('kv_get_value', { namespace: 'page', key: 'a' }, options);
  const refused = await client.call('kv_get_value', { namespace: 'none', key: 'a' }).catch((e) => e);
  const logs = client.subscribe('svc-server_stream_log', { log_filter: 'info' });
  await logs.ready;
  logs.close();
  client.close();
  return [back === value, refused instanceof RpcError, refused.code];
};
window.run = run;
`;

(program ? test : test.skip)('a page of the server calls it with the bundle', async () => {
  const { chromium } = await import('playwright-core');
  const plugins = ['token', 'server-info', 'kv', 'static-bucket', 'static-bucket-file'];
  const server = await bootForTest(plugins);
  // The container's user is root and has no user namespaces: chromium's own sandbox cannot start.
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: program as string, args });
  try {
    const token = server.superToken;
    await server.call('static-bucket_create', [token, 'site', 'site', true, false]);
    const files = {
      'index.html': '<!DOCTYPE html><title>x</title><script type="module" src="page.mjs"></script>',
      'page.mjs': page,
      'client.mjs': bundle(),
    };
    for (const [name, text] of Object.entries(files)) {
      const content = Buffer.from(text).toString('base64');
      await server.call('static-bucket-file_upload', [token, 'site', name, null, content]);
    }
    const tab = await browser.newPage();
    await tab.goto(server.url);
    await tab.waitForFunction('window.run !== undefined');
    assert.equal(await tab.evaluate(`window.run('${token}')`), [true, true, 103]);
  } finally {
    await browser.close();
    await server.stop();
  }
});

test.run();
