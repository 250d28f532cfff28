/** What a run says at its end. */
import type { TestFile } from './files.ts';
import type { Options } from './options.ts';
import type { FileResult } from './result.ts';
import { NOTHING, sum, type Tally, tallyLine } from './tally.ts';

export const totalOf = (results: readonly FileResult[]): Tally =>
  results.map(({ tally }) => tally).reduce(sum, NOTHING);

/** Processor seconds of a file of `npm test`. What needs more is shortened at its cause, or goes to the proof. */
const MOST_CPU_S = 10;

export function printFailures(results: readonly FileResult[]): void {
  for (const { name, tally } of results)
    if (tally.failed > 0) process.stdout.write(`\nFAIL ${name}: ${tally.failed} failed\n`);
}

/** Files that failed and then passed alone, with what they printed each time. */
export function printFlaky(
  flaky: readonly { readonly name: string; readonly outputs: readonly string[] }[],
): void {
  for (const { name, outputs } of flaky) {
    process.stdout.write(`\nFlaky: ${name} failed, and passed alone. Mend it: it tells nothing.\n`);
    for (const output of outputs) process.stdout.write(output.replaceAll(/^/gm, '  | '));
    process.stdout.write('\n');
  }
  if (flaky.length > 0)
    process.stdout.write(`Flaky files: ${flaky.map(({ name }) => name).join(', ')}\n`);
}

/** Files of `npm test` that use much of the processor, the worst first. */
export function printExpensive(results: readonly FileResult[]): void {
  const expensive = results
    .filter(({ cpu_s }) => cpu_s > MOST_CPU_S)
    .sort((one, other) => other.cpu_s - one.cpu_s);
  if (expensive.length === 0) return;
  process.stdout.write(`\nOver ${MOST_CPU_S} s of the processor (a remark):\n`);
  for (const { name, cpu_s } of expensive)
    process.stdout.write(`${cpu_s.toFixed(1).padStart(8)}  ${name}\n`);
}

/** Seconds that the files of `npm run proof` may declare together: half an hour on two cores. */
const PROOF_S = 3600;

/** Every file of the proof with its declared and its used seconds. */
export function printDeclared(files: readonly TestFile[], results: readonly FileResult[]): void {
  process.stdout.write('\nThe proof:\n  declared    used  processor\n');
  for (const { name, seconds, cpu_s } of results) {
    const declared = files.find((file) => file.name === name)?.proof_s ?? 0;
    const numbers = [`${declared}`.padStart(8), seconds.toFixed(1).padStart(8)];
    process.stdout.write(`  ${numbers.join('')}${cpu_s.toFixed(1).padStart(11)}  ${name}\n`);
  }
  // Beside a file that runs alone, a core is idle.
  const all = files.reduce((sum, { proof_s = 0, alone }) => sum + proof_s * (alone ? 2 : 1), 0);
  if (all > PROOF_S)
    process.stdout.write(
      `Together they declare ${all} s of ${PROOF_S}: make some shorter (a remark)\n`,
    );
}

/** What this kind of run is not. */
export function printLeftOut({ leftOut }: Tally, { fast, proof, words }: Options): void {
  if (fast)
    process.stdout.write(
      `--fast left out ${leftOut} tests that need Postgres: npm test has them. `,
    );
  if (fast || (!proof && words.length === 0))
    process.stdout.write('Browsers, proxies, packages, systemd and long loops: npm run proof.\n');
}

/** The last line, and the status of the process. */
export function conclude(total: Tally): void {
  process.stdout.write(`${tallyLine(total)}\n`, () =>
    process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0),
  );
}
