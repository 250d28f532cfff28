// proof only: 5
/** What a stranger wants of a fleet, counted in clicks. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
const FULL = 'db-2';

let kit: Kit;
const suiteOf = suite('dashboard: clicks');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 12 });
  const [, full] = kit.machines;
  const rule = {
    name: 'Disk used',
    source: 'machine',
    scope: { all: true },
    condition: 'disk_used_percent > 90',
  };
  await kit.app.call('alert_rule_create', { token: kit.app.superToken, rule });
  for (const days of [6, 5, 1])
    await full!.report({ time: Date.now() - days * DAY_MS, available_space: 3 * GIB });
  await full!.report({ available_space: 3 * GIB });
});
suiteOf.after(() => kit?.stop());

test('the fullest disk is seen at once, a terminal of that machine is two clicks away, and last week three', () =>
  kit.using(async ({ page }) => {
    const look = page.locator('.fleet-look');
    await look.getByText('Disk used: 97 % (> 90 %)').waitFor();
    let clicks = 0;
    const click = async (name: string, role: 'link' | 'tab' | 'button') => {
      clicks++;
      await page.getByRole(role, { name, exact: true }).first().click();
    };
    await click(FULL, 'link');
    await click('Terminal', 'button');
    await page.waitForURL('**/terminal/**');
    assert.is(clicks, 2);
    await page.goto(`${kit.app.url}/svc/dashboard/`);
    clicks = 0;
    await click(FULL, 'link');
    await click('Charts', 'tab');
    await click('7 d', 'button');
    await page.waitForURL(/range=7d/);
    const cpu = page.getByRole('figure', { name: 'CPU', exact: true }).first();
    await cpu.locator('canvas').waitFor();
    assert.is(clicks, 3);
  }));

suiteOf.run();
