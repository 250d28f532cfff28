import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Finding, finding } from '@svc/plugin-sdk';

const WAIT_MS = 2_000;
const ADVICE =
  'Let the machine follow NTP: times of reports, tokens and certificates depend on its clock.';

/** Examines the time of this machine: it is not before the program was made, and kept by NTP where the system says so. */
export async function examineClock(): Promise<Finding> {
  const now = Date.now();
  const shown = `It is ${new Date(now).toISOString()}`;
  if (now < statSync(new URL(import.meta.url)).mtimeMs)
    return finding('clock', 'problem', `${shown}, before this program was installed.`, ADVICE);
  if ((await synchronized()) === 'no')
    return finding('clock', 'advice', `${shown}; no NTP server confirms that.`, ADVICE);
  return finding('clock', 'ok', `${shown}.`);
}

/** `yes` or `no` where systemd knows. */
async function synchronized(): Promise<string> {
  const ask = ['show', '--property=NTPSynchronized', '--value'];
  try {
    const { stdout } = await promisify(execFile)('timedatectl', ask, { timeout: WAIT_MS });
    return stdout.trim();
  } catch {
    // Many systems have no such program, and other ways to keep time.
    return '';
  }
}
