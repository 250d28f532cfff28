// Links that acknowledge (`/svc/alert/ack/KEY`), from the message on a phone to the alert.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { create, outbox, passesUntil, type Receiver, receiver, webhook } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { opened, PLUGINS } from './settings-kit.ts';

const PUBLIC = 'https://fleet.example.net';
const HOUR = 3_600_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: links that acknowledge (${dialect})`);
  let app: TestApp;
  let phone: Receiver;
  test.before(async () => {
    const config = { notify: { public_url: PUBLIC, allow_private: ['127.0.0.1'] } };
    app = await bootForTest(PLUGINS, config, { dialect, clock: true });
    phone = await receiver();
    await create(app, webhook('phone', phone.url));
    const steps = [{ after_s: 0, channels: ['phone'] }];
    await call('alert_policy_set', { policy: { name: 'default', steps, interval_s: 0 } });
  });
  test.after(async () => {
    await app.stop();
    await phone.stop();
  });
  const call = (method: string, params: object): Promise<any> =>
    app.call(method, { token: app.superToken, ...params });
  const page = async (path: string, init: RequestInit = {}) => {
    const answer = await app.fetch(path, { headers: { 'accept-language': 'en' }, ...init });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const press = (path: string, hours = '') =>
    page(path, { method: 'POST', body: new URLSearchParams({ hours }) });
  const alertOf = async (id: number) => (await call('alert_get', { id })).alert;

  /** An alert that was told on the phone, and the link in its message. */
  async function toldOn() {
    const machine = randomUUID();
    const made = await opened(app, machine);
    const link = (): string | undefined =>
      phone.got
        .map(({ json }) => json)
        .flatMap((body) => JSON.stringify(body).match(/\/svc\/alert\/ack\/[\w-]{24}/g) ?? [])
        .at(-1);
    const before = link();
    await passesUntil(app, 60_000, () => link() !== before);
    const path = link();
    if (path === undefined || path === before) throw new Error('not told');
    return { ...made, path };
  }

  test('the message holds a link to a page that says what it is; reading it changes nothing', async () => {
    const { id, path, rule } = await toldOn();
    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status, text, headers } = await page(path, { method });
      assert.is(status, 200);
      assert.is(headers.get('referrer-policy'), 'no-referrer');
      assert.is(headers.get('cache-control'), 'no-store');
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*form-action 'self'/,
      );
      if (method === 'GET')
        for (const word of [rule, '95', '&gt; 90 %', 'Acknowledge', 'for 4 hours'])
          assert.ok(text.includes(word), word);
      assert.not.match(text, /<script/);
    }
    assert.is((await alertOf(id)).acked_by, null);
    assert.match(
      (await page(path, { headers: { 'accept-language': 'zh-CN,en;q=0.5' } })).text,
      /确认 4 小时/,
    );
  });

  test('a press on the button acknowledges, once', async () => {
    const { id, path } = await toldOn();
    assert.match((await press(path)).text, /Acknowledged\./);
    const { acked_by, acked_until } = await alertOf(id);
    assert.equal([acked_by, acked_until], ['link', null]);
    assert.match((await page(path)).text, /is acknowledged already/);
    assert.match((await press(path, '4')).text, /is acknowledged already/);
    await call('alert_unack', { id });
    assert.is((await press(path)).status, 404, 'the key was used');
    assert.is((await alertOf(id)).acked_by, null);
  });

  test('the other button acknowledges for four hours', async () => {
    const { id, path } = await toldOn();
    const before = app.clock.now();
    assert.match((await press(path, '4')).text, /Acknowledged until/);
    assert.ok(Math.abs((await alertOf(id)).acked_until - before - 4 * HOUR) < 60_000);
  });

  test('a link of an alert that is over, or that is a day old, acknowledges nothing', async () => {
    const over = await toldOn();
    await call('alert_close', { id: over.id });
    assert.match((await press(over.path)).text, /This alert is over/);
    const old = await toldOn();
    await app.clock.sleep(25 * HOUR);
    assert.is((await press(old.path)).status, 404);
    assert.is((await alertOf(old.id)).acked_by, null);
  });

  test('a link of an earlier opening says when it opened again, shows no value of it, and leads to its page', async () => {
    const { id, path, key, transitions } = await toldOn();
    assert.ok((await page(path)).text.includes(`href="${PUBLIC}/svc/dashboard/alerts/${id}"`));
    await call('alert_close', { id });
    const [from] = (await transitions.load('agent', [key.subject_id])).filter(
      (alert) => alert.id === id,
    );
    const at = app.clock.now();
    const judged = { since: at, at, true_ms: 0, false_ms: 0, value: 97, detail: {} };
    await transitions.apply([{ ...key, from, to: 2, ...judged }]);
    const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
    for (const { text } of [await page(path), await press(path)]) {
      assert.ok(text.includes(`That one is over. It opened again at ${time} UTC`), text);
      assert.not.match(text, /97 %|&gt; 90|<button/);
      assert.ok(text.includes(`href="${PUBLIC}/svc/dashboard/alerts/${id}"`));
    }
    assert.is((await alertOf(id)).acked_by, null);
  });

  test('a key stands in no table as it is, and in no log', async () => {
    const { path } = await toldOn();
    const key = path.split('/').at(-1)!;
    await page(path);
    await page(`${path.slice(0, -1)}!`);
    const links = await app.sql('select hash from alert_ack_link');
    assert.not.ok(JSON.stringify(links).includes(key));
    assert.not.ok(JSON.stringify(app.records()).includes(key));
    assert.not.ok(JSON.stringify(await outbox(app)).includes(key));
  });

  test('who guesses keys has to wait', async () => {
    const statuses = [];
    for (let n = 0; n < 60; n++) {
      statuses.push((await page(`/svc/alert/ack/${randomUUID().slice(0, 24)}`)).status);
    }
    assert.is(statuses[0], 404);
    assert.is(statuses.at(-1), 429);
  });

  test('a body that no form sends is refused without a record', async () => {
    const { id, path } = await toldOn();
    const before = app.records().filter(({ level }: any) => level === 'ERROR').length;
    assert.is((await page(path, { method: 'POST', body: 'x'.repeat(1_000) })).status, 413);
    assert.is((await alertOf(id)).acked_by, null);
    const errors = app.records().filter(({ level }: any) => level === 'ERROR');
    assert.is(errors.length, before);
  });

  test('other methods are refused', async () => {
    await app.clock.sleep(HOUR);
    assert.is((await page('/svc/alert/ack/x', { method: 'DELETE' })).status, 405);
  });

  test.run();
}
