import { resolve } from 'node:path';
import type { Finding } from '@svc/plugin-sdk';
import { type Area, EXAMINED } from '@svc/plugin-sdk/kernel';
import { configurationFile, OPTIONS, parse, UsageError } from '../command.ts';
import { print } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { changesFor } from './changes.ts';
import { examineClock } from './clock.ts';
import { examineConfiguration } from './configuration.ts';
import { examineDatabase } from './database.ts';
import { examineFiles } from './files.ts';
import { examineListener } from './listener.ts';
import { write } from './write.ts';

/** Areas on which an upgrade depends. */
const OF_AN_UPGRADE: readonly Area[] = [
  'configuration',
  'disk',
  'database',
  'migrations',
  'servers',
];

/** Commands that work with a broken configuration or database, with a running server and without one; they change nothing. */
export const EXAMINATIONS: ReadonlyMap<string, (args: readonly string[]) => Promise<number>> =
  new Map([
    ['doctor', (args) => run(args, EXAMINED)],
    ['upgrade-check', (args) => run(args, OF_AN_UPGRADE)],
  ]);

/** @returns 1 when there is a problem in one of the areas */
async function run(args: readonly string[], areas: readonly Area[]): Promise<number> {
  const { values, positionals } = parse(args, { ...OPTIONS, json: { type: 'boolean' } });
  const [name = '', ...words] = positionals;
  if (words.length > 0) throw new UsageError(`usage: svc-server ${name} -c FILE [--json]`);
  const path = resolve(configurationFile(name, values.config));
  // An upgrade changes nothing about what plugins think of the settings.
  const all = await examine(path, areas === EXAMINED);
  const findings = all.filter(({ area }) => areas.includes(area));
  const ok = findings.every(({ level }) => level !== 'problem');
  const report = { ok, version: VERSION, configuration: path, findings };
  print(values.json ? JSON.stringify(report, null, 2) : write(name, report));
  return ok ? 0 : 1;
}

async function examine(path: string, advice: boolean): Promise<readonly Finding[]> {
  const found: Finding[] = [await examineClock()];
  const read = await examineConfiguration(path, found);
  if (!read) return found;
  const { head } = read.loaded;
  if (!advice) found.push(...changesFor(read.loaded));
  found.push(...examineFiles(path, head), ...(await examineListener(head)));
  found.push(...(await examineDatabase({ ...read, path, advice })));
  return found;
}
