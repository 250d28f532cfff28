/** `npm test [-- files…]`: works on a fresh clone; installs and builds what is missing, then runs the tests. */
import { spawn } from 'node:child_process';
import { build, install } from './prepare.mjs';
import { root } from './runtime.mjs';

try {
  install();
  build();
} catch (error) {
  process.stdout.write(`${error.message}\n0 passed, 1 failed\n`);
  process.exit(1);
}
const files = process.argv.slice(2);
const args = files.length > 0 ? ['test/run.ts', ...files] : ['test/lanes.ts'];
const tests = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
tests.on('close', (status) => process.exit(status ?? 1));
