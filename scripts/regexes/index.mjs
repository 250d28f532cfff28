/**
 * Regular expressions whose time could grow faster than their text. What was found sound is kept in `sound.txt`, so that
 * only new ones take time; `--write` keeps them. `known.json` has those that are let be, with the reason.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { collect } from './collect.mjs';

const root = resolve(import.meta.dirname, '../..');
const SOUND = join(import.meta.dirname, 'sound.txt');
const sound = new Set(readFileSync(SOUND, 'utf8').split('\n'));
const accepted = new Map(
  JSON.parse(readFileSync(join(import.meta.dirname, 'known.json'), 'utf8')).map(
    ({ expression, why }) => [expression, why],
  ),
);
const found = collect(root);
/** A line each. */
const lineOf = (expression) => expression.replaceAll('\n', '\\n');

const fresh = [...found.keys()].filter(
  (expression) => !accepted.has(expression) && !sound.has(lineOf(expression)),
);
const { faultOf } = fresh.length > 0 ? await import('./verdict.mjs') : {};
const faults = [];
for (const expression of fresh) {
  const fault = expression.startsWith('built: ')
    ? 'is put together as the server runs: say in known.json what bounds its text'
    : faultOf(expression);
  if (fault === undefined) sound.add(lineOf(expression));
  else faults.push(`${found.get(expression).join(', ')}: ${expression}\n  ${fault}`);
}
for (const expression of accepted.keys())
  if (!found.has(expression)) faults.push(`known.json: nothing has ${expression} any more`);

if (process.argv.includes('--write')) {
  const kept = [...found.keys()].map(lineOf).filter((line) => sound.has(line));
  writeFileSync(SOUND, `${kept.sort().join('\n')}\n`);
}
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
if (faults.length > 0) process.exitCode = 1;
