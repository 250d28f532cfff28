/** `npm run bench [-- scenarios…]`: measures the built server and prints a table, then the same as JSON. */
import { cpus } from 'node:os';
import { clientKind } from './clients.ts';
import { stopPostgres } from './postgres.ts';
import { scenarios } from './scenarios/index.ts';
import { type Figure, reached } from './types.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !scenarios.some((scenario) => scenario.name === name));

if (unknown.length > 0 || wanted.includes('--help')) {
  process.stdout.write(`unknown: ${unknown.join(' ')}\nscenarios:\n`);
  for (const { name, about } of scenarios) process.stdout.write(`  ${name.padEnd(24)}${about}\n`);
  process.exit(2);
}

const figures: Figure[] = [];
try {
  for (const scenario of scenarios) {
    if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
    process.stderr.write(`${scenario.name}: ${scenario.about} …\n`);
    figures.push(...(await scenario.run()));
  }
} finally {
  await stopPostgres();
}

printTable();
const machine = { cores: cpus().length, node: process.version, client: clientKind() };
process.stdout.write(`\n${JSON.stringify({ machine, figures }, null, 2)}\n`);
process.exit(figures.every(reached) ? 0 : 1);

function printTable(): void {
  const head = ['scenario', 'figure', 'value', 'goal', '', 'note'];
  const rows = [head, ...figures.map(row)];
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  for (const cells of rows) {
    const line = cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

function row(figure: Figure): string[] {
  const { goal } = figure;
  const wish = !goal ? '' : 'least' in goal ? `≥ ${number(goal.least)}` : `≤ ${number(goal.most)}`;
  return [
    figure.scenario,
    figure.figure,
    `${number(figure.value)} ${figure.unit}`,
    wish,
    goal ? (reached(figure) ? 'reached' : 'MISSED') : '',
    figure.note ?? '',
  ];
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
