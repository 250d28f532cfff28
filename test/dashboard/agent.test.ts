// proof only: 25
/** The page of one machine in a browser: state, charts of every field, the time that is shown, and what can be done. */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { graphicsCard } from './hosts.ts';
import { type Kit, missing, startKit, uuidOf, type Window } from './kit.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;
/** When the test began; history lies before. */
const T = Date.now();
const GAP = { from: T - 30 * MINUTE, to: T - 20 * MINUTE };

let kit: Kit;
const suiteOf = suite('dashboard agent');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 3 });
  const { app } = kit;
  const socket = await app.connect();
  const [machine] = kit.machines;
  const call = (method: string, data: object) => socket.call(method, [app.superToken, data]);
  await call('agent_report_static', facts);
  for (let time = T - 50 * MINUTE; time < T; time += MINUTE / 2)
    if (time < GAP.from || time > GAP.to) {
      await machine!.report({ time, cpu_usage: time < GAP.from ? 250 : 750, gpu_usage: 12 });
      await call('agent_report_dynamic', full(time));
    }
  // Went and came are told by silence: what follows from it is the subject here, not the waiting.
  await app.sql(
    `insert into agent_event (time, kind, detail, uuid_id)
     select ${GAP.from - MINUTE / 2}, 'went', '{}', id from monitoring_uuid where uuid = x'${uuidOf(0).replaceAll('-', '')}'`,
  );
});
suiteOf.after(() => kit?.stop());

const facts = {
  uuid: uuidOf(0),
  time: T,
  data_hash: Array.from({ length: 16 }, (_, at) => at),
  cpu: {
    physical_cores: 2,
    logical_cores: 4,
    per_core: [{ id: 1, name: 'cpu0', vendor_id: 'AuthenticAMD', brand: 'EPYC Test' }],
  },
  system: {
    system_name: 'Debian GNU/Linux',
    system_kernel: '6.1.0',
    system_kernel_version: '#1 SMP 6.1.119',
    system_os_version: '12',
    system_os_long_version: 'Debian 12 (bookworm)',
    distribution_id: 'debian',
    system_host_name: 'node-α',
    arch: 'x86_64',
    virtualization: 'KVM',
  },
  gpu: [{ id: 0, name: 'A2000', cuda_cores: 3328, architecture: 'Ampere' }],
};

const disk = (mount_point: string) => ({
  kind: 'Ssd',
  name: '/dev/vda1',
  file_system: 'ext4',
  mount_point,
  total_space: 100 * GIB,
  available_space: 40 * GIB,
  is_removable: false,
  is_read_only: false,
  read_speed: 1000,
  write_speed: 2000,
});
const traffic = (interface_name: string) => ({
  interface_name,
  total_received: 10 * GIB,
  total_transmitted: GIB,
  receive_speed: 125_000,
  transmit_speed: 1_000,
});
const full = (time: number) => ({
  uuid: uuidOf(0),
  time,
  cpu: {
    per_core: [1, 2, 3, 4].map((id) => ({ id, cpu_usage: 10 * id, frequency_mhz: 2400 })),
    total_cpu_usage: 25,
  },
  ram: {
    total_memory: 8 * GIB,
    available_memory: 4 * GIB,
    used_memory: 4 * GIB,
    total_swap: GIB,
    used_swap: 0,
  },
  load: { one: 0.3, five: 0.2, fifteen: 0.1 },
  system: { boot_time: 1_780_900_000, uptime: 1000, process_count: 90 },
  disk: [disk('/'), disk('/srv/data')],
  network: {
    interfaces: [traffic('eth0'), traffic('wg0')],
    udp_connections: 1,
    tcp_connections: 2,
  },
  gpu: [graphicsCard(0)],
});

/** No test ends with a problem that it did not mean to cause. */
const here = (tab = '') => `agent/${uuidOf(0)}${tab === '' ? '' : `/${tab}`}`;
type Page = Window['page'];
const chart = (page: Page, name: string) => page.getByRole('figure', { name, exact: true }).first();
const isDrawn = (page: Page, name: string) => chart(page, name).locator('canvas').waitFor();
const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

for (const dark of [false, true])
  test(`the overview says how the machine is, what happened and what it is (${dark ? 'dark' : 'light'})`, () =>
    kit.using(
      async ({ page, findings }) => {
        await page.getByRole('heading', { name: 'web-1' }).waitFor();
        await kit.machines[0]!.report();
        await page.getByText('Online', { exact: true }).waitFor();
        await page.getByText('Debian 12 (bookworm)').first().waitFor();
        await page.getByText('node-α').waitFor();
        await page.getByText('Went offline').waitFor();
        for (const name of ['CPU', 'Memory', 'Network', 'Disk activity']) await isDrawn(page, name);
        assert.equal(await findings(), []);
      },
      here(),
      { dark },
    ));

