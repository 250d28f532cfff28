// proof only: 8
/** What machines are called in the dashboard until somebody names them, and for whom. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { reportHost } from './hosts.ts';
import { type Kit, missing, startKit, uuidOf, type Window } from './kit.ts';
import { lineOf } from './line.ts';

let kit: Kit;
const suiteOf = suite('dashboard: names of machines');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

/** The first is named by people; the last never sent a static report. */
const HOSTS = ['ns3021', 'kiosk', 'localhost', 'localhost'];
const [NAMED, KIOSK, TWIN] = [uuidOf(0), uuidOf(1), uuidOf(2)];
const list = { monitoring_uuid: 'list' };
const summary = { dynamic_monitoring_summary: 'read' };
const system = { static_monitoring: { read: 'system' } };
const names = { kv: { read: 'metadata_name' } };

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 5, named: 1 });
  for (const [at, host] of HOSTS.entries()) await reportHost(kit.app, uuidOf(at), host);
});
suiteOf.after(() => kit?.stop());

const shown = async ({ page }: Window): Promise<string[]> => {
  await page.locator('.fleet-card').first().waitFor();
  return page.locator('.fleet-card .fleet-name').allInnerTexts();
};
const SHORT = '00000000';
const TWINS = [`localhost (${SHORT})`, `localhost (${SHORT})`];

// biome-ignore format: one case per line
const readers: [name: string, limit: readonly unknown[] | undefined, names: readonly string[]][] = [
  ['the Super Token', undefined, ['kiosk', ...TWINS, 'web-1', SHORT]],
  ['who may read the reports of systems, and no names', [{ scopes: ['global'], permissions: [list, summary, system] }], ['kiosk', ...TWINS, 'ns3021', SHORT]],
  ['who may read names, and no reports', [{ scopes: ['global'], permissions: [list, summary, names] }], ['kiosk', ...TWINS, 'web-1', SHORT]],
  ['who may read neither', [{ scopes: ['global'], permissions: [list, summary] }], [SHORT, SHORT, SHORT, SHORT, SHORT]],
  ['who may read one of them', [{ scopes: ['global'], permissions: [list, summary] }, { scopes: [{ agent_uuid: KIOSK }], permissions: [system] }], ['kiosk', SHORT, SHORT, SHORT, SHORT]],
  ['a token without the right to list, of the machines that it names', [{ scopes: [{ agent_uuid: KIOSK }, { agent_uuid: NAMED }], permissions: [summary, system] }, { scopes: [{ kv_namespace: NAMED }], permissions: [names] }], ['kiosk', 'web-1']],
];

for (const [name, limit, expected] of readers)
  test(`what machines are called: ${name}`, async () => {
    const line = lineOf();
    const token = limit && (await kit.app.token(limit as never));
    await kit.using(
      async (window) => {
        await window.page.locator('.fleet-card').first().waitFor();
        await line.quiet();
        assert.equal(await shown(window), expected);
        assert.equal(line.refused, []);
      },
      '',
      { ...(token !== undefined && { token }), before: line.attach },
    );
  });

test('the palette finds a machine by its host name, also one that people named, and its page bears the name', () =>
  kit.using(async (window) => {
    const { page } = window;
    await shown(window);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ns3021');
    assert.equal(await page.locator('#palette-list [role=option]').allInnerTexts(), [
      'web-1\nMachines',
    ]);
    await page.locator('.palette input').fill('kiosk');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'kiosk' }).waitFor();
    await page.getByRole('button', { name: 'Change the name' }).click();
    assert.is(await page.locator('.agent-name input').inputValue(), 'kiosk');
  }));

test('the token of one machine is called by that machine, whatever form its limit has', async () => {
  const report = { dynamic_monitoring_summary: 'write' };
  await kit.app.token([
    { scopes: [{ agent_uuid: KIOSK }], permissions: [report] },
    { scopes: [{ kv_namespace: KIOSK }], permissions: [names] },
  ] as never);
  await kit.app.call('token_create', [
    kit.app.superToken,
    {
      username: `[agent]:${TWIN}`,
      password: 'a long password',
      token_limit: [{ scopes: ['global'], permissions: [report] }],
    },
  ]);
  await kit.using(async ({ page }) => {
    await page.locator('.tokens-name', { hasText: /^kiosk$/ }).waitFor();
    await page.locator('.tokens-name', { hasText: /^localhost \(00000000\)$/ }).waitFor();
    await page.locator('.tokens-name', { hasText: /^kiosk$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'kiosk' }).waitFor();
    // Nobody logs in with a user name that has a colon.
    await page.goBack();
    await page.locator('.tokens-name', { hasText: /^localhost \(00000000\)$/ }).click();
    await page.getByRole('button', { name: 'New secret' }).waitFor();
    assert.is(await page.getByRole('button', { name: 'Change password' }).count(), 0);
  }, 'tokens');
});

test('the record of changes calls a machine by its name', () =>
  kit.using(async ({ page }) => {
    const row = page.locator('.server-audit li', { hasText: 'kv_create' }).first();
    await row.waitFor();
    assert.match(await row.innerText(), /web-1/);
  }, 'server/audit'));

test('a changed host name follows, and nothing is stored for it', async () => {
  await reportHost(kit.app, KIOSK, 'kiosk-2');
  await kit.using(async (window) => assert.ok((await shown(window)).includes('kiosk-2')));
  const keys = await kit.app.call('kv_get_multi_value', {
    token: kit.app.superToken,
    namespace_key: [{ namespace: KIOSK, key: '*' }],
  });
  assert.equal(keys, []);
});

test('the form of a public page offers names that people gave, says why no host name, and what its address will be', () =>
  kit.using(async ({ page }) => {
    await page.getByRole('button', { name: /^Add \d machines$/ }).click();
    const offered = page.getByLabel('Public name');
    await offered.nth(4).waitFor();
    const names = await offered.evaluateAll((all: any[]) => all.map(({ value }) => value));
    assert.equal(names, ['Machine 1', 'Machine 2', 'Machine 3', 'web-1', 'Machine 5']);
    await page.getByText(/^The name that a system gives itself is never shown publicly/).waitFor();
    await page.getByLabel('Address', { exact: true }).fill('main');
    await page.getByText(`${kit.app.url}/svc/status/main`).waitFor();
  }, 'server/status?new=1'));

test('a public page never tells a host name', async () => {
  const { app } = kit;
  const entries = [NAMED, KIOSK].map((agent, at) => ({ name: `Machine ${at + 1}`, agent }));
  const page = { title: 'Example', entries };
  await app.call('status-page_create', { token: app.superToken, slug: 'main', page });
  for (const path of ['', '.json', '/feed.atom', '/badge.svg']) {
    const answer = await fetch(`${app.url}/svc/status/main${path}`);
    const text = await answer.text();
    assert.not.match(text, /kiosk|ns3021|localhost"/, path);
    if (path === '') assert.match(text, /Machine 2/);
  }
});

suiteOf.run();
