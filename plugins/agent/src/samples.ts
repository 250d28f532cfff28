/** The reports of the documentation's examples (monitoring-data.md §3 and §4); tests report them, too. */

export const STATIC_REPORT = {
  uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
  time: 1781000000123,
  data_hash: [100, 242, 201, 154, 124, 114, 91, 240, 59, 97, 104, 140, 178, 106, 64, 33],
  cpu: {
    physical_cores: 2,
    logical_cores: 4,
    per_core: [{ id: 1, name: 'cpu0', vendor_id: 'AuthenticAMD', brand: 'EPYC Test' }],
  },
  system: {
    system_name: 'Linux',
    system_kernel: '6.1.0',
    system_kernel_version: 'Linux 6.1',
    system_os_version: '12.5',
    system_os_long_version: 'Debian 12',
    distribution_id: 'debian',
    system_host_name: 'node-α',
    arch: 'x86_64',
    virtualization: 'Physical',
  },
  gpu: [{ id: 1, name: 'card', cuda_cores: 128, architecture: 'unknown' }],
};

export const FULL_REPORT = {
  uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
  time: 1781000001000,
  cpu: {
    per_core: [{ id: 1, cpu_usage: 17.25, frequency_mhz: 2450 }],
    total_cpu_usage: 17.25,
  },
  ram: {
    total_memory: 4294967296,
    available_memory: 3221225472,
    used_memory: 1073741824,
    total_swap: 0,
    used_swap: 0,
  },
  load: { one: 0.31, five: 0.2, fifteen: 0.11 },
  system: { boot_time: 1780900000, uptime: 100001, process_count: 87 },
  disk: [
    {
      kind: 'Ssd' as const,
      name: 'vda1',
      file_system: 'ext4',
      mount_point: '/',
      total_space: 42949672960,
      available_space: 21474836480,
      is_removable: false,
      is_read_only: false,
      read_speed: 0,
      write_speed: 8192,
    },
  ],
  network: {
    interfaces: [
      {
        interface_name: 'ens3',
        total_received: 900000,
        total_transmitted: 300000,
        receive_speed: 1200,
        transmit_speed: 640,
      },
    ],
    udp_connections: 4,
    tcp_connections: 23,
  },
  gpu: [],
};
