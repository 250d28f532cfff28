// Messages in words: both languages, zones in summer and winter, one line first.
import { isZone } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import type { Message, MessageAlert } from '../../plugins/notify/src/api.ts';
import { type Language, render } from '../../plugins/notify/src/kinds/index.ts';
import { clean, cleanLine, cut } from '../../plugins/notify/src/words/clean.ts';
import { offsetOf, spanOf } from '../../plugins/notify/src/words/clock.ts';
import { en } from '../../plugins/notify/src/words/en.ts';
import { testMessage } from '../../plugins/notify/src/words/index.ts';
import { zhCn } from '../../plugins/notify/src/words/zh-cn.ts';
import { suite } from '../runner/suite.ts';
import { alertOf, closed, group, messageOf, NOW, offline, opened } from './messages.ts';

const test = suite('words of messages');
const [MINUTE, HOUR] = [60_000, 3_600_000];
const kind = { size: { title: 1_000, text: 10_000 }, markup: 'plain' } as const;
const say = (message: Message, language: Language = 'en', zone = 'UTC', now = NOW) =>
  render(message, { kind, language, zone, now });

const disk = alertOf({ rule: 'disk', since: NOW - 2 * MINUTE });
const full = alertOf({ shipped: 'disk-almost-full' });
const shop = (change: Partial<MessageAlert> = {}) =>
  alertOf(
    {
      ...{ source: 'monitor', rule: 'Monitor down', shipped: 'monitor-down', part: '' },
      ...{ value: 'status 500', threshold: '', severity: 'critical' },
      subject: { kind: 'monitor', id: 'shop', name: 'shop', tags: [] },
      monitor: { kind: 'http', one_place: false, not_after: null },
      ...change,
    },
    'shop',
  );
const down = { kind: 'http', one_place: false, not_after: null };
const ends = (ms: number) =>
  shop({
    ...{ rule: 'Certificate expiring', shipped: 'certificate', value: '12.6' },
    monitor: { kind: 'http', one_place: true, not_after: NOW + ms },
  });
const over = { state: 'closed', closed_at: NOW } as const;
const both = messageOf([offline('a'), offline('b', over)]);

