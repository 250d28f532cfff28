// proof: 5
// svc-server.md §9: log.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { isRecord, type LogRecord, noise } from './svc-server-noise.ts';

for (const dialect of oneDialect) {
  const test = suite(`svc-server: log ring (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', 'server-info', noise], {}, { dialect });
  });
  test.after(() => app.stop());

  const make = (target: string, level: string, message: string) =>
    app.call('noise_make', { target, level, message, count: 1 });

  test('log is a snapshot of the ring, oldest first, in the shape of the chapter', async () => {
    await make('kv', 'warn', 'first');
    await make('kv', 'debug', 'second');
    const records: LogRecord[] = await app.call('svc-server_log', [app.superToken]);
    records.forEach(isRecord);
    const mine = records.filter(
      ({ target, message }) => target === 'kv' && /first|second/.test(message),
    );
    const [first, second] = mine as [LogRecord, LogRecord];
    assert.equal(
      [first.message, first.level, second.message, second.level],
      ['first', 'WARN', 'second', 'DEBUG'],
    );
    assert.equal(first.fields, { at: 0, flag: true, text: 'x' });
    assert.equal(first.spans, [{ name: 'inner', fields: 'k=v' }, { name: 'outer' }]);
    assert.ok(Math.abs(Date.parse(first.timestamp) - Date.now()) < 60_000);
  });

  test('log holds no secret: no credential, no configuration text, no answer of SQL', async () => {
    const token = await app.token([], { username: 'ada', password: 'correct horse' });
    await app.call('svc-server_log', [token]).catch(() => undefined);
    await app.call('svc-server_log', ['ada|correct horse']).catch(() => undefined);
    const config = await app.call('svc-server_read_config', [app.superToken]);
    const sql = 'select token_hash from token where id = 1';
    const { data } = await app.call('svc-server_exec_sql', [app.superToken, sql]);
    const text = JSON.stringify(await app.call('svc-server_log', [app.superToken]));
    // The start logs the configuration, masked; the text of the file is an answer like any other.
    const line = /^database_url = .*$/m.exec(config)?.[0];
    const secrets = [token.split(':')[1], app.superToken.split(':')[1], 'correct horse', line];
    for (const secret of [...secrets, data[0].token_hash]) {
      assert.ok(secret && !text.includes(secret), `the log holds ${secret}`);
    }
  });

  for (const capacity of [0, 3]) {
    test(`memory_log_capacity ${capacity} keeps ${capacity} records at most`, async () => {
      const logging = { memory_log_capacity: capacity, memory_log_filter: 'kv=info' };
      const small = await bootForTest(['token', 'server-info', noise], { logging }, { dialect });
      try {
        await small.call('noise_make', { target: 'kv', level: 'info', message: 'm', count: 5 });
        const records: LogRecord[] = await small.call('svc-server_log', [small.superToken]);
        assert.equal(
          records.map(({ fields }) => fields['at']),
          [2, 3, 4].slice(0, capacity),
        );
      } finally {
        await small.stop();
      }
    });
  }

  test.run();
}
