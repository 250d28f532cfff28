// proof only: 60
/** The form of a monitor: everything that may be set can be set and seen there. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';
import { create, type Site, site } from './watched.ts';

let kit: Kit;
let shop: Site;
const suiteOf = suite('dashboard: form of monitors');
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

const call = (method: string, params: object = {}) =>
  kit.app.call(method, { token: kit.app.superToken, ...params });
const http = (name: string, rest: object = {}) =>
  create(kit, { name, kind: 'http', spec: { url: `${shop.url}/` }, ...rest });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Opens a folded part of the form. */
const unfold = (page: Page, text: string | RegExp) =>
  page.locator('summary', { hasText: text }).click();

test('parent, name for others and good checks are set in the form, and the page of the monitor tells them', async () => {
  for (let at = 0; at < 10; at++) await http(`router ${at}`, { enable: false });
  await http('shop', {
    tags: ['eu', 'front'],
    group: 'Customers',
    note: 'call Ada',
    condition: 'status == 200',
  });
  await kit.using(async ({ page, findings }) => {
    await unfold(page, 'From where');
    await page.getByLabel('Good checks until it is up again').fill('3');
    await unfold(page, 'Reached through another monitor');
    await page.getByRole('searchbox').fill('router 7');
    await page.getByRole('radio', { name: 'router 7' }).check();
    assert.is(await page.getByRole('radio', { name: 'shop' }).count(), 0);
    await unfold(page, 'Group, name for others');
    await page.getByLabel('Name on status pages').fill('Our shop');
    assert.equal(await findings(), []);
    await button(page, 'Save').click();
    const about = page.locator('.monitors-about');
    for (const text of [
      'Our shop',
      '3 good checks',
      'Customers',
      'front',
      'call Ada',
      'status == 200',
    ])
      await about.getByText(text, { exact: true }).waitFor();
    const made = await call('monitor_get', { name: 'shop' });
    assert.is(made.parent, 'router 7');
    assert.is(made.public_name, 'Our shop');
    assert.is(made.recover_after, 3);
    assert.equal(await findings(), []);
    await about.getByRole('link', { name: 'router 7' }).click();
    await page.getByRole('heading', { name: 'router 7' }).waitFor();
    await page.goBack();
    await button(page, 'Edit').click();
    await unfold(page, 'Reached through router 7');
    await page.getByRole('radio', { name: 'Nothing' }).check();
    await button(page, 'Save').click();
    await about.getByText('Our shop').waitFor();
    assert.is((await call('monitor_get', { name: 'shop' })).parent, null);
  }, 'monitors/shop?edit=');
});

/** Remembers what a page sends with calls of a method. */
function sentWith(page: Page, method: string): any[] {
  const sent: any[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const frame = JSON.parse(String(payload));
      for (const one of Array.isArray(frame) ? frame : [frame])
        if (one.method === method) sent.push(one.params);
    }),
  );
  return sent;
}

test('the form has a field for each setting that a new monitor takes', async () => {
  const { methods } = await call('rpc.discover');
  const create = methods.find(({ name }: { name: string }) => name === 'monitor_create');
  const { schema } = create.params.find(({ name }: { name: string }) => name === 'monitor');
  let sent: any[] = [];
  const before = async (page: Page) => {
    sent = sentWith(page, 'monitor_create');
  };
  await kit.using(
    async ({ page }) => {
      await page.getByLabel('URL, host:port or name').fill(shop.url);
      await unfold(page, 'Web page: more settings');
      await page.getByLabel('Password').fill('a password');
      await page.getByLabel('User', { exact: true }).fill('ada');
      await unfold(page, 'Group, name for others');
      await page.getByLabel('Switched on').uncheck();
      await button(page, 'Save').click();
      await page.locator('.monitors-verdict', { hasText: 'Paused' }).waitFor();
    },
    'monitors?new=',
    { before },
  );
  const { monitor } = sent.find(({ dry_run }) => dry_run !== true);
  assert.equal(Object.keys(monitor).sort(), Object.keys(schema.properties).sort());
});

