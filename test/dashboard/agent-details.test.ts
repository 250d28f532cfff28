// proof only: 45
/** What the page of one machine says of it: facts once each, many devices, one system of units, settings, tasks, ranges. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { behindForm, LANGUAGES, sideways, viewerOfTheGuide } from './door.ts';
import { fullReport } from './hosts.ts';
import { type Kit, missing, startKit, uuidOf, type Window } from './kit.ts';

const DAY = 86_400_000;
const MANY = 40;
const WIDTHS = [390, 1024, 1440] as const;
const UUID = uuidOf(0);
const KERNEL = '6.1.0-31-amd64';
const LONG = 'Debian GNU/Linux 12 (bookworm)';

let kit: Kit;
const suiteOf = suite('dashboard agent details');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const here = (tab = '') => `agent/${UUID}${tab === '' ? '' : `/${tab}`}`;
type Page = Window['page'];

/** As agents of the field send it: one text in two fields, and the number of physical cores not known. */
const facts = {
  uuid: UUID,
  time: Date.now(),
  data_hash: Array.from({ length: 16 }, () => 7),
  cpu: {
    physical_cores: 0,
    logical_cores: 4,
    per_core: [1, 2, 3, 4].map((id) => ({
      id,
      name: `cpu${id}`,
      vendor_id: 'AuthenticAMD',
      brand: 'AMD EPYC 7B13 64-Core Processor',
    })),
  },
  system: {
    system_name: 'Debian GNU/Linux',
    system_kernel: KERNEL,
    system_kernel_version: LONG,
    system_os_version: '12.9',
    system_os_long_version: LONG,
    distribution_id: 'debian',
    system_host_name: 'node-7',
    arch: 'x86_64',
    virtualization: 'KVM',
  },
  gpu: [],
};

const full = fullReport({ uuid: UUID, time: Date.now(), devices: MANY });

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 2, config: { series: { traffic_quota_gb: 1_000 } } });
  const { app } = kit;
  const call = (method: string, data: object) => app.call(method, [app.superToken, data]);
  await call('agent_report_static', facts);
  await call('agent_report_dynamic', full);
  const stored = {
    metadata_region: 'DE',
    metadata_expire_time: '2031-03-09',
    metadata_price: 5.99,
    metadata_price_unit: 'EUR',
    metadata_price_cycle: 30,
    database_limit_dynamic_monitoring: 30 * DAY,
    database_limit_task: 36 * 3_600_000,
  };
  for (const [key, value] of Object.entries(stored))
    await app.call('kv_set_value', [app.superToken, UUID, key, value]);
});
suiteOf.after(() => kit?.stop());

/** Elements of the page that are wider than their place and so cut, or lie beyond the window. */
const cut = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.agent [role=tabpanel] .card')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent.slice(0, 40))`);

for (const width of WIDTHS)
  test(`each fact is shown once, and no table is cut with ${MANY} disks of long names, ${width} px wide`, () =>
    kit.using(
      async ({ page, findings }) => {
        const row = (name: string) =>
          page.locator('.agent-facts > div', { has: page.locator('dt', { hasText: name }) });
        await row('Kernel').getByText(KERNEL, { exact: true }).waitFor();
        await row('System').getByText(`${LONG} · 12.9`, { exact: true }).waitFor();
        await row('Cores').getByText('4 logical', { exact: true }).waitFor();
        await page.getByText('pvc-3/mount').waitFor();
        await page.getByText('ext4 · 460 GiB used').first().waitFor();
        assert.equal([await cut(page), await sideways(page)], [[], 0]);
        const all = page.getByRole('button', { name: `Show all ${MANY}` });
        assert.is(await all.count(), 2);
        await all.first().click();
        await page.getByText(`pvc-${MANY - 1}/mount`).waitFor();
        await all.click();
        await all.waitFor({ state: 'detached' });
        assert.equal([await cut(page), await sideways(page)], [[], 0]);
        assert.equal(await findings(), []);
      },
      here('facts'),
      { width },
    ));

