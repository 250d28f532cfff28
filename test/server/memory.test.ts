import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
