// proof only: 12
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { makeSite, type Site, startServer } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

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

/** Works for so long that it counts as a flood, then has nothing to do. */
const busyThenCalm = `
  const { limitGarbage } = await import(process.argv[1]);
  const { setImmediate, setTimeout } = await import('node:timers/promises');
  limitGarbage();
  await setTimeout(300);
  for (const end = performance.now() + 2_500; performance.now() < end; await setImmediate())
    for (const pause = performance.now() + 20; performance.now() < pause; );
  await setTimeout(3_500);
`;

test('V8 knows each flag that is set, in calm and in a flood: of others it would tell on standard error', () => {
  const garbage = new URL('../../server/bin/garbage.js', import.meta.url).href;
  const args = ['--input-type=module', '-e', busyThenCalm, garbage];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});

test.run();
