/** The examples of monitoring-data.md, and a machine that always looks like them. */
import type { Collector, Inventory, Sample } from '../agent/src/reports.ts';

/** Example of monitoring-data.md §3. */
export const INVENTORY: Inventory = {
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
  gpu: [],
};

/** Example of monitoring-data.md §4. */
export const SAMPLE: Sample = {
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
      kind: 'Ssd',
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

/** A machine that never changes. */
export const fixedCollector: Collector = {
  sample: async () => structuredClone(SAMPLE),
  inventory: async () => INVENTORY,
};
