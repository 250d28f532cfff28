// proof only: 10
/** The editor of status pages with monitors, in a real browser (plugins/dashboard/web/pages/server/status). */

import * as assert from 'uvu/assert';
import { type Kit, missing, startKit } from '../dashboard/kit.ts';
import { pause } from '../monitor/kit.ts';
import { suite } from '../runner/suite.ts';

let kit: Kit;
const suiteOf = suite('status page: editor of monitors');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const call = (method: string, params: object): Promise<any> =>
  kit.app.call(method, { token: kit.app.superToken, ...params });
const monitor = (name: string) => ({
  ...{ name, kind: 'http', spec: { url: 'http://127.0.0.1:9/' }, enable: false },
});

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1 });
  for (const name of ['internal-a', 'internal-b'])
    await call('monitor_create', { monitor: monitor(name) });
  // Verdicts come with the next round.
  const states = async (): Promise<string[]> =>
    (await call('monitor_list', {})).monitors.map(({ state }: any) => state);
  while ((await states()).some((state) => state !== 'paused')) await pause(100);
  const page = { title: 'Shop', entries: [] };
  await call('status-page_create', { slug: 'shop', page });
});
suiteOf.after(() => kit?.stop());

test('a monitor is found by its name, gets a public one, and a draft of its outage is published', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Add a monitor' }).click();
    await page.getByLabel('Monitor', { exact: true }).fill('internal-x');
    await page.getByText('No monitor has this name.').waitFor();
    await page.getByLabel('Monitor', { exact: true }).fill('internal-b');
    await page.getByText('Paused: readers see maintenance.').waitFor();
    await page.getByLabel('Public name').fill('Till');
    await page.getByLabel('Incident of an outage').selectOption('draft');
    await page.getByLabel('After minutes').fill('1');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The page is saved.').waitFor();
    const [entry] = (await call('status-page_get', { slug: 'shop' })).page.entries;
    const { id } = await call('monitor_get', { name: 'internal-b' });
    assert.equal([entry.name, entry.monitor], ['Till', id]);
    assert.equal([entry.auto_incident.as, entry.auto_incident.after_minutes], ['draft', 1]);

    const incident = { title: 'Till is down', draft: true };
    await call('status-page_incident_add', { slug: 'shop', incident });
    await call('status-page_incident_add', {
      slug: 'shop',
      incident: { ...incident, title: 'Chance' },
    });
    await page.reload();
    const drafts = page.locator('.server-incidents > li');
    await drafts.filter({ hasText: 'Chance' }).getByRole('button', { name: 'Discard' }).click();
    await drafts.filter({ hasText: 'Till' }).getByRole('button', { name: 'Publish' }).click();
    await page
      .locator('.server-incidents .tag', { hasText: 'Draft' })
      .waitFor({ state: 'detached' });
    const list = await call('status-page_incident_list', { slug: 'shop' });
    assert.equal(
      list.map(({ title, draft }: any) => [title, draft]),
      [['Till is down', undefined]],
    );
  }, 'server/status/shop'));

test('an entry whose monitor was deleted says so', () =>
  kit.using(async ({ page }) => {
    await call('monitor_delete', { name: 'internal-b' });
    await page.reload();
    await page.getByText('Hidden: this monitor was deleted.').waitFor();
  }, 'server/status/shop'));

test('a monitor without a public name: the form says what to type, and nothing of the monitor is filled in', () =>
  kit.using(async ({ page, findings }) => {
    await call('monitor_create', { monitor: { ...monitor('internal-c'), public_name: 'Wiki' } });
    for (const name of ['internal-d', 'internal-e'])
      await call('monitor_create', { monitor: { ...monitor(name), group: 'Inside' } });
    await page.reload();
    await page.getByLabel('Address', { exact: true }).fill('inside');
    await page.getByLabel('Title').fill('Inside');
    await page.getByRole('button', { name: 'Add a monitor' }).click();
    const find = page.getByLabel('Monitor', { exact: true });
    const name = page.getByLabel('Public name');
    assert.equal([await find.inputValue(), await name.inputValue()], ['', '']);
    await page.getByText('An entry has no monitor yet').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Publish' }).isDisabled());
    await find.fill('internal-c');
    await page.getByText('Empty: the public name of the monitor, “Wiki”.').waitFor();
    await find.fill('internal-a');
    await page.getByText('Type what readers should see: “internal-a” has no public name').waitFor();
    assert.is(await name.inputValue(), '');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Publish' }).click();
    assert.ok(await name.evaluate((field: any) => field.matches(':focus')), 'it asks there');
    await name.fill('Till');
    await page.getByLabel('Add all of a group').selectOption('Inside (2)');
    await page.getByText('“internal-e” has no public name').waitFor();
    for (const [at, text] of ['', 'Mail', 'Files'].entries())
      if (at > 0) await name.nth(at).fill(text);
    assert.is(await page.getByLabel('Group', { exact: true }).nth(1).inputValue(), '');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The page is saved.').waitFor();
    const { entries } = (await call('status-page_get', { slug: 'inside' })).page;
    assert.equal(
      entries.map((entry: any) => entry.name),
      ['Till', 'Mail', 'Files'],
    );
  }, 'server/status?new=1'));

test('the server names the monitor that lacks a public name', async () => {
  const { id } = await call('monitor_get', { name: 'internal-a' });
  const page = { title: 'A', entries: [{ monitor: id }] };
  await call('status-page_create', { slug: 'a', page }).then(
    () => assert.unreachable(),
    ({ message }) =>
      assert.match(message, /'1' needs a name that readers see: its monitor 'internal-a' has no/),
  );
});

suiteOf.run();
