// proof only: 30
/** The runs of a job of 31 machines: who took part, what they measured, and who was away. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { behindForm, LANGUAGES, sideways } from './door.ts';
import { type Kit, missing, nameOf, startKit } from './kit.ts';
import { fired, measured, SILENT } from './probing.ts';

const MACHINES = 31;
const JOB = 'jobs/probe%201';
let kit: Kit;
const suiteOf = suite('dashboard: runs of a job');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: MACHINES });
  await measured(kit, MACHINES);
  await fired(kit, MACHINES);
});
suiteOf.after(() => kit?.stop());

test('a run of which some machines were away is incomplete and not failed, in the list and by itself', () =>
  behindForm(kit, 'jobs', {}, async ({ page, findings }) => {
    const row = page.getByRole('listitem').filter({ hasText: 'probe 1' });
    await row.getByRole('img', { name: 'one run, 1 incomplete' }).waitFor();
    assert.is(await row.locator('.jobs-dot.bad').count(), 0);
    await row.getByTitle(/· 28 of 31 machines$/).waitFor();
    await row.getByText('28 of 31 machines').waitFor();
    await row.getByRole('link', { name: 'probe 1' }).click();
    await page
      .locator('.jobs-firings .jobs-part')
      .getByText(/^27 of 31 machines/)
      .waitFor();
    assert.is(await page.locator('.jobs-dot.bad').count(), 0);
    assert.equal(await findings(), []);
  }));

test('a run is a sentence, then what failed, who was away, and the results folded, the slowest first', () =>
  behindForm(kit, JOB, {}, async ({ page, findings }) => {
    const run = page.locator('.jobs-firings > li').first();
    await run
      .getByText(
        /^27 of 31 machines, median \d\d\.\d ms, slowest \S+ \d\d\.\d ms; 1 failed, 3 away$/,
      )
      .waitFor();
    assert.equal(await run.locator('.jobs-records li').allInnerTexts(), [
      `${nameOf(SILENT)}\nno answer within 2 s`,
    ]);
    await run.getByText('Away: db-30, edge-31, web-29').waitFor();
    await run.getByText('27 results').click();
    const results = run.locator('.jobs-records').nth(1).locator('li');
    await results.first().waitFor();
    const lines = await results.allInnerTexts();
    assert.is(lines.length, 27);
    const values = lines.map((line) => Number(/(\S+) ms$/.exec(line)?.[1]));
    assert.equal(
      values,
      values.toSorted((a, b) => b - a),
    );
    assert.ok(
      lines.every((line) => /\n\d\d\.\d ms$/.test(line)),
      lines.join(' | '),
    );
    assert.equal(await findings(), []);
  }));

test('the machines of a job are folded where they are many', () =>
  behindForm(kit, JOB, {}, async ({ page }) => {
    const machine = page.getByRole('link', { name: 'build-4', exact: true });
    assert.not.ok(await machine.isVisible());
    await page.getByText('Show the 31 machines').click();
    await machine.waitFor();
  }));

test('the history of tasks leaves out what jobs made until it is asked for', () =>
  behindForm(kit, 'tasks/history', {}, async ({ page, findings }) => {
    await page.getByText('Nothing was run by hand. What jobs ran is hidden.').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Show what jobs ran' }).click();
    await page.waitForURL(/jobs=1/);
    await page.locator('[role=table][aria-rowcount="101"]').waitFor();
    await kit.app.sql(`update task set cron_source = null where id = (select min(id) from task)`);
    await page.getByLabel('Include what jobs ran').uncheck();
    await page.locator('[role=table][aria-rowcount="2"]').waitFor();
    await page.getByRole('searchbox', { name: 'Job' }).fill('probe 2');
    await page.keyboard.press('Enter');
    await page.locator('[role=table][aria-rowcount="101"]').waitFor();
    assert.is(await page.getByLabel('Include what jobs ran').count(), 0);
  }));

test('a server that cannot tell what jobs made gives all, and the page leaves them out', async () => {
  await behindForm(
    kit,
    'tasks/history',
    {
      before: (page) =>
        page.routeWebSocket(/rpc$/, (socket) => {
          const server = socket.connectToServer();
          socket.onMessage((text) => server.send(String(text).replaceAll('is_manual', 'is_what')));
        }),
    },
    async ({ page }) => {
      await page.locator('[role=table][aria-rowcount="2"]').waitFor();
    },
  );
});

for (const [at, language] of LANGUAGES.entries())
  test(`runs have their times and figures by the reader's clock, and nothing sticks out: ${language}`, () =>
    behindForm(
      kit,
      JOB,
      { language, width: at === 1 ? 1024 : 390, height: 844, dark: at === 2 },
      async ({ page, findings }) => {
        const summary = page.locator('.jobs-firings summary').first();
        await summary.waitFor();
        const text = await summary.innerText();
        assert.match(text, [/\d:\d\d:\d\d\sPM|AM/, /\d, \d\d:\d\d:\d\d/, /月\d+日/][at] as RegExp);
        assert.match(text, language === 'de-DE' ? /\d,\d ms/ : /\d\.\d ms/);
        assert.is(await sideways(page), 0);
        assert.equal(await findings(), []);
      },
    ));

suiteOf.run();
