/** Reports as agents send them (clients.md §2.7), small, and recognisable by `uuid` and `time`. */

const pick = (limit: number): number => Math.floor(Math.random() * limit);

export const kinds = ['summary', 'dynamic', 'static'] as const;
export type Kind = (typeof kinds)[number];

export const reportMethod = {
  summary: 'agent_report_dynamic_summary',
  dynamic: 'agent_report_dynamic',
  static: 'agent_report_static',
} as const;

export const reportTable = {
  summary: 'dynamic_monitoring_summary',
  dynamic: 'dynamic_monitoring',
  static: 'static_monitoring',
} as const;

export function report(kind: Kind, uuid: string, time: number): unknown {
  if (kind === 'summary') return summary(uuid, time);
  return kind === 'dynamic' ? dynamic(uuid, time) : inventory(uuid, time);
}

function summary(uuid: string, time: number) {
  const used = pick(2 ** 30) * 16;
  return {
    uuid,
    time,
    cpu_usage: pick(1000),
    gpu_usage: null,
    used_swap: 0,
    total_swap: 0,
    used_memory: used,
    total_memory: 68_501_925_888,
    available_memory: 68_501_925_888 - used,
    load_one: pick(400),
    load_five: pick(400),
    load_fifteen: pick(400),
    uptime: Math.floor(time / 1000) - 1_769_337_198,
    boot_time: 1_769_337_198,
    process_count: 200 + pick(200),
    total_space: 322_057_531_392,
    available_space: 91_563_786_240 + pick(2 ** 30),
    read_speed: pick(2 ** 20),
    write_speed: pick(2 ** 20),
    tcp_connections: pick(400),
    udp_connections: pick(100),
    total_received: time * 3,
    total_transmitted: time * 2,
    transmit_speed: pick(2 ** 20),
    receive_speed: pick(2 ** 22),
  };
}

function dynamic(uuid: string, time: number) {
  const used = pick(2 ** 30) * 16;
  const core = (id: number) => ({ id, cpu_usage: pick(10_000) / 100, frequency_mhz: 2000 });
  return {
    uuid,
    time,
    cpu: { per_core: [1, 2, 3, 4, 5, 6, 7, 8].map(core), total_cpu_usage: pick(10_000) / 100 },
    ram: {
      total_memory: 68_501_925_888,
      available_memory: 68_501_925_888 - used,
      used_memory: used,
      total_swap: 0,
      used_swap: 0,
    },
    load: { one: pick(400) / 100, five: pick(400) / 100, fifteen: pick(400) / 100 },
    system: { boot_time: 1_769_337_198, uptime: 1_000_000, process_count: 200 + pick(200) },
    disk: [0, 1].map(disk),
    network: {
      interfaces: ['eth0', 'eth1'].map((interface_name) => ({
        interface_name,
        total_received: time * 3,
        total_transmitted: time * 2,
        receive_speed: pick(2 ** 22),
        transmit_speed: pick(2 ** 20),
      })),
      udp_connections: pick(100),
      tcp_connections: pick(400),
    },
    gpu: [],
  };
}

const disk = (n: number) => ({
  kind: 'Ssd',
  name: `/dev/nvme${n}n1p1`,
  file_system: 'ext4',
  mount_point: `/mnt/${n}`,
  total_space: 322_057_531_392,
  available_space: 91_563_786_240 + pick(2 ** 30),
  is_removable: false,
  is_read_only: false,
  read_speed: pick(2 ** 20),
  write_speed: pick(2 ** 20),
});

/** The hash is made from `time`, so that every report of one agent is a new one. */
function inventory(uuid: string, time: number) {
  const hash = Buffer.alloc(16);
  hash.writeBigUInt64BE(BigInt(time), 8);
  return {
    uuid,
    time,
    data_hash: [...hash],
    cpu: {
      physical_cores: 4,
      logical_cores: 8,
      per_core: [{ id: 1, name: 'cpu0', vendor_id: 'GenuineIntel', brand: 'Test' }],
    },
    system: {
      system_name: 'Linux',
      system_kernel: '6.1.0',
      system_kernel_version: 'Linux 6.1',
      system_os_version: '12.5',
      system_os_long_version: 'Debian 12',
      distribution_id: 'debian',
      system_host_name: 'node',
      arch: 'x86_64',
      virtualization: 'Physical',
    },
    gpu: [],
  };
}
