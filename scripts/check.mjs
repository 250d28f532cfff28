/** `npm run check`: what needs no database, side by side; prints what fails. */
import { spawn } from 'node:child_process';

const CHECKS = [
  ['biome', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['tsc', ['node_modules/typescript/bin/tsc']],
  ['tsc web', ['node_modules/typescript/bin/tsc', '-p', 'plugins/dashboard/web']],
  ['reference', ['scripts/reference/index.ts', '--check']],
  ['regular expressions', ['scripts/regexes/index.mjs']],
];

/** @returns {Promise<boolean>} whether it passed */
const run = (name, args) =>
  new Promise((done) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(
        `${code === 0 ? '' : output}${name}: ${code === 0 ? 'ok' : 'failed'}, ${seconds} s\n`,
      );
      done(code === 0);
    });
  });

const passed = await Promise.all(CHECKS.map(([name, args]) => run(name, args)));
if (passed.includes(false)) process.exitCode = 1;
