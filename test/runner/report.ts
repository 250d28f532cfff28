/** What a run says at its end. */
import type { TestFile } from './files.ts';
import type { FileResult } from './result.ts';
import { sum, type Tally, tallyLine } from './tally.ts';

export const totalOf = (results: readonly FileResult[]): Tally =>
  results.map(({ tally }) => tally).reduce(sum, { passed: 0, failed: 0, skipped: 0 });

export function printFailures(results: readonly FileResult[]): void {
  for (const { name, tally } of results)
    if (tally.failed > 0) process.stdout.write(`\nFAIL ${name}: ${tally.failed} failed\n`);
}

/** Files that took longer than they declare, the worst first. */
export function printOverBudget(files: readonly TestFile[], results: readonly FileResult[]): void {
  const over = rows(files, results)
    .filter(({ seconds, budget_s }) => seconds > budget_s)
    .sort((one, other) => other.seconds - other.budget_s - (one.seconds - one.budget_s));
  if (over.length === 0) return;
  process.stdout.write('\nOver their seconds (a remark; test/runner/budgets.ts declares them):\n');
  printTable(over);
}

/** Every file with its declared and its used seconds. */
export function printDeclared(files: readonly TestFile[], results: readonly FileResult[]): void {
  process.stdout.write('\nLong loops:\n');
  printTable(rows(files, results));
}

/** The last line, and the status of the process. */
export function conclude(total: Tally): void {
  process.stdout.write(`${tallyLine(total)}\n`, () =>
    process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0),
  );
}

const rows = (files: readonly TestFile[], results: readonly FileResult[]) =>
  results.map((result) => ({
    ...result,
    budget_s: files.find(({ name }) => name === result.name)?.budget_s ?? 0,
  }));

function printTable(table: ReturnType<typeof rows>): void {
  process.stdout.write('  declared    used  processor\n');
  for (const { name, seconds, cpu_s, budget_s } of table) {
    const numbers = [`${budget_s}`.padStart(8), seconds.toFixed(1).padStart(8)];
    process.stdout.write(`  ${numbers.join('')}${cpu_s.toFixed(1).padStart(11)}  ${name}\n`);
  }
}
