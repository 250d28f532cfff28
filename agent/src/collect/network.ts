import type { Interface } from '../reports.ts';
import { counter, perSecond } from './numbers.ts';

/** Bytes since the interface came up. */
export interface Traffic {
  received: number;
  transmitted: number;
}

/** `/proc/net/dev` by interface name. */
export function parseTraffic(text: string): Map<string, Traffic> {
  const traffic = new Map<string, Traffic>();
  for (const line of text.split('\n')) {
    // The name of an alias holds a colon, so the last colon of the line ends the name.
    const colon = line.lastIndexOf(':');
    if (colon < 0) continue;
    const fields = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/);
    const name = line.slice(0, colon).trim();
    traffic.set(name, { received: counter(fields[0]), transmitted: counter(fields[8]) });
  }
  return traffic;
}

/** The interfaces with their speeds between two readings. */
export function interfaces(
  before: Map<string, Traffic>,
  after: Map<string, Traffic>,
  seconds: number,
): Interface[] {
  return [...after].map(([interface_name, { received, transmitted }]) => {
    const earlier = before.get(interface_name);
    return {
      interface_name,
      total_received: received,
      total_transmitted: transmitted,
      receive_speed: perSecond(earlier?.received, received, seconds),
      transmit_speed: perSecond(earlier?.transmitted, transmitted, seconds),
    };
  });
}

/**
 * Sockets in use, from the texts of `/proc/net/sockstat` and `sockstat6`.
 * Unlike `/proc/net/tcp` they are equally cheap to read with any number of connections.
 */
export function parseSockets(...texts: string[]): { tcp: number; udp: number } {
  const sum = (name: string) =>
    texts.reduce((total, text) => {
      const match = new RegExp(`^${name}6?: inuse (\\d+)`, 'm').exec(text);
      return total + counter(match?.[1]);
    }, 0);
  return { tcp: sum('TCP'), udp: sum('UDP') };
}
