/** The image of the Dockerfile, where a Docker answers that has the base image or can fetch it. */
// proof only: 100
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { run } from './plugin-project.ts';
import { until } from './process/havoc.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const [, BASE = ''] =
  /^FROM (\S+) AS build$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
const IMAGE = 'svc-test';
const MOST_BYTES = 150e6;
/** As the guide starts it; a free port. */
const LIKE_THE_GUIDE =
  '-p 127.0.0.1::2211 --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges';

const docker = async (...args: string[]) => (await run(root, 'docker', ...args)).trim();
const works = (...args: string[]) =>
  spawnSync('docker', args, { stdio: 'ignore', timeout: 120_000 }).status === 0;
const isPossible =
  works('info') && (works('image', 'inspect', BASE) || works('pull', '--quiet', BASE));
if (!isPossible) process.stdout.write(`  skipped: no Docker that has ${BASE}\n`);

const test = suite('the image');

(isPossible ? test : test.skip)(
  'it is small, and serves as a user without rights on a read-only system until it is stopped',
  async () => {
    await docker('build', '--quiet', '--tag', IMAGE, '.');
    const bytes = await run(root, 'sh', '-c', `docker save ${IMAGE} | gzip | wc -c`);
    assert.ok(Number(bytes) <= MOST_BYTES, `${bytes} bytes`);
    const name = await docker('run', '--detach', ...LIKE_THE_GUIDE.split(' '), IMAGE);
    try {
      const address = await docker('port', name, '2211');
      const isServing = () =>
        fetch(`http://${address}/svc/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until('the server', isServing);
      assert.is(await docker('exec', name, 'id', '-u'), '10001');
      assert.not.ok(works('exec', name, 'touch', '/opt/svc/x'));
      const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', name);
      await until('its health', async () => (await health()) === 'healthy', 120_000);
      await docker('stop', name);
      assert.is(await docker('inspect', '--format', '{{.State.ExitCode}}', name), '0');
    } finally {
      await docker('rm', '--force', '--volumes', name);
    }
  },
);

test.run();
