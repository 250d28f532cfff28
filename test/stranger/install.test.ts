/** What a stranger types first, on a machine that has Node and npm, and nothing that compiles. */
// proof only: 300
// watchdog: 2700
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { until } from '../process/havoc.ts';
import { rpc } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { NODES, repository, type Stranger, stranger } from './kit.ts';

const PATIENCE_MS = 300_000;

for (const version of NODES) {
  const test = suite(`a bare machine with Node ${version}`);
  const isOld = version.startsWith('20.');
  let machine: Stranger;
  let clone: string;
  test.before(async () => {
    machine = await stranger(version);
    clone = await machine.clone('svc');
  });
  test.after(() => machine?.remove());

  if (isOld)
    test('npx svc says what to do, while there is no newer Node', async () => {
      const printed = await machine.type(clone, 'node cli/bin/svc.js agents || echo $?');
      const sentence = `svc needs Node 22.18 or later, this is ${version}: npm start fetches one.`;
      assert.is(printed, `${sentence}\n1\n`);
    });

  test('npm start serves and reports, and the commands of the quick start go on', async () => {
    const port = await freePort();
    const started = machine.begin(clone, `npm start -- --listen 127.0.0.1:${port}`);
    const [, url = ''] = await started.printed(/^svc is ready: (\S+)$/m);
    const [, token = ''] = await started.printed(/^Super Token: (\S+)$/m);
    const list = async (): Promise<string[]> =>
      (await rpc(url, 'svc-server_list_all_agent_uuid', { token })).result.uuids;
    await until('a report', async () => (await list()).length > 0, PATIENCE_MS);
    const [uuid = ''] = await list();
    const roll = 'echo y | npx svc-server roll-super-token -c data/server.toml';
    const [, rolled = ''] = /^Super Token: (\S+)$/m.exec(await machine.type(clone, roll)) ?? [];
    await machine.type(clone, `echo ${rolled} | npx svc login ${url}`);
    const agents = await machine.type(clone, 'npx svc agents --json');
    assert.ok(agents.includes(uuid));
    assert.not.match(agents, /EBADENGINE/);
    await started.end();
  });

  if (isOld)
    test('npm ci, then npm run build and npm run release make the program and its package', async () => {
      await machine.type(clone, 'npm ci');
      await machine.type(clone, 'npm run build');
      assert.match(await machine.type(clone, 'ls dist'), 'svc-server.js');
      await machine.type(clone, 'npm run release');
      assert.match(await machine.type(clone, 'ls release'), /^svc-[\d.]+\.tgz$/m);
    });
  else
    test('the steps of the Dockerfile make a server that answers', async () => {
      const address = `127.0.0.1:${await freePort()}`;
      const data = join(machine.dir, 'data');
      const [build, serve] = stepsOfDockerfile(join(machine.dir, 'opt'), data, address);
      await machine.type(clone, build);
      await machine.type(machine.dir, 'mkdir -m 700 data');
      const server = machine.begin(data, `PATH="$PWD/../opt/bin:$PATH"; ${serve}`);
      const isServing = () =>
        fetch(`http://${address}/svc/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until('the server', isServing, PATIENCE_MS).catch((error) => {
        throw new Error(`${error.message}:\n${server.output()}`);
      });
      await server.end();
    });

  test('npm test -- kv passes, and leaves the clone as it was', async () => {
    assert.match(await machine.type(clone, 'npm test -- kv'), /^[1-9]\d* passed, 0 failed/m);
    assert.is(await machine.type(clone, 'git status --porcelain'), '');
  });

  test.run();
}

/** The command of the first `RUN`, and that of `CMD`, with other folders and another address. */
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
