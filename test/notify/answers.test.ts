// What the answers of receivers mean: taken, to be tried again, or of no use to try again; in words for people.
import * as assert from 'uvu/assert';
import { type Answer, KINDS } from '../../plugins/notify/src/kinds/index.ts';
import { suite } from '../runner/suite.ts';

const test = suite('answers of receivers');

type Row = readonly [
  kind: string,
  status: number,
  body: unknown,
  expected:
    | 'ok'
    | { remote_id: string }
    | { permanent: RegExp }
    | { retry: RegExp; after_ms?: number },
  headers?: Record<string, string>,
];

const ROWS: readonly Row[] = [
  ['webhook', 200, '', 'ok'],
  ['webhook', 204, '', 'ok'],
  ['webhook', 302, '', { permanent: /write that address into the channel/ }],
  ['webhook', 401, 'no', { permanent: /The receiver says: no — it refuses the key or password/ }],
  ['webhook', 404, '', { permanent: /status 404 — it knows no such address/ }],
  ['webhook', 408, '', { retry: /408/ }],
  ['webhook', 429, 'slow', { retry: /slow/, after_ms: 40_000 }, { 'retry-after': '40' }],
  [
    'webhook',
    503,
    'down',
    { retry: /down/, after_ms: 120_000 },
    { 'retry-after': 'Tue, 13 Jan 2026 12:02:00 GMT', date: 'Tue, 13 Jan 2026 12:00:00 GMT' },
  ],
  ['webhook', 500, '\u001b[31mred\u202e', { retry: /says: \[31mred$/ }],
  ['telegram', 200, { ok: true, result: { message_id: 5 } }, { remote_id: '5' }],
  ['telegram', 200, { ok: false, description: 'odd' }, { permanent: /Telegram says: odd/ }],
  [
    'telegram',
    400,
    { ok: false, description: 'Bad Request: chat not found' },
    { permanent: /^Telegram says: Bad Request: chat not found — write to the bot first/ },
  ],
  ['telegram', 401, { description: 'Unauthorized' }, { permanent: /copy it from @BotFather/ }],
  [
    'telegram',
    429,
    { description: 'Too Many Requests', parameters: { retry_after: 7 } },
    { retry: /Too Many/, after_ms: 7_000 },
  ],
  ['discord', 200, { id: '99' }, { remote_id: '99' }],
  ['discord', 204, '', 'ok'],
  ['discord', 404, { message: 'Unknown Webhook' }, { permanent: /make a new one/ }],
  ['discord', 429, { message: 'slow', retry_after: 1.5 }, { retry: /slow/, after_ms: 1_500 }],
  ['slack', 200, 'ok', 'ok'],
  ['slack', 200, { ok: false, error: 'x' }, { permanent: /Slack says/ }],
  ['slack', 404, 'no_service', { permanent: /the webhook was removed/ }],
  ['slack', 429, '', { retry: /429/, after_ms: 30_000 }, { 'Retry-After': '30' }],
  ['mattermost', 200, 'ok', 'ok'],
  ['mattermost', 400, { message: 'Invalid webhook.' }, { permanent: /the webhook is gone/ }],
  ['rocketchat', 200, { success: true }, 'ok'],
  [
    'rocketchat',
    200,
    { success: false, error: 'invalid-channel' },
    { permanent: /check the room/ },
  ],
  ['teams', 202, '', 'ok'],
  [
    'teams',
    404,
    { error: { message: 'The workflow is gone' } },
    { permanent: /that the workflow is there/ },
  ],
  ['googlechat', 200, { name: 'spaces/S/messages/1' }, { remote_id: 'spaces/S/messages/1' }],
  ['googlechat', 403, { error: { message: 'denied' } }, { permanent: /Google Chat says: denied/ }],
  ['matrix', 200, { event_id: '$1' }, { remote_id: '$1' }],
  ['matrix', 429, { error: 'Too fast', retry_after_ms: 2_500 }, { retry: /fast/, after_ms: 2_500 }],
  ['matrix', 403, { error: 'User not in room' }, { permanent: /invite the user/ }],
  ['ntfy', 200, { id: 'x1' }, { remote_id: 'x1' }],
  ['ntfy', 403, { error: 'forbidden' }, { permanent: /may not write/ }],
  ['gotify', 200, { id: 3 }, { remote_id: '3' }],
  [
    'gotify',
    401,
    { errorDescription: 'you need to provide a valid access token' },
    { permanent: /of an application/ },
  ],
  ['pushover', 200, { status: 1, request: 'r' }, { remote_id: 'r' }],
  ['pushover', 200, { status: 1, request: 'r', receipt: 'c' }, { remote_id: 'c' }],
  [
    'pushover',
    200,
    { status: 0, errors: ['user identifier is invalid'] },
    { permanent: /copy the user key/ },
  ],
  [
    'pushover',
    400,
    { status: 0, errors: ['application token is invalid'] },
    { permanent: /API token/ },
  ],
  ['bark', 200, { code: 200 }, 'ok'],
  [
    'bark',
    200,
    { code: 400, message: 'failed to get device token' },
    { permanent: /copy the key/ },
  ],
  ['serverchan', 200, { code: 0 }, 'ok'],
  ['serverchan', 200, { code: 40001, message: 'bad key' }, { permanent: /copy the SendKey/ }],
  [
    'serverchan',
    200,
    { code: 40001, message: '超过当天的发送次数限制' },
    { retry: /used up/, after_ms: 3_600_000 },
  ],
  ['pushplus', 200, { code: 200, data: 'd' }, { remote_id: 'd' }],
  ['pushplus', 200, { code: 903, msg: 'invalid token' }, { permanent: /copy the token/ }],
  ['wecom', 200, { errcode: 0, errmsg: 'ok' }, 'ok'],
  [
    'wecom',
    200,
    { errcode: 93000, errmsg: 'invalid webhook url' },
    { permanent: /the robot is gone/ },
  ],
  [
    'wecom',
    200,
    { errcode: 45009, errmsg: 'api freq out of limit' },
    { retry: /freq/, after_ms: 60_000 },
  ],
  ['feishu', 200, { code: 0 }, 'ok'],
  ['feishu', 200, { StatusCode: 0 }, 'ok'],
  ['feishu', 200, { code: 19021, msg: 'sign match fail' }, { permanent: /signing secret/ }],
  [
    'feishu',
    200,
    { code: 11232, msg: 'frequency limited' },
    { retry: /limited/, after_ms: 60_000 },
  ],
  ['dingtalk', 200, { errcode: 0 }, 'ok'],
  [
    'dingtalk',
    200,
    { errcode: 310000, errmsg: 'keywords not in content' },
    { permanent: /write the keyword/ },
  ],
  [
    'dingtalk',
    200,
    { errcode: 130101, errmsg: 'send too fast' },
    { retry: /fast/, after_ms: 600_000 },
  ],
  ['dingtalk', 200, '<html>', { permanent: /no errcode 0/ }],
  ['pagerduty', 202, { dedup_key: 'g' }, { remote_id: 'g' }],
  [
    'pagerduty',
    400,
    { message: 'Event object is invalid', errors: ["'routing_key' is bad"] },
    { permanent: /integration key/ },
  ],
  ['pagerduty', 429, '', { retry: /429/ }],
  ['webpush', 201, '', 'ok'],
  ['webpush', 404, '', { permanent: /404/ }],
  [
    'webpush',
    410,
    'push subscription has unsubscribed or expired.',
    { permanent: /open this channel there and press “This browser”/ },
  ],
  ['smtp', 250, 'queued', 'ok'],
  ['smtp', 451, 'greylisted', { retry: /greylisted/ }],
  ['smtp', 535, 'authentication failed', { permanent: /the user or the password is wrong/ }],
  ['worker', 200, '', 'ok'],
  ['worker', 500, 'boom', { retry: /boom/ }],
];

function fits(answer: Answer, expected: Row[3]): void {
  if (expected === 'ok' || 'remote_id' in expected) {
    assert.equal(answer, expected);
    return;
  }
  if ('permanent' in expected) {
    assert.match((answer as { permanent: string }).permanent ?? '', expected.permanent);
    return;
  }
  const { retry, after_ms } = answer as { retry: string; after_ms?: number };
  assert.match(retry ?? '', expected.retry);
  assert.is(after_ms, expected.after_ms);
}

for (const [kind, status, body, expected, headers = {}] of ROWS) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  test(`${kind} ${status} ${text.slice(0, 60)}`, () => {
    fits(KINDS.get(kind)!.answer(status, headers, text), expected);
    fits(KINDS.get(kind)!.answer(status, Object.entries(headers), text), expected);
  });
}

test('every kind has rows, and what receivers say is cut', () => {
  assert.equal(new Set(ROWS.map(([kind]) => kind)), new Set(KINDS.keys()));
  const { retry } = KINDS.get('webhook')!.answer(500, {}, 'x'.repeat(5_000)) as { retry: string };
  assert.is(retry, `The receiver says: ${'x'.repeat(200)}`);
});

test.run();
