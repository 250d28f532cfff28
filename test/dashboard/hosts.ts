/** Reports of simulated machines beside their summaries: static ones, by which they have host names, and full ones. */
import type { TestApp } from '@svc/plugin-sdk/testing';
import { staticReport } from '../protocol/agent-kit.ts';

let reports = 0;

/** The machine reports, as new, that its system calls it so. */
export async function reportHost(app: TestApp, uuid: string, host_name: string): Promise<void> {
  const report = staticReport({ uuid, time: Date.now() + reports++ });
  const system = { ...report.system, system_host_name: host_name };
  const data_hash = Array.from(Buffer.from(`${reports} ${host_name}`));
  await app.call('agent_report_static', [app.superToken, { ...report, system, data_hash }]);
}

const GIB = 2 ** 30;
const mount = (at: number) =>
  at === 0
    ? '/'
    : `/var/lib/kubelet/pods/0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f4${at}/volumes/kubernetes.io~csi/pvc-${at}/mount`;

/** A graphics card in a full report. */
export const graphicsCard = (id: number) => ({
  id,
  used_memory: GIB,
  total_memory: 6 * GIB,
  graphics_clock_mhz: 1200,
  sm_clock_mhz: 1200,
  memory_clock_mhz: 5000,
  video_clock_mhz: 900,
  utilization_gpu: 33,
  utilization_memory: 22,
  temperature: 61,
});

interface Full {
  readonly uuid: string;
  /** Unix ms. */
  readonly time: number;
  /** So many disks, and as many interfaces. */
  readonly devices: number;
}

/** A full report of a machine with eight cores, a graphics card, and disks with long names. */
export const fullReport = ({ uuid, time, devices }: Full) => ({
  uuid,
  time,
  cpu: {
    per_core: Array.from({ length: 8 }, (_, at) => ({
      id: at + 1,
      cpu_usage: 5 + at * 11 + 4 * Math.sin(time / 60_000 + at),
      frequency_mhz: 2400 + at,
    })),
    total_cpu_usage: 25,
  },
  ram: {
    total_memory: 8 * GIB,
    available_memory: 4 * GIB,
    used_memory: 4 * GIB,
    total_swap: 0,
    used_swap: 0,
  },
  load: { one: 0.3, five: 0.2, fifteen: 0.1 },
  system: { boot_time: 1_780_900_000, uptime: 1000, process_count: 90 },
  disk: Array.from({ length: devices }, (_, at) => ({
    kind: 'Ssd',
    name: `/dev/mapper/vg0-pvc--${at}`,
    file_system: 'ext4',
    mount_point: mount(at),
    total_space: 1023 * GIB,
    available_space: 512 * GIB,
    used_space: 460 * GIB,
    is_removable: false,
    is_read_only: at % 2 === 1,
    read_speed: 1_000_000,
    write_speed: 300_000,
  })),
  network: {
    interfaces: Array.from({ length: devices }, (_, at) => ({
      interface_name: at === 0 ? 'eth0' : `br-0123456789${at}`,
      total_received: 10_000_000_000,
      total_transmitted: 999_000_000,
      receive_speed: 125_000,
      transmit_speed: 1_000,
    })),
    udp_connections: 1,
    tcp_connections: 2,
  },
  gpu: [graphicsCard(1)],
});
