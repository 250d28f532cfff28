import { parentPort, workerData } from 'node:worker_threads';
import { readBeszel } from './beszel.ts';
import { readGatus } from './gatus/index.ts';
import { readHealthchecks } from './healthchecks.ts';
import { withoutKeys } from './keys.ts';
import { readKuma, readKumaBackup } from './kuma/index.ts';
import type { Given, Read } from './reading.ts';
import { SourceFile } from './store-source.ts';
import { readText } from './text-file.ts';
import { ImportFault, type Plan } from './types.ts';
import { membersOf } from './values.ts';

const HEADER = 'SQLite format 3\0';

parentPort?.postMessage(answered(workerData as Given));

function answered(given: Given): Read {
  try {
    return { plan: withoutKeys(planOf(given)) };
  } catch (error) {
    if (error instanceof ImportFault) return { fault: error.message };
    // A value that no reader expected; what it was may be a secret.
    return {
      fault: 'the file has values that are not expected',
      error: (error as Error).stack ?? '',
    };
  }
}

function planOf({ bytes, path, ...given }: Given): Plan {
  const content = Buffer.from(bytes ?? new Uint8Array());
  const isDatabase = path !== undefined || content.toString('latin1', 0, HEADER.length) === HEADER;
  return isDatabase ? databasePlan(path ?? content, given) : textPlan(content, given);
}

function databasePlan(content: string | Buffer, { name, format }: Given): Plan {
  const file = new SourceFile(content);
  try {
    const found = format ?? (file.has('systems') ? 'beszel' : 'kuma');
    if (found === 'kuma' && file.has('monitor')) return readKuma(file, name);
    if (found === 'beszel' && file.has('systems')) return readBeszel(file, name);
    throw new ImportFault(
      found === format
        ? `it is no database of ${format}`
        : 'it is a database of neither Uptime Kuma nor Beszel',
    );
  } finally {
    file.close();
  }
}

function textPlan(content: Buffer, { name, format, env }: Given): Plan {
  const value = readText(content);
  const members = membersOf(value);
  const guess = Array.isArray(members['monitorList'])
    ? 'kuma'
    : Array.isArray(members['checks'])
      ? 'healthchecks'
      : 'gatus';
  switch (format ?? guess) {
    case 'kuma':
      return readKumaBackup(members, name);
    case 'healthchecks':
      return readHealthchecks(value, name);
    case 'gatus':
      return readGatus(value, name, env);
    default:
      throw new ImportFault('alerts of Beszel are read from its database data.db');
  }
}
