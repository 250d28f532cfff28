/** What the agent program reads beyond CPU, memory, disks and network, and the documents it puts beside its reports. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { runAgent } from '../agent/src/agent.ts';
import { systemClock } from '../agent/src/clock.ts';
import { parseContainers, readContainers } from '../agent/src/collect/containers.ts';
import { amdGpus, type GpuReading, parseNvidia } from '../agent/src/collect/gpu.ts';
import { LinuxCollector } from '../agent/src/collect/linux.ts';
import { readSensors } from '../agent/src/collect/sensors.ts';
import type { AgentConfig } from '../agent/src/config.ts';
import { loadConfig } from '../agent/src/config-file.ts';
import { startDocuments } from '../agent/src/documents.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { FakeClock, memoryLog, soon } from './agent-program-kit.ts';
import { fixedCollector } from './agent-program-samples.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: sensors, graphics, containers');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

let trees = 0;
/** A folder as the kernel shows it: path → text; a text `-> x` is a link. */
function tree(files: Record<string, string>): string {
  trees += 1;
  const root = join(dir, `${trees}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(root, path));
    else writeFileSync(join(root, path), `${text}\n`);
  }
  return root;
}

const LAPTOP = {
  'hwmon/hwmon0/name': 'coretemp',
  'hwmon/hwmon0/temp1_input': '47500',
  'hwmon/hwmon0/temp1_label': 'Package id 0',
  'hwmon/hwmon0/temp1_crit': '100000',
  'hwmon/hwmon0/temp2_input': '',
  'hwmon/hwmon1/name': 'thinkpad',
  'hwmon/hwmon1/fan1_input': '2650',
  'hwmon/hwmon1/temp1_input': '-2250',
  'thermal/thermal_zone0/type': 'x86_pkg_temp',
  'thermal/thermal_zone0/temp': '47000',
  'power_supply/AC/type': 'Mains',
  'power_supply/BAT0/type': 'Battery',
  'power_supply/BAT0/capacity': '83',
  'power_supply/BAT0/status': 'Not charging',
  'power_supply/hidpp_battery_0/type': 'Battery',
  'power_supply/hidpp_battery_0/scope': 'Device',
  'power_supply/hidpp_battery_0/capacity': '50',
};

test('reads temperatures, fans and batteries, without sensors that do not answer and batteries of mice', async () => {
  assert.equal(await readSensors(tree(LAPTOP)), {
    temperatures: [
      { name: 'coretemp Package id 0', celsius: 47.5, limit: 100 },
      { name: 'thinkpad temp1', celsius: -2.2 },
    ],
    fans: [{ name: 'thinkpad fan1', rpm: 2650 }],
    batteries: [{ name: 'BAT0', percent: 83, status: 'Not charging' }],
  });
});

test('reads thermal zones where there is no other thermometer', async () => {
  const board = {
    'thermal/thermal_zone0/type': 'cpu-thermal',
    'thermal/thermal_zone0/temp': '51540',
    'thermal/cooling_device0/type': 'Processor',
  };
  const { temperatures } = await readSensors(tree(board));
  assert.equal(temperatures, [{ name: 'cpu-thermal', celsius: 51.5 }]);
});

test('tells of a machine without sensors that it has none', async () => {
  const nothing = { temperatures: [], fans: [], batteries: [] };
  assert.equal(await readSensors(join(dir, 'absent')), nothing);
});

test('reads at most 64 of a kind', async () => {
  const files = Array.from({ length: 100 }, (_, n) => [`hwmon/hwmon0/temp${n}_input`, '1000']);
  const { temperatures } = await readSensors(tree(Object.fromEntries(files)));
  assert.is(temperatures.length, 64);
});

test('reads the table of nvidia-smi; what a card does not tell is 0, as the wire requires', () => {
  const text = `NVIDIA GeForce RTX 3080, 1024, 10240, 1710, 1710, 9501, 1515, 37, 12, 64
NVIDIA A100-SXM4, 5, 40960, 210, 210, 1215, 585, [N/A], [Not Supported], 30

`;
  const [first, second] = parseNvidia(text);
  assert.equal(first, {
    is: { name: 'NVIDIA GeForce RTX 3080', cuda_cores: 0, architecture: 'unknown' },
    tellsUsage: true,
    now: {
      used_memory: 1073741824,
      total_memory: 10737418240,
      graphics_clock_mhz: 1710,
      sm_clock_mhz: 1710,
      memory_clock_mhz: 9501,
      video_clock_mhz: 1515,
      utilization_gpu: 37,
      utilization_memory: 12,
      temperature: 64,
    },
  });
  assert.equal([second?.now.utilization_gpu, second?.now.utilization_memory], [0, 0]);
  assert.equal(parseNvidia('NVIDIA-SMI has failed\n'), []);
});

const BUSY = 'card1/device/gpu_busy_percent';
const POWER = 'card1/device/power/runtime_status';
const card = (more: Record<string, string> = {}) => ({
  'card0/device/vendor': '0x8086',
  'card0/device/driver': '-> ../../../bus/pci/drivers/i915',
  'card1/device/vendor': '0x1002',
  'card1/device/device': '0x73bf',
  'card1/device/driver': '-> ../../../bus/pci/drivers/amdgpu',
  'card1/device/gpu_busy_percent': '42',
  'card1/device/mem_busy_percent': '7',
  'card1/device/mem_info_vram_used': '2147483648',
  'card1/device/mem_info_vram_total': '17163091968',
  'card1/device/hwmon/hwmon3/temp1_input': '61600',
  'card1/device/hwmon/hwmon3/freq1_input': '2105000000',
  'card1/device/hwmon/hwmon3/freq2_input': '1000000000',
  'card1-DP-1/status': 'connected',
  ...more,
});

test('reads AMD cards from the kernel, and wakes none that sleeps', async () => {
  const [awake, ...others] = await amdGpus(tree(card()));
  assert.equal(others, []);
  assert.equal(awake, {
    is: { name: 'AMD 0x73bf', cuda_cores: 0, architecture: 'unknown' },
    tellsUsage: true,
    now: {
      used_memory: 2147483648,
      total_memory: 17163091968,
      graphics_clock_mhz: 2105,
      sm_clock_mhz: 2105,
      memory_clock_mhz: 1000,
      video_clock_mhz: 0,
      utilization_gpu: 42,
      utilization_memory: 7,
      temperature: 62,
    },
  });
  const [asleep] = await amdGpus(tree(card({ 'card1/device/power/runtime_status': 'suspended' })));
  assert.equal([asleep?.now.utilization_gpu, asleep?.now.temperature], [0, 0]);
  assert.equal(await amdGpus(join(dir, 'absent')), []);
});

// [what, first card, gpu_usage of the summary]
const USAGES: [string, GpuReading[], number | null][] = [
  ['a card that tells it', parseNvidia('A, 1, 2, 3, 3, 3, 3, 37, 12, 64\n'), 37],
  ['a card that is shared out', parseNvidia('A, 1, 2, 3, 3, 3, 3, [N/A], [N/A], 64\n'), null],
  ['an old driver of AMD', await amdGpus(tree(card({ [BUSY]: '' }))), null],
  ['a card of AMD that sleeps', await amdGpus(tree(card({ [BUSY]: '', [POWER]: 'suspended' }))), 0],
  ['no card', [], null],
];
for (const [what, cards, expected] of USAGES)
  (process.platform === 'linux' ? test : test.skip)(
    `a summary says ${expected} for the usage of ${what}, a full report has a number`,
    async () => {
      const gpus = async () => cards;
      const collector = new LinuxCollector(systemClock, memoryLog().log, [], { gpus });
      const sample = await collector.sample();
      const summary = deriveSummary(sample, { disks: [], interfaces: [] }, collector.unknown);
      assert.is(summary['gpu_usage'], expected);
      assert.equal(
        sample.gpu.map(({ utilization_gpu }) => utilization_gpu),
        cards.map(() => expected ?? 0),
      );
    },
  );

const LIST = [
  {
    Id: '8dfafdbc3a40'.padEnd(64, '0'),
    Names: ['/web', '/other/web'],
    Image: 'nginx:1.27',
    State: 'running',
    Status: 'Up 3 hours (healthy)',
    Created: 1_780_000_000,
    Labels: { secret: 'x' },
    NetworkSettings: { Networks: {} },
  },
  { Id: '9cd87474be90', Names: ['/job'], Image: 'job', State: 'exited', Status: 'Exited (1)' },
];
const SHOWN = [
  {
    id: '8dfafdbc3a40',
    name: 'web',
    image: 'nginx:1.27',
    state: 'running',
    created: 1_780_000_000,
    health: 'healthy',
  },
  { id: '9cd87474be90', name: 'job', image: 'job', state: 'exited', created: 0 },
];

test('takes names and states of containers, no labels, at most 200', () => {
  assert.equal(parseContainers(LIST), { total: 2, containers: SHOWN });
  const many = parseContainers(Array.from({ length: 300 }, () => LIST[0]));
  assert.equal([many.total, many.containers.length], [300, 200]);
  assert.throws(() => parseContainers({ message: 'no' }), /no list/);
});

test('says why containers cannot be listed', async () => {
  const path = join(dir, 'no.sock');
  const found = await readContainers(path);
  assert.equal(found, { total: 0, containers: [], error: `cannot ask ${path}: ENOENT` });
});

const hasEngine = ['/var/run/docker.sock', '/run/podman/podman.sock'].some(existsSync);
(hasEngine ? test.skip : test)(
  'an engine that goes is told as gone, and none is told where none was',
  async () => {
    const earlier = process.env['XDG_RUNTIME_DIR'];
    process.env['XDG_RUNTIME_DIR'] = join(dir, 'run');
    mkdirSync(join(dir, 'run/podman'), { recursive: true });
    const socket = join(dir, 'run/podman/podman.sock');
    const clock = new FakeClock();
    const servers = [{ allow_sensors: false, allow_containers: true }];
    const config = { servers, container_socket: '' } as unknown as AgentConfig;
    let puts: any[] = [];
    const stop = startDocuments({ config, clock, log: memoryLog().log }, (_key, content) => {
      puts.push(content);
    });
    const engine = createServer((_, answer) => answer.end(JSON.stringify(LIST)));
    /** The next document, within some minutes of the clock. */
    const next = async () => {
      puts = [];
      for (let n = 0; n < 500 && puts.length === 0; n += 1) await clock.advance(60_000);
      return puts[0];
    };
    try {
      await clock.advance(600_000);
      assert.equal(puts, []);
      await once(engine.listen(socket), 'listening');
      assert.is((await next()).total, 2);
      engine.close();
      await once(engine, 'close');
      // Closing removed the socket.
      assert.is(existsSync(socket), false);
      let document = await next();
      if (document.total > 0) document = await next();
      assert.match(document.error, /no socket of a container engine any more/);
      assert.equal(document.containers, []);
    } finally {
      stop();
      if (earlier === undefined) delete process.env['XDG_RUNTIME_DIR'];
      else process.env['XDG_RUNTIME_DIR'] = earlier;
    }
  },
);

test('an enrolled machine puts documents where the server may know them: only what changes is put again', async () => {
  const plugins = ['token', 'server-info', 'agent', 'agent-uuid', 'kv', 'static-bucket', 'enrol'];
  const app = await bootForTest(plugins, {});
  const socket = join(dir, 'engine.sock');
  const asked: string[] = [];
  let list: unknown = LIST;
  const engine = createServer((request, answer) => {
    asked.push(`${request.method} ${request.url}`);
    answer.end(JSON.stringify(list));
  }).listen(socket);
  await once(engine, 'listening');
  const { code } = await app.call('enrol_create', { token: app.superToken });
  const body = `code=${code}`;
  const written = await app.fetch('/svc/enrol/exchange', { method: 'POST', body });
  // What the machine's own people allow.
  const allowed = 'allow_sensors = true\nallow_containers = true\n';
  const path = join(app.dir, 'agent.toml');
  const head = `container_socket = "${socket}"\nconnect_timeout_ms = 30000\n`;
  writeFileSync(path, head + (await written.text()) + allowed);
  const config = await loadConfig(path);
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const stop = new AbortController();
  const parts = { config, config_path: path, clock, log };
  const ended = runAgent({ ...parts, collector: fixedCollector, offset_ms: 0 }, stop.signal);
  const read = (key: string) => app.call('kv_get_value', [app.superToken, config.agent_uuid, key]);
  /** Minutes pass until the document is as wanted. */
  const reach = async (isThere: (value: any) => boolean) => {
    for (let n = 0; n < 200; n += 1) {
      await clock.advance(60_000);
      const value = await read('agent_containers');
      if (value && isThere(value)) return value;
    }
    throw new Error(`the document did not come: ${lines.slice(-3).join('')}`);
  };
  try {
    await clock.timer('first reading');
    await clock.advance(250);
    await soon(
      'a connection',
      (async () => {
        while (!lines.some((line) => line.includes(' connected '))) {
          await new Promise((wake) => setImmediate(wake));
        }
      })(),
    );
    const first = await reach(() => true);
    const { time, ...content } = first;
    assert.equal(content, { total: 2, containers: SHOWN });
    assert.ok(time <= clock.now());
    const sensors = await read('agent_sensors');
    assert.equal(Object.keys(sensors).sort(), ['batteries', 'fans', 'temperatures', 'time']);
    await clock.advance(60_000);
    assert.is((await read('agent_containers')).time, time, 'nothing changed');
    list = [LIST[1]];
    const second = await reach(({ total }) => total === 1);
    assert.equal(second.containers, [SHOWN[1]]);
    assert.equal([...new Set(asked)], ['GET /containers/json?all=1']);
  } finally {
    stop.abort();
    await clock.advance(2000);
    await soon('the end of the agent', ended);
    engine.close();
    await app.stop();
  }
});

test.run();
