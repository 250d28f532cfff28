/** `npm test [-- files…]`: works on a fresh clone; installs and builds what is missing, then runs the tests. */
import { spawn } from 'node:child_process';
import { build, install, root } from './prepare.mjs';

try {
  install();
  build();
} catch (error) {
  process.stdout.write(`${error.message}\n0 passed, 1 failed\n`);
  process.exit(1);
}
const files = process.argv.slice(2);
const runner = files.length > 0 ? ['test/run.ts', ...files] : ['test/lanes.ts'];
const args = ['--conditions=source', '--import', 'tsx', ...runner];
const tests = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
tests.on('close', (status) => process.exit(status ?? 1));