const TITLES: readonly (readonly [message: Message, english: string, chinese: string])[] = [
  [
    messageOf([disk]),
    'web-1: disk / at 96 % (> 90 %) since 12:03 (2 min)',
    'web-1：disk / 为 96 %（> 90 %），自 12:03 起（2 分钟）',
  ],
  [
    messageOf([offline('web-1', { since: NOW - 2 * MINUTE })]),
    'web-1 is offline since 12:03 (2 min)',
    'web-1 已离线，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([offline('web-1', { since: NOW - 26 * HOUR, below: 14 })]),
    'web-1 is offline since 12 Jan, 10:05 (26 h), and 14 more because of it',
    'web-1 已离线，自 1月12日 10:05 起（26 小时），另有 14 个由此引起的告警',
  ],
  [
    messageOf([offline('web-1', { ...over, since: NOW - 12 * MINUTE })]),
    'Over after 12 min: web-1 was offline 11:53–12:05',
    '已恢复，历时 12 分钟：web-1 曾离线 11:53–12:05',
  ],
  [
    closed,
    'Over after 12 min: web-1: Disk almost full / 11:53–12:05',
    '已恢复，历时 12 分钟：web-1：Disk almost full / 11:53–12:05',
  ],
  [
    messageOf([{ ...disk, ...over, note: 'new disk', closed_by: 'anna' }]),
    'Closed by anna after 2 min: web-1: disk / 12:03–12:05',
    '已由 anna 关闭，历时 2 分钟：web-1：disk / 12:03–12:05',
  ],
  [
    messageOf([{ ...disk, ...over, note: 'expired', since: NOW - 25 * HOUR }]),
    'No longer watched after 25 h: web-1: disk / 12 Jan, 11:05–12:05',
    '不再监测，历时 25 小时：web-1：disk / 1月12日 11:05–12:05',
  ],
  [
    messageOf([{ ...disk, state: 'acked', note: 'on it' }], { type: 'alert.acked' }),
    'Acknowledged: web-1: disk / at 96 % (> 90 %) since 12:03 (2 min)',
    '已确认：web-1：disk / 为 96 %（> 90 %），自 12:03 起（2 分钟）',
  ],
  [
    messageOf([offline('web-1', { since: NOW - 4 * HOUR })], { type: 'alert.reminder' }),
    'Still open: web-1 is offline since 08:05 (4 h)',
    '仍未恢复：web-1 已离线，自 08:05 起（4 小时）',
  ],
  [
    messageOf([offline('web-1', { ...over, flaps: { times: 4, ms: 40 * MINUTE } })], {
      type: 'alert.flapping',
    }),
    'web-1 is offline: 4 times in 40 min',
    'web-1 已离线：40 分钟内出现 4 次',
  ],
  [
    messageOf([alertOf({ rule: 'Reports refused', part: '', value: '', threshold: '' })]),
    'web-1: Reports refused since 12:03 (2 min)',
    'web-1：Reports refused，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([alertOf({ summary: 'web-1 is nearly full' })]),
    'web-1 is nearly full since 12:03 (2 min)',
    'web-1 is nearly full，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([alertOf({ since: NOW - 9_000 })]),
    'web-1: Disk almost full / at 96 % (> 90 %) since 12:04',
    'web-1：Disk almost full / 为 96 %（> 90 %），自 12:04 起',
  ],
  [
    messageOf([full]),
    'web-1: disk / at 96 % (> 90 %) since 12:03 (2 min)',
    'web-1：磁盘 / 已用 96 %（> 90 %），自 12:03 起（2 分钟）',
  ],
  [
    messageOf([{ ...full, ...over, since: NOW - 12 * MINUTE }]),
    'Over after 12 min: web-1: disk / 11:53–12:05',
    '已恢复，历时 12 分钟：web-1：磁盘 / 11:53–12:05',
  ],
  [
    messageOf([full, alertOf({ shipped: 'disk-almost-full' }, 'web-2')]),
    '2 machines: disk almost full',
    '2 台机器：磁盘将满',
  ],
  [
    messageOf([alertOf({ shipped: 'memory', part: '', value: '150 MiB', threshold: '' })]),
    'web-1: 150 MiB of memory left since 12:03 (2 min)',
    'web-1：可用内存仅剩 150 MiB，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([{ ...full, summary: 'web-1 is nearly full' }]),
    'web-1 is nearly full since 12:03 (2 min)',
    'web-1 is nearly full，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([shop()]),
    'shop is down since 12:03 (2 min): status 500',
    'shop 已故障，自 12:03 起（2 分钟）：status 500',
  ],
  [
    messageOf([shop({ value: '', below: 3, monitor: { ...down, one_place: true } })]),
    'shop is down since 12:03 (2 min), seen from one place, and 3 more because of it',
    'shop 已故障，自 12:03 起（2 分钟），仅一个检测点可见，另有 3 个由此引起的告警',
  ],
  [
    messageOf([shop({ value: 'status\u202e 500\nBcc: x' })]),
    'shop is down since 12:03 (2 min): status 500 Bcc: x',
    'shop 已故障，自 12:03 起（2 分钟）：status 500 Bcc: x',
  ],
  [
    messageOf([shop({ ...over, since: NOW - 12 * MINUTE })]),
    'Over after 12 min: shop down 11:53–12:05',
    '已恢复，历时 12 分钟：shop 故障 11:53–12:05',
  ],
  [
    messageOf([shop({ shipped: 'heartbeat-late', value: 'no ping for 1 h' })]),
    'heartbeat of shop: no ping for 1 h, since 12:03 (2 min)',
    'shop 的心跳：no ping for 1 h，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([shop({ shipped: 'heartbeat-late', value: 'the job says that it failed' })]),
    'heartbeat of shop: the job says that it failed, since 12:03 (2 min)',
    'shop 的心跳：the job says that it failed，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([shop({ shipped: 'heartbeat-late', value: '' })]),
    'heartbeat of shop late or failed since 12:03 (2 min)',
    'shop 的心跳超时或失败，自 12:03 起（2 分钟）',
  ],
  [
    messageOf([shop({ flaps: { times: 4, ms: 40 * MINUTE } })], { type: 'alert.flapping' }),
    'shop down: 4 times in 40 min',
    'shop 故障：40 分钟内出现 4 次',
  ],
  [
    messageOf([shop({ shipped: 'certificate', ...over, since: NOW - 72 * HOUR })]),
    'Over after 3 d: certificate of shop expiring',
    '已恢复，历时 3 天：shop 的证书将到期',
  ],
  [
    messageOf([shop(), shop({ subject: { kind: 'monitor', id: 'b', name: 'b', tags: [] } })]),
    '2 monitors are down',
    '2 个监控项已故障',
  ],
  [
    messageOf([
      shop(over),
      shop({ ...over, subject: { kind: 'monitor', id: 'b', name: 'b', tags: [] } }),
    ]),
    '2 monitors are up again',
    '2 个监控项已恢复',
  ],
  [
    messageOf([ends(13 * 24 * HOUR + HOUR)]),
    'certificate of shop ends in 13 days, 26 Jan',
    'shop 的证书将在 13 天后（1月26日）到期',
  ],
  [
    messageOf([ends(-2 * 24 * HOUR)]),
    'certificate of shop ended 2 days ago, 11 Jan',
    'shop 的证书已于 2 天前（1月11日）到期',
  ],
  [
    messageOf([shop({ rule: 'Shop slow', value: '2400 ms', threshold: '> 2000 ms' }), shop()]),
    '2 alerts: monitor down',
    '2 个告警：监控项故障',
  ],
  [group, '31 machines are offline', '31 台机器已离线'],
  [
    messageOf([offline('a', over), offline('b', over)]),
    '2 machines are back',
    '2 台机器已恢复在线',
  ],
  [
    both,
    '1 open, 1 over: 2 machines: Machine offline',
    '1 个未恢复，1 个已恢复：2 台机器：Machine offline',
  ],
  [messageOf([alertOf({}), alertOf({ rule: 'Memory' })]), '2 alerts: web-1', '2 个告警：web-1'],
  [
    messageOf([alertOf({}), alertOf({ rule: 'Memory' }, 'web-2')]),
    '2 different alerts',
    '2 个不同的告警',
  ],
  [
    messageOf([alertOf({}), alertOf({}, 'web-2')]),
    '2 machines: Disk almost full',
    '2 台机器：Disk almost full',
  ],
  [
    { ...both, type: 'digest' },
    'While I could not reach you: 1 open, 1 over',
    '无法联系您期间：1 个未恢复，1 个已恢复',
  ],
  [
    messageOf([offline('web-1', { ...over, since: NOW - 9 * MINUTE })], { type: 'digest' }),
    'While I could not reach you: web-1 was offline 11:56–12:05',
    '无法联系您期间：web-1 曾离线 11:56–12:05',
  ],
];
for (const [message, english, chinese] of TITLES)
  test(english, () => {
    assert.is(say(message).title, english);
    assert.is(say(message, 'zh-CN').title, chinese);
  });

