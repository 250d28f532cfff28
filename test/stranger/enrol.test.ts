// The line that `svc-server enrol` prints, pasted on a machine: into the fleet of a plain and of a branded server.
// proof only: 40
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as assert from 'uvu/assert';
import { until } from '../agent-program-process.ts';
import { Machine } from '../enrol/kit.ts';
import { makeSite, rpc, serverCommand, startServer, superToken } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('enrolment by the printed line');

const branded = readFileSync('config/branded.toml', 'utf8');
const servers: [what: string, tables: string, word: string][] = [
  ['a plain server', '', 'svc'],
  ['a branded server', branded.slice(branded.indexOf('[brand]')), 'acme'],
];
for (const [what, tables, word] of servers)
  test(`the line of ${what} brings a machine into its fleet, for terminals and tasks as well`, async () => {
    const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc', '', tables);
    const server = await startServer(site, { hello: `${word}-server_hello` });
    const machine = await Machine.make();
    try {
      const token = superToken(server.output());
      const args = [...serverCommand(), 'enrol', '-c', site.config, '--name', 'web-1'];
      const printed = execFileSync(process.execPath, args, {
        cwd: site.dir,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      const line = printed.trim().split('\n').at(-1) ?? '';
      assert.match(line, `/${word}/enrol/install | sh -s -- `);
      const { code, err } = await machine.run(line, `--node ${process.execPath} --allow version`);
      assert.is(code, 0, err);
      assert.match(err, 'This machine is in the fleet: ');
      const list = async () =>
        (await rpc(site.url, 'agent-uuid_list', { token }, `/${word}/rpc`)).result;
      const [agent] = await until(
        'a report, its host name, and the registration for tasks',
        list,
        ([one]: any[]) => one?.last_seen && one.host_name && one.connected_for_tasks,
      );
      assert.is(agent.name, 'web-1');
      assert.is(agent.host_name, hostname());
      const ask = [token, agent.uuid, { version: null }, 20_000];
      const { result } = await rpc(site.url, 'task_create_task_blocking', ask, `/${word}/rpc`);
      assert.ok(result.task_event_result.version, JSON.stringify(result));
    } finally {
      await machine.remove();
      await server.end('SIGTERM');
      site.remove();
    }
  });

test.run();
