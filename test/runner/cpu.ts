import { readFileSync } from 'node:fs';

/** Clock ticks per second in `/proc`. */
const TICKS = 100;

/** Processor seconds that this process, its threads and, on Linux, its ended child processes have used. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // The second field is the program's name in parentheses; the numbers 16 and 17 are the ended children's times.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