test('a group lists ten and counts the others, and says whose time it is', () => {
  const { lines } = say(group, 'en', 'America/St_Johns');
  assert.is(lines.length, 12);
  assert.is(lines[0], 'web-1 is offline since 08:30 (5 min)');
  assert.is(lines[10], 'and 21 more');
  assert.is(lines[11], 'Times: America/St_Johns (UTC−3:30)');
});

test('a digest has a line for each', () => {
  const { lines } = say({ ...both, type: 'digest' });
  assert.equal(lines.slice(0, 2), [
    'a is offline since 12:00 (5 min)',
    'b was offline 12:00–12:05',
  ]);
});

test('a single alert says rule, time with distance from UTC, note, and what to do', () => {
  const alert = {
    ...disk,
    state: 'acked',
    note: 'on\nit',
    runbook: 'Clear /tmp',
    summary: 'Full',
  } as const;
  assert.equal(say(messageOf([alert], { type: 'alert.acked' }), 'en', 'Europe/Berlin').lines, [
    'Rule: disk / (Warning)',
    'Value: 96 % (> 90 %)',
    'Since 13 Jan 2026, 13:03:00 UTC+1, for 2 min',
    'Note: on\nit',
    'What to do: Clear /tmp',
  ]);
  assert.equal(say(messageOf([disk]), 'zh-CN', 'Asia/Shanghai').lines, [
    '规则：disk /（警告）',
    '自 2026年1月13日 20:03:00 UTC+8 起，已持续 2 分钟',
  ]);
});

