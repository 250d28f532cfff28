// proof only: 20
/** The first page of a fresh server: what its owner does next, until it is done or nobody wants it. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { reportHost } from './hosts.ts';
import { FAR_NAME, type Kit, logIn, machineOf, missing, startKit, uuidOf } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard: next steps');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1, named: 0 });
  await reportHost(kit.app, uuidOf(0), 'kiosk');
});
suiteOf.after.each(() => kit?.stop());

const STEPS = [
  'Add a second machine',
  'Name this machine',
  'Decide how long history is kept',
  'Watch a URL',
  'Be told: add a channel',
  'Make a status page',
];
/** What the dialog that adds a machine says. */
const WORDS = {
  'en-GB': {
    add: 'Add a machine',
    make: 'Create the command',
    key: /^--key is the fingerprint of the key .* compare it with this one\.$/,
    way: /^This command goes over plain http:\/\/\./,
    ends: /^Your token ends at .* Machines added with this command stop reporting then, too\./,
  },
  'zh-CN': {
    add: '添加主机',
    make: '生成命令',
    key: /^--key 是本服务器签名密钥的指纹/,
    way: /^此命令使用不加密的 http:\/\//,
    ends: /^您的令牌将于 .* 失效，用此命令添加的主机届时也会停止上报/,
  },
};
const root = () => ({ token: kit.app.superToken });

test('each step is done where it stands, and the steps go when all are', () =>
  kit.using(
    async ({ page }) => {
      await logIn(page, root());
      const steps = page.locator('.fleet-steps');
      await steps.waitFor();
      assert.equal(await steps.locator('strong').allInnerTexts(), STEPS);
      await steps.getByRole('button', { name: 'Name kiosk' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Front desk');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.fleet-card', { hasText: 'Front desk' }).waitFor();
      assert.is(await steps.locator('.done').count(), 1);
      await steps.getByRole('button', { name: 'Set limits' }).click();
      await page.getByRole('tab', { name: 'Retention' }).waitFor();
      // The click has decided nothing: the step stays, and leads there again.
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await page.locator('.fleet-steps').waitFor();
      assert.is(await steps.locator('.done').count(), 1);
      await steps.getByRole('button', { name: 'Set limits' }).click();
      await page.getByLabel('Keep: Summaries').selectOption('30');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('The limits are saved.').waitFor();
      const inited = { ...root(), namespace: 'global', key: 'inited' };
      assert.equal(
        await kit.app.call('kv_list_all_namespace', root()),
        ['global', uuidOf(0)].sort(),
      );
      assert.is(await kit.app.call('kv_get_value', inited), null);
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await steps.getByRole('button', { name: 'New monitor' }).click();
      await page.getByLabel('URL, host:port or name').waitFor();
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await steps.getByRole('button', { name: 'Make a page' }).click();
      await page.waitForURL(/server\/status\?new=1/);
      const config = { url: 'http://127.0.0.1:9/hook' };
      const channel = { name: 'hook', kind: 'webhook', config };
      await kit.app.call('channel_create', { ...root(), channel });
      const monitor = { name: 'shop', kind: 'http', spec: { url: 'http://127.0.0.1:9/' } };
      await kit.app.call('monitor_create', { ...root(), monitor });
      const body = { title: 'Example', entries: [{ name: 'Desk', agent: uuidOf(0) }] };
      await kit.app.call('status-page_create', { ...root(), slug: 'main', page: body });
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await steps.locator('.done').nth(4).waitFor();
      await machineOf(kit.app, await kit.app.connect(), 1).report();
      await page.reload();
      await page.locator('.fleet-card').nth(1).waitFor();
      await page.waitForLoadState('networkidle');
      assert.is(await steps.count(), 0);
    },
    '',
    { token: null },
  ));

test('the steps stand above the cards, and keeping the default is a decision, too', () =>
  kit.using(async ({ page, findings }) => {
    const steps = page.locator('.fleet-steps');
    await steps.waitFor();
    const top = async (selector: string) => (await page.locator(selector).boundingBox())!.y;
    assert.ok((await top('.fleet-steps')) < (await top('.fleet-card')));
    assert.equal(await findings(), []);
    await steps
      .getByText(
        /^Until you decide, this server keeps the last 14 days, in at most 20 GB or a fifth/,
      )
      .waitFor();
    await steps.getByRole('button', { name: 'Keep the default' }).click();
    await steps.locator('.done', { hasText: 'Decide how long' }).waitFor();
    await page.reload();
    await steps.locator('.done', { hasText: 'Decide how long' }).waitFor();
  }));

test('steps that were hidden stay hidden on this device', () =>
  kit.using(async ({ page }) => {
    await page.getByRole('button', { name: 'Hide the next steps' }).click();
    assert.is(await page.locator('.fleet-steps').count(), 0);
    await page.reload();
    await page.locator('.fleet-card').waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.locator('.fleet-steps').count(), 0);
  }));

