import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Read } from '../test/process/stored.ts';
import { threadTimes } from './threads.ts';

/** Use of processes so far. */
export interface Usage {
  /** Processor time, user and system. */
  readonly cpu_ms: number;
  /** Times that a thread gave the processor up or lost it. */
  readonly switches: number;
  /** Bytes that files of a disk took. */
  readonly written: number;
}

/** Of all threads of a process that live now. @throws Error where the system does not tell */
export function usageOf(pid: number): Usage {
  const times = threadTimes(pid);
  if (!times) throw new Error('the system does not tell the times of threads');
  return {
    cpu_ms: times.main + times.writer + times.scripts + times.other,
    switches: switchesOf(pid),
    written: writtenBy(pid),
  };
}

/** Of the Postgres server behind `read`, with its processes, the ended ones included. */
export async function usageOfPostgres(read: Read): Promise<Usage> {
  const [row] = await read('show data_directory');
  const file = join(String(row?.['data_directory']), 'postmaster.pid');
  const pid = Number(readFileSync(file, 'latin1').split('\n')[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
  const pids = [pid, ...children.map(Number)];
  const sum = (value: (pid: number) => number) =>
    pids.reduce((total, each) => total + orNone(() => value(each)), 0);
  return { cpu_ms: sum(cpuWithChildren), switches: sum(switchesOf), written: sum(handedOver) };
}

/** Use between two looks. */
export const usedBetween = (before: Usage, after: Usage): Usage => ({
  cpu_ms: after.cpu_ms - before.cpu_ms,
  switches: after.switches - before.switches,
  written: after.written - before.written,
});

const TICK_MS = 10;

/** Processor time of a process and of those that it has waited for. */
function cpuWithChildren(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in the second place may hold spaces; user, system, and both of ended children follow from the 14th on.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}

function switchesOf(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    sum += orNone(() => numbersOf(`/proc/${pid}/task/${thread}/status`, /ctxt_switches:\s*(\d+)/g));
  return sum;
}

/** Pages of files that became dirty. Ended children of the process are counted in by the system, here and below. */
export const writtenBy = (pid: number): number =>
  numbersOf(`/proc/${pid}/io`, /^write_bytes:\s*(\d+)/gm);

/**
 * What was given to `write`. For Postgres, which sends to its clients by other calls: it writes the same page of its log
 * again and again, and a system whose pages come in groups of 256 KB counts the whole group each time.
 */
const handedOver = (pid: number): number => numbersOf(`/proc/${pid}/io`, /^wchar:\s*(\d+)/gm);

function numbersOf(file: string, pattern: RegExp): number {
  const found = readFileSync(file, 'latin1').matchAll(pattern);
  return [...found].reduce((sum, [, digits]) => sum + Number(digits), 0);
}

/** 0 for a process or thread that ended between two looks. */
function orNone(read: () => number): number {
  try {
    return read();
  } catch (error) {
    if (/ENOENT|ESRCH/.test(String((error as NodeJS.ErrnoException).code))) return 0;
    throw error;
  }
}