test('times are those of the zone, in summer and in winter', () => {
  const [winter, summer] = [Date.UTC(2026, 0, 13, 23, 30), Date.UTC(2026, 6, 13, 22, 30)];
  const rows = [
    ['Europe/Berlin', winter, 'UTC+1', '00:30'],
    ['Europe/Berlin', summer, 'UTC+2', '00:30'],
    ['America/New_York', winter, 'UTC−5', '18:30'],
    ['America/New_York', summer, 'UTC−4', '18:30'],
    ['Asia/Kolkata', summer, 'UTC+5:30', '04:00'],
    ['UTC', summer, 'UTC', '22:30'],
  ] as const;
  for (const [zone, since, offset, clock] of rows) {
    assert.is(offsetOf(since, zone), offset, zone);
    const { title, lines } = say(messageOf([{ ...disk, since }]), 'en', zone, since + MINUTE);
    assert.match(title, `since ${clock}`);
    assert.match(lines[1]!, `${clock}:00 ${offset},`);
  }
  assert.ok(isZone('Europe/Berlin'));
  assert.not.ok(isZone('Europe/Nowhere'));
});

test('durations are words', () => {
  const rows = [
    [0, '0 s', '0 秒'],
    [59_999, '59 s', '59 秒'],
    [MINUTE, '1 min', '1 分钟'],
    [61 * MINUTE, '1 h 1 min', '1 小时 1 分钟'],
    [47 * HOUR, '47 h', '47 小时'],
    [48 * HOUR, '2 d', '2 天'],
    [51 * HOUR, '2 d 3 h', '2 天 3 小时'],
    [-5, '0 s', '0 秒'],
  ] as const;
  for (const [ms, english, chinese] of rows) {
    assert.is(spanOf(ms, en), english);
    assert.is(spanOf(ms, zhCn), chinese);
  }
});

test('both languages have the same members and the same values in them', () => {
  const values = (words: object): object =>
    Object.fromEntries(
      Object.entries(words).map(([name, text]) => [
        name,
        typeof text === 'string'
          ? [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort()
          : values(text),
      ]),
    );
  assert.equal(values(zhCn), values(en));
});

test('a text of a person and a test message come as they are', () => {
  const text = messageOf([], {
    type: 'text',
    title: 'Backup',
    text: 'done\r\nwell',
    severity: 'info',
  });
  const { title, lines, state, links } = say(text);
  assert.equal(
    { title, lines, state, links },
    { title: 'Backup', lines: ['done', 'well'], state: 'none', links: [] },
  );
  const options = { name: 'ops', brand: 'svc', zone: 'Asia/Shanghai', now: NOW };
  const english = say(testMessage({ ...options, language: 'en' }));
  assert.is(english.title, 'Test message from svc');
  assert.match(english.text, 'Channel “ops” works');
  assert.match(english.text, 'since 20:05');
  assert.is(say(testMessage({ ...options, language: 'zh-CN' })).title, '来自 svc 的测试消息');
});

test('the link to acknowledge is there while there is something to acknowledge', () => {
  assert.equal(
    say(opened).links.map(({ label }) => label),
    ['Open', 'Acknowledge'],
  );
  assert.equal(
    say(closed).links.map(({ label }) => label),
    ['Open'],
  );
  assert.equal(say(group).links, []);
  const alert = alertOf({ url: 'javascript:alert(1)', ack_url: '' });
  assert.equal(say(messageOf([alert])).links, []);
});

test('foreign texts are cleaned of what steers the text around them', () => {
  const rows = [
    ['a\u202eb\u2066c', 'abc'],
    ['a\u0000b\u001b[1m', 'ab[1m'],
    ['a\r\nb\u2028c', 'a bc'],
    ['tab\there', 'tab here'],
    ['half \ud83d done', 'half done'],
    ['whole 😀', 'whole 😀'],
    ['@\u200beveryone', '@everyone'],
  ] as const;
  for (const [text, expected] of rows) assert.is(cleanLine(text), expected);
  assert.is(clean('a\r\nb\rc'), 'a\nb\nc');
});

test('texts are cut between characters', () => {
  assert.is(cut('abcdef', 4), 'abc…');
  assert.is(cut('abc', 3), 'abc');
  assert.is(cut('😀😀😀', 4), '😀…');
  assert.is(cut('磁盘满了', 9, Buffer.byteLength), '磁盘…');
  assert.is(cut('磁盘', 5, Buffer.byteLength), '');
  assert.is(cut('abc', 0), '');
});

test.run();
