// Secrets of monitors and keys of heartbeats where the key that sealed them is lost, and in backups (docs/protocol/monitor.md §2, §7).
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { command, configOf, emptyTarget, folder } from '../backup/kit.ts';
import { suite } from '../runner/suite.ts';
import {
  boot,
  call,
  create,
  failure,
  get,
  http,
  PLUGINS,
  says,
  type Target,
  target,
} from './kit.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const SECRET = 'bear-7702-d0b2';
const BEAT = { name: 'job', kind: 'heartbeat', spec: { period_s: 3_600 } };

for (const dialect of DIALECTS) {
  const test = suite(`monitors: secrets (${dialect})`);
  let app: TestApp;
  let web: Target;
  test.before.each(async () => {
    app = await boot(dialect, {}, [...PLUGINS, 'admission', 'backup']);
    web = await target();
  });
  test.after.each(async () => {
    await app.stop();
    await web.stop();
  });
  const loseKey = async () => {
    rmSync(join(app.dir, 'secrets.key'));
    await app.restart();
  };
  const ping = async (url: string) => (await app.fetch(url)).status;

  test('without the key a heartbeat goes on; its address is unknown until it is renewed', async () => {
    const { ping_url } = await create(app, BEAT);
    await loseKey();
    const after = await get(app, 'job');
    assert.equal([after.ping_url, after.push_url, after.problem], [null, null, null]);
    assert.is(await ping(ping_url), 200);
    assert.ok(await says(app, 'job', 'up'));
    const renewed = await call(app, 'monitor_update', { name: 'job', change: { renew_key: true } });
    assert.is(await ping(renewed.ping_url), 200);
    assert.is(await ping(ping_url), 404);
  });

  test('without the key a monitor with secrets says so, and works once they are written again', async () => {
    await create(app, http('api', web.url, { secret: { bearer: SECRET } }));
    assert.ok(await says(app, 'api', 'up'));
    await loseKey();
    assert.match((await get(app, 'api')).problem, 'secrets.key is missing');
    const write = (secret: object | null) =>
      call(app, 'monitor_update', { name: 'api', change: { secret } });
    assert.is((await failure(write({ bearer: 'x' }))).code, 107);
    await write(null);
    await app.restart();
    assert.is((await write({ bearer: 'again' })).problem, null);
    assert.ok(await says(app, 'api', 'up'));
  });

  for (const to of DIALECTS) {
    test(`a copy holds no clear secret, and its addresses show again with the key (to ${to})`, async () => {
      const { ping_url } = await create(app, BEAT);
      await create(app, http('api', web.url, { secret: { bearer: SECRET } }));
      const place = folder();
      const into = await emptyTarget(to, configOf(app));
      try {
        const passphrase = join(place.dir, 'passphrase');
        writeFileSync(passphrase, 'correct horse battery\n');
        const sealed = { 'with-secrets': true, 'passphrase-file': passphrase };
        const made = await command(configOf(app), 'backup', [join(place.dir, 'sealed/')], sealed);
        const [source = ''] = /\S+backup-\S+Z/.exec(made.lines.join('\n')) ?? [];
        const image = gunzipSync(readFileSync(join(source, 'database.sqlite.gz')));
        for (const clear of [SECRET, ping_url.split('/').at(-1)])
          assert.not.ok(image.includes(clear), 'no clear secret is in the copy');
        const restored = join(into.dir, 'all', 'server.toml');
        const back = { configuration: restored, 'passphrase-file': passphrase };
        const { code, lines } = await command(into.config, 'restore', [source], back);
        assert.is(code, 0, lines.join('\n'));
        assert.equal(await looked(restored), [
          'The key of the secrets of channels is there',
          '2 monitors have secrets, and the key of these is there.',
        ]);
        rmSync(join(into.dir, 'all', 'secrets.key'));
        const [, monitors = ''] = await looked(restored);
        assert.match(monitors, /^2 monitors have secrets that cannot be opened: .* is missing/);
      } finally {
        await into.remove();
        place.clean();
      }
    });
  }

  test.run();
}

/** What `doctor` says of the key. */
async function looked(config: string): Promise<string[]> {
  const app = await start({ config, mode: 'look', console: () => {} });
  try {
    const said = [];
    for (const name of ['notify', 'monitor'])
      for (const { message } of await examined(app, name)) said.push(message);
    return said.map((text) => text.replace(/ is \S+secrets\.key\.$/, ' is there'));
  } finally {
    await app.stop('done');
  }
}

async function examined(app: Awaited<ReturnType<typeof start>>, name: string) {
  const { default: plugin } = await import(`../../plugins/${name}/src/index.ts`);
  return (await plugin.examine(app.kernelOf(name))) as { message: string }[];
}
