// proof only: 40
/** `svc-server import FILE` as a program: what it prints, what it makes, and its undo. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from '../../process/place.ts';
import { suite } from '../../runner/suite.ts';
import { run } from '../../server/doctor-kit.ts';
import { database, gatus, kuma, PUSH_TOKEN, SECRETS } from './fixtures.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import command: ${dialect}`);
  let place: Place;
  test.before(async () => {
    place = await makePlace(dialect);
    const { dir } = place.site;
    writeFileSync(join(dir, 'kuma.db'), database(kuma()));
    writeFileSync(join(dir, 'gatus.yaml'), gatus);
    writeFileSync(join(dir, 'broken.db'), 'SQLite format 3\0 and nothing behind');
  });
  test.after(() => place.remove());

  const command = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { config, dir } = place.site;
    const ended = await run(['import', '-c', config, ...args], dir, { env });
    for (const secret of [...SECRETS, PUSH_TOKEN]) assert.not.match(ended.out + ended.err, secret);
    // It ends while the monitors that it changed are read.
    if (ended.code === 0) assert.not.match(ended.err, /ERROR|WARN/);
    return ended;
  };
  const made = async () =>
    (await place.read('select name, enable, imported_from from monitor order by name')) as any[];

  test('a dry run lists what would be made and why the rest is not, and changes nothing', async () => {
    const { code, out, err } = await command(['kuma.db', '--dry-run']);
    assert.is(code, 0, err);
    assert.match(out, 'made: monitor Front page (http → http)');
    assert.match(out, 'not made: monitor kind docker (docker)\n    containers are watched');
    assert.match(out, 'Would be: 10 made, 8 made differently, 21 not made. Nothing was changed.');
    assert.equal(await made(), []);
  });

  test('it makes everything switched off, a second run changes nothing, an undo deletes it', async () => {
    assert.match(
      (await command(['kuma.db'])).out,
      '10 made, 8 made differently, 21 not made. All of it is switched off',
    );
    const first = await made();
    assert.is(first.length, 13);
    assert.ok(first.every(({ enable }) => Number(enable) === 0));
    assert.match(
      (await command(['kuma.db'])).out,
      '21 not made, 18 there already. Nothing was changed.',
    );
    assert.equal(await made(), first);
    assert.match((await command(['kuma.db', '--switch-on'])).out, '17 switched on, 1 kept.');
    assert.is((await made()).filter(({ enable }) => Number(enable) === 1).length, 12);
    assert.match((await command(['kuma.db', '--undo'])).out, '18 deleted.');
    assert.equal(await made(), []);
  });

  test('names in a file of Gatus take their values from the environment, and the rewritings are printed', async () => {
    const { out } = await command(['gatus.yaml'], { HOST_OF_GATUS: 'env.example.net' });
    assert.match(out, 'made: monitor from env');
    assert.match(out, '[STATUS] == any(200, 429)  →  status in [200, 429]');
    assert.match((await command(['gatus.yaml', '--undo'])).out, 'deleted.');
  });

  test('a file that cannot be used ends it with a reason', async () => {
    const cases: readonly [readonly string[], RegExp][] = [
      [['broken.db'], /damaged, or no SQLite database/],
      [['nowhere.db'], /nowhere\.db cannot be read: ENOENT/],
      [['gatus.yaml', '--format', 'nagios'], /there is no format 'nagios'/],
      [['gatus.yaml', '--undo', '--dry-run'], /do not go together/],
      [['.'], /is no file/],
    ];
    for (const [args, wanted] of cases) {
      const { code, err } = await command(args);
      assert.is.not(code, 0, args.join(' '));
      assert.match(err, wanted);
    }
  });
  test.run();
}
