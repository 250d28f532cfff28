/** Facts about the machine that tell a hypervisor. */
export interface VirtualizationSigns {
  /** The processor carries the hypervisor flag (x86 only). */
  guest: boolean;
  /** Vendor and product texts of the firmware tables. */
  firmware: string;
  /** Names of the clock sources the kernel found. */
  clocks: string;
  /** Text of `/sys/hypervisor/type`. */
  xen: string;
}

// The first match wins, so a brand stands before the platform that it is built on.
const BY_FIRMWARE: readonly [RegExp, string][] = [
  [/vmware/i, 'VMware'],
  [/virtualbox|innotek/i, 'VirtualBox'],
  [/parallels/i, 'Parallels'],
  [/bhyve/i, 'bhyve'],
  [/microsoft corporation.*virtual machine/i, 'Microsoft Hyper-V'],
  [/amazon ec2/i, 'Amazon EC2'],
  [/google compute engine/i, 'Google Compute Engine'],
  [/\bxen\b/i, 'Xen'],
  [/\bkvm\b/i, 'KVM'],
  [/qemu|bochs/i, 'QEMU'],
];

const BY_CLOCK: readonly [RegExp, string][] = [
  [/kvm-clock/, 'KVM'],
  [/hyperv/, 'Microsoft Hyper-V'],
  [/xen/, 'Xen'],
];

const brandIn = (table: readonly [RegExp, string][], text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1];

/** Brand of the hypervisor, `Physical` when there is no sign of one (monitoring-data.md §3). */
export function detectVirtualization({
  guest,
  firmware,
  clocks,
  xen,
}: VirtualizationSigns): string {
  const clock = brandIn(BY_CLOCK, clocks);
  // Bare-metal cloud machines carry a cloud vendor's firmware text without any hypervisor.
  const brand =
    guest || clock || !/amazon/i.test(firmware) ? brandIn(BY_FIRMWARE, firmware) : undefined;
  // QEMU is the machine model; with the kernel's clock the processor is virtualised by KVM.
  if (brand === 'QEMU' && clock) return clock;
  return brand ?? (xen ? 'Xen' : undefined) ?? clock ?? (guest ? 'Unknown hypervisor' : 'Physical');
}
