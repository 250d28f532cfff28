/** What a stranger types first, on a machine that has Node and npm, and nothing that compiles. */
// proof only: 400
// watchdog: 1800
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { rpc } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { NODES, repository, type Stranger, stranger } from './kit.ts';

const test = suite<{ machine: Stranger }>('installing on a bare machine');
test.after.each(({ machine }) => machine.remove());

for (const version of NODES) {
  test(`Node ${version}: npm start serves and reports, and the commands of the quick start go on`, async (context) => {
    const machine = await stranger(version);
    context.machine = machine;
    const clone = await machine.clone('svc');
    if (version.startsWith('20.')) {
      const refused = await machine.type(clone, 'node cli/bin/svc.js agents || echo $?');
      assert.is(
        refused,
        `svc needs Node 22.18 or later, this is ${version}: npm start fetches one.\n1\n`,
      );
    }
    const port = await freePort();
    const started = machine.begin(clone, `npm start -- --listen 127.0.0.1:${port}`);
    const [, url = ''] = await started.printed(/^svc is ready: (\S+)$/m);
    const [, token = ''] = await started.printed(/^Super Token: (\S+)$/m);
    let uuids: string[] = [];
    while (uuids.length === 0) {
      const { result } = await rpc(url, 'svc-server_list_all_agent_uuid', { token });
      uuids = result.uuids;
    }
    const again = await machine.type(clone, 'npx svc-server roll-super-token -c data/server.toml');
    const [, newToken = ''] = /^Super Token: (\S+)$/m.exec(again) ?? [];
    await machine.type(clone, `echo ${newToken} | npx svc login ${url}`);
    const agents = await machine.type(clone, 'npx svc agents --json');
    assert.match(agents, uuids[0] ?? '');
  });

  test(`Node ${version}: npm ci, then build, test and the check of a contributor`, async (context) => {
    const machine = await stranger(version);
    context.machine = machine;
    const clone = await machine.clone('svc');
    await machine.type(clone, 'npm ci');
    await machine.type(clone, 'npm run build');
    const tests = await machine.type(clone, 'npm test -- kv');
    assert.match(tests, /^[1-9]\d* passed, 0 failed/m);
    assert.is(await machine.type(clone, 'git status --porcelain'), '');
  });
}

/** The command of the first `RUN`, and the last `CMD`, with another folder and address. */
function stepsOfDockerfile(prefix: string, data: string, address: string): [string, string] {
  const text = readFileSync(join(repository, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const [, build = ''] = /^RUN (npm ci .*)$/m.exec(text) ?? [];
  const [, serve = ''] = /^CMD \["sh", "-c", "(.*)"\]$/m.exec(text) ?? [];
  const moved = (line: string) =>
    line
      .replaceAll('/opt/svc', prefix)
      .replaceAll('/var/lib/svc', data)
      .replaceAll('0.0.0.0:2211', address);
  return [moved(build), moved(serve)];
}

test('the steps of the Dockerfile make a server that answers', async (context) => {
  const machine = await stranger('24.21.0');
  context.machine = machine;
  const clone = await machine.clone('svc');
  const address = `127.0.0.1:${await freePort()}`;
  const data = join(machine.dir, 'data');
  const [build, serve] = stepsOfDockerfile(join(machine.dir, 'opt'), data, address);
  await machine.type(clone, build);
  await machine.type(machine.dir, 'install -d -m 700 data && ls opt/bin/svc-server');
  const server = machine.begin(data, `PATH="$PWD/../opt/bin:$PATH"; ${serve}`);
  await server.printed(/^Root Password: \S+$/m);
  const health = await fetch(`http://${address}/svc/health`);
  assert.is(health.status, 200);
});

test.run();
