// Status pages in a real browser: widths, themes, zones, without script, on paper. One server and one browser for all.
// proof only: 15
import { existsSync } from 'node:fs';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  agent,
  MINUTE,
  PLUGINS,
  PNG,
  probe,
  seedAgent,
  seedPings,
  TARGETS,
  uuidOf,
} from './kit.ts';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['SVC_CHROMIUM'] ?? programs.find((path) => existsSync(path));
const LONG = 'a-machine-with-a-very-long-name.internal.eu-central-1.example';

const own = suite('status page: browser');
const test = program ? own : own.skip;
if (!program) process.stdout.write('  skipped: chromium not installed\n');
let app: TestApp;
let browser: Browser;
let now = 0;

const call = (method: string, params: object) =>
  app.call(`status-page_${method}`, { token: app.superToken, ...params });

own.before(async () => {
  if (!program) return;
  app = await bootForTest(PLUGINS, {}, { clock: true });
  now = app.clock.now();
  await seedAgent(app, { uuid: uuidOf(1), away: { 3: 20 * MINUTE } });
  await seedAgent(app, { uuid: uuidOf(2), goneSince: now - 37 * MINUTE, first: 30 });
  const pings = Array.from(
    { length: 200 },
    (_, n) => [n * 7, n % 9 === 4 ? null : 20 + n / 9] as const,
  );
  await seedPings(app, uuidOf(1), TARGETS[0], pings);
  const incident = { title: `Outage of ${LONG}`, text: 'One line.\nAnother one.', impact: 'down' };
  for (const [slug, page] of [
    [
      'full',
      {
        title: LONG,
        description: 'x '.repeat(100),
        logo: PNG,
        entries: [
          agent(1, LONG),
          agent(2, 'db-1'),
          { ...probe(0, `Link to ${LONG}`), key: 'link' },
        ],
      },
    ],
    [
      'zh',
      {
        title: '系统状态',
        language: 'zh-CN',
        accent: '#ffee00',
        banner: '#ffd400',
        entries: [agent(1, '网站服务器'.repeat(8)), agent(2, '数据库'), probe(0, '线路')],
      },
    ],
    ['empty', { title: 'x', banner: '#777777', entries: [] }],
  ] as const) {
    await call('create', { slug, page });
    if (slug !== 'empty') await call('incident_add', { slug, incident });
  }
  // The container's user is root and has no user namespaces: chromium's own sandbox cannot start.
  const args = ['--no-sandbox', '--disable-gpu'];
  browser = await chromium.launch({ executablePath: program, headless: true, args });
});
own.after(async () => {
  await browser?.close();
  await app?.stop();
});

/** Opens a page; it ends without a console error, a failed request or one to another place. */
async function using(
  slug: string,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
) {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Asia/Tokyo',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(message.text()));
  page.on('requestfailed', (request) => problems.push(request.url()));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${app.url}/svc/status/`)) problems.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  try {
    await page.goto(`${app.url}/svc/status/${slug}`, { waitUntil: 'load' });
    await work(page);
    assert.equal(problems, []);
  } finally {
    await context.close();
  }
}

async function findings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content policy does not bind.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

for (const [slug, width, colorScheme] of [
  ['full', 1440, 'light'],
  ['full', 390, 'dark'],
  ['zh', 1024, 'dark'],
  ['zh', 390, 'light'],
  ['empty', 390, 'light'],
] as const)
  test(`${slug} at ${width} px, ${colorScheme}: nothing sticks out, and everybody can read it`, () =>
    using(slug, { viewport: { width, height: 844 }, colorScheme }, async (page) => {
      for (const details of await page.locator('summary').all()) await details.click();
      // A condition given to waitForFunction is refused by the page's policy from its second look on.
      await page.evaluate(
        'Promise.all([...document.images].map((image) => image.complete || new Promise((done) => { image.onload = image.onerror = done; })))',
      );
      const [inner, all] = await page.evaluate<[number, number]>(
        '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
      );
      assert.is(all, inner);
      assert.equal(await findings(page), []);
      const drawn = await page.evaluate<boolean[]>(
        '[...document.images].map((image) => image.complete && image.naturalWidth > 0)',
      );
      assert.equal(new Set(drawn).has(false), false);
    }));

test('times are in the zone of the reader with script, and in UTC without', async () => {
  const since = now - 37 * MINUTE;
  const clock = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
      since,
    );
  const text = async (page: Page) => String(await page.locator('.a.down .v').textContent());
  await using('full', {}, async (page) => {
    const said = await text(page);
    assert.ok(said.includes(clock('Asia/Tokyo')) && !said.includes('UTC'), said);
  });
  await using('full', { javaScriptEnabled: false }, async (page) => {
    const said = await text(page);
    assert.ok(said.includes(`${clock('UTC')} UTC`), said);
    await page.locator('summary').click();
    assert.ok((await page.locator('details img').boundingBox())!.height > 100);
  });
});

/** All times of day that a reader can see or hear on the page. */
const TIMES = `[document.querySelector('main').innerText, document.querySelector('footer').innerText,
  ...[...document.querySelectorAll('time')].map(({ title }) => title),
  ...[...document.querySelectorAll('svg title')].map(({ textContent }) => textContent),
  ...[...document.querySelectorAll('svg[aria-label]')].map((bar) => bar.getAttribute('aria-label'))]
  .flatMap((text) => text.match(/(?:[上下]午|凌晨|中午|早上|晚上)?\\d{1,2}:\\d\\d(?:[\\s\\u202f][AP]M)?/g) ?? [])`;

for (const [locale, form] of [
  ['en-US', /^\d{1,2}:\d\d[\s\u202f][AP]M$/],
  ['en-GB', /^\d\d:\d\d$/],
  ['de-DE', /^\d\d:\d\d$/],
  ['zh-CN', /^\d\d:\d\d$/],
] as const)
  test(`every time on a page is by the reader's clock: ${locale}`, () =>
    using('full', { locale }, async (page) => {
      await page.locator('time[title*=UTC]').first().waitFor();
      const times = await page.evaluate<string[]>(TIMES);
      assert.ok(times.length > 10, String(times.length));
      assert.equal(
        times.filter((one) => !form.test(one)),
        [],
      );
    }));

test('a page that is looked at renews itself, and what its reader has opened stays open', () =>
  using('full', {}, async (page) => {
    await page.clock.install();
    await page.reload();
    await page.locator('summary').click();
    await call('incident_add', { slug: 'full', incident: { title: 'Just written' } });
    assert.is(await page.getByText('Just written').count(), 0);
    await page.clock.runFor(36_000);
    await page.getByText('Just written').waitFor();
    assert.is(await page.locator('details[open]').count(), 1);
    assert.is(await page.evaluate('document.activeElement.tagName'), 'SUMMARY');
  }));

test('on paper a page is black on white, and closed pictures and links of the screen are left out', () =>
  using('full', { colorScheme: 'dark' }, async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const style = await page.evaluate<string[]>(
      '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, getComputedStyle(document.querySelector("details")).display]',
    );
    assert.equal(style, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)', 'none']);
    const pdf = await page.pdf({ format: 'A4' });
    assert.is(pdf.toString('latin1', 0, 5), '%PDF-');
  }));

own.run();
