// From the report of a machine to a webhook, through the front door.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { create, passesUntil, type Receiver, receiver, webhook } from '../notify/kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const SECOND = 1_000;
/** Rounds of the server take real time: the clock must not run away from them. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 8));

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: told (${dialect})`);
  let app: TestApp;
  let phone: Receiver;
  let watchdog: Receiver;
  test.before(async () => {
    watchdog = await receiver();
    const alert = { grace_s: 0, watchdog_url: `${watchdog.url}/ping` };
    const config = { notify: { allow_private: ['127.0.0.1'] }, alert };
    app = await bootForTest(PLUGINS, config, { dialect, clock: true });
    phone = await receiver();
    await create(app, webhook('phone', phone.url));
    const steps = [{ after_s: 0, channels: ['phone'] }];
    await call('alert_policy_set', { policy: { name: 'default', steps } });
  });
  test.after(async () => {
    // First what `before` has made also where there is no Postgres.
    await watchdog.stop();
    await app.stop();
    await phone.stop();
  });
  test.before.each(() => {
    phone.got.length = 0;
  });
  const call = (method: string, params: object): Promise<any> =>
    app.call(method, { token: app.superToken, ...params });
  const messages = (): any[] => phone.got.map(({ json }) => json.data ?? json);

  /** So many seconds go by, with a report in each where there is a value. */
  async function pass(uuid: string, seconds: number, cpu_usage?: number) {
    for (let n = 0; n < seconds; n++) {
      if (cpu_usage !== undefined) await report(app, uuid, { cpu_usage });
      await pause();
      await app.clock.advance(SECOND);
    }
  }

  async function busyRule(uuid: string) {
    const holds = {
      for_s: 60,
      clear_for_s: 60,
      condition: 'cpu_usage > 90',
      clear: 'cpu_usage < 80',
    };
    const rule = { name: randomUUID(), source: 'machine', scope: { agents: [uuid] }, ...holds };
    await call('alert_rule_create', { rule });
    return rule.name;
  }

  test('times in the summary of a rule are told in the language and the zone of each channel', async () => {
    const far = await receiver();
    const spoken = { language: 'zh-CN', zone: 'Asia/Shanghai' };
    await create(app, { ...webhook('far', far.url), ...spoken });
    const steps = [{ after_s: 0, channels: ['phone', 'far'] }];
    await call('alert_policy_set', { policy: { name: 'both', steps } });
    const uuid = randomUUID();
    await report(app, uuid, { cpu_usage: 50 });
    const rule = {
      name: 'spoken',
      source: 'machine',
      scope: { agents: [uuid] },
      condition: 'cpu_usage > 90',
      policy: 'both',
      summary: 'busy since {{since|date}}, at {{since|date:Europe/Berlin}}',
    };
    await call('alert_rule_create', { rule });
    await pass(uuid, 40, 950);
    const since = new Date((await call('alert_list', { agents: [uuid] })).alerts[0].since);
    const firstOf = ({ got: [first] }: Receiver) => (first?.json.data ?? first?.json)?.alerts?.[0];
    const month = since.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
    assert.match(firstOf(phone)?.summary, new RegExp(`${month} .* UTC, at .* UTC\\+[12]$`));
    assert.match(firstOf(far)?.summary, /月.* UTC\+8, at .*月.* UTC\+[12]$/);
    assert.is(firstOf(far)?.summary_form, undefined);
    await call('alert_rule_delete', { name: 'spoken' });
    const haveEnds = () => [phone, far].every(({ got }) => got.length === 2);
    await passesUntil(app, 40 * SECOND, haveEnds);
    assert.ok(haveEnds());
    await far.stop();
  });

  test('a busy machine is told after its hold and the wait, with its true beginning; the end once, in a silence too', async () => {
    const uuid = randomUUID();
    await report(app, uuid, { cpu_usage: 50 });
    const rule = await busyRule(uuid);
    await pass(uuid, 15, 50);
    const begun = app.clock.now();
    await pass(uuid, 60, 950);
    assert.equal(messages(), [], 'within the hold');
    await pass(uuid, 25, 950);
    assert.is(phone.got.length, 1);
    const text = JSON.stringify(messages()[0]);
    assert.ok(text.includes(rule), text);
    const [alert] = (await call('alert_list', {})).alerts;
    assert.ok(Math.abs(alert.since - begun) <= 2 * SECOND, `${alert.since - begun}`);
    assert.equal([alert.rule, alert.told, alert.hidden_by], [rule, ['phone'], null]);
    const silence = {
      scope: { rules: [rule] },
      reason: 'known',
      ends_at: app.clock.now() + 3_600_000,
    };
    await call('alert_silence_create', { silence });
    assert.equal((await call('alert_list', {})).alerts[0].hidden_by, {
      kind: 'silence',
      name: 'known',
    });
    await pass(uuid, 140, 500);
    assert.is(phone.got.length, 2);
    assert.equal((await call('alert_list', {})).alerts, []);
  });

  test('the end of an alert that somebody closed names who did, and why', async () => {
    const uuid = randomUUID();
    await report(app, uuid, { cpu_usage: 50 });
    const rule = await busyRule(uuid);
    await pass(uuid, 100, 950);
    assert.is(phone.got.length, 1);
    const { alerts } = await call('alert_list', {});
    const { id } = alerts.find((alert: any) => alert.rule === rule);
    await call('alert_close', { id, note: 'test run' });
    await pass(uuid, 65, 500);
    assert.is(phone.got.length, 2);
    const text = JSON.stringify(messages()[1]);
    assert.ok(/Closed by .* after/.test(text) && text.includes('test run'), text);
    assert.not(text.includes('Over after'));
  });

  test('what opens and ends in a silence is not told', async () => {
    const uuid = randomUUID();
    await report(app, uuid, { cpu_usage: 50 });
    const rule = await busyRule(uuid);
    const silence = {
      scope: { rules: [rule] },
      reason: 'known',
      ends_at: app.clock.now() + 600_000,
    };
    await call('alert_silence_create', { silence });
    await pass(uuid, 90, 950);
    assert.is((await call('alert_list', {})).alerts.length, 1);
    await pass(uuid, 80, 500);
    assert.equal((await call('alert_list', {})).alerts, []);
    assert.is(phone.got.length, 0);
  });

  test('the watchdog address is called once a minute, and a failure of it stops nothing', async () => {
    watchdog.got.length = 0;
    watchdog.reply = () => 500;
    await pass(randomUUID(), 130);
    assert.ok(watchdog.got.length >= 2 && watchdog.got.length <= 3, `${watchdog.got.length}`);
    assert.is(watchdog.got[0]?.url, '/ping');
  });

  test('the watchdog address is not called while nothing can be stored', async () => {
    watchdog.reply = () => 200;
    const stop =
      dialect === 'sqlite'
        ? [
            "create trigger full_disk before insert on alert_group begin select raise(abort, 'full'); end",
          ]
        : ["alter table alert_group add constraint full_disk check (key <> 'watchdog') not valid"];
    for (const text of stop) await app.sql(text);
    await pass(randomUUID(), 5);
    watchdog.got.length = 0;
    await pass(randomUUID(), 130);
    assert.is(watchdog.got.length, 0);
    await app.sql(
      dialect === 'sqlite'
        ? 'drop trigger full_disk'
        : 'alter table alert_group drop constraint full_disk',
    );
    await pass(randomUUID(), 130);
    assert.ok(watchdog.got.length >= 1);
  });

  test.run();
}
