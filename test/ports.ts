import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Below the ports that the system hands out by itself: no outgoing connection takes one of these meanwhile. */
const [FIRST, LAST] = [10_240, firstHandedOut() - 1];
const TRIES = 100;

/** A TCP port on loopback without a listener; only another caller of this function could take it. */
export async function freePort(): Promise<number> {
  for (let left = TRIES; left > 0; left--) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${TRIES} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    // Another process has it.
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}

function firstHandedOut(): number {
  try {
    const first = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0];
    return Math.max(Number(first), FIRST + 1_000);
  } catch {
    // Not told: Linux begins here, others later.
    return 32_768;
  }
}