test('a copy keeps the parent, the switch and all else, and asks for the secrets that nobody can copy', async () => {
  await http('router');
  const spec = { url: `${shop.url}/`, user: 'ada' };
  const secret = { password: 'first', secret_headers: ['X-Key: 1'] };
  const rest = { parent: 'router', public_name: 'Shop', recover_after: 4, enable: false };
  await http('shop', { spec, secret, ...rest, tags: ['eu'], retries: 0, upside_down: true });
  await kit.using(async ({ page, findings }) => {
    await button(page, 'Duplicate').click();
    await page.getByText('To be typed again: Secret headers, Password.').waitFor();
    await page.getByText('Still needed: Secret headers, Password').waitFor();
    assert.ok(await button(page, 'Save').isDisabled());
    assert.equal(await findings(), []);
    await page.getByLabel('Password').fill('second');
    await page.getByText('Still needed: Secret headers').waitFor();
    await page.getByLabel('Secret headers').fill('X-Key: 2');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'shop copy' }).waitFor();
    const [old, made] = await Promise.all(
      ['shop', 'shop copy'].map((name) => call('monitor_get', { name })),
    );
    const changing = ['id', 'name', 'created_at', 'updated_at', 'verdict'];
    for (const one of [old, made]) for (const member of changing) delete one[member];
    assert.equal(made, old);
    await page.goBack();
    await button(page, 'Duplicate').click();
    await button(page, 'Copy without').click();
    await page.getByLabel('Name', { exact: true }).fill('bare');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'bare' }).waitFor();
    assert.equal((await call('monitor_get', { name: 'bare' })).secret, {});
  }, 'monitors/shop');
});

test('a stored secret is tried, kept and removed', async () => {
  const spec = { url: `${shop.url}/401`, user: 'ada' };
  await http('shop', { spec, secret: { password: 'first', bearer: 'second' } });
  let sent: any[] = [];
  const before = async (page: Page) => {
    sent = sentWith(page, 'monitor_try');
  };
  await kit.using(
    async ({ page }) => {
      await button(page, 'Try').click();
      await page.locator('.monitors-result.bad', { hasText: '401' }).waitFor();
      assert.is(sent.at(-1).name, 'shop');
      await unfold(page, 'Web page: more settings');
      const field = page.locator('.monitors-fields > div', { hasText: 'Bearer token' });
      await field.getByLabel('Remove it').check();
      await page.getByText('Try goes without the stored secrets').waitFor();
      await button(page, 'Save').click();
      await page.locator('.monitors-about').waitFor();
      assert.equal((await call('monitor_get', { name: 'shop' })).secret, {
        password: { set: true },
      });
    },
    'monitors/shop?edit=',
    { before },
  );
});

test('Cancel and Escape leave the form; Escape asks first where something was changed', async () => {
  await http('shop', { note: 'old' });
  await kit.using(async ({ page, findings }) => {
    const verdict = page.locator('.monitors-verdict');
    await button(page, 'Edit').click();
    await button(page, 'Cancel').click();
    await verdict.waitFor();
    await button(page, 'Edit').click();
    await button(page, 'Cancel').waitFor();
    await page.keyboard.press('Escape');
    await verdict.waitFor();
    await button(page, 'Edit').click();
    await unfold(page, 'Group, name for others');
    await page.getByLabel('Note').fill('new');
    await page.keyboard.press('Escape');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What you changed is not saved.').waitFor();
    assert.equal(await findings(), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.is(await page.getByLabel('Note').inputValue(), 'new');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await verdict.waitFor();
    assert.is((await call('monitor_get', { name: 'shop' })).note, 'old');
    await button(page, 'Duplicate').click();
    await button(page, 'Cancel').click();
    await verdict.waitFor();
    await page.getByRole('link', { name: 'Monitors' }).first().click();
    await button(page, 'New monitor').click();
    await page.getByLabel('URL, host:port or name').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'New monitor').waitFor();
  }, 'monitors/shop');
});

test('Enter in the one field, which a fresh server shows at once, tries what stands there', () =>
  kit.using(async ({ page }) => {
    const field = page.getByLabel('URL, host:port or name');
    await field.press('Enter');
    await field.fill(`${shop.url}/503`);
    await field.press('Enter');
    await page.locator('.monitors-result.bad', { hasText: '503' }).waitFor();
    assert.equal((await call('monitor_list')).monitors, []);
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await page.locator('.monitors-verdict').waitFor();
  }, 'monitors'));

suiteOf.run();
