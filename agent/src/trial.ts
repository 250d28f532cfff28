import { existsSync, rmSync } from 'node:fs';
import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

/** Time for a new version to connect. */
const TRIAL_MS = 60_000;

/** Set by the program that starts an installed agent, while its version has not connected yet. */
const mark = (): string | undefined => process.env['SVC_AGENT_TRIAL'];

/** Begins the trial of a version: one that does not connect ends, so that the program that started it takes the one before. */
export function beginTrial(clock: Clock, log: Logger): void {
  const file = mark();
  if (file === undefined) return;
  clock.after('trial', TRIAL_MS, () => {
    if (!existsSync(file)) return;
    log.error('this version has not connected in its first minute', { wait_ms: TRIAL_MS });
    process.exit(1);
  });
}

/** Ends the trial: the server was reached, and this version stays. */
export function passTrial(): void {
  const file = mark();
  if (file === undefined) return;
  delete process.env['SVC_AGENT_TRIAL'];
  rmSync(file, { force: true });
}
