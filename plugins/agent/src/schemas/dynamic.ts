import { optional, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { Float64, Uint8, Uint32, Uint64, words } from '@svc/plugin-sdk/schemas';
import { MOST_PARTS } from './most-parts.ts';

const Cpu = Type.Object({
  per_core: Type.Array(
    Type.Object({
      id: Uint32,
      cpu_usage: Float64,
      frequency_mhz: Uint64,
    }),
    { maxItems: MOST_PARTS },
  ),
  total_cpu_usage: Float64,
});

const Ram = Type.Object({
  total_memory: Uint64,
  available_memory: Uint64,
  used_memory: Uint64,
  total_swap: Uint64,
  used_swap: Uint64,
});

const Load = Type.Object({
  one: Float64,
  five: Float64,
  fifteen: Float64,
});

const System = Type.Object({
  boot_time: Uint64,
  uptime: Uint64,
  process_count: Uint64,
});

const Disk = Type.Array(
  Type.Object({
    kind: words(['Hdd', 'Ssd', 'Unknown']),
    name: Type.String(),
    file_system: Type.String(),
    mount_point: Type.String(),
    total_space: Uint64,
    available_space: Uint64,
    // An addition.
    used_space: optional(Uint64),
    is_removable: Type.Boolean(),
    is_read_only: Type.Boolean(),
    read_speed: Uint64,
    write_speed: Uint64,
  }),
  { maxItems: MOST_PARTS },
);

const Network = Type.Object({
  interfaces: Type.Array(
    Type.Object({
      interface_name: Type.String(),
      total_received: Uint64,
      total_transmitted: Uint64,
      receive_speed: Uint64,
      transmit_speed: Uint64,
    }),
    { maxItems: MOST_PARTS },
  ),
  udp_connections: Uint64,
  tcp_connections: Uint64,
});

const Gpu = Type.Array(
  Type.Object({
    id: Uint32,
    used_memory: Uint64,
    total_memory: Uint64,
    graphics_clock_mhz: Uint64,
    sm_clock_mhz: Uint64,
    memory_clock_mhz: Uint64,
    video_clock_mhz: Uint64,
    utilization_gpu: Uint8,
    utilization_memory: Uint8,
    temperature: Uint8,
  }),
  { maxItems: MOST_PARTS },
);

/** The parts that are stored, by field name. */
export const dynamicParts = {
  cpu: Cpu,
  ram: Ram,
  load: Load,
  system: System,
  disk: Disk,
  network: Network,
  gpu: Gpu,
};

/** `agent_report_dynamic` (monitoring-data.md §4). */
export const DynamicReport = Type.Object({ uuid: Uuid, time: Uint64, ...dynamicParts });
export type DynamicReport = Static<typeof DynamicReport>;

export const DynamicField = words(['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu']);

/** One row of a read method; only the selected parts are there. */
export const DynamicRow = Type.Object({
  uuid: Type.Optional(Uuid),
  timestamp: Type.Integer(),
  ...Type.Partial(Type.Object(dynamicParts)).properties,
});
