import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Command, type Kernel, UserError } from '@svc/plugin-sdk';
import type { CommandArguments, CommandTerminal } from '@svc/plugin-sdk/kernel';
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import { makeBackup, type Server } from './backup.ts';
import {
  refuseExisting,
  secretFiles,
  targetsOf,
  withoutSecrets,
  writeTargets,
} from './configuration.ts';
import { CONFIGURATION, type Manifest, SECRETS } from './manifest.ts';
import { passphraseFrom } from './passphrase.ts';
import { placeFor } from './place.ts';
import { progressOn, untilSignalled } from './progress.ts';
import { type Backup, bytesOf, openBackup } from './reader.ts';
import { restore } from './restore.ts';
import { keepCount, period, prune, repeat } from './schedule.ts';
import { seal, unseal } from './secrets.ts';
import { snapshotOf, type Ways, whileLocked } from './ways.ts';

const text = (value: CommandArguments['values'][string]) =>
  typeof value === 'string' ? value : undefined;

const PASSPHRASE_FILE = {
  type: 'string',
  value: 'FILE',
  description: 'Its first line is the passphrase. Default: it is asked.',
} as const;

export const backupCommand = (ways: Ways): Command => ({
  name: 'backup',
  summary: 'Copy the data of the server, which may be running, into a file or folder.',
  words: 'FILE|DIR',
  options: {
    every: {
      type: 'string',
      value: 'TIME',
      description: 'Stay, and make one each TIME: 12h, 1d.',
    },
    keep: { type: 'string', value: 'N', description: 'Delete all but the newest N of the folder.' },
    'with-secrets': {
      type: 'boolean',
      description: 'With the whole configuration and its keys, encrypted.',
    },
    'passphrase-file': PASSPHRASE_FILE,
  },
  bare: true,
  run: (kernel, terminal, { words: [target = ''], values }) =>
    untilSignalled(async (signal) => {
      const every = text(values['every']);
      const every_ms = every === undefined ? undefined : period(every);
      const keep = text(values['keep']);
      const kept = keep === undefined ? undefined : keepCount(keep);
      refuseBelow(ways.buckets?.folder(), target);
      if (every_ms !== undefined || kept !== undefined) await needFolder(target);
      const passphrase = values['with-secrets']
        ? await passphraseFrom({ terminal, file: text(values['passphrase-file']), isNew: true })
        : undefined;
      const server = serverOf(kernel, ways, { passphrase, report: progressOn(terminal, signal) });
      const once = async () => {
        const { path, writer } = await placeFor(target, kernel.clock.now());
        terminal.print(`${path}: ${summaryOf(await makeBackup(writer, server))}`);
        for (const name of kept ? await prune(target, kept, kernel.clock.now()) : [])
          terminal.print(`${join(target, name)}: removed`);
      };
      const failed = (error: unknown) => kernel.log.error('A backup failed.', { error });
      if (every_ms === undefined) await once();
      else await repeat(every_ms, signal, once, failed);
      return undefined;
    }),
});

/** A backup among the files of buckets would be in the next one, and anyone who reads the bucket could fetch it. */
function refuseBelow(folder: string | undefined, target: string): void {
  if (folder === undefined || !`${resolve(target)}/`.startsWith(`${resolve(folder)}/`)) return;
  throw new UserError(`${target} lies below static_path (${folder}): choose a place outside`);
}

/** A folder takes many backups, a file one. */
async function needFolder(target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new UserError(`--every and --keep need a folder: ${error.message}`);
  });
}

