// proof: 15
/** A walk through the dashboard as people take it: the log-in form, a machine by its name, its charts, and out again. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { reportHost } from './hosts.ts';
import { type Kit, logIn, missing, startKit, uuidOf } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard: a walk');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 2, named: 1 });
  await reportHost(kit.app, uuidOf(1), 'kiosk');
  for (let ago_s = 60; ago_s > 0; ago_s -= 10)
    await kit.machines[1]?.report({ time: Date.now() - ago_s * 1_000 });
});
suiteOf.after(() => kit?.stop());

test('somebody logs in by the form, finds a machine by its name, sees its charts and logs out', () =>
  kit.using(
    async ({ page }) => {
      await logIn(page, { username: 'root', password: kit.app.rootPassword });
      await page.getByRole('link', { name: 'kiosk' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'kiosk' }).waitFor();
      await page.getByRole('tab', { name: 'Charts' }).click();
      await page.locator('.uplot canvas').first().waitFor();
      await page.getByRole('button', { name: /root/ }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.locator('input[name=password]').waitFor();
      await page.reload();
      await page.locator('input[name=password]').waitFor();
      assert.is(await page.locator('.rail').count(), 0);
    },
    '',
    { token: null },
  ));

suiteOf.run();