for (const [machines, where] of [
  [0, 'of an empty fleet'],
  [1, 'among the next steps'],
] as const)
  test(`the button ${where} goes with the machine that it adds, and its dialog says that it has connected`, async () => {
    await kit.stop();
    kit = await startKit({ machines, named: 0 });
    await kit.using(async ({ page }) => {
      const box = machines === 0 ? page.locator('.empty') : page.locator('.fleet-steps');
      await box.getByRole('button', { name: 'Add a machine' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create the command' }).click();
      const line = (await dialog.locator('.command code').first().textContent()) ?? '';
      await dialog.getByText(/this command works on this one only/).waitFor();
      const body = `code=${line.split(' ').at(-3)}`;
      const given = await kit.app.fetch('/svc/enrol/exchange', { method: 'POST', body });
      const [, uuid] = /^agent_uuid = "(.*)"$/m.exec(await given.text()) ?? [];
      const over = { uuid } as unknown as Record<string, number>;
      await machineOf(kit.app, await kit.app.connect(), 1).report(over);
      await page.locator('.fleet-card').nth(machines).waitFor();
      await dialog.getByText('Connected:').waitFor();
      assert.is(await dialog.getByText(/this command works on this one only/).count(), 0);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await dialog.waitFor({ state: 'detached' });
    });
  });

/** What enrolling takes, in the scope global. */
const ENROLS = [
  { token: 'create' },
  { static_monitoring: 'write' },
  { dynamic_monitoring: 'write' },
  { dynamic_monitoring_summary: 'write' },
  { task: 'listen' },
  { task: { write: '*' } },
  { kv: { write: 'agent_*' } },
];
const YEAR_MS = 365 * 86_400_000;

for (const [language, width] of [
  ['en-GB', 1440],
  ['en-GB', 390],
  ['zh-CN', 1440],
  ['zh-CN', 390],
] as const)
  test(`a command over plain http by a token that ends is shown whole, with its key and what to know (${language}, ${width} px)`, async () => {
    const words = WORDS[language];
    const app = { ...kit.app, url: kit.app.url.replace('127.0.0.1', FAR_NAME) };
    const end = { timestamp_to: Date.now() + YEAR_MS };
    const token = await kit.app.token([{ scopes: ['global'], permissions: ENROLS }], end);
    await kit.using(
      async ({ page, findings }) => {
        await page.getByRole('button', { name: words.add }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: words.make }).click();
        const command = dialog.locator('.command code').first();
        const line = (await command.textContent()) ?? '';
        assert.match(line, `${app.url}/svc/enrol/install`);
        assert.ok(line.endsWith(` --key ${await dialog.locator('.fingerprint').textContent()}`));
        for (const text of [words.key, words.way, words.ends])
          await dialog.getByText(text).waitFor();
        assert.equal(await findings(), []);
        for (const box of [command, dialog])
          assert.is(await box.evaluate((one: any) => one.scrollWidth - one.clientWidth), 0);
      },
      '',
      { app, language, width, token },
    );
  });

test('a command within the machine by a token that stays has its key, and no warning of the way or of an end', () =>
  kit.using(async ({ page }) => {
    const words = WORDS['en-GB'];
    await page.getByRole('button', { name: words.add }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: words.make }).click();
    await dialog.getByText(words.key).waitFor();
    assert.is(await dialog.getByText(words.way).count(), 0);
    assert.is(await dialog.getByText(words.ends).count(), 0);
  }));

test('the server page does not ask for a namespace', () =>
  kit.using(async ({ page }) => {
    await page.locator('.server-plugins').waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.getByText('kv_create').count(), 0);
  }, 'server'));

suiteOf.run();