function summaryOf({ tables, parts }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables, ${parts.length} files, ${bytes} bytes`;
}

function serverOf(
  kernel: Kernel<unknown>,
  ways: Ways,
  { passphrase, report }: { passphrase: string | undefined; report: (line: string) => void },
): Server {
  const { clock, server } = kernel;
  const { callers, buckets, configuration } = ways;
  const { database, snapshot } = snapshotOf(ways, report);
  const path = configuration?.path ?? '';
  return {
    version: server.version,
    server_uuid: server.uuid(),
    now: clock.now,
    database,
    snapshot,
    callerFile: callers && ((name) => callers.file(name)),
    buckets: buckets && { folder: buckets.folder(), isTemporary: buckets.isTemporary },
    configuration: async () =>
      withoutSecrets(await readFile(path, 'utf8'), (await configuration?.schema()) ?? {}),
    secrets:
      passphrase === undefined ? undefined : async () => seal(await secretFiles(path), passphrase),
    report,
  };
}

export const restoreCommand = (ways: Ways): Command => ({
  name: 'restore',
  summary: 'Fill an empty database, of either kind, from a backup.',
  words: 'FILE|DIR',
  options: {
    'database-only': {
      type: 'boolean',
      description: 'Leave databases of callers and files of buckets as they are.',
    },
    configuration: {
      type: 'string',
      value: 'FILE',
      description: 'Write the configuration of the backup there, too.',
    },
    'passphrase-file': PASSPHRASE_FILE,
  },
  bare: true,
  run: (kernel, terminal, { words: [source = ''], values }) =>
    untilSignalled(async (signal) => {
      const db = kernel.db as DatabaseHandle;
      const backup = await openBackup(source);
      const mainFile = ways.sqlite?.mainFile();
      const scratch = await mkdtemp(join(mainFile ? dirname(mainFile) : tmpdir(), 'svc-restore-'));
      const { callers, buckets } = ways;
      try {
        const target = {
          db,
          copy: ways.postgres?.copy,
          plugins: kernel.plugins,
          steps: kernel.migrations,
          callerFile: callers && ((name: string) => callers.file(name)),
          buckets: buckets?.folder(),
          withFiles: !values['database-only'],
          scratch,
          report: progressOn(terminal, signal),
          verified: () => openConfiguration(backup, terminal, values),
        };
        await whileLocked(ways, db, () => restore(backup, target));
      } finally {
        await backup.close();
        await rm(scratch, { recursive: true, force: true });
      }
      const made = new Date(backup.manifest.made_at).toISOString();
      await ways.audit?.restored(`restored from a backup of ${made}`);
      const dropped = (await ways.notify?.restored()) ?? 0;
      if (dropped > 0)
        terminal.print(
          `${dropped} messages that waited then are dropped: they may have been sent.`,
        );
      const untold = (await ways.alerts?.restored()) ?? 0;
      if (untold > 0)
        terminal.print(
          `${untold} openings and ends of alerts that were to be told then are not told: they may have been.`,
        );
      terminal.print(`The data is as it was at ${made}. Start the server now.`);
      if (values['configuration'] === undefined) tellIdentity(kernel, terminal, backup);
      return undefined;
    }),
});

/** Agents and machines know a server by more than its address. */
function tellIdentity({ server }: Kernel<unknown>, terminal: CommandTerminal, backup: Backup) {
  const uuid = backup.manifest.server_uuid;
  if (server.uuid() === uuid) return;
  terminal.print(`Agents would refuse it, because its configuration has another server_uuid. For a server in the place of the old one write
  server_uuid = "${uuid}"
into the configuration, and put the old signing.key next to it: machines take updates from no other (--configuration brings both).`);
}

/**
 * Takes, where `--configuration` names a file, the configuration of the backup, with its secrets if it has them.
 * @returns writes it
 */
async function openConfiguration(
  backup: Backup,
  terminal: CommandTerminal,
  values: CommandArguments['values'],
): Promise<() => Promise<void>> {
  const target = text(values['configuration']);
  if (target === undefined) return async () => {};
  const isSealed = backup.manifest.parts.some(({ path }) => path === SECRETS);
  const targets = isSealed
    ? targetsOf(target, await unsealed(backup, terminal, text(values['passphrase-file'])))
    : new Map([[target, (await bytesOf(backup, CONFIGURATION)).toString()]]);
  refuseExisting(targets);
  const more = isSealed ? '' : '; fill in what says removed-by-backup';
  return async () => {
    await writeTargets(targets);
    for (const file of targets.keys()) terminal.print(`${file}: written${more}`);
  };
}

async function unsealed(backup: Backup, terminal: CommandTerminal, file: string | undefined) {
  const passphrase = await passphraseFrom({ terminal, file, isNew: false });
  return unseal(await bytesOf(backup, SECRETS), passphrase);
}
