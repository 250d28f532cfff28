import { arch, hostname, machine as processor, release } from 'node:os';
import type { Inventory } from '../reports.ts';
import { detectContainer } from './container.ts';
import type { Machine } from './machine.ts';
import { detectVirtualization } from './virtualization.ts';

/** `NAME=value` lines of `/etc/os-release`, quotes removed. */
export function parseOsRelease(text: string): Map<string, string> {
  const pairs = [...text.matchAll(/^([A-Z_0-9]+)=(?:"(.*)"|'(.*)'|(.*))$/gm)];
  return new Map(
    pairs.map(([, name = '', double, single, bare]) => [
      name,
      (double ?? single ?? bare ?? '').replace(/\\(["'$`\\])/g, '$1').trim(),
    ]),
  );
}

/** The version with its minor number. Some distributions have that in a file of their own, not in `VERSION_ID`. */
export function osVersion(id: string, versionId: string, ownFile: string): string {
  if (!/^(debian|alpine|rhel|centos|rocky|almalinux|fedora|ol)$/.test(id)) return versionId;
  return /\d+(\.\d+)*/.exec(ownFile)?.[0] ?? versionId;
}

/** The text that agents of this protocol send: `Linux (Debian GNU/Linux 12)`. */
export function longVersion(name: string, versionId: string): string {
  return name === 'Linux' ? name : `Linux (${`${name} ${versionId}`.trim()})`;
}

function ownFileOf(id: string): string {
  if (id === 'debian') return '/etc/debian_version';
  return id === 'alpine' ? '/etc/alpine-release' : '/etc/redhat-release';
}

/** The `system` part of a static report on Linux. */
export async function systemInventory(
  machine: Machine,
  cpuInfo: string,
): Promise<Inventory['system']> {
  const text =
    (await machine.text('/etc/os-release')) || (await machine.text('/usr/lib/os-release'));
  const os = parseOsRelease(text);
  const id = os.get('ID') ?? 'linux';
  const name = os.get('NAME') ?? 'Linux';
  const long = longVersion(name, os.get('VERSION_ID') ?? '');
  return {
    system_name: name,
    system_kernel: release(),
    system_kernel_version: long,
    system_os_version: osVersion(id, os.get('VERSION_ID') ?? '', await machine.text(ownFileOf(id))),
    system_os_long_version: long,
    distribution_id: id,
    system_host_name: hostname(),
    arch: processor() || arch(),
    virtualization: (await detectContainer(machine)) ?? (await hypervisor(machine, cpuInfo)),
  };
}

async function hypervisor(machine: Machine, cpuInfo: string): Promise<string> {
  const [vendor, product, bios, clocks, xen] = await Promise.all([
    machine.text('/sys/class/dmi/id/sys_vendor'),
    machine.text('/sys/class/dmi/id/product_name'),
    machine.text('/sys/class/dmi/id/bios_vendor'),
    machine.text('/sys/devices/system/clocksource/clocksource0/available_clocksource'),
    machine.text('/sys/hypervisor/type'),
  ]);
  const guest = /^flags\s*:.*\bhypervisor\b/m.test(cpuInfo);
  return detectVirtualization({ guest, firmware: `${vendor} ${product} ${bios}`, clocks, xen });
}
