// Templates: names and six filters, nothing else; JSON is read before its strings are filled.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { checkValues, KINDS, render } from '../../plugins/notify/src/kinds/index.ts';
import { fillTemplate, parseTemplate } from '../../plugins/notify/src/template/index.ts';
import { fillJson, parseJsonTemplate } from '../../plugins/notify/src/template/json.ts';
import { suite } from '../runner/suite.ts';
import { context, foreign, NOW, opened } from './messages.ts';

const test = suite('templates');
const NAMES = ['subject.name', 'severity', 'since', 'duration', 'text', 'note'];
const values = {
  'subject.name': 'web-1',
  severity: 'warning',
  since: NOW,
  duration: 720_000,
  text: 'say "hi"\n{{severity}}',
  note: '',
};
const options = { language: 'en', zone: 'UTC' } as const;
const fill = (text: string, language: 'en' | 'zh-CN' = 'en') =>
  fillTemplate(parseTemplate(text, NAMES), values, { ...options, language });

const ROWS: readonly (readonly [template: string, expected: string])[] = [
  ['', ''],
  ['plain {text} }}', 'plain {text} }}'],
  ['{{subject.name}} is {{severity|upper}}', 'web-1 is WARNING'],
  ['{{ severity | upper | lower }}', 'warning'],
  ['{{since}}', `${NOW}`],
  ['{{since|date}}', '13 Jan 2026, 12:05:00 UTC'],
  ['{{since|date:Europe/Berlin}}', '13 Jan 2026, 13:05:00 UTC+1'],
  ['{{duration|duration}}', '12 min'],
  ['{{text|json}}', '"say \\"hi\\"\\n{{severity}}"'],
  ['{{note|default:none}}', 'none'],
  ['{{note|date}}', ''],
  ['{{severity|default:none}}', 'warning'],
];
for (const [template, expected] of ROWS)
  test(JSON.stringify(template), () => assert.is(fill(template), expected));

test('dates and durations are in the language of the channel', () => {
  assert.is(
    fill('{{since|date}}, {{duration|duration}}', 'zh-CN'),
    '2026年1月13日 12:05:00 UTC, 12 分钟',
  );
});

test('what is not known is refused at saving, with what there is', () => {
  const rows = [
    [
      '{{subject.nam}}',
      /'\{\{subject\.nam\}\}' names nothing that there is; did you mean 'subject\.name'\?; names are: /,
    ],
    ['{{constructor}}', /names nothing/],
    [
      '{{severity|uper}}',
      /'\|uper' is no filter; did you mean 'upper'\?; filters are: upper, lower, date, duration, json, default/,
    ],
    ['{{severity|toString}}', /is no filter/],
    ['{{since|date:Mars/Olympus}}', /names no time zone/],
    ['{{severity', /has no end/],
    ['{{}}', /names nothing/],
  ] as const;
  for (const [template, fault] of rows)
    assert.throws(
      () => parseTemplate(template, NAMES),
      (error: Error) => {
        assert.is(error.name, 'TemplateError');
        assert.match(error.message, fault);
        return true;
      },
    );
});

test('values are never read as templates', () => {
  assert.is(fill('{{text}}'), values.text);
});

test('a JSON template keeps its form, whatever the values hold', () => {
  const template = parseJsonTemplate(
    '{"a": ["{{text}}", 1, null, true], "{{b}}": {"c": "x {{severity}}"}}',
    NAMES,
  );
  assert.equal(fillJson(template, values, options), {
    a: [values.text, 1, null, true],
    '{{b}}': { c: 'x warning' },
  });
  fc.assert(
    fc.property(fc.string(), (text) => {
      const made = fillJson(template, { ...values, text }, options) as { a: unknown[] };
      assert.equal(JSON.parse(JSON.stringify(made)).a[0], text);
    }),
  );
  assert.throws(() => parseJsonTemplate('{"a": {{text}}}', NAMES), /is no JSON/);
  const deep = `${'['.repeat(30)}"x"${']'.repeat(30)}`;
  assert.throws(() => parseJsonTemplate(deep, NAMES), /nested deeper/);
});

