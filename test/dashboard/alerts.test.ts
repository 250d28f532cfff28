// proof only: 40
/** Alerts and channels as people meet them: told within five clicks, a rule without a word of code, somebody who takes an alert over. */
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type Receiver, receiver } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { behindForm } from './door.ts';
import { type Kit, missing, nameOf, startKit, until, uuidOf, type Window } from './kit.ts';

let kit: Kit;
let phone: Receiver;
let beat: ReturnType<typeof setInterval> | undefined;
const suiteOf = suite('dashboard: alerts');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  if (missing) return;
  phone = await receiver();
});
suiteOf.after.each(async () => {
  clearInterval(beat);
  await kit?.stop();
  await phone?.stop();
});

const call = (method: string, params: object = {}) =>
  kit.app.call(method, { token: kit.app.superToken, ...params });

test('from a fresh start to the first message and rules that tell it takes five clicks and one paste', async () => {
  kit = await startKit({ machines: 1, named: 0 });
  await behindForm(kit, '', {}, async ({ page, findings }) => {
    let clicks = 0;
    const click = (what: Locator) => {
      clicks++;
      return what.click();
    };
    await click(page.locator('.fleet-steps').getByRole('button', { name: 'Add a channel' }));
    await until(page, "document.activeElement?.closest('.alerts-paste') !== null");
    await page.getByLabel('Paste a URL').fill('hello world');
    await page.getByText(/^That is no address/).waitFor();
    await page.getByLabel('Paste a URL').fill(`${phone.url}/hook`);
    await click(page.getByRole('button', { name: 'Send a test' }));
    await page.getByText('Taken.').waitFor();
    assert.is(phone.got.length, 1);
    assert.equal(await findings(), []);
    await click(page.getByRole('button', { name: 'Save' }));
    await click(page.getByRole('button', { name: /^Send these \d+ rules to webhook$/ }));
    await page.getByText('Alerts are sent to webhook from now on.').waitFor();
    assert.ok(clicks <= 5, `${clicks} clicks`);
    await page
      .locator('.alerts-channel')
      .getByText(/^test taken .* ago$/)
      .waitFor();
    const [policy] = await call('alert_policy_list');
    assert.equal(policy.steps, [{ after_s: 0, channels: ['webhook'] }]);
    await page.getByRole('link', { name: 'Fleet' }).first().click();
    await page.locator('.fleet-steps .done', { hasText: 'Be told' }).waitFor();
  });
});

test('a newcomer makes a rule by clicks: disks of db-* for ten minutes, by mail, not at night', async () => {
  kit = await startKit({ machines: 8 });
  const config = {
    host: '127.0.0.1',
    security: 'none',
    from: 'svc@example.net',
    to: ['me@example.net'],
  };
  await call('channel_create', { channel: { name: 'mail', kind: 'smtp', config } });
  await kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.locator('.alerts-tile', { hasText: 'All disks of a machine' }).click();
    await page.getByText('Disk used above 90% for 5 min, until below 85%').waitFor();
    await page.getByLabel('Opens after it held for').selectOption('600');
    await page.getByText('Disk used above 90% for 10 min, until below 85%').waitFor();
    await page.getByRole('button', { name: 'Chosen ones' }).click();
    await page.getByRole('searchbox').fill('db-');
    await page.getByLabel('All 2', { exact: true }).check();
    await page.getByRole('button', { name: 'New way of telling' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('mail by day');
    await dialog.getByRole('button', { name: 'mail', exact: true }).click();
    await dialog.getByLabel(/^Not at night/).check();
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/mail at once; .*22:00–07:00 only critical/).waitFor();
    await page.getByText('Now true for 0 of 2').waitFor();
    await page.getByText(/^In the last .* of history it would not have opened once\.$/).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Disks of the databases');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.locator('.alerts-rule', { hasText: 'Disks of the databases' });
    await row.getByText('sends: mail by day').waitFor();
    const rule = await call('alert_rule_get', { name: 'Disks of the databases' });
    const dbs = [0, 1, 2, 3, 4, 5, 6, 7].filter((at) => nameOf(at).startsWith('db-'));
    assert.equal([...rule.scope.agents].sort(), dbs.map(uuidOf).sort());
    assert.is(rule.for_s, 600);
    const policies = await call('alert_policy_list');
    const { quiet } = policies.find(({ name }: { name: string }) => name === 'mail by day');
    assert.equal([quiet.from, quiet.to], ['22:00', '07:00']);
  }, 'alerts/rules');
});

