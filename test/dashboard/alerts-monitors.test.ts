// proof only: 40
/** Rules about monitors as people make them: which ones, for how many it holds now, and a list that reads like sentences. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';
import { create, type Site, site } from './watched.ts';

let kit: Kit;
let shop: Site;
const suiteOf = suite('dashboard: rules about monitors');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  if (missing) return;
  shop = await site();
  kit = await startKit({ machines: 3 });
  const http = (name: string, path: string, rest: object = {}) =>
    create(kit, { name, kind: 'http', spec: { url: shop.url + path }, retries: 0, ...rest });
  await http('shop', '/', { group: 'Customers', tags: ['eu'] });
  await http('shop-api', '/503', { group: 'Customers' });
  await http('mail', '/503');
  await http('shop-old', '/503', { enable: false });
  for (const name of ['shop', 'shop-api', 'mail']) await call('monitor_check_now', { name });
  // The form asks once: what is down has to be known before it opens.
  const rule = { source: 'monitor', condition: 'state == "down"', scope: { all: true } };
  for (let tries = 0; tries < 200; tries++) {
    if ((await call('alert_rule_check', rule)).true_now === 2) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('two monitors of three are not down');
});
suiteOf.after.each(async () => {
  await kit?.stop();
  await shop?.stop();
});

const call = (method: string, params: object = {}) =>
  kit.app.call(method, { token: kit.app.superToken, ...params });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** The editor does not say "machine" but where it asks what the rule is about. */
async function saysNoMachine(page: Page): Promise<void> {
  const said = await page.locator('.alerts-editor').innerText();
  const rest = said.replace(/^(A machine|Silence of a machine|Events of a machine)$/gm, '');
  assert.not.match(rest, /machine/i);
}

test('a template about monitors becomes a rule for all whose names begin alike, and the list says so', async () => {
  await kit.using(async ({ page, findings }) => {
    await page.locator('.alerts-rule', { hasText: 'A heartbeat is late' }).waitFor();
    await page.getByText('A monitor is down, heartbeats aside').waitFor();
    await button(page, 'New rule').click();
    assert.equal(await findings(), []);
    await page.locator('.alerts-tile', { hasText: 'Monitor down for 5 min' }).click();
    await page.getByText('A monitor is down, for 5 min').waitFor();
    await page.getByText('3 monitors: shop, shop-api, mail').waitFor();
    await page.getByText('Now true for 2 of 3 monitors').waitFor();
    await saysNoMachine(page);
    await button(page, 'Chosen ones').click();
    await page.getByText('Choose the monitors that it is about.').waitFor();
    await page.getByRole('searchbox').fill('shop');
    await button(page, /^Add all that begin with “shop”/).click();
    await page.getByText('2 monitors: shop, shop-api').waitFor();
    await page.getByText('Now true for 1 of 2 monitors').waitFor();
    assert.equal(await findings(), []);
    await button(page, 'Save').click();
    const row = page.locator('.alerts-rule', { hasText: 'Monitor down for 5 min' });
    await row.getByText('shop…').waitFor();
    await row.getByText('A monitor is down, for 5 min').waitFor();
    const made = await call('alert_rule_get', { name: 'Monitor down for 5 min' });
    assert.equal(made.scope, { monitors: ['shop*'] });
    assert.is(made.condition, 'state == "down"');
    assert.equal(await findings(), []);
  }, 'alerts/rules');
});

test('a rule is about one group of monitors, also when it is opened again, and then about a tag', async () => {
  await kit.using(async ({ page, findings }) => {
    await page.getByText('Response time above 2,000 ms for 10 min, until below 1,500 ms').waitFor();
    assert.is(await page.getByLabel('Over', { exact: true }).count(), 0);
    await page.getByLabel('What is measured').selectOption({ label: 'State' });
    await page.getByLabel('Value').selectOption({ label: 'up' });
    await page.getByText('A monitor is up').waitFor();
    await button(page, 'By group').click();
    await page.getByLabel('Group').selectOption('Customers');
    await page.getByText('A monitor is up, in the group Customers').waitFor();
    await page.getByText('Now true for 1 of 2 monitors').waitFor();
    assert.equal(await findings(), []);
    await page.getByLabel('Name', { exact: true }).fill('Shop is well');
    await button(page, 'Save').click();
    const row = page.locator('.alerts-rule', { hasText: 'Shop is well' });
    await row.getByText('group Customers', { exact: true }).waitFor();
    const made = await call('alert_rule_get', { name: 'Shop is well' });
    assert.is(made.condition, 'state == "up" && group == "Customers"');
    await row.getByRole('link', { name: 'Shop is well' }).click();
    assert.is(await page.getByLabel('Group').inputValue(), 'Customers');
    await button(page, 'By tag').click();
    await button(page, 'eu').click();
    await page.getByText('1 monitor: shop').waitFor();
    await page.getByText('Now true for 1 of 1 monitor', { exact: true }).waitFor();
    await button(page, 'Save').click();
    await row.getByText('tagged eu').waitFor();
    const changed = await call('alert_rule_get', { name: 'Shop is well' });
    assert.equal(changed.scope, { tags: ['eu'] });
    assert.is(changed.condition, 'state == "up"');
  }, 'alerts/rules?new=monitorSlow');
});

test('rules about this server and about events count no machines, and what names machines does not stay with monitors', async () => {
  await kit.using(async ({ page, findings }) => {
    const about = page.getByLabel('About');
    await button(page, 'Chosen ones').click();
    await page.getByLabel('All 3', { exact: true }).check();
    await page.getByText('Now true for 0 of 3 machines').waitFor();
    await about.selectOption('event');
    await page.getByText('Reports of a machine are refused').waitFor();
    assert.is(await page.getByText(/^Now /).count(), 0);
    await about.selectOption('server');
    await page.getByText('A channel has failed for 15 min').waitFor();
    assert.is(await page.getByText(/^Now /).count(), 0);
    await saysNoMachine(page);
    assert.equal(await findings(), []);
    await about.selectOption('monitor');
    await page.getByText('Now true for 2 of 3 monitors').waitFor();
    await saysNoMachine(page);
    assert.equal(await findings(), []);
  }, 'alerts/rules?new=blank');
});

test('a token with rights to some monitors alone makes a rule for these, and for no others', async () => {
  const permissions = [{ alert: 'read' }, { alert: 'write' }, { monitor: 'read' }];
  const token = await kit.app.token([{ scopes: [{ monitor: 'shop*' }], permissions }] as never);
  await kit.using(
    async ({ page, findings }) => {
      await page.getByText('Your token may not make rules for all of these.').waitFor();
      await button(page, 'Chosen ones').click();
      await page.getByText('Choose the monitors that it is about.').waitFor();
      await page.getByRole('checkbox', { name: 'shop-api' }).check();
      await page.getByText('Now true for 1 of 1 monitor', { exact: true }).waitFor();
      assert.equal(await findings(), []);
      await button(page, 'Save').click();
      await page.locator('.alerts-rule', { hasText: 'shop-api' }).waitFor();
      const made = await call('alert_rule_get', { name: 'Monitor down for 5 min' });
      assert.equal(made.scope, { monitors: ['shop-api'] });
    },
    'alerts/rules?new=monitorDown',
    { token },
  );
});

suiteOf.run();
