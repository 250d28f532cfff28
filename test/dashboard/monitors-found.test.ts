// proof only: 20
/** Monitors in the search of the frame, and the line for a job on the page of a heartbeat. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { root } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';
import { lineOf } from './line.ts';
import { create } from './watched.ts';

let kit: Kit;
const suiteOf = suite('dashboard: monitors found');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1 });
  const spec = { host: '127.0.0.1', port: 9 };
  for (const name of ['mail cert', 'mail port'])
    await create(kit, { name, kind: 'tcp', spec, tags: ['post'], enable: false });
  await create(kit, { name: 'backup', kind: 'heartbeat', spec: { period_s: 3600 } });
});
suiteOf.after(() => kit?.stop());

const lines = '#palette-list [role=option]';

test('the search finds monitors by name, target and tag, and opens their pages', () =>
  kit.using(async ({ page, findings }) => {
    await page.locator('.fleet-card').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('mail');
    await page.getByRole('option', { name: 'mail cert' }).waitFor();
    assert.equal(await page.locator(lines).allInnerTexts(), ['mail cert\nMonitors', 'mail port']);
    assert.equal(await findings(), []);
    for (const word of ['127.0.0.1:9', 'post']) {
      await page.locator('.palette input').fill(word);
      assert.is(await page.locator(lines).count(), 2, word);
    }
    await page.locator('.palette input').fill('mail p');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'mail port' }).waitFor();
  }));

// biome-ignore format: one case per line
const readers: [who: string, limit: readonly object[], found: readonly string[]][] = [
  ['who may read none', [], []],
  ['who may read one', [{ scopes: [{ monitor: 'mail p*' }], permissions: [{ monitor: 'read' }] }], ['mail port\nMonitors']],
];
for (const [who, limit, found] of readers)
  test(`the search finds the monitors of ${who}, and asks for nothing that is refused`, async () => {
    const list = [{ monitoring_uuid: 'list' }, { dynamic_monitoring_summary: 'read' }];
    const limits = [{ scopes: ['global'], permissions: list }, ...limit];
    const token = await kit.app.token(limits as never);
    const line = lineOf();
    await kit.using(
      async ({ page }) => {
        await page.locator('.fleet-card').first().waitFor();
        await page.keyboard.press('Control+k');
        await page.keyboard.type('mail');
        await page.getByText(found[0] ? 'mail port' : 'No results.').waitFor();
        await line.quiet();
        assert.equal(await page.locator(lines).allInnerTexts(), found);
        assert.equal(line.refused, []);
      },
      '',
      { token, before: line.attach },
    );
  });

test('the line for the job is the one of the guide', () =>
  kit.using(async ({ page }) => {
    const guide = readFileSync(join(root, 'docs/guide/monitors.md'), 'utf8');
    const [line = ''] = /curl .*(?= https:)/.exec(guide) ?? [];
    assert.match(line, / -o \/dev\/null$/);
    const shown = await page.locator('.command code', { hasText: 'curl' }).innerText();
    assert.ok(shown.startsWith(`${line} http`), shown);
  }, 'monitors/backup'));

suiteOf.run();
