import type { Machine } from './machine.ts';

/** Names of systemd's Container Interface, as this agent tells them. */
const BY_MANAGER: Readonly<Record<string, string>> = {
  docker: 'Docker',
  podman: 'Podman',
  lxc: 'LXC',
  'lxc-libvirt': 'LXC',
  openvz: 'OpenVZ',
  'systemd-nspawn': 'systemd-nspawn',
  wsl: 'WSL',
};

/** Parts of the paths in `/proc/1/cgroup`, where control groups of version 1 show those of the host. */
const BY_GROUP: readonly [RegExp, string][] = [
  [/\/docker[-/]/, 'Docker'],
  [/\/libpod/, 'Podman'],
  [/\/kubepods/, 'Kubernetes'],
  [/\/lxc[./]/, 'LXC'],
];

/** Name of the container engine that the machine is a container of; undefined where there is no sign of one. */
export async function detectContainer(machine: Machine): Promise<string | undefined> {
  if (machine.has('/.dockerenv')) return 'Docker';
  if (machine.has('/run/.containerenv')) return 'Podman';
  if (machine.has('/proc/vz') && !machine.has('/proc/bc')) return 'OpenVZ';
  if (/microsoft|wsl/i.test(await machine.text('/proc/sys/kernel/osrelease'))) return 'WSL';
  // The environment of the first process is for root; systemd writes its word where everybody reads it.
  const environment = await machine.text('/proc/1/environ');
  const manager =
    (await machine.text('/run/systemd/container')) ||
    /(?:^|\0)container=([^\0]+)/.exec(environment)?.[1];
  if (manager) return BY_MANAGER[manager] ?? manager;
  if (machine.has('/run/secrets/kubernetes.io')) return 'Kubernetes';
  const groups = await machine.text('/proc/1/cgroup');
  return BY_GROUP.find(([pattern]) => pattern.test(groups))?.[1];
}
