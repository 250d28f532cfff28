// crontab.md §2.1: what SQL of the Super Token changes in a job counts from its next run on.

import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, agents, B, crontab, EVERY_SECOND, PLUGINS } from './crontab-kit.ts';
import { eventually } from './token-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab: jobs changed by SQL (${dialect})`);

  test('a job whose agents were changed by SQL runs for the new ones', async () => {
    const app = await bootForTest(['server-info', ...PLUGINS], {}, { dialect });
    try {
      const jobs = crontab(app, app.superToken);
      await jobs.create('moved', EVERY_SECOND, agents([A]));
      await jobs.records('moved', 1);
      const type = JSON.stringify(agents([B]));
      const text = `update crontab set cron_type = '${type}' where name = 'moved'`;
      await app.call('svc-server_exec_sql', [app.superToken, text]);
      await eventually(async () => {
        const [last] = await jobs.query({ cron_name: 'moved' });
        assert.match(last.message, `agent ${B} `);
      });
    } finally {
      await app.stop();
    }
  });

  test.run();
}
