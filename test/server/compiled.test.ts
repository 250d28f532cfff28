// proof only: 8
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { until } from '../process/havoc.ts';
import { makeSite, type Site, serverCommand, startServer } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('compiled code');
let site: Site;

test.before(async () => {
  site = await makeSite('sqlite://{dir}/svc.db?mode=rwc');
});
test.after(() => site?.remove());

test('is kept for the next start while the server runs', async () => {
  const folder = join(site.dir, 'compiled');
  const env = { ...process.env, NODE_COMPILE_CACHE: folder };
  const server = await startServer(site, { env, quiet: true });
  try {
    const kept = () => existsSync(folder) && readdirSync(folder, { recursive: true }).length > 1;
    await until('compiled code', kept);
  } finally {
    assert.is((await server.end('SIGTERM')).code, 0);
  }
});

const isBuilt = serverCommand()[0]?.includes('dist') === true;
if (!isBuilt) process.stdout.write('  skipped: dist/ is not built\n');

(isBuilt ? test : test.skip)(
  'that of the functions of the built program is kept, and made anew when the file is damaged',
  async () => {
    const folder = join(site.dir, 'functions');
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    const look = () =>
      (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
        .filter((name) => /packed$/.test(name))
        .map((name) => join(folder, name));
    const start = async (ready: () => boolean) => {
      const server = await startServer(site, { env, quiet: true });
      try {
        await until('kept code', ready);
      } finally {
        assert.is((await server.end('SIGTERM')).code, 0);
      }
    };
    await start(() => look().length === 1);
    const [file = ''] = look();
    const whole = readFileSync(file).length;
    truncateSync(file, whole / 2);
    await start(() => readFileSync(file).length > whole / 2);
    assert.equal(look(), [file]);
  },
);

/** Prints how Node's own parts came, when the process ends: what Node's own tests ask for. */
const PARTS = `process.on('exit', () => {
  const require = process.getBuiltinModule('node:module').createRequire(process.execPath);
  const usage = require('internal/test/binding').internalBinding('builtins').getCacheUsage();
  const { compiledWithCache, compiledWithoutCache } = usage;
  process._rawDebug('parts: ' + compiledWithCache.size + ' ' + compiledWithoutCache.size);
});`;

test('a start finds the parts of Node compiled, as Node brings them', async () => {
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(PARTS)}`];
  const nodeArgs = ['--expose-internals', '--no-warnings', ...preload];
  const server = await startServer(site, { nodeArgs, quiet: true });
  assert.is((await server.end('SIGTERM')).code, 0);
  const [, quick, slow] = /parts: (\d+) (\d+)/.exec(server.output()) ?? [];
  // The flags for garbage are set last: what is loaded after them is compiled anew.
  assert.ok(Number(quick) > 20 * Number(slow), server.output());
});

test.run();
