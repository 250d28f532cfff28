// proof only: 90
/** Monitors as people meet them: watched from one field, told when it breaks, and a list that bears a thousand. */
import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type Receiver, receiver } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { behindForm } from './door.ts';
import { type Kit, missing, startKit, until, uuidOf } from './kit.ts';
import { create, type Site, site } from './watched.ts';

let kit: Kit;
let phone: Receiver;
let shop: Site;
const suiteOf = suite('dashboard: monitors');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before.each(async () => {
  if (missing) return;
  phone = await receiver();
  shop = await site();
});
suiteOf.after.each(async () => {
  await kit?.stop();
  await phone?.stop();
  await shop?.stop();
});

const call = (method: string, params: object = {}) =>
  kit.app.call(method, { token: kit.app.superToken, ...params });

test('from a fresh start to a watched page and a message when it breaks takes six clicks', async () => {
  kit = await startKit({ machines: 1, named: 0 });
  await behindForm(kit, '', {}, async ({ page, findings }) => {
    let clicks = 0;
    const click = (what: Locator) => {
      clicks++;
      return what.click();
    };
    await click(page.locator('.fleet-steps').getByRole('button', { name: 'Add a channel' }));
    await page.getByLabel('Paste a URL').fill(`${phone.url}/hook`);
    await click(page.getByRole('button', { name: 'Save' }));
    await click(page.getByRole('button', { name: /^Send these \d+ rules to webhook$/ }));
    await click(page.locator('.rail').getByRole('link', { name: 'Monitors' }));
    await page.getByLabel('URL, host:port or name').fill(shop.url);
    assert.equal(await findings(), []);
    await click(page.getByRole('button', { name: 'Save' }));
    await page.locator('.monitors-verdict', { hasText: 'Up' }).waitFor();
    assert.equal(await findings(), []);
    assert.ok(clicks <= 6, `${clicks} clicks`);
    const [{ name }] = (await call('monitor_list')).monitors;
    await call('monitor_update', { name, change: { retries: 0 } });
    shop.status = 503;
    await call('monitor_check_now', { name });
    await page.locator('.monitors-verdict', { hasText: 'Down' }).waitFor();
    await page.locator('.open-alerts', { hasText: 'Monitor down' }).waitFor();
    for (const end = Date.now() + 15_000; phone.got.length === 0 && Date.now() < end; )
      await page.waitForTimeout(50);
    assert.match(JSON.stringify(phone.got), /503/);
    await page.locator('.open-alerts').getByRole('link', { name: 'Monitor down' }).click();
    await page.locator('.alerts-facts', { hasText: 'when it opened: answered 503' }).waitFor();
    await page.locator('.rail').getByRole('link', { name: 'Fleet' }).click();
    await page.locator('.fleet-look').getByRole('link', { name }).waitFor();
  });
});

test('the one field guesses the kind, Try tells what a failing answer says, and a wrong condition is marked', async () => {
  kit = await startKit({ machines: 1 });
  await kit.using(async ({ page, findings }) => {
    const field = page.getByLabel('URL, host:port or name');
    const isKind = (kind: string) =>
      page.locator('.monitors-chip[aria-pressed=true]', { hasText: kind }).waitFor();
    for (const [text, kind] of [
      ['https://example.net/a', 'Web page'],
      ['example.net', 'Ping'],
      ['example.net/a', 'Web page'],
      ['tls:example.net:993', 'Certificate'],
      ['dns:example.net', 'DNS'],
      ['domain:example.net', 'Domain'],
      ['db-1:5432', 'Port'],
      ['192.0.2.1', 'Ping'],
      ['db-1', 'Ping'],
      [`${shop.url}/503`, 'Web page'],
    ] as const) {
      await field.fill(text);
      await isKind(kind);
    }
    await field.fill('localhost:99999');
    await page.locator('.monitors-one', { hasText: '“99999” is no port' }).waitFor();
    await page.getByText('Still needed: ').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    assert.equal(await findings(), []);
    await field.fill(`${shop.url}/503`);
    await page.getByRole('button', { name: 'Try' }).click();
    await page.locator('.monitors-result.bad', { hasText: '503' }).waitFor();
    assert.equal(await findings(), []);
    await page.getByText('When it is good').click();
    const condition = page.getByLabel('Condition');
    await condition.fill('statu == 503');
    await page.locator('.code-field mark', { hasText: 'statu' }).waitFor();
    await condition.fill('status == 503');
    await until(page, "document.querySelector('.code-field mark') === null");
    await page.getByRole('button', { name: 'Try' }).click();
    await page.locator('.monitors-result:not(.bad)', { hasText: 'Good' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('closed shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.monitors-verdict', { hasText: 'Up' }).waitFor();
    assert.is((await call('monitor_get', { name: 'closed shop' })).condition, 'status == 503');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Every').selectOption('300');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/every 5 min/).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Watch something' }).waitFor();
  }, 'monitors?new=');
});

