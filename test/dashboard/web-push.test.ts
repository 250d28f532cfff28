// proof only: 30
/** Notifications of a browser: the button that fills the form of a channel, the service worker that shows them, and what stands in the way. */
import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import * as tls from 'node:tls';
import type { CDPSession, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { selfSigned } from '../agent-program-certificate.ts';
import { readByBrowser } from '../notify/browser.ts';
import { about, add, alert, channel, until as holds, idOf } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { trust } from '../trust.ts';
import { FAR_NAME, type Kit, missing, type OpenOptions, startKit } from './kit.ts';

const trusted = tls.getCACertificates('default');
const certificate = selfSigned('localhost');
const own = createECDH('prime256v1');
const p256dh = own.generateKeys('base64url');
const auth = randomBytes(16);
/** What the push service was given, read as the browser does. */
const pushed: { key: string; path: string; text: string }[] = [];
let kit: Kit;
let service: Server;
const suiteOf = suite('dashboard: notifications of a browser');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  trust([...trusted, certificate.cert]);
  service = createServer(certificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const key = /k=(\S+)$/.exec(String(request.headers.authorization))?.[1] ?? '';
    const text = readByBrowser(body, auth, own.getPrivateKey());
    pushed.push({ key, path: request.url ?? '', text });
    response.writeHead(201).end();
  });
  await new Promise<void>((done) => service.listen(0, 'localhost', done));
  kit = await startKit({ machines: 1, named: 0 });
});
suiteOf.after(async () => {
  if (missing) return;
  trust(trusted);
  await kit.stop();
  await new Promise((done) => service.close(done));
});

const NEW = 'alerts/channels?new';
const origin = () => new URL(kit.app.url).origin;
const allow = (page: Page) =>
  page.context().grantPermissions(['notifications'], { origin: origin() });

/** The push service as a page sees it: one subscription, at an address that ends in its key. */
const playService = (page: Page) =>
  page.addInitScript(`{
    let current = null;
    const keys = ${JSON.stringify({ p256dh, auth: auth.toString('base64url') })};
    PushManager.prototype.getSubscription = async () => current;
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
      if (current) throw new DOMException('another key', 'InvalidStateError');
      if (!userVisibleOnly) throw new DOMException('it shows nothing', 'NotAllowedError');
      const key = new Uint8Array(applicationServerKey).toBase64({ alphabet: 'base64url', omitPadding: true });
      const endpoint = 'https://localhost:${(service.address() as AddressInfo).port}/' + key;
      const unsubscribe = async () => { current = null; return true; };
      current = { options: { applicationServerKey }, unsubscribe, toJSON: () => ({ endpoint, keys }) };
      return current;
    };
  }`);

