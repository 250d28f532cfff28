import { existsSync, readFileSync } from 'node:fs';

interface Report {
  excludeNetwork?: boolean;
  getReport(): unknown;
}

/** Descriptors that this process may have open; undefined where the system sets no bound or reports none. */
function descriptors(): number | undefined {
  const limits = '/proc/self/limits';
  // A hundredth of the time, and a megabyte less than a report.
  const soft = existsSync(limits)
    ? Number(/^Max open files +(\d+)/m.exec(readFileSync(limits, 'utf8'))?.[1])
    : reported();
  return Number.isFinite(soft) && soft > 0 ? soft : undefined;
}

/** Returns the limit in the report of Node; NaN: the report has none. */
function reported(): number {
  const report = process.report as Report | undefined;
  if (!report) return Number.NaN;
  const { excludeNetwork = false } = report;
  // Looking up the names of its peers would take seconds.
  report.excludeNetwork = true;
  const found = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = excludeNetwork;
  return Number(found.userLimits?.open_files?.soft);
}

/** Least number of descriptors reserved for files, the database, scripts and the Unix socket. */
const LEAST_RESERVED = 256;
/** Limit where the system sets none. */
const MOST = 250_000;

/** TCP connections that the descriptors of this process allow: an eighth of them is reserved for everything else. */
export function connectionsAllowed(open_files = descriptors()): number {
  if (open_files === undefined) return MOST;
  const reserved = Math.max(LEAST_RESERVED, Math.ceil(open_files / 8));
  return Math.min(MOST, Math.max(64, open_files - reserved));
}
