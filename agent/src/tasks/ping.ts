import { firstAnswer, PingForbidden, pingArguments, runPing } from '@svc/checks';
import { checkClock } from '../clock.ts';
import { readText } from '../content.ts';
import { addressesOf } from '../hosts.ts';
import { withLimit } from '../limits.ts';
import type { TaskHandler } from '../task-context.ts';

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
  const limit = { clock, label: 'ping', ms: PROGRAMS_MS, parent: signal };
  return await withLimit(limit, (limited) =>
    firstAnswer(addresses, (address, over) => echo(ping_program, address, over), {
      clock: checkClock(clock, 'next address'),
      signal: limited,
    }),
  );
};

const ADVICE =
  'this agent may not ping; on the machine "sh /opt/svc-agent/install.sh --update" gives its service what it needs, ' +
  'elsewhere the group of its user has to be in net.ipv4.ping_group_range';

async function echo(program: string, address: string, signal: AbortSignal): Promise<number> {
  const args = pingArguments(address, { count: 1, platform: process.platform });
  const [ms] = await runPing(program, args, signal).catch((error: Error) => {
    throw error instanceof PingForbidden ? new Error(`${error.message}: ${ADVICE}`) : error;
  });
  if (ms === undefined) throw new Error(`no answer from ${address} within 2 s`);
  return ms;
}