test('what a network moves and how fast it does are in one system of units, on each page as people chose it', async () => {
  const report = { receive_speed: 250_000, total_received: 7_900_000_000 };
  const texts = async (page: Page, part: string, wanted: RegExp) => {
    await kit.machines[0]!.report(report);
    await page.locator(part, { hasText: wanted }).first().waitFor();
    return page.locator(part).first().innerText();
  };
  await kit.using(async ({ page }) => {
    const bits = await texts(page, '.agent-figures', /2\.00\sMbit\/s/);
    assert.match(bits, /↓ 7\.90 GB/);
    await page.goto(new URL(`/svc/dashboard/${here('charts')}`, page.url()).href);
    await page.getByRole('button', { name: 'bit/s', exact: true }).click();
    await page.goto(new URL(`/svc/dashboard/${here()}`, page.url()).href);
    const bytes = await texts(page, '.agent-figures', /244\sKiB\/s/);
    assert.match(bytes, /↓ 7\.36 GiB/);
    await page.goto(new URL('/svc/dashboard/', page.url()).href);
    const fleet = await texts(page, '.fleet-totals', /KiB\/s/);
    assert.not.match(fleet, /bit\/s/);
  }, here());
  await kit.using(async ({ page }) => {
    await texts(page, '.fleet-totals', /Mbit\/s/);
    await page.locator('.fleet-total', { hasText: /Traffic today.*\d\s?[kMG]?B$/ }).waitFor();
  });
});

test('the traffic of the month stands beside its quota, and that of the day on the fleet', async () => {
  const day = Math.floor(Date.now() / 86_400_000);
  const [{ id }] = await kit.app.sql(
    `select u.id from monitoring_uuid u where lower(hex(u.uuid)) = '${UUID.replaceAll('-', '')}'`,
  );
  const row = (at: number, received: number) => `(${id}, ${at}, ${received}, 250000000000)`;
  await kit.app.sql(
    `insert into traffic_day (uuid_id, day, received, transmitted) values ${row(day, 23e9)}`,
  );
  await kit.using(async ({ page, findings }) => {
    const figure = page.locator('.agent-figure', { hasText: 'this month' });
    await figure.getByText(/^(273 GB of 1\.00 TB|254 GiB of 931 GiB) this month$/).waitFor();
    assert.equal(await findings(), []);
    await page.goto(new URL('/svc/dashboard/', page.url()).href);
    await page
      .locator('.fleet-total', { hasText: /Traffic today.*2[13](\.\d+)?\s?Gi?B/ })
      .waitFor();
  }, here());
  await kit.app.sql(`delete from traffic_day where day = ${day}`);
});

const READS = [
  { dynamic_monitoring_summary: 'read' },
  { static_monitoring: { read: 'system' } },
  { kv: { read: '*' } },
  { monitoring_uuid: 'list' },
];

test('who may only read gets no settings to change, and still reads what is stored', async () => {
  const scopes = [{ agent_uuid: UUID }, { kv_namespace: UUID }];
  const token = await kit.app.token([{ scopes, permissions: READS }]);
  await kit.using(
    async ({ page, findings }) => {
      const card = page.locator('.card', { hasText: 'Region' });
      for (const text of ['Germany', 'Mar 9, 2031', '€5.99 a month', '30 days', '1 d 12 h'])
        await card.getByText(text, { exact: true }).waitFor();
      assert.is(await card.getByText('The server’s default').count(), 2);
      assert.is(await page.getByRole('tab', { name: 'Settings' }).count(), 0);
      assert.equal(await findings(), []);
    },
    here('facts'),
    { token, language: 'en-US' },
  );
});

test('the viewer of the guide, who may read no graphics cards, gets processor and system', async () => {
  const token = await kit.app.token(viewerOfTheGuide() as never);
  await behindForm(kit, here('facts'), { typed: { token } }, async ({ page }) => {
    await page.getByText('AMD EPYC 7B13 64-Core Processor').waitFor();
    await page.getByText('node-7').waitFor();
  });
});

test('a form has those fields alone that the token may change', async () => {
  const permissions = [...READS, { kv: { write: 'metadata_region' } }];
  const scopes = [{ agent_uuid: UUID }, { kv_namespace: UUID }];
  const token = await kit.app.token([{ scopes, permissions }]);
  await kit.using(
    async ({ page }) => {
      await page.getByLabel('Region').fill('at');
      assert.equal(await page.locator('.field label').allInnerTexts(), ['Region']);
      assert.is(await page.getByRole('heading', { name: 'How long' }).count(), 0);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      const key = [kit.app.superToken, UUID, 'metadata_region'];
      assert.is(await kit.app.call('kv_get_value', key), 'AT');
    },
    here('settings'),
    { token },
  );
});

