// `alert_list`, `alert_history`, `alert_get`, `alert_ack` and the rest (plugins/alert/README.md).

import { randomUUID } from 'node:crypto';
import { Notify } from '@svc/plugin-notify/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { create, webhook } from '../notify/kit.ts';
import { failure } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import { PLUGINS, report } from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: alerts (${dialect})`);
  let app: TestApp;
  let A: string;
  const call = (method: string, params: object = {}, token = app.superToken) =>
    app.call(method, { token, ...params });
  const listed = async (token?: string) => (await call('alert_list', {}, token)).alerts;
  const mine = async () => (await call('alert_list', { agents: [A] })).alerts;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    const rule = {
      name: 'hot',
      source: 'machine',
      scope: { all: true },
      condition: 'cpu_usage > 90',
    };
    await call('alert_rule_create', { rule: { ...rule, summary: '{{subject.name}}: {{value}}' } });
  });
  test.before.each(async () => {
    A = randomUUID();
    await report(app, A, { cpu_usage: 970 });
    await until('open', async () => (await mine()).length === 1);
  });
  test.after(() => app.stop());

  test('an open alert is listed with its value, counted, and has a page', async () => {
    const [alert] = await mine();
    assert.equal(
      [alert.rule, alert.state, alert.value, alert.value_text],
      ['hot', 'open', 97, '97 %'],
    );
    assert.equal([alert.threshold, alert.summary], ['> 90 %', `${A.slice(0, 8)}: 97 %`]);
    assert.equal([alert.subject.id, alert.episode, alert.told, alert.acked_by], [A, 1, [], null]);
    const { counts } = await call('alert_list', { agents: [A] });
    assert.equal(counts, { critical: 0, warning: 1, info: 0, unacked: 1 });
    const page = await call('alert_get', { id: alert.id });
    assert.equal([page.alert.id, page.rule.name, page.deliveries], [alert.id, 'hot', []]);
    assert.equal(
      page.events.map(({ kind }: any) => kind),
      ['opened'],
    );
    assert.is((await call('alert_rule_get', { name: 'hot' })).open > 0, true);
  });

  test('an acknowledgement is kept with its note, ends, and goes when the alert closes', async () => {
    const [{ id }] = await mine();
    const past = await failure(call('alert_ack', { id, until: 1 }));
    assert.equal([past.code, /until is past/.test(past.message)], [108, true]);
    const acked = await call('alert_ack', { id, note: 'on it' });
    assert.ok(acked.acked_by && acked.acked_at > 0);
    assert.is(acked.ack_note, 'on it');
    assert.is((await call('alert_list', { agents: [A] })).counts.unacked, 0);
    assert.is((await call('alert_unack', { id })).acked_by, null);
    await call('alert_ack', { id });
    await call('alert_note', { id, text: 'new fan' });
    const closed = await call('alert_close', { id, note: 'fan' });
    assert.equal([closed.state, closed.acked_by], ['closed', null]);
    assert.is((await failure(call('alert_close', { id }))).code, 108);
    assert.is((await failure(call('alert_ack', { id }))).code, 108);
    const events = await call('alert_history', { agents: [A] });
    const kinds = events.map(({ kind }: any) => kind).toReversed();
    assert.equal(kinds, ['opened', 'acked', 'unacked', 'acked', 'note', 'closed']);
    assert.equal((await call('alert_history', { agents: [A], kinds: ['note'] }))[0].detail, {
      text: 'new fan',
    });
  });

  test('a caller sees, acknowledges and closes alerts of the machines that it may', async () => {
    const [{ id }] = await mine();
    const may = (...words: string[]) =>
      app.token([{ scopes: [{ agent_uuid: A }], permissions: words.map((alert) => ({ alert })) }]);
    const reader = await may('read');
    assert.equal(
      (await listed(reader)).map((alert: any) => alert.id),
      [id],
    );
    assert.is((await call('alert_history', {}, reader)).length, 1);
    assert.is((await call('alert_get', { id }, reader)).rule, null);
    assert.is((await failure(call('alert_ack', { id }, reader))).code, 102);
    assert.is((await failure(call('alert_close', { id }, await may('ack', 'read')))).code, 102);
    assert.ok((await call('alert_ack', { id }, await may('ack'))).acked_by);
    const stranger = await app.token([]);
    assert.equal(await listed(stranger), []);
    assert.is((await failure(call('alert_get', { id }, stranger))).code, 102);
    assert.is((await failure(call('alert_get', { id: 999_999 }, stranger))).code, 102);
    assert.is((await failure(call('alert_get', { id: 999_999 }))).code, 105);
    assert.is((await call('alert_close', { id }, await may('write'))).state, 'closed');
  });

  test('an alert takes 50 notes for each time that it opened', async () => {
    const [{ id }] = await mine();
    for (let n = 0; n < 50; n++) await call('alert_note', { id, text: `note ${n}` });
    const { code, message } = await failure(call('alert_note', { id, text: 'one more' }));
    assert.equal([code, /50 notes/.test(message)], [108, true]);
  });

  test('what hides an alert is named to those who may see it, and takes it from the unacknowledged', async () => {
    const reader = await app.token([
      { scopes: [{ agent_uuid: A }], permissions: [{ alert: 'read' }] },
    ]);
    const silence = (scope: object, reason: string) => ({
      silence: { scope, reason, ends_at: app.clock.now() + 3_600_000 },
    });
    for (const [scope, name] of [
      [{ rules: ['hot'] }, ''],
      [{ agents: [A] }, 'of A'],
    ] as const) {
      const { id } = await call('alert_silence_create', silence(scope, 'of A'));
      const { alerts, counts } = await call('alert_list', {}, reader);
      assert.equal(alerts[0].hidden_by, { kind: 'silence', name });
      assert.is(counts.unacked, 0);
      const [own] = await mine();
      assert.equal(own.hidden_by, { kind: 'silence', name: 'of A' });
      await call('alert_silence_end', { id });
    }
    assert.is((await call('alert_list', {}, reader)).counts.unacked, 1);
  });

  test('channels are named to those who may read them', async () => {
    await create(app, webhook('pager', 'http://127.0.0.1:9/'));
    await create(app, webhook('mail', 'http://127.0.0.1:9/'));
    const [{ id }] = await mine();
    const channels = await kernelOf(app).use(Notify).channels();
    await app.sql(
      `update alert set told = '${JSON.stringify(channels.map((one) => one.id))}' where id = ${id}`,
    );
    const read = { scopes: [{ agent_uuid: A }], permissions: [{ alert: 'read' }] };
    const pager = { scopes: [{ channel: 'pager' }], permissions: [{ channel: 'read' }] };
    for (const [limit, told] of [
      [[read], ['2 other channels']],
      [
        [read, pager],
        ['pager', 'another channel'],
      ],
    ] as const) {
      const token = await app.token(limit as any);
      assert.equal((await call('alert_get', { id }, token)).alert.told, told);
    }
    await app.sql(`update alert set told = null where id = ${id}`);
  });

  test('a subscriber gets what is open, then what changes', async () => {
    const socket = await app.connect();
    const { id: subscription } = {
      id: await socket.call('alert_subscribe', { token: app.superToken }),
    };
    assert.ok(subscription);
    const [{ id }] = await mine();
    const items: any[] = [];
    const seen = async (holds: (item: any) => boolean) => {
      while (!items.some(holds)) items.push((await socket.next()).params.result);
    };
    await seen(({ alerts }) => alerts.some((alert: any) => alert.id === id));
    await call('alert_ack', { id });
    await seen(({ alerts }) => alerts.some((alert: any) => alert.id === id && alert.acked_by));
    await call('alert_close', { id });
    await seen(({ closed }) => closed.includes(id));
    socket.close();
  });

  test.run();
}
