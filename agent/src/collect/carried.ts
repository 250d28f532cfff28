import type { Clock } from '../clock.ts';
import { isVirtualName } from '../summary.ts';
import type { Machine } from './machine.ts';

/** Place of an interface among the others, as `/sys/class/net/NAME` tells it. */
interface Place {
  /** Tells whether it has hardware of its own, or that of a virtual machine. */
  isHardware: boolean;
  isBridge: boolean;
  isPort: boolean;
  /** Bonds and teams that it belongs to. */
  bonds: string[];
  /** Interfaces that it stands on. */
  lower: string[];
  /** Its other end is in another network namespace, as that of the `veth` of a container. */
  leadsElsewhere: boolean;
}

const NET = '/sys/class/net';

function readPlace(machine: Machine, name: string): Place | undefined {
  const entries = machine.namesNow(`${NET}/${name}`);
  if (entries.length === 0) return undefined;
  const after = (prefix: string) =>
    entries.flatMap((entry) => (entry.startsWith(prefix) ? [entry.slice(prefix.length)] : []));
  const number = (file: string) => Number(machine.textNow(`${NET}/${name}/${file}`));
  const isTeam = (one: string) => /^DEVTYPE=team$/m.test(machine.textNow(`${NET}/${one}/uevent`));
  const upper = after('upper_');
  const other = number('iflink');
  return {
    isHardware: entries.includes('device'),
    isBridge: entries.includes('bridge'),
    isPort: entries.includes('brport'),
    bonds: entries.includes('bonding_slave') ? upper : upper.filter(isTeam),
    lower: after('lower_'),
    leadsElsewhere: other > 0 && other !== number('ifindex'),
  };
}

/**
 * The interfaces among `names` whose traffic another one of them counts already: members of bonds and teams; what stands on
 * an interface that counts (VLANs, macvlans, bridges); and, where there is hardware, also bridges, their virtual ports, and ends of
 * containers. In a container, which has no hardware, its own end counts.
 */
export function carriedInterfaces(machine: Machine, names: readonly string[]): Set<string> {
  const places = new Map<string, Place>();
  for (const name of names.filter((one) => !isVirtualName(one))) {
    const place = readPlace(machine, name);
    if (place) places.set(name, place);
  }
  const hasHardware = [...places.values()].some(({ isHardware }) => isHardware);
  const isCarried = (name: string): boolean => {
    const place = places.get(name);
    if (!place) return false;
    const { isHardware, isBridge, isPort, bonds, lower, leadsElsewhere } = place;
    if (bonds.some((bond) => places.has(bond))) return true;
    if (lower.some((one) => places.has(one) && !isCarried(one))) return true;
    if (isHardware || lower.length > 0) return isBridge && hasHardware;
    return hasHardware && (isBridge || isPort || leadsElsewhere);
  };
  return new Set([...places.keys()].filter(isCarried));
}

const AGAIN_AFTER_MS = 60_000;

/** The carried interfaces, read again when interfaces come or go, and each minute. */
export class Carried {
  readonly #clock: Clock;
  readonly #machine: Machine;
  #key = '';
  #read_at = Number.NEGATIVE_INFINITY;
  #names: ReadonlySet<string> = new Set();

  constructor(clock: Clock, machine: Machine) {
    this.#clock = clock;
    this.#machine = machine;
  }

  among(names: readonly string[]): ReadonlySet<string> {
    // On a host of containers virtual ones come and go all the time.
    const lasting = names.filter((name) => !isVirtualName(name));
    const key = lasting.join(' ');
    const now = this.#clock.steady();
    if (key !== this.#key || now - this.#read_at >= AGAIN_AFTER_MS) {
      this.#names = carriedInterfaces(this.#machine, lasting);
      this.#read_at = now;
      this.#key = key;
    }
    return this.#names;
  }
}
