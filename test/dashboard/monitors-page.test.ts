// proof only: 60
/** The page of a monitor: it shows at once what was done, and says who is told and why something is not checked. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit, uuidOf } from './kit.ts';
import { create, type Site, site } from './watched.ts';

let kit: Kit;
let shop: Site;
const suiteOf = suite('dashboard: page of a monitor');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  if (missing) return;
  shop = await site();
  kit = await startKit({ machines: 1 });
});
suiteOf.after.each(async () => {
  await kit?.stop();
  await shop?.stop();
});

const http = (name: string, rest: object = {}) =>
  create(kit, { name, kind: 'http', spec: { url: `${shop.url}/` }, ...rest });

test('a check that was asked for shows as the last one soon, and one that was switched off as paused at once', async () => {
  await http('shop', { interval_s: 3_600, retries: 0 });
  await kit.using(async ({ page }) => {
    const last = page.locator('.monitors-figures > div', { hasText: 'Last check' });
    await last.getByText('answer 200').waitFor();
    const times = async () => last.getAttribute('title');
    const before = await times();
    await page.waitForTimeout(1_100);
    await page.getByRole('button', { name: 'Check now' }).click();
    const begun = Date.now();
    while ((await times()) === before && Date.now() - begun < 4_000) await page.waitForTimeout(50);
    assert.is.not(await times(), before);
    shop.status = 503;
    // A call right after the last one would come too early; a changed monitor is checked within seconds.
    const change = { interval_s: 10 };
    await kit.app.call('monitor_update', { token: kit.app.superToken, name: 'shop', change });
    await page.locator('.open-alerts').waitFor();
    await page.getByRole('switch').click();
    const verdict = page.locator('.monitors-verdict', { hasText: 'Paused' });
    await verdict.waitFor({ timeout: 2_000 });
    assert.is(await verdict.getByText('503').count(), 0);
    assert.is(await page.locator('.open-alerts').count(), 0);
  }, 'monitors/shop');
});

test('while there is no channel, those who may make one read that nobody is told', async () => {
  await http('shop');
  const line = 'Nobody is told when a monitor is down';
  await kit.using(async ({ page, findings }) => {
    await page.getByText(line).waitFor();
    assert.equal(await findings(), []);
    await page.locator('.monitors-row').getByRole('link', { name: 'shop' }).click();
    await page.locator('.monitors-verdict').waitFor();
    await page.getByText(line).waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('link', { name: 'Alerts → Channels' }).click();
    await page.waitForURL(/alerts\/channels$/);
    const channel = { name: 'hook', kind: 'webhook', config: { url: 'http://127.0.0.1:9/hook' } };
    await kit.app.call('channel_create', { token: kit.app.superToken, channel });
    await page.goBack();
    await page.locator('.monitors-about').waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.getByText(line).count(), 0);
  }, 'monitors');
  const token = await kit.app.token([{ scopes: ['global'], permissions: [{ monitor: 'read' }] }]);
  await kit.using(
    async ({ page }) => {
      await page.locator('.monitors-about').waitFor();
      assert.is(await page.getByText(line).count(), 0);
    },
    'monitors/shop',
    { token },
  );
});

test('readers of the screen hear of a group and of a heartbeat that these are not checked, and of checks how many failed', async () => {
  await http('shop');
  await create(kit, { name: 'all', kind: 'group', spec: { members: ['shop'] } });
  await create(kit, { name: 'backup', kind: 'heartbeat', spec: { period_s: 3_600 } });
  await kit.using(async ({ page }) => {
    for (const [name, text] of [
      ['all', 'as its members say: a group is not checked itself'],
      ['backup', 'it is called, not checked'],
      ['shop', '1 check, 0 failed'],
    ] as const) {
      const row = page.locator('.monitors-row', { has: page.getByRole('link', { name }) });
      await row.locator('.sr', { hasText: text }).waitFor({ state: 'attached' });
    }
  }, 'monitors');
});

test('a monitor that a maintenance window pauses says which one, and until when', async () => {
  await http('shop');
  const now = Date.now();
  const window = {
    ...{ name: 'move', scope: { monitors: ['shop'] }, effect: 'pause' },
    once: { from: now - 1_000, to: now + 3_600_000 },
  };
  await kit.app.call('alert_window_create', { token: kit.app.superToken, window });
  await kit.using(async ({ page, findings }) => {
    const verdict = page.locator('.monitors-verdict', { hasText: 'Paused' });
    await verdict.getByRole('link', { name: /^Paused by the window move until \d/ }).waitFor();
    assert.equal(await findings(), []);
  }, 'monitors/shop');
});

test('a machine that cannot check and tags that no machine holds say why', async () => {
  await kit.stop();
  kit = await startKit({ machines: 2, gone: 1 });
  const uuid = uuidOf(0);
  await http('named', { places: { server: false, agents: [uuid] } });
  await http('tagged', { places: { server: false, tags: ['moon'] } });
  await http('both', { places: { server: true, tags: ['moon'] } });
  await kit.using(async ({ page, findings }) => {
    const places = page.locator('.card', { has: page.locator('.monitors-places') });
    await page.getByText(/^It does not run: web-1: it /).waitFor();
    await places.getByText(/^Does not check: it /).waitFor();
    assert.equal(await findings(), []);
    await page.goto(`${kit.app.url}/svc/dashboard/monitors/tagged`);
    await page.getByText('none holds one of its tags').waitFor();
    await page.goto(`${kit.app.url}/svc/dashboard/monitors/both`);
    await places.getByText('No machine checks it').waitFor();
    await places.getByText('The server').waitFor();
  }, 'monitors/named');
});

suiteOf.run();
