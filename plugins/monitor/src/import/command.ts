import { copyFile, mkdtemp, open, readFile as readBytes, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Secrets } from '@svc/plugin-notify/api';
import { type Command, type Kernel, RpcError, UserError } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Importer } from './importer.ts';
import { type Given, readFile } from './reading.ts';
import type { Report, Row } from './report.ts';
import { FORMATS, type Format, type Plan } from './types.ts';

const HEADER = 'SQLite format 3\0';
const MOST_BYTES = 2 ** 31;
const MOST_TEXT_BYTES = 6_291_456;

/** `import FILE`: makes monitors, channels, rules and windows of what another program has. */
export const importCommand = (importer: () => Importer, secrets: Secrets | undefined): Command => ({
  name: 'import',
  summary: 'Take over what Uptime Kuma, Gatus, Healthchecks or Beszel watches, switched off.',
  words: 'FILE',
  options: {
    'dry-run': { type: 'boolean', description: 'Only tell what would be made.' },
    format: {
      type: 'string',
      value: 'FORMAT',
      description: `One of ${FORMATS.join(', ')}. Default: found by what the file holds.`,
    },
    'switch-on': { type: 'boolean', description: 'Switch on what was made of this file.' },
    undo: {
      type: 'boolean',
      description: 'Delete what was made of this file and nobody changed since.',
    },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  async run(kernel, terminal, { words: [path = ''], values }) {
    const chosen = ['dry-run', 'switch-on', 'undo'].filter((name) => values[name]);
    if (chosen.length > 1) throw new UserError(`--${chosen.join(' and --')} do not go together`);
    const plan = await planOf(kernel, path, formatOf(values['format']));
    const { system } = kernel;
    // Only a server that starts reads it by itself.
    await secrets?.open();
    const report = await (chosen[0] === 'undo'
      ? importer().undo(plan.source, system)
      : chosen[0] === 'switch-on'
        ? importer().switchOn(plan.source, system)
        : importer().run(plan, system, chosen[0] === 'dry-run'));
    if (values['json']) terminal.print(JSON.stringify(report));
    else print(terminal, report, chosen[0]);
  },
});

function formatOf(given: unknown): Format | undefined {
  if (given === undefined) return undefined;
  const found = FORMATS.find((one) => one === given);
  if (found) return found;
  throw new UserError(`there is no format '${given}': use one of ${FORMATS.join(', ')}`);
}

async function planOf(
  kernel: Kernel<unknown>,
  path: string,
  format: Format | undefined,
): Promise<Plan> {
  const name = basename(path);
  const read = (more: Partial<Given>) =>
    readFile({ name, format, env: process.env, ...more }, kernel);
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new UserError(`${path} is no file`);
    if (file.size > MOST_BYTES) throw new UserError(`${path} is larger than 2 GB`);
    if (!(await isDatabase(path))) {
      if (file.size > MOST_TEXT_BYTES)
        throw new UserError(`${path} is no database, and larger than 6 MB`);
      return await read({ bytes: new Uint8Array(await readBytes(path)) });
    }
    return await withCopy(path, (copy) => read({ path: copy }));
  } catch (error) {
    if (error instanceof RpcError)
      throw new UserError(`${path}: ${error.message}`, { cause: error });
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be read: ${codeOf(error)}`, { cause: error });
  }
}

async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return bytesRead === HEADER.length && buffer.toString('latin1') === HEADER;
  } finally {
    await file.close();
  }
}

/** Copies a database with its log, so that the program that it is of keeps its own. */
async function withCopy<T>(path: string, work: (copy: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-import-'));
  try {
    const copy = join(folder, 'copy.db');
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    return await work(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const WORDS: Readonly<Record<Row['outcome'], string>> = {
  made: 'made',
  differently: 'made differently',
  not_made: 'not made',
  there: 'there already',
  switched_on: 'switched on',
  kept: 'kept',
  deleted: 'deleted',
};

function print(
  terminal: CommandTerminal,
  { rows, rewritings }: Report,
  chosen: string | undefined,
): void {
  for (const row of rows) {
    const kind = [row.was, row.kind].filter((one) => one !== '').join(' → ');
    terminal.print(
      `${WORDS[row.outcome]}: ${row.type} ${printable(row.name)}${kind && ` (${printable(kind)})`}`,
    );
    for (const note of row.notes) terminal.print(`    ${printable(note)}`);
  }
  if (rewritings.length > 0) terminal.print('Conditions, rewritten:');
  for (const { from, to } of rewritings)
    terminal.print(`    ${printable(from)}  →  ${printable(to)}`);
  terminal.print(summaryOf(rows, chosen));
}

function summaryOf(rows: readonly Row[], chosen: string | undefined): string {
  const counts = Object.entries(WORDS).flatMap(([outcome, word]) => {
    const count = rows.filter((row) => row.outcome === outcome).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const all = counts.length > 0 ? counts.join(', ') : 'nothing';
  const hasMade = rows.some(({ outcome }) => outcome === 'made' || outcome === 'differently');
  if (chosen === 'dry-run') return `Would be: ${all}. Nothing was changed.`;
  if (chosen !== undefined) return `${all}.`;
  return hasMade
    ? `${all}. All of it is switched off: look at it, then add --switch-on; --undo deletes it.`
    : `${all}. Nothing was changed.`;
}

/** Text of a file without what moves a terminal. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
