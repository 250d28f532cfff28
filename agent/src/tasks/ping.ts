import { execFile } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { readText } from '../content.ts';
import { firstAnswer } from '../first-answer.ts';
import { addressesOf } from '../hosts.ts';
import { withLimit } from '../limits.ts';
import type { TaskHandler } from '../task-context.ts';

/** Seconds that the program waits for the answer (clients.md §2.8). */
const ECHO_S = 2;
/** Time after which the programs of all addresses are ended, should their own limit fail. */
const PROGRAMS_MS = 4000;

/**
 * Time of one ICMP echo in ms. Node has no ICMP sockets, so the system's program `ping` sends it; the agent needs no
 * rights for that. The program gets an address, never the name, which it could take for an option. Of several addresses
 * the first that answers counts.
 */
export const ping: TaskHandler = async (content, { runtime, signal }) => {
  const { clock, ping_program } = runtime;
  const host = readText(content, 'ping')
    .trim()
    .replace(/^\[(.*)\]$/, '$1');
  const addresses = await addressesOf(host, runtime, signal);
  const echo = (address: string, over: AbortSignal) =>
    runPing(ping_program, pingArguments(address, process.platform), over);
  const limit = { clock, label: 'ping', ms: PROGRAMS_MS, parent: signal };
  return await withLimit(limit, (limited) =>
    firstAnswer(addresses, echo, { clock, signal: limited }),
  );
};

/** The arguments of the platform's `ping` for one echo without a name look-up. */
export function pingArguments(address: string, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return ['-n', '1', '-w', `${ECHO_S * 1000}`, address];
  // The limit counts milliseconds on macOS, seconds elsewhere.
  const wait = `${platform === 'darwin' ? ECHO_S * 1000 : ECHO_S}`;
  const family = isIPv6(address) && platform === 'linux' ? ['-6'] : [];
  return [...family, '-n', '-c', '1', '-W', wait, address];
}

/** Milliseconds in what `ping` printed (`time=0.045 ms`, `time<1ms`); undefined when no answer came. */
export function pingTime(output: string): number | undefined {
  const text = /[=<] ?(\d+(?:[.,]\d+)?) ?ms/.exec(output)?.[1];
  return text === undefined ? undefined : Number(text.replace(',', '.'));
}

/**
 * The program may not start under a service without its capability, or may open no socket without it. Where sending is
 * refused, it is by a firewall.
 */
const isForbidden = (reason = ''): boolean =>
  /EPERM|EACCES|operation not permitted|permission denied/i.test(reason) &&
  !/sendmsg|sendto/.test(reason);

const ADVICE =
  'this agent may not ping; on the machine "sh /opt/svc-agent/install.sh --update" gives its service what it needs, ' +
  'elsewhere the group of its user has to be in net.ipv4.ping_group_range';

function runPing(program: string, args: string[], signal: AbortSignal): Promise<number> {
  const options = {
    signal,
    killSignal: 'SIGKILL',
    windowsHide: true,
    env: { ...process.env, LC_ALL: 'C' },
  } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const ms = error === null ? pingTime(stdout) : undefined;
      if (ms !== undefined) return resolve(ms);
      if (error?.code === 'ENOENT') return reject(new Error('the program ping is not installed'));
      const [last] = stderr.trim().split('\n').filter(Boolean).slice(-1);
      const reason = error?.code === 'EPERM' || error?.code === 'EACCES' ? error.message : last;
      if (isForbidden(reason)) return reject(new Error(`${reason}: ${ADVICE}`));
      reject(new Error(reason ?? `no answer from ${args.at(-1)} within ${ECHO_S} s`));
    });
  });
}
