import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of one process so far, user and system, ms, by what its threads do. */
export interface ThreadTimes {
  readonly main: number;
  /** The writer of SQLite. */
  readonly writer: number;
  /** Threads of scripts. */
  readonly scripts: number;
  /** Collections and compilations of V8, file access, other threads of the database. */
  readonly other: number;
}

const NS_PER_MS = 1e6;

/** undefined where the system does not tell. Threads that have ended are left out. */
export function threadTimes(pid: number): ThreadTimes | undefined {
  if (process.platform !== 'linux') return undefined;
  const times = { main: 0, writer: 0, scripts: 0, other: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = readFileSync(`${folder}/comm`, 'latin1').trim();
      const [ns] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ');
      times[Number(thread) === pid ? 'main' : roleOf(name)] += Number(ns) / NS_PER_MS;
    } catch {
      // It ended between the two looks.
    }
  }
  return times;
}

/** Node 24 gives threads the names that `startWorker` chose; older ones do not, and all counts as `other`. */
function roleOf(name: string): 'writer' | 'scripts' | 'other' {
  if (name.startsWith('writer')) return 'writer';
  return name === 'scripts' ? 'scripts' : 'other';
}

/** What was used between two looks. */
export function between(before: ThreadTimes, after: ThreadTimes): ThreadTimes {
  return {
    main: after.main - before.main,
    writer: after.writer - before.writer,
    scripts: after.scripts - before.scripts,
    other: after.other - before.other,
  };
}
