/** `npm run bench [-- scenarios…]`: builds what is missing, then measures the built server. */
import { spawn } from 'node:child_process';
import { build, install } from './prepare.mjs';
import { root } from './runtime.mjs';

try {
  install();
  await build();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const args = ['bench/run.ts', ...process.argv.slice(2)];
const bench = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => bench.kill(signal));
bench.on('close', (status) => process.exit(status ?? 1));
