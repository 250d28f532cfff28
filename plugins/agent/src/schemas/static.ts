import { type Static, Type, Uuid } from '@svc/plugin-sdk';
import { Uint8, Uint32, Uint64, words } from '@svc/plugin-sdk/schemas';
import { MOST_PARTS } from './most-parts.ts';

/** Most bytes of a hash: agents send 16, and the protocol names no length. */
const MOST_BYTES = 1_024;

const Cpu = Type.Object({
  physical_cores: Uint64,
  logical_cores: Uint64,
  per_core: Type.Array(
    Type.Object({
      id: Uint32,
      name: Type.String(),
      vendor_id: Type.String(),
      brand: Type.String(),
    }),
    { maxItems: MOST_PARTS },
  ),
});

const System = Type.Object({
  system_name: Type.String(),
  system_kernel: Type.String(),
  system_kernel_version: Type.String(),
  system_os_version: Type.String(),
  system_os_long_version: Type.String(),
  distribution_id: Type.String(),
  system_host_name: Type.String(),
  arch: Type.String(),
  virtualization: Type.String(),
});

const Gpu = Type.Array(
  Type.Object({
    id: Uint32,
    name: Type.String(),
    cuda_cores: Uint64,
    architecture: Type.String(),
  }),
  { maxItems: MOST_PARTS },
);

/** The parts that are stored, by field name. */
export const staticParts = { cpu: Cpu, system: System, gpu: Gpu };

/** `agent_report_static` (monitoring-data.md §3). */
export const StaticReport = Type.Object({
  uuid: Uuid,
  time: Uint64,
  data_hash: Type.Array(Uint8, {
    maxItems: MOST_BYTES,
    description: 'First 16 bytes of the SHA-256 of the parts.',
  }),
  ...staticParts,
});
export type StaticReport = Static<typeof StaticReport>;

export const StaticField = words(['cpu', 'system', 'gpu']);

/** One row of a read method; only the selected parts are there. */
export const StaticRow = Type.Object({
  uuid: Type.Optional(Uuid),
  timestamp: Type.Integer(),
  ...Type.Partial(Type.Object(staticParts)).properties,
});