test('a heartbeat tells its addresses, what is expected and who called, and renews its addresses once that is confirmed', async () => {
  kit = await startKit({ machines: 1 });
  await kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Heartbeat' }).click();
    await page.getByLabel('Name', { exact: true }).fill('backup');
    await page.getByLabel('The job runs').selectOption('cron');
    await page.getByText('Still needed: Cron line').waitFor();
    await page.getByLabel('Cron line', { exact: true }).fill('0 5 * * *');
    await page.getByRole('button', { name: 'Save' }).click();
    const command = page.locator('.command code', { hasText: 'curl' });
    const [url = ''] = /http\S+/.exec(await command.innerText()) ?? [];
    assert.is((await fetch(`${url}/7`, { method: 'POST', body: 'the disk is full' })).status, 200);
    await page.locator('.monitors-verdict', { hasText: 'exit status 7' }).waitFor();
    await page.locator('.monitors-pings', { hasText: 'the disk is full' }).waitFor();
    const { next_at, spec } = await call('monitor_get', { name: 'backup' });
    assert.is(spec.cron, '0 5 * * *');
    assert.ok(next_at > Date.now());
    await page.locator('.monitors-figures', { hasText: 'Next call expected' }).waitFor();
    assert.equal(await findings(), []);
    await page.getByText('Addresses that the job calls').click();
    await page.getByRole('button', { name: 'New addresses' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New addresses' }).click();
    await page.getByText('The addresses are new').waitFor();
    assert.is((await fetch(url)).status, 404);
  }, 'monitors?new=');
});

test('a group is made of monitors that are picked, and lists them with what is wrong; a failing answer is shown', async () => {
  kit = await startKit({ machines: 1 });
  await create(kit, { name: 'web', kind: 'http', spec: { url: shop.url } });
  await create(kit, { name: 'api', kind: 'http', spec: { url: `${shop.url}/503` }, retries: 0 });
  await kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('customers');
    await page.getByLabel('web').check();
    await page.getByLabel('api').check();
    await page.getByLabel('It is down when').selectOption('count');
    await page.getByLabel('How many').fill('1');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It is down when one of them is.').waitFor();
    await page.locator('.monitors-members', { hasText: 'answered 503' }).waitFor();
    await page.locator('.monitors-members').getByRole('link', { name: 'api' }).click();
    await page.locator('.card', { hasText: 'Last failing answer' }).getByText('Shop').waitFor();
    await page.getByRole('link', { name: 'Monitors' }).first().click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Import monitors' }).click();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  }, 'monitors?new=');
});

test('the probe of a job turns into a monitor with its name, place and interval, and the job is off', async () => {
  kit = await startKit({ machines: 1 });
  await call('crontab_create', {
    name: 'way to the shop',
    cron_expression: '0 */5 * * * *',
    cron_type: { agent: [[uuidOf(0)], { task: { http_ping: `${shop.url}/` } }] },
  });
  await kit.using(async ({ page }) => {
    await page.getByRole('button', { name: 'Turn into a monitor' }).click();
    await page.getByRole('heading', { name: 'way to the shop' }).waitFor();
    const made = await call('monitor_get', { name: 'way to the shop' });
    assert.is(made.kind, 'http');
    assert.is(made.interval_s, 300);
    assert.is(made.condition, 'true');
    assert.equal(made.places.agents, [uuidOf(0)]);
    const [job] = await call('crontab_get');
    assert.is(job.enable, false);
  }, 'probes');
});

const MANY = 1_000;
const CHECKED = 100;

/** Bytes that a page received and ms of its scripts, until it has shown a row and three seconds more. */
async function costOf(path: string, row: string): Promise<{ bytes: number; script: number }> {
  const { page, context, close } = await kit.open('tokens');
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable');
  let bytes = 0;
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${kit.app.url}/svc/dashboard/${path}`);
  await page.locator(row).first().waitFor();
  await page.waitForTimeout(3_000);
  const { metrics } = await session.send('Performance.getMetrics');
  const script = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
  await close();
  return { bytes, script: script * 1_000 };
}

const rowsIn = (page: Page) => page.locator('.monitors-body > .monitors-row').count();

test('a thousand monitors cost the browser no more than a thousand machines, and only those in the window exist', async () => {
  kit = await startKit({ machines: MANY });
  // Most are off: what the server has to do for them is no matter of the page.
  for (let at = 0; at < MANY; at++)
    await create(kit, {
      enable: at < CHECKED,
      ...{ name: `page-${at}`, kind: 'http', group: `group ${at % 20}`, interval_s: 3_600 },
      spec: { url: `${shop.url}/${at}` },
    });
  const fleet = await costOf('', '.fleet-card');
  const monitors = await costOf('monitors', '.monitors-body > .monitors-row');
  process.stdout.write(`  ${JSON.stringify({ fleet, monitors })}\n`);
  assert.ok(monitors.bytes <= 1.2 * fleet.bytes, `${monitors.bytes} of ${fleet.bytes} bytes`);
  assert.ok(monitors.script <= 1.2 * fleet.script, `${monitors.script} of ${fleet.script} ms`);
  await kit.using(async ({ page, findings }) => {
    await page.getByText(/100 are up/).waitFor();
    const count = await rowsIn(page);
    assert.ok(count > 8 && count < 60, `${count} rows`);
    assert.is(await page.locator('.monitors-table canvas').count(), 1);
    await page.getByRole('button', { name: 'group 0 50' }).click();
    await page.getByRole('searchbox').fill('page-777');
    await until(page, "document.querySelectorAll('.monitors-body > .monitors-row').length === 1");
    assert.match(page.url(), /\?q=page-777$/);
    assert.equal(await findings(), []);
  }, 'monitors');
});

suiteOf.run();
