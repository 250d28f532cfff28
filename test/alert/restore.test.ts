// Alerts of a database that was restored from a copy: what was to be told then is not told again.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { command, configOf, emptyTarget, folder } from '../backup/kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS } from './kit.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;

for (const dialect of DIALECTS) {
  const test = suite(`alert: restore (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'backup', 'retention'], {}, { dialect });
    const later = app.clock.now() + 3_600_000;
    for (const [kind, due] of [
      ['opened', later],
      ['closed', later],
      ['opened', null],
    ])
      await app.sql(`insert into alert_event (alert_id, rule_id, subject_kind, subject_id, part,
        episode, at, kind, detail, due)
        values (1, 1, 'agent', 'a', '', 1, ${later}, '${kind}', '{}', ${due})`);
  });
  test.after(() => app.stop());

  for (const to of DIALECTS)
    test(`what was to be told is not, and is counted, when it is restored to ${to}`, async () => {
      const place = folder();
      const target = await emptyTarget(to, configOf(app));
      try {
        const made = await command(configOf(app), 'backup', [`${place.dir}/copy/`]);
        assert.is(made.code, 0, made.lines.join('\n'));
        const [source = ''] = /\S+backup-\S+Z/.exec(made.lines.join('\n')) ?? [];
        const { code, lines } = await command(target.config, 'restore', [source]);
        assert.is(code, 0, lines.join('\n'));
        assert.match(lines.join('\n'), '2 openings and ends of alerts that were to be told then');
        assert.equal(await eventsOf(target.config), { all: 3, due: 0 });
        const [{ due }] = await app.sql('select count(due) as due from alert_event');
        assert.is(Number(due), 2);
      } finally {
        await target.remove();
        place.clean();
      }
    });

  test.run();
}

async function eventsOf(config: string) {
  const app = await start({ config, mode: 'tool', bare: () => true, console: () => {} });
  try {
    const sql = 'select count(*) as n, count(due) as due from alert_event';
    const row = await app.db.first<{ n: number; due: number }>(sql);
    return { all: Number(row?.n), due: Number(row?.due) };
  } finally {
    await app.stop('done');
  }
}