/** Machines that report each half second, these with their processor at its limit. */
function busy(...which: readonly number[]): void {
  beat = setInterval(() => {
    for (const [at, machine] of kit.machines.entries())
      void machine.report(which.includes(at) ? { cpu_usage: 970 } : {});
  }, 500);
}

const BUSY = {
  name: 'Very busy',
  source: 'machine',
  scope: { all: true },
  condition: 'cpu_usage > 90',
  severity: 'critical',
};

test('an alert shows in the bell and the menu, is acknowledged with a note, and silenced after saying what that hides', async () => {
  kit = await startKit({ machines: 3 });
  await call('alert_rule_create', { rule: BUSY });
  await kit.using(async ({ page, findings }) => {
    await page.getByText('All 3 machines are well').waitFor();
    busy(1);
    const row = page.locator('.alerts-list > li', { hasText: 'Very busy' });
    await row.getByText('97 % (> 90 %)').waitFor();
    await page.locator('.rail .alert-count', { hasText: '1' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('.bottom .alert-count', { hasText: '1' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Alerts: 1 is open' }).click();
    await page.locator('.bell').getByRole('link', { name: 'db-2' }).waitFor();
    assert.equal(await findings(), []);
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('A backup runs');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await row.getByText('A backup runs').waitFor();
    await until(page, "!document.querySelector('.rail .alert-count')");
    await row.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('Hides 1 open alert now').waitFor();
    await dialog.getByLabel('Reason').fill('Backup night');
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await row.getByText(/Silenced until .*: Backup night/).waitFor();
    await until(page, "!document.querySelector('.top .alert-count')");
    await row.getByRole('link', { name: 'Very busy' }).click();
    await page.getByText(/was 97 % \(> 90 %\) when it opened/).waitFor();
    await page.locator('.alerts-timeline', { hasText: 'Acknowledged' }).waitFor();
    await page.getByLabel('Add a note').fill('It is the disk');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.alerts-timeline li', { hasText: 'It is the disk' }).waitFor();
    await page.getByRole('button', { name: 'End silence' }).click();
    await page.locator('.top .alert-count', { hasText: '1' }).waitFor();
    assert.equal(await findings(), []);
  }, 'alerts');
});

test('history is filtered by the address, and stays so', async () => {
  kit = await startKit({ machines: 3 });
  await call('alert_rule_create', { rule: BUSY });
  busy(0, 1);
  await kit.using(async ({ page }) => {
    const lines = page.locator('.alerts-event');
    await lines.nth(1).waitFor();
    await page.getByLabel('Machine').selectOption({ label: 'db-2' });
    await until(page, "document.querySelectorAll('.alerts-event').length === 1");
    await page.waitForURL(new RegExp(`machine=${uuidOf(1)}`));
    await page.reload();
    await lines.filter({ hasText: 'db-2' }).waitFor();
    assert.is(await lines.count(), 1);
    await page.getByLabel('What happened').selectOption('acked');
    await page.getByText('Nothing happened').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await lines.nth(1).waitFor();
  }, 'alerts/history');
});

test('a fault in a condition is marked at its place, and the name that was meant is a click away', async () => {
  kit = await startKit({ machines: 3 });
  await kit.using(async ({ page, findings }) => {
    await page.getByText('As text (CEL)').click();
    const field = page.getByLabel('Opens when');
    await field.fill('cpu_usag > 80');
    await page.locator('.code-field mark', { hasText: 'cpu_usag' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Use cpu_usage' }).click();
    await page.getByText('CPU above 80% for 5 min').waitFor();
    await field.fill('cpu_usage > 80 && load_one > 3');
    await page.getByText('This condition says more than the form can show.').waitFor();
    assert.is(await field.inputValue(), 'cpu_usage > 80 && load_one > 3');
    await page.getByText('Now true for 0 of 3 machines').waitFor();
    await page.getByLabel('Opens after it held for').selectOption('600');
    await page.getByText('CPU above 80% and load (1 min) above 3, for 10 min').waitFor();
    await page.getByLabel('Only names that begin with').fill('db-');
    assert.is(await field.inputValue(), 'cpu_usage > 80 && load_one > 3 && name.startsWith("db-")');
    // Only machines of such names count, and no name of the rule is needed for that.
    const dbs = [0, 1, 2].filter((at) => nameOf(at).startsWith('db-')).length;
    await page.getByText(new RegExp(`^Now true for 0 of ${dbs} machine`)).waitFor();
    await page.getByText(/^In the last .* it would not have opened once\.$/).waitFor();
    assert.is(
      await page.getByRole('button', { name: 'By name' }).getAttribute('aria-pressed'),
      'true',
    );
    await field.fill('cpu_usage > 80');
    await page.getByRole('textbox', { name: 'Value' }).fill('abc');
    await page.getByText('Write a number.').waitFor();
    await page.getByText('A value is no number.').waitFor();
    assert.is(await page.getByText('CPU above 80%').count(), 0);
    assert.equal(await findings(), []);
    await page.getByRole('textbox', { name: 'Value' }).fill('85');
    await page.getByText('CPU above 85% for 10 min').waitFor();
    await page.getByText('It needs a name.').waitFor();
  }, 'alerts/rules?new=blank');
});

test('addresses of rules and alerts that are not there say so, and lead back', async () => {
  kit = await startKit({ machines: 1 });
  await kit.using(async ({ page }) => {
    await page.getByText('Rule not found').waitFor();
    assert.is(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await page.getByRole('button', { name: 'To the rules' }).click();
    await page.waitForURL(/alerts\/rules$/);
  }, 'alerts/rules/new');
});

test('a window of each hour shows how often a day, and a cron that is corrected loses its fault', async () => {
  kit = await startKit({ machines: 1 });
  await kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'New window' }).click();
    const dialog = page.getByRole('dialog');
    const cron = dialog.getByLabel('As cron');
    await cron.fill('0 25 * * *');
    await dialog.locator('.hint.bad').waitFor();
    assert.is(await dialog.getByLabel('Begins').count(), 0);
    await dialog.getByLabel('Lasts').selectOption('1800');
    await cron.fill('0 * * * *');
    await dialog.getByText('24 times').first().waitFor();
    assert.is(await dialog.locator('.hint.bad').count(), 0);
    assert.equal(await findings(), []);
  }, 'alerts/silences');
});

test('a token that may only read alerts meets no button that it could not use', async () => {
  kit = await startKit({ machines: 3 });
  await call('alert_rule_create', { rule: BUSY });
  busy(1);
  const token = await kit.app.token([
    {
      scopes: [{ agent_uuid: uuidOf(1) }],
      permissions: [
        { alert: 'read' },
        { monitoring_uuid: 'list' },
        { dynamic_monitoring_summary: 'read' },
      ],
    },
  ]);
  await kit.using(
    async ({ page }) => {
      const row = page.locator('.alerts-list > li', { hasText: 'Very busy' });
      await row.waitFor();
      assert.is(await row.getByRole('button').count(), 0);
      const tabs = page.getByRole('tab');
      assert.equal(await tabs.allInnerTexts(), ['Now', 'History', 'Rules', 'Silences & windows']);
      await row.getByRole('link', { name: 'Very busy' }).click();
      await page.locator('.alerts-timeline').waitFor();
      assert.is(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0);
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await page
        .locator('.fleet-look')
        .getByRole('link', { name: /^Very busy/ })
        .click();
      await page.waitForURL(/alerts\/\d+$/);
    },
    'alerts',
    { token },
  );
});

test('a machine that falls silent is offline in the total, in the filter and on its card, without a report that says so', async () => {
  kit = await startKit({ machines: 1 });
  const beats = setInterval(() => void kit.machines[0]?.report({}), 500);
  const start = async ({ page }: Window) => {
    await page.clock.install();
    await page.reload();
    const total = page.locator('.fleet-total', { hasText: 'Machines online' });
    await total.getByText('all of them').waitFor();
    clearInterval(beats);
    await page.clock.runFor(200_000);
    await total.getByText('1 offline').waitFor();
    await page.locator('option', { hasText: 'Offline (1)' }).waitFor({ state: 'attached' });
    await page
      .locator('.fleet-card')
      .getByText(/^Offline for \d+ min$/)
      .waitFor();
  };
  await kit.using(start, '').finally(() => clearInterval(beats));
});

suiteOf.run();
