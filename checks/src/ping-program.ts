import { execFile } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { Shortage, Silence } from './errors.ts';
import type { Door, Network } from './network.ts';

/** Seconds that the program waits for an answer after the last echo. */
const WAIT_S = 2;
/** Seconds between echoes: the least that systems grant to everybody. */
const INTERVAL_S = 0.2;

/** Error of a program that may not start, or may open no socket. */
export class PingForbidden extends Error {}

/** Completes a door with the system's program `ping`: Node has no ICMP sockets. */
export const withPing = (door: Door, program = 'ping'): Network => ({
  addresses: (target) => door.addresses(target),
  connect: (target) => door.connect(target),
  resolver: (server) => door.resolver(server),
  ping: ({ address, count, signal }) =>
    runPing(program, pingArguments(address, { count, platform: process.platform }), signal),
});

/** Returns the arguments of the platform's `ping` for echoes without a name look-up. */
export function pingArguments(
  address: string,
  { count, platform }: { readonly count: number; readonly platform: NodeJS.Platform },
): string[] {
  if (platform === 'win32') return ['-n', `${count}`, '-w', `${WAIT_S * 1000}`, address];
  // The limit counts milliseconds on macOS, seconds elsewhere.
  const wait = `${platform === 'darwin' ? WAIT_S * 1000 : WAIT_S}`;
  const family = isIPv6(address) && platform === 'linux' ? ['-6'] : [];
  const interval = count > 1 ? ['-i', `${INTERVAL_S}`] : [];
  return [...family, '-n', '-c', `${count}`, ...interval, '-W', wait, address];
}

/** Returns the milliseconds of each answer in what `ping` printed (`time=0.045 ms`, `time<1ms`): the lines before its summary. */
export function pingTimes(output: string): number[] {
  const [lines = ''] = output.trimStart().split(/\r?\n\r?\n/);
  return lines
    .split('\n')
    .filter((line) => !line.includes('(DUP!)'))
    .flatMap((line) => /[=<] ?(\d+(?:[.,]\d+)?) ?ms/.exec(line)?.[1] ?? [])
    .map((text) => Number(text.replace(',', '.')));
}

/**
 * The program may not start under a service without its capability, or may open no socket without it. Where sending is
 * refused, it is by a firewall.
 */
const isForbidden = (reason = ''): boolean =>
  /EPERM|EACCES|operation not permitted|permission denied/i.test(reason) &&
  !/sendmsg|sendto/.test(reason);

const isNoWay = (reason: string): boolean => /unreachable|no route/i.test(reason);

/** Runs the program with an address, never a name, which it could take for an option; returns the times of the answers. */
export function runPing(program: string, args: string[], signal: AbortSignal): Promise<number[]> {
  const options = {
    signal,
    killSignal: 'SIGKILL',
    windowsHide: true,
    env: { ...process.env, LC_ALL: 'C' },
  } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const times = pingTimes(stdout);
      // Some systems report an error beside answers, such as that of a last echo.
      if (times.length > 0 && !signal.aborted) return resolve(times);
      if (error?.code === 'ENOENT')
        return reject(new Shortage('the program ping is not installed'));
      const [last] = stderr.trim().split('\n').filter(Boolean).slice(-1);
      const reason = error?.code === 'EPERM' || error?.code === 'EACCES' ? error.message : last;
      if (isForbidden(reason)) return reject(new PingForbidden(reason));
      if (reason) return reject(new (isNoWay(reason) ? Silence : Error)(reason));
      resolve([]);
    });
  });
}
