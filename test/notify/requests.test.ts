// What each kind of channel sends: message → exact request. The requests stand in `requests.json`, to be read against the
// documentation of each receiver; `SVC_WRITE_REQUESTS=1` writes them anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import * as assert from 'uvu/assert';
import { checkValues, KINDS, mailOf, render } from '../../plugins/notify/src/kinds/index.ts';
import { suite } from '../runner/suite.ts';
import {
  alertOf,
  CHANNELS,
  context,
  foreign,
  group,
  MESSAGES,
  messageOf,
  offline,
  opened,
  valuesOf,
} from './messages.ts';

const test = suite('requests of channels');
const FILE = join(import.meta.dirname, 'requests.json');

function sent(name: string, message = opened, values = valuesOf(name)) {
  const kind = KINDS.get(name)!;
  const rendered = render(message, { kind, ...context });
  if (name === 'smtp') return JSON.parse(JSON.stringify(mailOf(values, rendered, context)));
  const { headers, body, ...rest } = kind.request!(values, rendered, context);
  // What is encrypted differs each time: web-push.test.ts reads it.
  if (name === 'webpush')
    return {
      ...rest,
      headers: Object.fromEntries(headers.filter(([one]) => one !== 'authorization')),
    };
  return { ...rest, headers: Object.fromEntries(headers), body: JSON.parse(body as string) };
}

const HTTP = [...KINDS.keys()].filter((kind) => kind !== 'worker');

function actual() {
  const all: { [kind: string]: { [message: string]: unknown } } = {};
  for (const kind of HTTP) {
    all[kind] = {};
    for (const [name, message] of Object.entries(MESSAGES)) all[kind][name] = sent(kind, message);
  }
  return all;
}

if (process.env['SVC_WRITE_REQUESTS'] === '1')
  writeFileSync(FILE, `${JSON.stringify(actual(), null, 2)}\n`);
const expected = JSON.parse(readFileSync(FILE, 'utf8'));

test('there are 22 kinds', () => {
  assert.is(KINDS.size, 22);
  assert.equal([...KINDS.keys()].sort(), Object.keys(CHANNELS).sort());
});

for (const kind of HTTP)
  test(`${kind} sends an opening, an end, a group and a foreign text as its receiver wants them`, () => {
    for (const [name, message] of Object.entries(MESSAGES))
      assert.equal(sent(kind, message), expected[kind][name], `${kind}, ${name}`);
  });

test('the forms take the channels of this table', () => {
  for (const [name, [config, secret]] of Object.entries(CHANNELS))
    checkValues(KINDS.get(name)!, config, secret);
});

test('a foreign name adds no header, no element and no call for everybody', () => {
  for (const kind of HTTP) {
    const text = JSON.stringify(sent(kind, foreign));
    assert.not.match(text, /\\r|\\n ?Bcc|"bcc"/i, kind);
  }
  const telegram = sent('telegram', foreign).body.text;
  assert.match(telegram, '&lt;b&gt;@\u200beveryone&lt;/b&gt;');
  const discord = sent('discord', foreign).body;
  assert.equal(discord.allowed_mentions, { parse: [] });
  assert.not.match(JSON.stringify(discord), '@everyone');
  for (const kind of ['mattermost', 'rocketchat'])
    assert.not.match(JSON.stringify(sent(kind, foreign)), '@everyone');
  const slack = sent('slack', foreign).body;
  assert.match(slack.text, /^&lt;b&gt;@everyone&lt;\/b&gt;/);
  assert.is(slack.mrkdwn, false);
  assert.is(slack.link_names, false);
  assert.not.match(sent('googlechat', messageOf([alertOf({}, '<users/all>')])).body.text, '<users');
  assert.equal(sent('matrix', foreign).body['m.mentions'], {});
  const mail = sent('smtp', foreign);
  assert.is(mail.subject.split('\n').length, 1);
  assert.match(mail.html, '&lt;b&gt;');
});

const priorities: readonly (readonly [
  kind: string,
  member: string,
  critical: unknown,
  warning: unknown,
  info: unknown,
])[] = [
  ['ntfy', 'priority', 5, 4, 2],
  ['gotify', 'priority', 8, 5, 2],
  ['pushover', 'priority', 2, 0, -1],
  ['bark', 'level', 'critical', 'timeSensitive', 'passive'],
  ['telegram', 'disable_notification', false, false, true],
];
test('the severity chooses the priority', () => {
  for (const [kind, member, ...values] of priorities)
    for (const [index, severity] of (['critical', 'warning', 'info'] as const).entries()) {
      const { body } = sent(kind, messageOf([alertOf({ severity })]));
      assert.is(body[member], values[index], `${kind}, ${severity}`);
    }
  const urgent = messageOf([alertOf({ severity: 'critical' })]);
  const calm = { ...valuesOf('pushover'), emergency: false };
  assert.is(sent('pushover', urgent, calm).body.priority, 1);
  assert.is(sent('pushover', urgent).body.retry, 60);
});

