// proof only: 60
/** Silences and windows of monitors: a silence hides what it was opened from and no more, and forms can name monitors. */
import * as assert from 'uvu/assert';
import { matcherOf, namesMonitor } from '../../plugins/dashboard/web/parts/alert/matcher.ts';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit, uuidOf } from './kit.ts';
import { create, type Site, site } from './watched.ts';

let kit: Kit;
let shop: Site;
const suiteOf = suite('dashboard: silences');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  shop = await site();
});
suiteOf.after.each(async () => {
  await kit?.stop();
  await shop?.stop();
});

const call = (method: string, params: object = {}) =>
  kit.app.call(method, { token: kit.app.superToken, ...params });

/** Makes monitors that are down, and waits for their alerts. */
async function down(...names: string[]): Promise<void> {
  const rest = { kind: 'http', spec: { url: `${shop.url}/503` }, retries: 0 };
  for (const name of names) {
    await create(kit, { name, ...rest });
    await call('monitor_check_now', { name });
  }
  for (const end = Date.now() + 20_000; Date.now() < end; )
    if ((await call('alert_list')).alerts.length === names.length) return;
  assert.unreachable('no alerts');
}

const alertOf = async (name: string) =>
  (await call('alert_list')).alerts.find((alert: any) => alert.subject.name === name);

for (const [kind, id, scope] of [
  ['agent', uuidOf(0), { rules: ['r'], agents: [uuidOf(0)] }],
  ['monitor', 'shop', { rules: ['r'], monitors: ['shop'] }],
  ['server', 'server', { rules: ['r'] }],
  ['channel', 'phone', { rules: ['r'] }],
] as const)
  suiteOf(`an alert about a subject of the kind ${kind} is silenced by its rule and subject`, () =>
    assert.equal(matcherOf({ rule: 'r', subject: { kind, id, name: 'x' } }), scope),
  );

suiteOf('a star at the end of a name stands for any rest, and elsewhere for itself', () => {
  assert.ok(namesMonitor(['shop*'], 'shop 2'));
  assert.ok(namesMonitor(['a', 'shop'], 'shop'));
  assert.not.ok(namesMonitor(['shop'], 'shop 2'));
  assert.not.ok(namesMonitor(['s*p'], 'shop'));
});

test('the Silence button of an alert about a monitor silences that monitor alone', async () => {
  kit = await startKit({ machines: 1 });
  await down('mail', 'mail (web)', 's*p');
  const { id } = await alertOf('mail');
  await kit.using(async ({ page, findings }) => {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('“Monitor down” · monitor mail').waitFor();
    await dialog.getByText('Hides 1 open alert now').waitFor();
    await dialog.getByLabel('Reason').fill('New disk');
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText(/Silenced until .*: New disk/).waitFor();
    const [{ scope }] = await call('alert_silence_list');
    assert.equal(scope, { rules: ['Monitor down'], monitors: ['mail'] });
    assert.is((await alertOf('mail')).hidden_by.name, 'New disk');
    assert.is((await alertOf('mail (web)')).hidden_by, null);
    await page.getByRole('button', { name: 'End silence' }).click();
    await page.getByRole('button', { name: 'Silence' }).waitFor();
  }, `alerts/${id}`);
});

test('a monitor whose name ends with a star: the dialog says that a silence of it hides more', async () => {
  kit = await startKit({ machines: 1 });
  await down('shop*', 'shop 2');
  const { id } = await alertOf('shop*');
  await kit.using(async ({ page }) => {
    await page.getByRole('button', { name: 'Silence' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('this hides all monitors whose names begin with “shop”').waitFor();
    await dialog.getByText('Hides 2 open alerts now').waitFor();
  }, `alerts/${id}`);
});

test('a window names monitors by name, by group and by how names begin, and the list says so', async () => {
  kit = await startKit({ machines: 1, named: 0 });
  const rest = { kind: 'http', spec: { url: shop.url } };
  for (const name of ['shop', 'shop 2', 'mail']) await create(kit, { name, ...rest });
  for (const name of ['wiki', 'git'])
    await create(kit, { name, ...rest, group: 'Inside', tags: ['night'] });
  await kit.using(async ({ page, findings }) => {
    await page.getByText('nothing is sent about the machines and monitors that it names').waitFor();
    await page.getByRole('button', { name: 'New window' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Night works');
    await dialog.getByRole('button', { name: 'Once' }).click();
    const pick = async (name: string) => dialog.getByRole('button', { name, exact: true }).click();
    await pick('Monitors');
    await dialog.getByRole('button', { name: 'Inside 2' }).click();
    await dialog.getByRole('checkbox', { name: 'mail' }).check();
    await dialog.getByLabel('Find by name, group or tag').fill('shop');
    await pick('Add all that begin with “shop”, later ones, too');
    assert.ok(await dialog.getByRole('checkbox', { name: 'shop 2' }).isChecked());
    await pick('Machines');
    await pick('Monitors');
    await pick('night');
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const says =
      /tagged night · monitors git, wiki, mail, all that begin with “shop” · Nothing is sent/;
    await page.locator('.alerts-window', { hasText: says }).waitFor();
    const [{ scope }] = await call('alert_window_list');
    assert.equal(scope, { tags: ['night'], monitors: ['git', 'wiki', 'mail', 'shop*'] });
  }, 'alerts/silences');
});

test('a silence is made of chosen monitors, says what it hides, and a scope of both kinds is called useless', async () => {
  kit = await startKit({ machines: 2 });
  await down('mail', 'shop');
  const scope = { agents: [uuidOf(0)], monitors: ['mail'] };
  await call('alert_window_create', {
    window: { name: 'both', scope, once: { from: Date.now(), to: Date.now() + 3_600_000 } },
  });
  await kit.using(async ({ page, findings }) => {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New silence' }).click();
    await dialog
      .getByText('Choose what it is about: machines, monitors, tags, rules or a')
      .waitFor();
    await dialog.getByRole('button', { name: 'Monitors', exact: true }).click();
    await dialog.getByRole('checkbox', { name: 'mail' }).check();
    await dialog.getByText('Hides 1 open alert now').waitFor();
    await dialog.getByLabel('Reason').fill('New disk');
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.locator('.alerts-lines li', { hasText: 'monitor mail · until' }).waitFor();
    await page.getByRole('button', { name: 'Change “both”' }).click();
    await dialog.getByText('No alert is about both').waitFor();
    await dialog.getByRole('button', { name: 'Machines', exact: true }).click();
    assert.is(await dialog.getByText('No alert is about both').count(), 0);
  }, 'alerts/silences');
});

suiteOf.run();
