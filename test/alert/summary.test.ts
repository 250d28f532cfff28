// Texts of rules about an alert (`summary`).
import * as assert from 'uvu/assert';
import { summaryText } from '../../plugins/alert/src/alerts/summary.ts';
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
    const rule = { name: 'disk', severity: 'warning', summary, labels: { team: 'ops' } } as const;
    assert.is(summaryText(rule, facts), text);
  });

test.run();