test('a webhook sends its template, or the form of Alertmanager', () => {
  const webhook = KINDS.get('webhook')!;
  const send = (config: object, message = opened) => {
    const all = { url: 'https://example.com/x?a=1', ...config };
    const made = webhook.request!(all, render(message, { kind: webhook, ...context }), context);
    return { ...made, body: JSON.parse(made.body as string) };
  };
  const template = '{"text": "{{title}}", "who": "{{subject.name}}", "at": "{{since|date}}"}';
  const made = send({ format: 'template', template, query: 'key=2', header: 'X-Key: v' }, foreign);
  assert.is(made.url, 'https://example.com/x?a=1&key=2');
  assert.equal(made.headers[1], ['X-Key', 'v']);
  assert.equal(made.body, {
    text: '<b>@everyone</b> Bcc: x: Disk almost full at 96 % (> 90 %) since 13:03 (2 min)',
    who: '<b>@everyone</b> Bcc: x',
    at: '13 Jan 2026, 13:03:00 UTC+1',
  });
  const { body } = send({ format: 'alertmanager' });
  assert.is(body.version, '4');
  assert.is(body.status, 'firing');
  assert.is(body.groupKey, 'rule-4');
  assert.equal(body.alerts[0].labels, {
    alertname: 'Disk almost full',
    severity: 'warning',
    instance: 'web-1',
    subject: 'agent/uuid-of-web-1',
    part: '/',
  });
  assert.is(body.alerts[0].startsAt, '2026-01-13T12:03:00.000Z');
  assert.is(body.alerts[0].endsAt, '0001-01-01T00:00:00Z');
  assert.equal(body.commonLabels, body.alerts[0].labels);
});

test('the form of a channel says which field is wrong, and what to write', () => {
  const rows = [
    ['webhook', {}, {}, /'url' \(URL\) is missing/],
    ['webhook', { url: 'ftp://x' }, {}, /'url' \(URL\) is an address that begins with https/],
    ['webhook', { url: 'https://a:b@x.example' }, {}, /without user and password/],
    [
      'webhook',
      { url: 'https://x.example', urk: '1' },
      {},
      /'urk' is no field of webhook; did you mean 'url'/,
    ],
    [
      'webhook',
      { url: 'https://x.example', token: 't' },
      {},
      /'token' is secret: write it into `secret`/,
    ],
    [
      'webhook',
      { url: 'https://x.example' },
      { user: 'u' },
      /'user' is no secret: write it into `config`/,
    ],
    [
      'webhook',
      { url: 'https://x.example', format: 'xml' },
      {},
      /is one of json, alertmanager, template/,
    ],
    ['webhook', { url: 'https://x.example', format: 'template' }, {}, /'template' is missing/],
    [
      'webhook',
      { url: 'https://x.example', template: '{"a":"{{titl}}"}' },
      {},
      /'template': .*did you mean 'title'/,
    ],
    [
      'webhook',
      { url: 'https://x.example' },
      { header: 'A: b\r\nC: d' },
      /'header' \(Header\) is a text of one line/,
    ],
    ['telegram', { chat_id: '-1' }, { token: 'abc' }, /'token' is no token of a bot/],
    ['telegram', { chat_id: 'my group' }, { token: '1:a' }, /'chat_id' is a number/],
    [
      'telegram',
      { chat_id: '-1', thread_id: 'x' },
      { token: '1:a' },
      /'thread_id' \(Topic\) is a whole number/,
    ],
    ['discord', {}, { url: 'https://discord.com/channels/1' }, /is no webhook of Discord/],
    [
      'smtp',
      { host: 'x', from: 'a@b.c', to: ['x>\r\nRCPT TO:<y@z'] },
      {},
      /'to' \(Recipients\) is a list/,
    ],
    ['smtp', { host: 'x', from: 'a@b.c', to: ['a b@c.d'] }, {}, /'to' has "a b@c.d"/],
    ['smtp', { host: 'x', from: 'Ops <a@b.c>', to: ['a@b.c'] }, {}, /'from' is an address/],
    ['smtp', { host: 'x:25', from: 'a@b.c', to: ['a@b.c'] }, {}, /without a port/],
    ['smtp', { host: 'x', port: 70_000, from: 'a@b.c', to: ['a@b.c'] }, {}, /'port'/],
    ['smtp', { host: 'x', from: 'a@b.c', to: [] }, {}, /'to' \(Recipients\) is missing/],
    [
      'smtp',
      { host: 'x', from: 'a@b.c', to: ['a@b.c'], security: 'none', user: 'u' },
      {},
      /in the clear/,
    ],
    ['pagerduty', {}, { routing_key: 'short' }, /32 letters and digits/],
    ['ntfy', { topic: 'my topic' }, {}, /letters, digits/],
    ['matrix', { server: 'https://m.example', room: '#x:y' }, { token: 't' }, /not its #name/],
    ['feishu', {}, { hook: 'https://open.feishu.cn/x' }, /not the whole address/],
  ] as const;
  for (const [kind, config, secret, fault] of rows)
    assert.throws(
      () => checkValues(KINDS.get(kind)!, config, secret),
      (error: any) => {
        assert.is(error.code, 108);
        assert.match(error.message, fault);
        return true;
      },
    );
});

test.run();
