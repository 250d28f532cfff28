// proof only: 10
// Backups of channels: what waits is not sent again after a restore, and secrets leave with the key only.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { start } from '../../server/src/start.ts';
import { command, configOf, emptyTarget, folder } from '../backup/kit.ts';
import { suite } from '../runner/suite.ts';
import { create, outbox, PLUGINS, type Receiver, receiver, send, until, webhook } from './kit.ts';

const SECRET = 'tok-77d0b2c4f1e8';
const DIALECTS = ['sqlite', 'postgres'] as const;

for (const dialect of DIALECTS) {
  const test = suite(`backup of channels (${dialect})`);
  let app: TestApp;
  let hook: Receiver;
  test.before(async () => {
    hook = await receiver();
    app = await bootForTest([...PLUGINS, 'backup', 'retention', 'kv'], {}, { dialect });
    await create(app, webhook('ops', hook.url, { secret: { token: SECRET } }));
    await send(app, 'ops', 'sent');
    await until('sent', async () => (await outbox(app, { state: 'sent' })).length === 1);
    const change = { enable: false };
    await app.call('channel_update', { token: app.superToken, name: 'ops', change });
    for (let n = 0; n < 3; n++) await send(app, 'ops', 'waits');
  });
  test.after(async () => {
    await app.stop();
    await hook.stop();
  });

  for (const to of DIALECTS) {
    test(`what waited is dropped and counted when it is restored to ${to}`, async () => {
      const place = folder();
      const target = await emptyTarget(to, configOf(app));
      try {
        const passphrase = join(place.dir, 'passphrase');
        writeFileSync(passphrase, 'correct horse battery\n');
        const sealed = { 'with-secrets': true, 'passphrase-file': passphrase };
        const made = await command(configOf(app), 'backup', [join(place.dir, 'sealed/')], sealed);
        assert.is(made.code, 0);
        const [source = ''] = /\S+backup-\S+Z/.exec(made.lines.join('\n')) ?? [];
        const image = gunzipSync(readFileSync(join(source, 'database.sqlite.gz')));
        assert.not.ok(image.includes(SECRET), 'no clear secret is in the copy');
        const key = readFileSync(join(app.dir, 'secrets.key'), 'utf8').trim();
        for (const file of ['configuration.toml', 'secrets.enc', 'database.sqlite.gz'])
          assert.not.ok(readFileSync(join(source, file)).includes(key), file);
        const restored = join(target.dir, 'all', 'server.toml');
        const back = { configuration: restored, 'passphrase-file': passphrase };
        const { code, lines } = await command(target.config, 'restore', [source], back);
        assert.is(code, 0, lines.join('\n'));
        assert.match(lines.join('\n'), '3 messages that waited then are dropped');
        const written = join(target.dir, 'all', 'secrets.key');
        assert.is(readFileSync(written, 'utf8').trim(), key);
        const rows = await statesOf(target.config);
        assert.equal(rows, { states: [1, 2, 2, 2], dropped: [3] });
      } finally {
        await target.remove();
        place.clean();
      }
    });
  }

  test('a backup without secrets takes no key along', async () => {
    const place = folder();
    try {
      const made = await command(configOf(app), 'backup', [`${place.dir}/plain/`]);
      const [source = ''] = /\S+backup-\S+Z/.exec(made.lines.join('\n')) ?? [];
      assert.not.ok(existsSync(join(source, 'secrets.enc')));
      const text = readFileSync(join(source, 'configuration.toml'), 'utf8');
      assert.not.match(text, readFileSync(join(app.dir, 'secrets.key'), 'utf8').trim());
    } finally {
      place.clean();
    }
  });

  test.run();
}

async function statesOf(config: string) {
  const app = await start({ config, mode: 'tool', bare: () => true, console: () => {} });
  try {
    const rows = await app.db.all<{ state: number }>('select state from notify_outbox');
    const channels = await app.db.all<{ dropped: number }>('select dropped from channel');
    return {
      states: rows.map(({ state }) => state).sort(),
      dropped: channels.map(({ dropped }) => dropped),
    };
  } finally {
    await app.stop('done');
  }
}
