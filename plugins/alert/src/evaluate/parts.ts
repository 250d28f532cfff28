import type { Condition } from '@svc/conditions';
import { FULL_COLUMNS } from '@svc/plugin-agent/api';
import type { LoadedRule } from '../types.ts';
import type { Values } from './plan.ts';
import type { Row } from './variables.ts';

export const KINDS = ['disk', 'gpu', 'interface'] as const;
export type PartKind = (typeof KINDS)[number];

/** Disk, card or interface of a full report. */
export interface PartSeen {
  /** Mount point, number or name. */
  readonly part: string;
  /** Values under the name of the kind. */
  readonly values: Values;
}

export const MOST_PARTS = 64;
/** Longer texts would hold the event loop; they name thousands of parts. */
const MOST_CHARACTERS = 2 ** 20;
/** File systems that are full by nature, or no disks. */
const NO_DISKS = new Set(['squashfs', 'overlay', 'tmpfs', 'devtmpfs', 'ramfs', 'iso9660']);

/** Kind of part that a rule looks at; undefined: it names none. */
export function kindOf({ condition, clear }: LoadedRule): PartKind | undefined {
  const names = [condition, clear].flatMap((one: Condition | undefined) => one?.variables ?? []);
  return KINDS.find((kind) => names.some((name) => name.startsWith(`${kind}.`)));
}

/** Returns the parts of one kind that a full report names, at most 64. */
export function partsOf(kind: PartKind, row: Row): PartSeen[] {
  return READERS[kind](row);
}

/** Returns one part from its members in a full report. */
export const partOf = (kind: PartKind, part: Json): PartSeen => MAKERS[kind](part);

type Json = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Disk = Json;

function parsed(row: Row, column: keyof typeof FULL_COLUMNS): unknown {
  const text = row[FULL_COLUMNS[column]];
  return typeof text === 'string' && text.length <= MOST_CHARACTERS ? JSON.parse(text) : undefined;
}

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const some = (list: readonly Json[]) => list.slice(0, MOST_PARTS);
const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

const READERS: { readonly [kind in PartKind]: (row: Row) => PartSeen[] } = {
  disk: (row) => some(listOf(parsed(row, 'disk')).filter(isKeptDisk)).map(diskOf),
  gpu: (row) => some(listOf(parsed(row, 'gpu'))).map(gpuOf),
  interface(row) {
    const network = parsed(row, 'network') as { readonly interfaces?: unknown } | undefined;
    return some(listOf(network?.interfaces)).map(interfaceOf);
  },
};

/** Tells whether rules look at a disk: it is no removable one, read-only one, image or memory. */
export const isKeptDisk = (disk: Disk): boolean =>
  !disk['is_removable'] &&
  !disk['is_read_only'] &&
  !NO_DISKS.has(String(disk['file_system'])) &&
  Number(disk['total_space']) > 0;

function diskOf(disk: Json): PartSeen {
  const total = Number(disk['total_space']);
  const free = Number(disk['available_space']);
  // Space reserved for root is neither used nor free: `df` leaves it out of the share, too.
  const used =
    disk['used_space'] === undefined || disk['used_space'] === null
      ? total - free
      : Number(disk['used_space']);
  return {
    part: String(disk['mount_point']),
    values: {
      disk: {
        mount: String(disk['mount_point']),
        name: String(disk['name']),
        used_percent: percent(used, used + free),
        free,
        total,
        read_speed: Number(disk['read_speed']),
        write_speed: Number(disk['write_speed']),
        read_only: disk['is_read_only'] === true,
      },
    },
  };
}

function gpuOf(gpu: Json): PartSeen {
  const used_memory = Number(gpu['used_memory']);
  const total_memory = Number(gpu['total_memory']);
  return {
    part: String(gpu['id']),
    values: {
      gpu: {
        id: String(gpu['id']),
        usage: Number(gpu['utilization_gpu']),
        temperature: Number(gpu['temperature']),
        memory_used_percent: percent(used_memory, total_memory),
        used_memory,
        total_memory,
        clock: Number(gpu['graphics_clock_mhz']),
      },
    },
  };
}

function interfaceOf(one: Json): PartSeen {
  return {
    part: String(one['interface_name']),
    values: {
      interface: {
        name: String(one['interface_name']),
        receive_speed: Number(one['receive_speed']),
        transmit_speed: Number(one['transmit_speed']),
        total_received: Number(one['total_received']),
        total_transmitted: Number(one['total_transmitted']),
      },
    },
  };
}

const MAKERS: { readonly [kind in PartKind]: (part: Json) => PartSeen } = {
  disk: diskOf,
  gpu: gpuOf,
  interface: interfaceOf,
};

/** Counts the cores that a full report names. */
export function coresOf(row: Row): number | undefined {
  const cpu = parsed(row, 'cpu') as { readonly per_core?: unknown } | undefined;
  return Array.isArray(cpu?.per_core) ? cpu.per_core.length : undefined;
}
