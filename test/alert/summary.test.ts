// Texts of rules about an alert (`summary`).
import * as assert from 'uvu/assert';
import { summaryFault, summaryText } from '../../plugins/alert/src/alerts/summary.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: summaries');

const facts = {
  subject: { id: 'u-1', name: 'web-1', tags: ['web', 'eu'] },
  part: '/',
  value: '96 %',
  threshold: '> 90 %',
  since: Date.UTC(2026, 0, 13, 12, 5),
  duration: 5 * 60_000,
};

for (const [summary, text] of [
  ['', ''],
  [
    '{{subject.name}} ({{subject.tags}}): {{part}} {{value}} {{threshold}}',
    'web-1 (web, eu): / 96 % > 90 %',
  ],
  ['{{rule|upper}} {{severity}} {{subject.id}} {{labels.team}}', 'DISK warning u-1 ops'],
  [
    '{{since|date:Europe/Berlin}} for {{duration|duration}}',
    '13 Jan 2026, 13:05:00 UTC+1 for 5 min',
  ],
  ['{{gone}} {{value}}', '{{gone}} {{value}}'],
] as const)
  test(`'${summary}' says '${text}'`, () => {
    const rule = {
      name: 'disk',
      source: 'part',
      severity: 'warning',
      summary,
      labels: { team: 'ops' },
    } as const;
    assert.is(summaryText(rule, facts), text);
  });

test('a rule about monitors names what they check and say; others do not', () => {
  const summary = '{{subject.name}}: {{monitor.target}} ({{monitor.places}}) {{monitor.detail}}';
  const rule = { name: 'down', severity: 'critical', summary, labels: {} } as const;
  const monitor = { kind: 'http', detail: 'status 500', one_place: false, not_after: null };
  const more = { ...facts, monitor: { ...monitor, target: 'https://shop', places: '2/3' } };
  const about = { ...rule, source: 'monitor' } as const;
  assert.is(summaryText(about, more), 'web-1: https://shop (2/3) status 500');
  // One that opened before an update knows less.
  assert.is(summaryText(about, { ...facts, monitor }), 'web-1:  () status 500');
  assert.is(summaryFault(about), undefined);
  assert.match(summaryFault({ ...rule, source: 'machine' }) ?? '', /monitor\.target/);
});

test.run();