test('every field of reports has a chart: summaries, and each core, disk, interface and card', () =>
  kit.using(async ({ page, findings }) => {
    const of = (region: string) => page.getByRole('region', { name: region, exact: true });
    await isDrawn(page, 'CPU');
    const names = [
      ['Memory', 'Network', 'Disk activity', 'Load', 'Disk space', 'Connections', 'Processes'],
      ['Traffic since boot', 'Swap', 'GPU', 'Uptime'],
    ].flat();
    for (const name of names) await isDrawn(page, name);
    await of('Cores').scrollIntoViewIfNeeded();
    await of('Cores').locator('canvas').first().waitFor();
    assert.is(await of('Cores').getByText('40%').count(), 1);
    await of('Disks').scrollIntoViewIfNeeded();
    await of('Disks').getByRole('heading', { name: '/srv/data' }).waitFor();
    await of('Network interfaces').scrollIntoViewIfNeeded();
    await of('Network interfaces').getByRole('heading', { name: 'wg0' }).waitFor();
    await of('Graphics cards').scrollIntoViewIfNeeded();
    await of('Graphics cards').getByTitle('61 °C').waitFor();
    const cards = of('Graphics cards').getByRole('figure', { name: 'Temperature' }).first();
    await cards.locator('canvas').waitFor();
    await pointAt(cards.locator('.u-over'), 0.5);
    await cards.locator('.chart-tip').getByText('61').first().waitFor();
    assert.equal(await findings(), []);
  }, here('charts')));

test('charts come in a chunk that only pages with charts load', () =>
  kit.using(async ({ page }) => {
    const loaded = () =>
      page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name).join()');
    await page.locator('.rail').waitFor();
    assert.not.match(String(await loaded()), /assets\/plot-/);
    await page.goto(new URL(`/svc/dashboard/${here('charts')}`, page.url()).href);
    await isDrawn(page, 'CPU');
    assert.match(String(await loaded()), /assets\/plot-/);
  }, 'jobs'));

/** Points at so much of a plot's width, wherever it stands by then: charts that come later may move it. */
async function pointAt(plot: Locator, part: number): Promise<void> {
  const { width, height } = (await plot.boundingBox())!;
  await plot.hover({ position: { x: width * part, y: height / 2 } });
}

test('dragging shows that time in all charts, a double click goes back, and keys move and scale it', () =>
  kit.using(async ({ page }) => {
    await isDrawn(page, 'CPU');
    const plot = chart(page, 'CPU').locator('.u-over');
    await pointAt(plot, 0.25);
    await page.mouse.down();
    await pointAt(plot, 0.5);
    await pointAt(plot, 0.75);
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const zoomed = query(page);
    const width = Number(zoomed['to']) - Number(zoomed['from']);
    assert.ok(Math.abs(width - 30 * MINUTE) < MINUTE, String(width));
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL((url) => Number(url.searchParams.get('to')) < Number(zoomed['to']));
    await page.keyboard.press('+');
    await page.waitForURL(
      ({ searchParams: now }) => Number(now.get('to')) - Number(now.get('from')) < width * 0.6,
    );
    await plot.dblclick();
    await page.waitForURL(/range=1h/);
  }, here('charts')));

test('the times on offer are those that hold something, and one can be typed', () =>
  kit.using(async ({ page }) => {
    const offered = page.locator('.agent-preset');
    await offered.first().waitFor();
    const far = page.locator('.agent-preset[aria-disabled=true]');
    await far.first().waitFor();
    assert.equal(await far.allTextContents(), ['6 h', '24 h', '7 d', '30 d', '1 y']);
    assert.match(String(await far.first().getAttribute('title')), /^History begins .*\d\d:\d\d/);
    await far.first().click({ force: true });
    await page.locator('.toast', { hasText: 'History begins' }).waitFor();
    assert.not.match(page.url(), /range=6h/);
    await page.locator('.agent-preset', { hasText: '5 min' }).click();
    await page.waitForURL(/range=5m/);
    await page.getByRole('button', { name: 'From – to' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill('2026-01-05T10:00');
    await dialog.getByLabel('To').fill('2026-01-05T09:00');
    await dialog.getByText('The end must be at least a minute after the beginning.').waitFor();
    await dialog.getByLabel('To').fill('2026-01-05T12:00');
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/from=/);
    const { from, to } = query(page);
    assert.is(Number(to) - Number(from), 120 * MINUTE);
    await chart(page, 'CPU').getByText('No data in this period').waitFor();
  }, here('charts')));

test('a line is taken out by a click on its name, and a chart opens large', () =>
  kit.using(async ({ page, findings }) => {
    await isDrawn(page, 'Memory');
    const memory = chart(page, 'Memory');
    const total = memory.getByRole('button', { name: 'Total' });
    await total.click();
    assert.is(await total.getAttribute('aria-pressed'), 'false');
    await isDrawn(page, 'Memory');
    assert.equal(await findings(), []);
    await total.click();
    assert.is(await total.getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: 'Memory, large' }).click();
    const large = page.getByRole('dialog').locator('.chart-plot');
    await page.getByRole('dialog').locator('.uplot canvas').waitFor();
    const [{ height }, { height: small }] = (await Promise.all([
      large.boundingBox(),
      memory.locator('.chart-plot').first().boundingBox(),
    ])) as { height: number }[] as [{ height: number }, { height: number }];
    assert.ok(height > 2 * small, `${height} px, ${small} px`);
    assert.equal(await findings(), []);
    await page.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
  }, here('charts')));

