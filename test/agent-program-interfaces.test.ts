/** The interfaces whose traffic the agent program counts by default: each byte once, on hosts of containers too. */
import * as assert from 'uvu/assert';
import { Carried, carriedInterfaces } from '../agent/src/collect/carried.ts';
import { interfaces, parseTraffic } from '../agent/src/collect/network.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { FakeClock } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { SAMPLE } from './agent-program-samples.ts';
import { type Net, netFiles } from './agent-program-sys-files.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: counted interfaces');
test.after(removeMachines);

type Nets = Record<string, Net>;

const NIC = { has: 'device' };
const member = (bond: string): Net => ({ has: `device bonding_slave master upper_${bond}` });
const on = (lower: string, more = ''): Net => ({ has: `lower_${lower} ${more}` });

// [what, interfaces of /sys/class/net, those that count]
const MACHINES: [string, Nets, string][] = [
  ['one interface', { lo: {}, eth0: NIC }, 'eth0'],
  [
    'a bond over two interfaces',
    {
      eth0: member('bond0'),
      eth1: member('bond0'),
      bond0: { has: 'bonding lower_eth0 lower_eth1' },
    },
    'bond0',
  ],
  [
    'a team over two interfaces',
    {
      eth0: { has: 'device master upper_team0' },
      eth1: { has: 'device master upper_team0' },
      team0: { has: 'lower_eth0 lower_eth1', uevent: 'DEVTYPE=team' },
    },
    'team0',
  ],
  [
    'an interface in a routing domain of its own',
    { eth0: { has: 'device master upper_mgmt' }, mgmt: { ...on('eth0'), uevent: 'DEVTYPE=vrf' } },
    'eth0',
  ],
  ['two VLANs on an interface', { eth0: NIC, 'eth0.10': on('eth0'), storage: on('eth0') }, 'eth0'],
  [
    'a VLAN on a bond',
    { eth0: member('bond0'), bond0: { has: 'bonding lower_eth0' }, 'bond0.20': on('bond0') },
    'bond0',
  ],
  ['a bond whose name counts for nothing', { eth0: member('br9'), br9: on('eth0') }, 'eth0'],
  ['a bridge with a name of its own', { eth0: NIC, lan: on('eth0', 'bridge') }, 'eth0'],
  ['a bridge of virtual machines only', { eth0: NIC, nat: { has: 'bridge' } }, 'eth0'],
  [
    "a hypervisor's bridges with their ports",
    {
      eno1: { has: 'device brport master upper_vmbr0' },
      vmbr0: on('eno1', 'bridge'),
      tap101i0: { has: 'brport' },
      fwbr101i0: { has: 'bridge' },
      fwpr101p0: { has: 'brport' },
      fwln101i0: { has: 'brport' },
      vnet5: { has: 'brport master upper_virbr0' },
    },
    'eno1',
  ],
  ['ends of containers', { eth0: NIC, cali12ab: { iflink: 77 }, veth12: { iflink: 78 } }, 'eth0'],
  ['a container itself', { lo: {}, eth0: { iflink: 78 } }, 'eth0'],
  ['a tunnel of a VPN', { eth0: NIC, wg0: {}, tun0: {} }, 'eth0 wg0 tun0'],
  ['ports of a switch chip', { eth0: NIC, lan1: { has: 'device lower_eth0' } }, 'eth0'],
  ['a machine without /sys', {}, ''],
];

for (const [what, nets, counted] of MACHINES)
  test(`counts each byte once with ${what}: ${counted || 'by names alone'}`, () => {
    const { machine } = machineOf(netFiles(nets));
    const names = Object.keys(nets).length === 0 ? ['eth0', 'bond0'] : Object.keys(nets);
    const lines = names.map((name) => ` ${name}: 1000 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0`);
    const list = interfaces(new Map(), parseTraffic(lines.join('\n')), 1);
    const sample = { ...SAMPLE, network: { ...SAMPLE.network, interfaces: list } };
    const carried = carriedInterfaces(machine, names);
    const summary = deriveSummary(sample, { disks: [], interfaces: [], carried });
    const expected = counted === '' ? names : counted.split(' ');
    assert.equal(
      names.filter((name) => expected.includes(name) && carried.has(name)),
      [],
    );
    assert.is(summary['total_received'], 1000 * expected.length);
    assert.is(summary['total_transmitted'], 500 * expected.length);
  });

test('counts what the configuration names, whatever carries it', () => {
  const carried = new Set(['eth0']);
  const link = { ...SAMPLE.network.interfaces[0]!, total_received: 7 };
  const list = ['eth0', 'bond0'].map((interface_name) => ({ ...link, interface_name }));
  const sample = { ...SAMPLE, network: { ...SAMPLE.network, interfaces: list } };
  const summary = deriveSummary(sample, { disks: [], interfaces: ['eth0', 'bond0'], carried });
  assert.is(summary['total_received'], 14);
});

test('looks again when an interface comes, and each minute, not for those of containers', async () => {
  const nets: Nets = { eth0: NIC, 'eth0.10': on('eth0') };
  const { machine, write } = machineOf(netFiles(nets));
  const clock = new FakeClock();
  const carried = new Carried(clock, machine);
  assert.equal([...carried.among(['eth0', 'eth0.10'])], ['eth0.10']);
  write('/sys/class/net/wan/lower_eth0', '');
  assert.equal([...carried.among(['eth0', 'eth0.10', 'wan'])], ['eth0.10', 'wan']);
  write('/sys/class/net/eth0/bonding_slave', '');
  write('/sys/class/net/eth0/upper_wan', '');
  const names = ['eth0', 'eth0.10', 'wan', 'veth1'];
  assert.equal([...carried.among(names)], ['eth0.10', 'wan']);
  await clock.advance(60_000);
  assert.equal([...carried.among(names)], ['eth0']);
});

test.run();
