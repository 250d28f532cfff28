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

/** Texts of `/proc/net` that tell connections: `snmp`, `sockstat` and `sockstat6`. */
export type SocketTexts = Readonly<Record<'snmp' | 'sockstat' | 'sockstat6', string>>;

/**
 * Established TCP connections (`CurrEstab`, of both address families), and UDP sockets in use; undefined where the kernel
 * does not tell. Unlike `/proc/net/tcp` the texts are equally cheap to read with any number of connections.
 */
export function parseSockets({ snmp, sockstat, sockstat6 }: SocketTexts): {
  tcp: number | undefined;
  udp: number | undefined;
} {
  const [, names = '', values = ''] = /^Tcp: (\D.*)\nTcp: (.*)$/m.exec(snmp) ?? [];
  const at = names.split(' ').indexOf('CurrEstab');
  const udp = [...`${sockstat}\n${sockstat6}`.matchAll(/^UDP6?: inuse (\d+)/gm)];
  return {
    tcp: at < 0 ? undefined : counter(values.split(' ')[at]),
    udp: udp.length === 0 ? undefined : udp.reduce((sum, [, text]) => sum + counter(text), 0),
  };
}
