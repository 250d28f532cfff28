import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, examineFolder, type Finding, finding, sizeText } from '@svc/plugin-sdk';
import { hasCode } from '@svc/plugin-sdk/util';
import { isServed } from './lock.ts';

/** Faults that are named. */
const NAMED = 5;
/** Codes of a file that is so damaged that it cannot be checked. */
const CORRUPT = new Set(['SQLITE_CORRUPT']);

/** Returns the findings of `doctor` about the file of the main database. */
export async function examine(db: Database): Promise<Finding[]> {
  const place = await db.first<{ file: string }>(
    "select file from pragma_database_list where name = 'main'",
  );
  const file = place?.file ?? '';
  const running = `${isServed(file) ? 'A server is' : 'No server is'} running on this database.`;
  return [
    ...(await integrity(db, file)),
    ...examineFolder('database.database_url', dirname(file)),
    copyOf(file),
    ...owner(file),
    finding('servers', 'ok', running),
  ];
}

async function integrity(db: Database, file: string): Promise<Finding[]> {
  const faults = await faultsOf(db);
  const size = sizeText(sizeOf(file));
  if (faults.length === 0)
    return [finding('database', 'ok', `SQLite, ${size} in ${file}; its structure is sound.`)];
  const advice = 'Stop the server, keep a copy of the file, and restore a backup.';
  return faults.map((fault) => {
    const message = `${file} is damaged: ${fault.replace(/\s+/g, ' ')}.`;
    return finding('database', 'problem', message, advice);
  });
}

async function faultsOf(db: Database): Promise<string[]> {
  try {
    const rows = await db.all<{ quick_check: string }>(`pragma quick_check(${NAMED})`);
    return rows.map(({ quick_check }) => quick_check).filter((fault) => fault !== 'ok');
  } catch (error) {
    if (hasCode(error, CORRUPT)) return [(error as Error).message];
    throw error;
  }
}

/** Bytes, with what a running server has written and not yet moved into the file. */
const sizeOf = (file: string): number =>
  statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);

function copyOf(file: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(file));
  const size = sizeOf(file);
  const message = `A copy of the database takes up to ${sizeText(size)}`;
  return size < bavail * bsize
    ? finding('disk', 'ok', `${message}: there is room for it next to the file.`)
    : finding('disk', 'advice', `${message}: it has no room here.`, 'Back up to another disk.');
}

function owner(file: string): Finding[] {
  const { mode, uid } = statSync(file);
  const own = process.getuid?.() ?? uid;
  const found: Finding[] = [];
  if (uid !== own) {
    const message = `${file} belongs to user ${uid}, and this command runs as ${own}: what that user may not do stays unseen.`;
    found.push(finding('permissions', 'advice', message, 'Run it as the user of the service.'));
  }
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    const message = `Other users of this machine can open ${file}.`;
    found.push(finding('permissions', 'advice', message, `chmod 600 ${file}`));
  }
  return found;
}