test('WeCom and DingTalk call people for critical alerts alone', () => {
  const urgent = messageOf([alertOf({ severity: 'critical' })]);
  assert.equal(sent('wecom', urgent).body.text.mentioned_list, ['@all']);
  assert.equal(sent('dingtalk', urgent).body.at.atMobiles, ['13800000000']);
  assert.is(sent('wecom').body.text.mentioned_list, undefined);
  assert.is(sent('dingtalk').body.at, undefined);
});

test('PagerDuty hears of a group as one incident, which ends with its last alert', () => {
  const [one, other] = [offline('a'), offline('b')];
  const over = { state: 'closed', closed_at: context.now } as const;
  const acked = { state: 'acked' } as const;
  const key = (open: number, ended: number) => ({ group: { key: 'g', open, closed: ended } });
  const rows = [
    [messageOf([one, other], key(2, 0)), 'trigger'],
    [messageOf([{ ...one, ...over }], key(1, 1)), 'trigger'],
    [messageOf([{ ...other, ...over }], key(0, 1)), 'resolve'],
    [messageOf([{ ...one, ...acked }], { ...key(1, 0), type: 'alert.acked' }), 'acknowledge'],
    [messageOf([{ ...one, ...acked }], { ...key(2, 0), type: 'alert.acked' }), 'trigger'],
    [messageOf([], { type: 'test', title: 'Test' }), 'trigger'],
  ] as const;
  for (const [message, action] of rows) {
    const { body } = sent('pagerduty', message);
    assert.is(body.event_action, action);
    assert.is(body.dedup_key, message.alerts.length === 0 ? 'msg-0001' : 'g');
  }
  assert.ok(KINDS.get('pagerduty')!.resolves);
});

test('messages keep to the sizes of their kind, cut between characters', () => {
  const long = messageOf(
    Array.from({ length: 10 }, (_, index) =>
      alertOf({ summary: '磁盘<&>'.repeat(200) }, `n${index}`),
    ),
  );
  const most: { [kind: string]: (body: any) => readonly [number, number] } = {
    telegram: (body) => [body.text.length, 4_096],
    discord: (body) => [body.content.length + body.embeds[0].description.length, 4_096],
    wecom: (body) => [Buffer.byteLength(body.text.content), 2_048],
    ntfy: (body) => [Buffer.byteLength(body.message), 4_096],
    pushover: (body) => [body.message.length, 1_024],
    googlechat: (body) => [body.text.length, 4_000],
    rocketchat: (body) => [body.attachments[0].text.length, 1_000],
    serverchan: (body) => [body.title.length, 32],
    pagerduty: (body) => [body.payload.summary.length, 1_024],
  };
  for (const [kind, of] of Object.entries(most)) {
    const { body } = sent(kind, long);
    const [size, limit] = of(body);
    assert.ok(size <= limit, `${kind}: ${size}`);
    assert.not.match(JSON.stringify(body), /\\ud[89a-f]/, kind);
  }
});

test('a foreign name adds no header and no recipient to a mail as it is sent', async () => {
  const kind = KINDS.get('smtp')!;
  const mail = mailOf(valuesOf('smtp'), render(foreign, { kind, ...context }), context);
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message, envelope } = await transport.sendMail(mail);
  const head = String(message).split('\r\n\r\n')[0]!;
  assert.not.match(head, /^bcc:/im);
  assert.match(head, /^Auto-Submitted: auto-generated$/m);
  assert.match(head, /^Message-ID: <[\w-]+@example\.com>$/im);
  assert.match(head, /^References: <thread-[\w-]+@example\.com>$/m);
  assert.is(head.match(/^Subject:/gm)?.length, 1);
  assert.equal(envelope.to, ['me@example.com']);
});

test('mail of one alert is one thread, and the same message has the same id at each try', () => {
  const [first, again] = [sent('smtp'), sent('smtp')];
  assert.is(first.messageId, again.messageId);
  assert.is(first.references, sent('smtp', MESSAGES.closed).references);
  assert.is.not(first.references, sent('smtp', group).references);
});

test.run();
