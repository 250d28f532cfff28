/** One core: percent 0..100, MHz, and its number from 1 (monitoring-data.md §4). */
export interface CoreUsage {
  id: number;
  cpu_usage: number;
  frequency_mhz: number;
}

/** One mounted file system: sizes in bytes, speeds in bytes per second. */
export interface Disk {
  kind: 'Hdd' | 'Ssd' | 'Unknown';
  name: string;
  file_system: string;
  mount_point: string;
  total_space: number;
  available_space: number;
  /** An addition: see `Room`. */
  used_space?: number;
  is_removable: boolean;
  is_read_only: boolean;
  read_speed: number;
  write_speed: number;
}

/** One network interface: totals in bytes, speeds in bytes per second. */
export interface Interface {
  interface_name: string;
  total_received: number;
  total_transmitted: number;
  receive_speed: number;
  transmit_speed: number;
}

export interface Gpu {
  id: number;
  used_memory: number;
  total_memory: number;
  graphics_clock_mhz: number;
  sm_clock_mhz: number;
  memory_clock_mhz: number;
  video_clock_mhz: number;
  utilization_gpu: number;
  utilization_memory: number;
  temperature: number;
}

/** The figures of one moment. A dynamic report is a sample with `uuid` and `time`. */
export interface Sample {
  cpu: { per_core: CoreUsage[]; total_cpu_usage: number };
  ram: {
    total_memory: number;
    available_memory: number;
    used_memory: number;
    total_swap: number;
    used_swap: number;
  };
  load: { one: number; five: number; fifteen: number };
  /** `boot_time` in Unix seconds, `uptime` in seconds. */
  system: { boot_time: number; uptime: number; process_count: number };
  disk: Disk[];
  network: { interfaces: Interface[]; udp_connections: number; tcp_connections: number };
  gpu: Gpu[];
}

/** Hardware and system, read once per process (monitoring-data.md §3). */
export interface Inventory {
  cpu: {
    physical_cores: number;
    logical_cores: number;
    per_core: { id: number; name: string; vendor_id: string; brand: string }[];
  };
  system: {
    system_name: string;
    system_kernel: string;
    system_kernel_version: string;
    system_os_version: string;
    system_os_long_version: string;
    distribution_id: string;
    system_host_name: string;
    arch: string;
    virtualization: string;
  };
  gpu: { id: number; name: string; cuda_cores: number; architecture: string }[];
}

/** Reads the machine that the agent runs on. */
export interface Collector {
  /** Members of a summary that this system does not tell: they are left null there. Full reports must hold a 0. */
  readonly unknown?: ReadonlySet<string>;
  /** Interfaces of the latest sample whose traffic another one counts already. */
  readonly carried?: ReadonlySet<string>;
  /** The figures of now. Speeds and usage are measured since the previous call. */
  sample(): Promise<Sample>;
  inventory(): Promise<Inventory>;
}
