/** `npm test [-- words… options]`, `npm run proof`: works on a fresh clone; installs and builds what is missing, then runs the tests. */
import { spawn } from 'node:child_process';
import { HELP, parseOptions } from '../test/runner/options.ts';
import { build, install } from './prepare.mjs';
import { root } from './runtime.mjs';

const args = process.argv.slice(2);
const { help, fast } = readOptions();
if (help) process.stdout.write(HELP);
else await run();

function readOptions() {
  try {
    return parseOptions(args);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    return process.exit(2);
  }
}

async function run() {
  try {
    install();
    // What --fast leaves out are the tests of the built program.
    if (!fast) await build();
  } catch (error) {
    process.stdout.write(`${error.message}\n0 passed, 1 failed\n`);
    process.exit(1);
  }
  const tests = spawn(process.execPath, ['test/run.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  tests.on('close', (status) => process.exit(status ?? 1));
}
