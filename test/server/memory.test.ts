import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../process/havoc.ts';
import { makeSite, type Site, startServer } from '../process/server.ts';

const test = suite('settings for memory');
let site: Site;

test.before(async () => {
  site = await makeSite('sqlite://{dir}/svc.db?mode=rwc');
});
test.after(() => site?.remove());

const cases: [name: string, env: NodeJS.ProcessEnv, variable: RegExp][] = [
  [
    'a server begins with an allocator that gives memory back',
    {},
    /^MALLOC_MMAP_THRESHOLD_=16384$/m,
  ],
  [
    'an environment that sets the allocator is obeyed',
    { MALLOC_MMAP_THRESHOLD_: '1048576' },
    /^MALLOC_MMAP_THRESHOLD_=1048576$/m,
  ],
  ['an empty GLIBC_TUNABLES leaves everything as it is', { GLIBC_TUNABLES: '' }, /^(?!.*MALLOC_)/s],
];

for (const [name, more, variable] of process.platform === 'linux' ? cases : []) {
  test(name, async () => {
    const env = Object.entries(process.env).filter(([key]) => !/^(MALLOC|GLIBC)_/.test(key));
    const server = await startServer(site, {
      env: { ...Object.fromEntries(env), ...more },
      quiet: true,
    });
    try {
      const begun = readFileSync(`/proc/${server.child.pid}/environ`, 'utf8');
      assert.match(begun.replaceAll('\0', '\n'), variable);
    } finally {
      assert.is((await server.end('SIGTERM')).code, 0);
    }
  });
}

test('compiled code is kept for the next start while the server runs', async () => {
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