test('a gap stays a gap and says why, and hovering gives the exact value', () =>
  kit.using(
    async ({ page }) => {
      await isDrawn(page, 'CPU');
      const plot = chart(page, 'CPU').locator('.u-over');
      const at = (time: number) => pointAt(plot, (time - (T - 50 * MINUTE)) / (45 * MINUTE));
      await at((GAP.from + GAP.to) / 2);
      await chart(page, 'CPU').locator('.chart-tip').getByText('Agent offline').waitFor();
      await at(T - 40 * MINUTE);
      await chart(page, 'CPU').locator('.chart-tip').getByText('25%').waitFor();
      // The crosshair is shared: the other charts show their values of that time.
      await chart(page, 'Memory').locator('.chart-legend').getByText('2.00').waitFor();
    },
    `${here('charts')}?from=${T - 50 * MINUTE}&to=${T - 5 * MINUTE}`,
  ));

test('what is live goes on: a report is in the chart a moment later', () =>
  kit.using(
    async ({ page }) => {
      await isDrawn(page, 'CPU');
      await kit.machines[0]!.report({ cpu_usage: 913 });
      await chart(page, 'CPU').locator('.chart-legend').getByText('91%').waitFor();
    },
    `${here('charts')}?range=5m`,
  ));

test('the values of a chart are rows, too, and a file with exact figures', () =>
  kit.using(
    async ({ page, findings }) => {
      await isDrawn(page, 'CPU');
      await page.getByRole('button', { name: 'Memory as a table' }).click();
      const dialog = page.getByRole('dialog', { name: 'Memory' });
      await dialog.getByText('2.00 GiB').first().waitFor();
      assert.equal(await findings(), []);
      const waiting = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download CSV' }).click();
      const file = await waiting;
      assert.is(file.suggestedFilename(), 'web-1 Memory.csv');
      const [head = '', first = ''] = (await readFile(await file.path(), 'utf8')).split('\r\n');
      assert.match(head, /^time,"Used","Used min","Used max",/);
      assert.match(first, new RegExp(`^\\d{4}-.*Z,${2 * GIB},${2 * GIB},${2 * GIB},`));
    },
    `${here('charts')}?from=${T - 50 * MINUTE}&to=${T - 35 * MINUTE}`,
  ));

test('what a machine costs and when its contract ends is kept, shown on its page, and told when it is near', () =>
  kit.using(async ({ page }) => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Expires').fill(soon);
    await page.getByLabel('Price').fill('5.99');
    await page.getByLabel('Currency').fill('EUR');
    await page.getByLabel('Paid').selectOption('30');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.locator('.agent-line').getByText('€5.99 a month').waitFor();
    await page.locator('.agent-line .tag.warn', { hasText: /^Expires on / }).waitFor();
    for (const [key, value] of [
      ['metadata_expire_time', soon],
      ['metadata_price', 5.99],
      ['metadata_price_unit', 'EUR'],
      ['metadata_price_cycle', 30],
    ])
      assert.is(await kit.app.call('kv_get_value', [kit.app.superToken, uuidOf(0), key]), value);
    await page.getByLabel('Price').fill('');
    await page.getByLabel('Expires').fill('');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('€5.99 a month').waitFor({ state: 'detached' });
  }, here('settings')));

test('the name is changed in its place, and tags in the settings', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByRole('textbox', { name: 'Name' }).first().fill('frankfurt 一号');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'frankfurt 一号' }).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Tags').fill('edge, 上海');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    const { app } = kit;
    const read = (key: string) => app.call('kv_get_value', [app.superToken, uuidOf(0), key]);
    assert.is(await read('metadata_name'), 'frankfurt 一号');
    assert.equal(await read('metadata_tags'), ['edge', '上海']);
    await app.call('kv_set_value', [app.superToken, uuidOf(0), 'metadata_name', 'web-1']);
  }, here()));

