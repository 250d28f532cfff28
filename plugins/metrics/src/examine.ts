import { type Finding, finding } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import { addressOf, isLocal, tryListening } from './listener.ts';

const area = 'listeners';
const ANOTHER =
  'Name an address of this machine and a free port above 1023, such as 127.0.0.1:9464.';
const ITS_OWN =
  'Listen on 127.0.0.1, or let a firewall decide who reads; behind a token: /svc/metrics.';

/** Tells whether `[metrics] listener` can be listened on, and who reads there. */
export async function examineListener(address: string | undefined): Promise<Finding[]> {
  if (address === undefined) return [];
  const found: Finding[] = [];
  try {
    const where = addressOf(address);
    if (!isLocal(where)) {
      const message = `[metrics] listener: whoever reaches ${address} reads all metrics.`;
      found.push(finding(area, 'advice', message, ITS_OWN));
    }
    await tryListening(where);
    return [...found, finding(area, 'ok', `[metrics] listener: ${address} is free.`)];
  } catch (error) {
    const { message } = error as Error;
    if (codeOf(error) === 'EADDRINUSE') {
      const text = `[metrics] listener: ${address} is in use; by this server, where it runs.`;
      return [...found, finding(area, 'ok', text)];
    }
    const text = message.startsWith('[') ? message : `[metrics] listener: ${message}`;
    return [...found, finding(area, 'problem', `${text}.`, ANOTHER)];
  }
}
