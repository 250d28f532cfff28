// proof only: 15
/** Two real agents beside simulated machines: what they say of this machine is on the pages, as it is. */
import { hostname, totalmem } from 'node:os';
import * as assert from 'uvu/assert';
import type { Running } from '../agent-program-process.ts';
import { stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, startTaskAgent } from './agent.ts';
import { type Kit, missing, nameOf, startKit, until } from './kit.ts';

const OTHER = '1c7a9d20-5b1e-4f3a-8a44-0d9f6a2b7c33';
const THIRD = '7e0c5d14-92b3-4b86-9d0e-3f6a1c58e242';
const NAMES = { [AGENT]: 'real-1', [OTHER]: 'real-2' };

const suiteOf = suite('dashboard: real agents');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);
let kit: Kit;
const agents: Running[] = [];

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 20 });
  const { app } = kit;
  for (const [uuid, name] of Object.entries(NAMES)) {
    agents.push(await startTaskAgent(app, uuid));
    await app.call('kv_create', [app.superToken, uuid]);
    await app.call('kv_set_value', [app.superToken, uuid, 'metadata_name', name]);
  }
});
suiteOf.after(async () => {
  for (const agent of agents) await stopAgent(agent);
  await kit?.stop();
});

test('both stand among the others with figures of this machine that go on', () =>
  kit.using(async ({ page }) => {
    await page
      .getByRole('link', { name: nameOf(0), exact: true })
      .first()
      .waitFor();
    for (const name of Object.values(NAMES)) {
      const card = page.locator('.fleet-card', { has: page.getByText(name, { exact: true }) });
      await card
        .getByText(/\d+ ?%/)
        .first()
        .waitFor();
      await card
        .getByTitle(/GiB of .*GiB/)
        .first()
        .waitFor();
    }
  }));

test('the page of one has its charts, facts and exact memory', async () => {
  await kit.using(async ({ page }) => {
    const memory = page.getByRole('figure', { name: 'Memory', exact: true }).first();
    await memory.locator('canvas').waitFor();
    await page.getByRole('region', { name: 'Cores' }).scrollIntoViewIfNeeded();
    await page.getByRole('region', { name: 'Cores' }).locator('canvas').first().waitFor();
  }, `agent/${AGENT}/charts?range=5m`);
  await kit.using(async ({ page }) => {
    await page.getByText('GiB').first().waitFor();
    const exact = new Intl.NumberFormat('en-GB').format(totalmem());
    await until(page, `document.body.innerHTML.includes('${exact}')`);
  }, `agent/${AGENT}`);
});

test('a command on both is answered side by side', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByLabel('What to run').selectOption('execute');
    for (const name of Object.values(NAMES)) await page.getByRole('checkbox', { name }).check();
    await page.getByLabel('Command line').fill('echo from-$((40+2))');
    const run = { name: 'Run on 2 machines' };
    await page.getByRole('button', run).click();
    await page.getByRole('dialog').getByRole('button', run).click();
    await page.getByText('2 of 2 answered').waitFor();
    for (const name of Object.values(NAMES))
      await page.getByRole('article', { name }).getByText('from-42').waitFor();
    assert.equal(await findings(), []);
  }, 'tasks'));

test('one that nobody named comes into the open fleet under its host name', () =>
  kit.using(async ({ page }) => {
    await page.locator('.fleet-card').first().waitFor();
    const uuids = page.locator('.fleet-name', { hasText: THIRD.slice(0, 8) });
    agents.push(await startTaskAgent(kit.app, THIRD));
    const name = page.locator('.fleet-card .fleet-name').getByText(hostname(), { exact: true });
    await name.waitFor();
    assert.is(await uuids.count(), 0);
  }));

suiteOf.run();