test('a phone has all ranges of the charts, and those that cannot be used say why', () =>
  kit.using(
    async ({ page, findings }) => {
      const ranges = page.locator('.agent-preset');
      await ranges.first().waitFor();
      assert.equal(await ranges.allInnerTexts(), [
        '5 min',
        '1 h',
        '6 h',
        '24 h',
        '7 d',
        '30 d',
        '1 y',
      ]);
      const far = page.locator('.agent-preset[aria-disabled=true]').last();
      await far.click({ force: true });
      await page.locator('.toast', { hasText: 'History begins' }).waitFor();
      await ranges.first().click();
      await page.waitForURL(/range=5m/);
      await page.getByRole('button', { name: 'From – to' }).waitFor();
      const inside = await page.evaluate(
        `[...document.querySelectorAll('.agent-range *')].every((one) => one.getBoundingClientRect().right <= innerWidth)`,
      );
      assert.ok(inside);
      assert.is(await sideways(page), 0);
      assert.equal(await findings(), []);
    },
    here('charts'),
    { width: 390, height: 844 },
  ));

test('tasks of jobs are folded away on a machine as on the page Tasks, and messages begin with what they say', async () => {
  const { app } = kit;
  const id = `x'${UUID.replaceAll('-', '')}'`;
  const row = (kind: string, target: string, job: string) =>
    `(${id}, 'x', ${Date.now()}, false, '${JSON.stringify({ [kind]: target })}', null,
      'Other error: no answer within 2 s', '${kind}', ${job}, ${Date.now()})`;
  await app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, error_message,
    type_name, cron_source, created_at) values ${row('ping', 'by-hand.example', 'null')}, ${row('ping', 'by-job.example', "'probe 1'")}`);
  for (const address of [here('tasks'), `tasks/history?machine=${UUID}`])
    await kit.using(async ({ page, findings }) => {
      await page.getByText('by-hand.example').waitFor();
      assert.is(await page.getByText('by-job.example').count(), 0);
      await page.getByLabel('Include what jobs ran').check();
      await page.getByText('by-job.example').waitFor();
      assert.equal(await findings(), []);
      await page.getByRole('row').nth(1).click();
      await page.getByRole('dialog').getByText('no answer within 2 s', { exact: true }).waitFor();
    }, address);
});

for (const width of WIDTHS)
  test(`the list of tasks is as wide as its place, with those of jobs, ${width} px wide`, () =>
    kit.using(
      async ({ page }) => {
        for (const address of [here('tasks'), 'tasks/history']) {
          await page.goto(new URL(`/svc/dashboard/${address}?jobs=1`, page.url()).href);
          await page.getByText('by-job.example').waitFor();
          const over = `(() => { const one = document.querySelector('.table-scroll'); return one.scrollWidth - one.clientWidth; })()`;
          assert.is(await page.evaluate(over), 0, address);
        }
      },
      here('tasks'),
      { width },
    ));

/** Texts of a page that are no names: times in the other clock than the reader's. */
const OTHER_CLOCK = { 'en-US': /(?<![:\d])(?:0\d|1[3-9]|2[0-3]):\d\d/, other: /\d ?[AP]M\b/ };

for (const language of LANGUAGES)
  test(`all times are in the clock of ${language}, and nothing is wider than a phone`, () =>
    behindForm(kit, here(), { language, width: 390, height: 844 }, async ({ page }) => {
      for (const address of [
        here(),
        here('charts'),
        here('facts'),
        here('tasks'),
        'tasks/history',
        'server/log',
      ]) {
        await page.goto(new URL(`/svc/dashboard/${address}`, page.url()).href);
        await page.locator('.page .card, .page .table, .page .server-log').first().waitFor();
        await page.waitForLoadState('networkidle');
        const said = await page.evaluate<string>(
          `document.querySelector('.page').innerText + [...document.querySelectorAll('.page [title]')].map((one) => one.title).join('\\n')`,
        );
        const wrong = language === 'en-US' ? OTHER_CLOCK['en-US'] : OTHER_CLOCK.other;
        assert.is(wrong.exec(said)?.[0], undefined, address);
        assert.is(await sideways(page), 0, address);
      }
    }));

suiteOf.run();
