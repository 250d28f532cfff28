// proof only: 12
/** The page of probes in a browser: the heat map, the curves behind it, and what is slower than usual. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit, uuidOf } from './kit.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const T = Date.now();

let kit: Kit;
const suiteOf = suite('dashboard probes');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (!missing) kit = await startKit({ machines: 3 });
});
suiteOf.after(() => kit?.stop());

/** No test ends with a problem that it did not mean to cause. */
/** Probes of the last hour and of the same hour of three days before. Machine 1 is slow today; machine 2 loses some. */
async function measure(): Promise<void> {
  const rows: string[] = [];
  const add = (at: number, type: string, target: string, time: number, ms: number | null) =>
    rows.push(
      `(x'${uuidOf(at).replaceAll('-', '')}', 'x', ${time}, ${ms !== null}, '${JSON.stringify({ [type]: target })}',
        ${ms === null ? 'null' : `'${JSON.stringify({ [type]: ms })}'`}, '${type}', ${time})`,
    );
  for (let day = 0; day < 4; day++)
    for (let minute = 1; minute < 60; minute += 2) {
      const time = T - day * DAY - minute * MINUTE;
      add(0, 'ping', '192.0.2.7', time, 20);
      add(1, 'ping', '192.0.2.7', time, day === 0 ? 80 : 20);
      add(2, 'tcp_ping', 'example.org:443', time, minute % 10 === 1 ? null : 12.5);
    }
  await kit.app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, type_name, created_at)
    values ${rows.join(', ')}`);
}

test('without probes there is the command that makes one', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByText('No probes yet').waitFor();
    await page.getByText('npx svc call crontab_create').waitFor();
    assert.equal(await findings(), []);
  }, 'probes'));

// What follows has something to show.
suiteOf('three days of probes are written', () => (missing ? undefined : measure()));

for (const dark of [false, true])
  test(`cells say latency and loss, and what is slower than in the same hour of other days (${dark ? 'dark' : 'light'})`, () =>
    kit.using(
      async ({ page, findings }) => {
        const cell = (name: string) => page.getByRole('button', { name });
        await cell('web-1 → 192.0.2.7: 20 ms').waitFor();
        await cell('edge-3 → example.org:443: 13 ms 20% lost').waitFor();
        const slow = cell('db-2 → 192.0.2.7: 80 ms Slower than usual');
        await slow.waitFor();
        assert.match(String(await slow.getAttribute('title')), 'slower than the usual 20.0 ms');
        await page.getByLabel('What is shown').selectOption('loss');
        await cell('edge-3 → example.org:443: 20%').waitFor();
        assert.equal(await findings(), []);
      },
      'probes',
      { dark },
    ));

test('a cell opens its percentiles and curves, a target compares its machines, and the address has it', () =>
  kit.using(async ({ page }) => {
    await page.getByRole('button', { name: 'web-1 → 192.0.2.7' }).click();
    const detail = page.getByRole('region', { name: 'web-1 → 192.0.2.7' });
    await detail.locator('canvas').first().waitFor();
    for (const label of ['Median', 'p95', 'p99', 'Usual'])
      await detail.locator('dt', { hasText: label }).waitFor();
    assert.match(page.url(), `machine=${uuidOf(0)}`);
    await page.getByTitle('Compare all machines: 192.0.2.7').click();
    const all = page.getByRole('region', { name: '192.0.2.7', exact: true });
    const entries = all.locator('.chart-legend').first().locator('li');
    await entries.nth(1).waitFor();
    assert.equal(await entries.allTextContents(), ['db-280.0 ms', 'web-120.0 ms']);
    assert.match(String(await all.getByRole('row').nth(1).textContent()), /^db-20%80\.0 ms/);
    await page.goBack();
    await detail.waitFor();
  }, 'probes'));

test('the page of a machine has its probes, with loss where some were lost', () =>
  kit.using(
    async ({ page, findings }) => {
      await page.getByRole('heading', { name: 'example.org:443' }).waitFor();
      await page.getByTitle('6 of 30 lost').waitFor();
      await page.getByRole('figure', { name: 'Loss' }).locator('canvas').waitFor();
      assert.equal(await findings(), []);
    },
    `agent/${uuidOf(2)}/probes`,
  ));

test('a token for one kind of probe sees these, and without any one sentence says what is missing', async () => {
  const scopes = [0, 1, 2].map((at) => ({ agent_uuid: uuidOf(at) }));
  const one = await kit.app.token([
    { scopes: ['global'], permissions: [{ task: { read: 'ping' } }] },
  ]);
  await kit.using(
    async ({ page }) => {
      await page.getByRole('button', { name: '192.0.2.7: 20 ms' }).first().waitFor();
      assert.is(await page.getByText('example.org').count(), 0);
    },
    'probes',
    { token: one },
  );
  const none = await kit.app.token([{ scopes, permissions: [{ kv: { read: 'x' } }] }]);
  await kit.using(
    async ({ page }) => {
      await page.getByText('this page needs: task read').waitFor();
    },
    'probes',
    { token: none },
  );
});

test('a phone scrolls the heat map inside of its frame', () =>
  kit.using(
    async ({ page, findings }) => {
      await page.locator('.probes-cell').first().waitFor();
      assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'));
      assert.equal(await findings(), []);
    },
    'probes',
    { width: 390, height: 844, language: 'zh-CN' },
  ));

suiteOf.run();
