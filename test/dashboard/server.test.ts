// proof only: 12
/** The page of the server in a browser: what it is, its log, its configuration and the record of changes. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { behindForm, LANGUAGES, sideways } from './door.ts';
import { type Kit, missing, startKit, until } from './kit.ts';
import { lineOf } from './line.ts';

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
    await page.getByText(/^[\d.]+ ms$/).waitFor();
    const storage = page.locator('.server-storage');
    assert.match(await storage.innerText(), /Reports\n.* KiB/);
    await page.getByText('server-info', { exact: true }).waitFor();
    assert.equal(await findings(), []);
  }, 'server'));

for (const language of LANGUAGES)
  for (const width of [1440, 390])
    test(`the time of a line of the log stands on one line: ${language}, ${width} px`, () =>
      behindForm(kit, 'server/log', { language, width, height: 844 }, async ({ page }) => {
        const time = page.locator('.server-log time').first();
        await time.waitFor();
        assert.match(await time.innerText(), language === 'en-US' ? /[AP]M$/ : /^\d\d:\d\d:\d\d$/);
        const found = await page.evaluate(`(() => {
          const box = document.querySelector('.server-log time');
          const words = document.createRange();
          words.selectNodeContents(box);
          const next = box.nextElementSibling.getBoundingClientRect();
          return [words.getClientRects().length, words.getBoundingClientRect().right <= next.left];
        })()`);
        assert.equal(found, [1, true]);
        assert.is(await sideways(page), 0);
      }));

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

test('keys that change in the file only are told with the reason, and a draft that changes one cannot be saved', () =>
  kit.using(async ({ page, findings }) => {
    const file = page.getByLabel('TOML');
    const text = await file.inputValue();
    const keys = page.getByRole('list', { name: 'Read-only here' });
    await keys.getByText('database.database_url', { exact: true }).waitFor();
    assert.not((await keys.allInnerTexts()).join(' ').includes('ws_listener'));
    const review = page.getByRole('button', { name: 'Review and save' });
    await file.fill(text.replace(/^static_path = .*$/m, 'static_path = "/etc"'));
    await page.getByText('Change static_path in the file on the machine.').waitFor();
    assert.ok(await review.isDisabled());
    assert.equal(await findings(), []);
    // A key that does not stand there yet: the server refuses it.
    await file.fill(`${text}\n[enrol]\nurl = "http://evil.example"\n`);
    await review.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const said =
      "Not from here: enrol.url. Change it in the configuration file on the server's machine; nothing was saved.";
    await dialog.getByRole('alert').getByText(said, { exact: true }).waitFor();
  }, 'server/configuration'));

test('what a change leaves for a restart is said at once', () =>
  kit.using(async ({ page }) => {
    const file = page.getByLabel('TOML');
    const text = await file.inputValue();
    const save = async (changed: string) => {
      await file.fill(changed);
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await save(`shutdown_timeout_ms = 4242\n${text}`);
    const note = page.getByRole('status').filter({ hasText: 'until the server is restarted' });
    await note.waitFor();
    assert.match(await note.innerText(), /shutdown_timeout_ms/);
    await save(text);
    await note.waitFor({ state: 'detached' });
    await save(`shutdown_timout_ms = 4242\n${text}`);
    const unknown =
      "unknown configuration key 'shutdown_timout_ms' ignored; did you mean 'shutdown_timeout_ms'?";
    await page.getByText(unknown).waitFor();
    assert.is(await note.count(), 0);
    await save(text);
    await page.getByText(unknown).waitFor({ state: 'detached' });
  }, 'server/configuration'));

test('what is kept is shown by table, and a time of its own is set, seen and taken back', () =>
  kit.using(async ({ page, findings }) => {
    const summaries = page.getByLabel('Keep: Summaries');
    assert.match(await summaries.locator('option').first().innerText(), /^By the rule: 14 d$/);
    // Its size comes with an answer of its own.
    await page.locator('.server-kept > li', { hasText: /^Summaries.*\d KiB/ }).waitFor();
    assert.equal(await findings(), []);
    await summaries.selectOption('7');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Summaries: By the rule: .* → 7 d$/).waitFor();
    await dialog.getByText(/deleted within minutes and for good/).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const key = 'database_limit_dynamic_monitoring_summary';
    const of = { token: kit.app.superToken, namespace: 'global', key };
    assert.is(await kit.app.call('kv_get_value', of), 604_800_000);
    await page.reload();
    assert.is(await summaries.inputValue(), '7');
    await summaries.selectOption('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/^Summaries: 7 d → By the rule: .*$/).waitFor();
    assert.is(await dialog.getByText(/deleted within minutes/).count(), 0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.is(await kit.app.call('kv_get_value', of), null);
  }, 'server/retention'));

test('a size that the server has not told is no zero', async () => {
  const line = lineOf();
  line.fail('the disk is slow', 'svc-server_database_storage');
  const { page, problems, close } = await kit.open('server/retention', { before: line.attach });
  try {
    const summaries = page.locator('.server-kept > li', { hasText: /^Summaries/ });
    await summaries.waitFor();
    await line.quiet();
    assert.is(await summaries.locator('.num').innerText(), '–');
    assert.equal(problems, []);
  } finally {
    await close();
  }
});

test('a rule of the file is one changed line, which is shown before it is saved', () =>
  kit.using(async ({ page }) => {
    await page.getByLabel('Everything without its own time, days').fill('30');
    await page.getByLabel('Events, days').fill('30');
    assert.ok(await page.getByLabel('Audit, days').isDisabled());
    await page.getByText('so that a stolen login cannot shorten it').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    const added = (await dialog.locator('.added code').allInnerTexts()).filter((line) => line);
    assert.equal(added, ['[retention]', 'keep_days = 30', '[agent-events]', 'keep_days = 30']);
    // Events are shortened from 90 days.
    await dialog.getByText(/deleted within minutes/).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('By the rule: 30 d').first().waitFor({ state: 'attached' });
    assert.match(
      await kit.app.call('svc-server_read_config', { token: kit.app.superToken }),
      /\[retention\]\nkeep_days = 30\n/,
    );
  }, 'server/retention'));

for (const [field, longer, shorter] of [
  ['Charts by the minute, days', '365', '7'],
  ['Events, days', '365', '5'],
  ['Disk for all of it', 'none', '1 GB'],
] as const)
  test(`only a rule that keeps less warns of what is deleted: ${field}`, () =>
    kit.using(async ({ page }) => {
      for (const [value, warnings] of [
        [longer, 0],
        [shorter, 1],
      ] as const) {
        await page.getByLabel(field).fill(value);
        await page.getByRole('button', { name: 'Review and save' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('.added code').first().waitFor();
        assert.is(await dialog.getByText(/deleted within minutes/).count(), warnings, value);
        await dialog.getByRole('button', { name: 'Cancel' }).click();
      }
    }, 'server/retention'));

test('a status page is made, seen by everybody, given an incident, and comes back after it was deleted', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByText('Nothing is public until you make one.').waitFor();
    await page.getByRole('button', { name: 'New page' }).click();
    await page.getByLabel('Address', { exact: true }).fill('No good');
    await page.getByText(/single hyphens between them/).waitFor();
    await page.getByLabel('Address', { exact: true }).fill('main');
    await page.getByLabel('Title', { exact: true }).fill('Example status');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByLabel('Public name').fill('The website');
    await page.getByLabel('Group').fill('Servers');
    await page.getByLabel('Link colour').fill('#0a7d5a');
    await page.getByLabel('Logo').setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>',
      ),
    });
    await page.locator('.server-logo').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL('**/server/status/main');
    await page.getByRole('button', { name: 'Add an incident' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title', { exact: true }).fill('New power supply');
    await dialog.getByLabel('Impact').selectOption('maintenance');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const incidents = page.getByRole('list', { name: 'Incidents' });
    await incidents.getByText(/^since /).waitFor();
    await incidents.getByRole('button', { name: 'Resolve' }).click();
    await incidents.getByText(/ – /).waitFor();
    assert.equal(await findings(), []);
    const publicPage = async () => await (await fetch(`${kit.app.url}/svc/status/main`)).text();
    assert.match(await publicPage(), /The website/);
    assert.match(await publicPage(), /New power supply/);
    await page.getByRole('button', { name: 'Delete the page' }).click();
    await dialog.getByText(/^\/svc\/status\/main stops answering/).waitFor();
    await dialog.getByRole('button', { name: 'Delete the page' }).click();
    await page.waitForURL('**/server/status');
    assert.is((await fetch(`${kit.app.url}/svc/status/main`)).status, 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL('**/server/status/main');
    await incidents.getByText('New power supply').waitFor();
  }, 'server/status'));

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

test('on a phone the tab of the address is in the window', () =>
  kit.using(
    async ({ page }) => {
      const tab = page.getByRole('tab', { name: 'Audit' });
      await tab.waitFor();
      // It is scrolled there after it is drawn.
      const end =
        "document.querySelector('[role=tab][aria-selected=true]').getBoundingClientRect().right";
      await until(page, `${end} <= 390`);
    },
    'server/audit',
    { width: 390, height: 844 },
  ));

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
