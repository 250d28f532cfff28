// Ports of servers that wait for the client to speak.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { boot, call, create, passes, SECOND, type Target, target } from './kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: ports (${dialect})`);
  let app: TestApp;
  let web: Target;
  test.before(async () => {
    app = await boot(dialect);
    web = await target();
  });
  test.after(async () => {
    await app.stop();
    await web.stop();
  });

  test('a port that waits for its client is up as soon as it connects, be it one of many of its host', async () => {
    const spec = { host: '127.0.0.1', port: web.port };
    const names = Array.from({ length: 40 }, (_one, n) => `port ${n}`);
    for (const name of names) await create(app, { name, kind: 'tcp', spec, interval_s: 3_600 });
    for (const name of names) await call(app, 'monitor_check_now', { name });
    const areUp = async () => {
      const { monitors } = await call(app, 'monitor_list');
      return monitors.every(({ state }: { state: string }) => state === 'up');
    };
    assert.ok(await passes(app, 15 * SECOND, areUp));
  });

  test.run();
}
