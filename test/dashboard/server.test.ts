/** The page of the server in a browser: what it is, its log, its configuration and the record of changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Kit, missing, startKit } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard: server');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1, config: { logging: { log_filter: 'info' } } });
});
suiteOf.after(() => kit?.stop());

test('it says which server it is, what its database holds and which plugins it runs', () =>
  kit.using(async ({ page, findings }) => {
    const uuid: string = await kit.app.call('svc-server_uuid', {});
    await page.getByText(uuid).waitFor();
    await page.getByText('sqlite', { exact: true }).waitFor();
    await page.getByText(/^within .* ms$/).waitFor();
    const storage = page.locator('.server-storage');
    assert.match(await storage.innerText(), /Reports\n.* KiB/);
    await page.getByText('server-info', { exact: true }).waitFor();
    assert.equal(await findings(), []);
  }, 'server'));

test('the log is followed from what the server remembers, by level and by words', () =>
  kit.using(async ({ page, findings }) => {
    const log = page.getByRole('list', { name: 'Log' });
    await log.getByText('subscription accepted').first().waitFor();
    const refused = `no-such-namespace-${Date.now()}`;
    await kit.app
      .call('kv_get_value', { token: kit.app.superToken, namespace: refused, key: 'a' })
      .catch(() => undefined);
    await page.getByLabel('Contains').fill('kv_get_value');
    await log.getByText('method=kv_get_value').waitFor();
    assert.is(await log.getByText('subscription accepted').count(), 0);
    assert.match(page.url(), /find=kv_get_value/);
    await page.getByLabel('Contains').fill('words that no line has');
    await page.getByText('No line of this level contains these words.').waitFor();
    assert.equal(await findings(), []);
  }, 'server/log'));

test('a change of the configuration is shown before it is saved, and what the server refuses stays in the editor', () =>
  kit.using(async ({ page, findings, problems }) => {
    const file = page.getByLabel('TOML');
    const text = await file.inputValue();
    await file.fill(`${text}\nthis is = no TOML`);
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.locator('.added code').allInnerTexts(), ['this is = no TOML']);
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.is(await file.inputValue(), `${text}\nthis is = no TOML`);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    assert.is(await file.inputValue(), text);
    assert.equal(problems, []);
  }, 'server/configuration'));

test('changes stand in the record with who made them, and its chain can be checked', () =>
  kit.using(async ({ page, findings }) => {
    const namespace = `made-${Date.now()}`;
    await kit.app.call('kv_create', { token: kit.app.superToken, namespace });
    await page.getByLabel('Method').fill('kv_create');
    const record = page.getByRole('list', { name: 'Audit' });
    // The record is written every second.
    for (let tries = 0; (await record.getByText(namespace).count()) === 0; tries++) {
      assert.ok(tries < 30, 'the change is not in the record');
      await page.reload();
      await record.waitFor();
      await page.waitForTimeout(200);
    }
    assert.match(await record.innerText(), /by root from 127\.0\.0\.1/);
    assert.is(await record.getByText(/refused/).count(), 0);
    await page.getByRole('button', { name: 'Check the record' }).click();
    await page.getByText('every link of the chain holds').waitFor();
    assert.equal(await findings(), []);
  }, 'server/audit'));

test('what a token may not see is not offered, and its address says which right is missing', async () => {
  const token = await kit.app.token([
    {
      scopes: ['global'],
      permissions: [{ audit: 'read' }],
    },
  ]);
  await kit.using(
    async ({ page }) => {
      await page.getByText('svc-server_read_config').waitFor();
      assert.equal(await page.getByRole('tab').allInnerTexts(), ['Overview', 'Audit']);
    },
    'server/configuration',
    { token, width: 390 },
  );
});

suiteOf.run();
