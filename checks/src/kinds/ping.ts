import { Shortage } from '../errors.ts';
import { firstAnswer } from '../first-answer.ts';
import type { Measurement } from '../measurement.ts';
import { PingForbidden } from '../ping-program.ts';
import type { PingSpec } from '../types.ts';

/** Error of an address that no echo came back from: the next one is tried. */
class NoEcho extends Error {}

/** Measures the echoes of the first address that answers. */
export async function checkPing({ host, count }: PingSpec, measured: Measurement): Promise<void> {
  const { network, clock, signal, values } = measured;
  measured.waitsFor = 'answer to the look-up of the name';
  const addresses = await network.addresses({ host, port: 0 });
  measured.waitsFor = 'end of the echoes';
  const attempt = async (address: string, over: AbortSignal) => {
    const times = await network.ping({ address, count, signal: over });
    if (times.length === 0) throw new NoEcho();
    return { address, times: times.slice(0, count) };
  };
  try {
    const { address, times } = await firstAnswer(addresses, attempt, { clock, signal });
    measured.hasContact = true;
    values['ip'] = address;
    values['loss_percent'] = ((count - times.length) / count) * 100;
    values['jitter'] = jitterOf(times);
    measured.ms = rounded(times.reduce((sum, ms) => sum + ms, 0) / times.length);
  } catch (error) {
    if (error instanceof PingForbidden) throw new Shortage(`${error.message}: ${ADVICE}`);
    if (!(error instanceof NoEcho)) throw error;
    values['loss_percent'] = 100;
    measured.ms = null;
    measured.summary = 'no echo came back';
  }
}

const ADVICE =
  'ping is forbidden here; the group of this user has to be in net.ipv4.ping_group_range';

/** Mean difference of echoes that follow each other; 0 for one alone. */
function jitterOf(times: readonly number[]): number {
  const steps = times.slice(1).map((ms, at) => Math.abs(ms - (times[at] ?? ms)));
  return rounded(steps.reduce((sum, ms) => sum + ms, 0) / Math.max(steps.length, 1));
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
