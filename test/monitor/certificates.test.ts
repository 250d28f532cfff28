// Certificates that checks see: an expired one is a failure with its reason and its dates.
import type { App } from '@svc/kernel';
import * as assert from 'uvu/assert';
import { Monitors } from '../../plugins/monitor/src/api.ts';
import { DAY_MS, issue } from '../checks/authority.ts';
import { says as answers, type Peer, startPeer } from '../checks/kit.ts';
import { suite } from '../runner/suite.ts';
import { boot, call, create, get, passes, SECOND, says } from './kit.ts';

const test = suite('monitors: certificates');
const names = ['127.0.0.1'];
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const peerOf = ({ key, cert }: { key: string; cert: string }): Promise<Peer> =>
  startPeer(answers(OK), { tls: { key, cert } });
const web = (name: string, { port }: Peer, over: object = {}) => ({
  ...{ name, kind: 'http', spec: { url: `https://127.0.0.1:${port}/`, ...over } },
  ...{ interval_s: 10, timeout_s: 5, retries: 0 },
});

for (const dialect of ['sqlite', 'postgres'] as const)
  test(`one that has expired is down with the reason, its dates are shown, and are written once (${dialect})`, async () => {
    const app = await boot(dialect);
    const old = await peerOf(issue({ name: 'old', names, until_days: -2 }));
    try {
      await create(app, web('old', old));
      assert.ok(await says(app, 'old', 'down'));
      const { verdict, certificates } = await get(app, 'old');
      assert.match(verdict.detail, /expired 2 days ago/);
      const [seen] = certificates;
      assert.equal([seen.place, seen.valid, seen.reason], ['server', false, 'expired 2 days ago']);
      assert.ok(Math.abs(seen.chain[0].not_after - (Date.now() - 2 * DAY_MS)) < 60_000);
      await create(app, web('shown', old, { ignore_tls: true }));
      assert.ok(await says(app, 'shown', 'up'));
      const spec = { host: '127.0.0.1', port: old.port };
      await create(app, { name: 'only', kind: 'tls', spec, interval_s: 10, retries: 0 });
      assert.ok(await says(app, 'only', 'down'));
      assert.match((await get(app, 'only')).verdict.detail, /^[^,]*expired 2 days ago$/);
      await passes(app, 30 * SECOND);
      const [again] = (await get(app, 'old')).certificates;
      assert.is(again.at, seen.at);
      const now = await (app.kernel as App).service(Monitors)!.now();
      const one = now.find(({ name }) => name === 'old')!;
      assert.equal(
        [one.not_after, one.lifetime_ms],
        [seen.chain[0].not_after, seen.chain[0].not_after - seen.chain[0].not_before],
      );
      const { monitors } = await call(app, 'monitor_list');
      assert.is(
        monitors.find((listed: any) => listed.name === 'old').not_after,
        seen.chain[0].not_after,
      );
      await call(app, 'monitor_update', {
        name: 'old',
        change: { spec: { url: 'https://127.0.0.1:1/' } },
      });
      assert.equal((await get(app, 'old')).certificates, []);
    } finally {
      await app.stop();
      await old.stop();
    }
  });

test.run();