/** Way of messages from the push service to the service worker. */
async function delivery(cdp: CDPSession): Promise<(data: string) => Promise<void>> {
  const found = new Promise<string>((done) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
      if (one) done(one.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  const registrationId = await found;
  return async (data) => {
    await cdp.send('ServiceWorker.deliverPushMessage', { origin: origin(), registrationId, data });
  };
}

const SHOWN = `navigator.serviceWorker.ready
  .then((one) => one.getNotifications())
  .then((all) => all.map(({ title, tag, data, requireInteraction }) => [title, tag, data, requireInteraction]))`;
type Shown = [title: string, tag: string, url: string, stays: boolean][];

test('one button makes a channel; its messages are shown, the end replaces the opening, and a click opens the page', () =>
  kit.using(
    async ({ page, context, findings }) => {
      await page.getByRole('button', { name: 'Notify in this browser' }).click();
      await page.getByText('This browser is filled in.').waitFor();
      await page.getByText('Still to fill in: Contact.').waitFor();
      await page.getByLabel('Contact').fill('mailto:admin@example.com');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Taken.').waitFor();
      assert.equal(await findings(), []);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.alerts-channel', { hasText: 'chrome-linux' }).waitFor();
      const { config } = await channel(kit.app, 'chrome-linux');
      assert.equal([pushed[0]?.key, pushed[0]?.path], [config.public_key, `/${config.public_key}`]);

      const deliver = await delivery(await context.newCDPSession(page));
      const id = await idOf(kit.app, 'chrome-linux');
      const url = `${kit.app.url}/svc/dashboard/alerts/1`;
      const sent = async (state: 'open' | 'closed') => {
        const count = pushed.length;
        const one = alert('1-1', state, { url, severity: 'critical' });
        await add(kit.app, [about(id, one, kit.app.clock.now())]);
        await holds('it is pushed', () => pushed.length > count);
        await deliver(pushed.at(-1)?.text ?? '');
        let now: Shown = [];
        await holds('it is shown', async () => {
          now = await page.evaluate<Shown>(SHOWN);
          return now.some(([title]) => title.startsWith('Over') === (state === 'closed'));
        });
        return now;
      };
      const [opened, ...more] = await sent('open');
      const ended = await sent('closed');
      assert.equal(more, []);
      assert.equal(opened?.slice(2), [url, true]);
      assert.equal(ended, [[ended[0]?.[0], opened?.[1], url, false]]);
      const [worker] = context.serviceWorkers();
      for (const [address, done] of [
        [url, `open ${url}`],
        ['https://elsewhere.example.net/svc/dashboard/alerts/1', 'focus'],
        ['', 'focus'],
      ] as const)
        assert.is(await worker?.evaluate(clicked(address)), done, address);
    },
    NEW,
    { before: async (page) => void (await Promise.all([allow(page), playService(page)])) },
  ));

/** Clicks on a notification; browsers open and focus windows only for a click of a person. */
const clicked = (url: string) => `new Promise((done) => {
  clients.openWindow = async (url) => done('open ' + url);
  WindowClient.prototype.focus = async () => done('focus');
  registration.showNotification('click', { data: ${JSON.stringify(url)}, tag: 'click' })
    .then(() => registration.getNotifications({ tag: 'click' }))
    .then(([notification]) => dispatchEvent(new NotificationEvent('notificationclick', { notification })));
})`;

test('a browser is renewed for its own channel at once, for another one on request', () =>
  kit.using(
    async ({ page }) => {
      const offer = page.getByRole('button', { name: 'Notify in this browser' });
      await offer.click();
      await page.getByText('This browser is filled in.').waitFor();
      await page.getByRole('button', { name: 'This browser' }).click();
      await page.getByText('This browser is filled in.').waitFor();
      await page.getByLabel('Contact').fill('mailto:admin@example.com');
      await page.getByLabel('Name').fill('mine');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'mine' }).click();
      const { config } = await channel(kit.app, 'mine');
      await page.getByRole('button', { name: 'This browser' }).click();
      await page.getByText('This browser is filled in.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'New channel' }).click();
      assert.is.not((await channel(kit.app, 'mine')).config.public_key, config.public_key);
      await offer.click();
      await page.getByText('for channel mine. Renewed, it is for this channel, and mine').waitFor();
      await page.getByRole('button', { name: 'Renew' }).click();
      await page.getByText('This browser is filled in.').waitFor();
      assert.match(await page.getByLabel('Name').inputValue(), /^chrome-linux/);
    },
    NEW,
    { before: async (page) => void (await Promise.all([allow(page), playService(page)])) },
  ));

test('a browser that reaches no push service is told so', async () => {
  const window = await kit.open(NEW, { before: allow });
  try {
    await window.page.getByRole('button', { name: 'Notify in this browser' }).click();
    await window.page.getByText('The browser does not reach its push service').waitFor();
    await window.page.getByText('Still to fill in: Keys of the browser, Contact.').waitFor();
    // The window is a private one, in which chromium has none, and says so.
    assert.ok(window.problems.every((one) => one.includes('Push API in incognito mode')));
  } finally {
    await window.close();
  }
});

const OBSTACLES: readonly (readonly [what: string, text: string, options: () => OpenOptions])[] = [
  [
    'the page came over plain http',
    'Browsers allow notifications on https pages only.',
    () => ({ app: { ...kit.app, url: kit.app.url.replace('127.0.0.1', FAR_NAME) } }),
  ],
  [
    'the browser takes no push messages',
    'This browser takes no push messages here',
    () => ({ before: (page) => page.addInitScript('delete window.PushManager') }),
  ],
  ['notifications are blocked', 'Notifications of this page are blocked.', () => ({})],
  [
    'the service worker does not run',
    'The browser does not run the dashboard’s service worker',
    () => ({
      before: async (page) => {
        await allow(page);
        await page.addInitScript(
          "ServiceWorkerContainer.prototype.register = async () => { throw new Error('SSL'); }",
        );
      },
    }),
  ],
];

for (const [what, text, options] of OBSTACLES)
  test(`the form says what to do where ${what}`, () =>
    kit.using(
      async ({ page, findings }) => {
        await page.locator('.alerts-tile', { hasText: 'Web Push' }).click();
        const said = page.getByText(text);
        const button = page.getByRole('button', { name: 'This browser' });
        await said.or(button).waitFor();
        if ((await said.count()) === 0) await button.click();
        await said.waitFor();
        assert.equal(await findings(), []);
      },
      NEW,
      options(),
    ));

suiteOf.run();