test('facts, devices and tasks have a tab each', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByText('EPYC Test').waitFor();
    await page.getByRole('cell', { name: '/srv/data' }).waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await page.getByText('No tasks here').waitFor();
    await page.getByRole('tab', { name: 'Probes' }).click();
    await page.getByText('npx svc call crontab_create').waitFor();
    assert.equal(await findings(), []);
  }, here('facts')));

test('what the agent writes beside its reports stands on its page, and nothing where it writes nothing', async () => {
  const { app, using } = kit;
  const put = (key: string, value: object) =>
    app.call('kv_set_value', [app.superToken, uuidOf(0), key, value]);
  const titles = ['Sensors', 'Containers'];
  await using(async ({ page }) => {
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    for (const name of titles)
      assert.is(await page.getByRole('heading', { name }).count(), 0, name);
  }, here());
  await put('agent_sensors', {
    time: T,
    temperatures: [
      { name: 'coretemp Core 0', celsius: 54 },
      { name: 'nvme Composite', celsius: 91.5, limit: 90 },
    ],
    fans: [{ name: 'it87 fan1', rpm: 1200 }],
    batteries: [{ name: 'BAT0', percent: 87, status: 'Charging' }],
  });
  const containers = [
    { id: 'a1', name: 'proxy', image: 'caddy:2', state: 'running', created: 1, health: 'healthy' },
    { id: 'b2', name: 'jobs', image: 'jobs:7', state: 'restarting', created: 2 },
    'not a container',
  ];
  await put('agent_containers', { time: T, total: 250, containers });
  await using(async ({ page, findings }) => {
    for (const text of [
      '54.0 °C',
      '91.5 °C · critical from 90.0 °C',
      '1,200 rpm',
      '87% · charging',
    ])
      await page.getByText(text, { exact: true }).waitFor();
    for (const name of ['proxy', 'caddy:2', 'running · healthy', 'restarting'])
      await page.getByRole('cell', { name, exact: true }).waitFor();
    await page.getByText('248 more are not listed.').waitFor();
    assert.equal(await findings(), []);
  }, here());
});

test('the way is named after the machine that is shown, also after another one', () =>
  kit.using(async ({ page }) => {
    const way = page.locator('.crumbs');
    await way.getByText('web-1', { exact: true }).waitFor();
    for (const name of ['db-2', 'web-1']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await way.getByText(name, { exact: true }).waitFor();
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    assert.is(await way.getByText('web-1', { exact: true }).count(), 1);
  }, here('settings')));

test('removing says what will be lost, and takes the machine out of the list', () =>
  kit.using(
    async ({ page }) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove edge-3?' });
      await dialog.getByText('comes back with its next report').waitFor();
      await dialog.getByLabel('Also delete its history and notes').check();
      await dialog.getByText('All its reports and facts').waitFor();
      await dialog.getByRole('button', { name: 'Remove and delete the history' }).click();
      await page.waitForURL(/\/svc\/dashboard\/$/);
      const uuids = await kit.app.call('agent-uuid_list_all', [kit.app.superToken]);
      assert.not.ok(uuids.includes(uuidOf(2)));
    },
    `agent/${uuidOf(2)}`,
  ));

test('a token that may read summaries of one machine sees these, without what it may not', async () => {
  const token = await kit.app.token([
    { scopes: [{ agent_uuid: uuidOf(0) }], permissions: [{ dynamic_monitoring_summary: 'read' }] },
  ]);
  await kit.using(
    async ({ page }) => {
      await isDrawn(page, 'CPU');
      for (const name of ['Cores', 'Disks', 'Network interfaces', 'Graphics cards'])
        assert.is(await page.getByRole('region', { name, exact: true }).count(), 0, name);
      assert.is(await page.getByRole('button', { name: 'Change the name' }).count(), 0);
    },
    here('charts'),
    { token },
  );
});

test('a machine that nobody knows, and one that has never reported, are said in words', () =>
  kit.using(async ({ page }) => {
    await page.getByText('Machine not found').waitFor();
  }, 'agent/nobody'));

test('on a phone nothing is wider than the window, in Chinese as well', () =>
  kit.using(
    async ({ page, findings }) => {
      for (const tab of ['概览', '图表', '详情', '设置']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('tabpanel').locator('.card').first().waitFor();
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.not.ok(wide, tab);
      }
      assert.equal(await findings(), []);
    },
    here(),
    { width: 390, height: 844, language: 'zh-CN' },
  ));

suiteOf.run();
