/** From `npm start` to a shell on the first machine, as chapter 3 of docs/guide/first-machine.md has it: nothing is allowed until one command is typed. */
// proof only: 40
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { until } from './agent-program-process.ts';
import { shell } from './enrol/kit.ts';
import { freePort } from './ports.ts';
import { killAtExit, rpc } from './process/server.ts';
import { suite } from './runner/suite.ts';

const test = suite('first terminal');
const root = resolve(import.meta.dirname, '..');
const program = (path: string) => `${process.execPath} ${join(root, path)}`;

/** `npm start` in a folder whose `data` it fills. */
function npmStart(dir: string, port: number) {
  const args = [join(root, 'scripts/run.mjs'), 'start', '--data', 'data', '--listen', String(port)];
  const child = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const printed = async (pattern: RegExp) => {
    const look = async () => pattern.exec(text)?.[1];
    return (await until(`${pattern} in ${text}`, look, (found) => found !== undefined)) ?? '';
  };
  const end = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { printed, end, output: () => text };
}

test('one command, typed while it runs, opens the terminal of the machine that npm start made', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-first-terminal-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server = npmStart(dir, port);
  try {
    const token = await server.printed(/^Super Token: (\S+)$/m);
    const list = async () => (await rpc(url, 'agent-uuid_list', { token })).result;
    const [before] = await until('its reports', list, ([one]: any[]) => one?.last_seen);
    assert.equal([before.connected_for_tasks, before.tasks_allowed], [false, false]);

    const typed = `cd ${dir} && ${program('server/bin/svc-server.js')} allow-tasks web_shell`;
    const allowed = await shell(typed);
    assert.is(allowed.code, 0, allowed.err);
    assert.is(allowed.out, 'data/agent.toml: allows web_shell.\n');
    await until('the registration', list, ([one]: any[]) => one.connected_for_tasks);
    const since = Date.now();
    await until('more reports', list, ([one]: any[]) => one.last_seen > since);

    const env = { HOME: dir, XDG_CONFIG_HOME: join(dir, '.config') };
    const svc = program('cli/bin/svc.js');
    const login = await shell(`echo ${token} | ${svc} login ${url}`, { env });
    assert.is(login.code, 0, login.err);
    const said = await shell(`echo 'echo $((6*7))-here; exit' | ${svc} sh ${before.uuid}`, { env });
    assert.match(said.out, '42-here', said.err);
    // Tests may run as root, of which the agent warns.
    assert.not.match(
      server.output(),
      / (?:WARN |ERROR) (?!THE AGENT RUNS AS ROOT).*(?:task|terminal)/,
    );

    // A credential as an earlier version made it gets the right at the next start.
    const reports = ['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'];
    const permissions = reports.map((kind) => ({ [kind]: 'write' }));
    const limit = [{ scopes: [{ agent_uuid: before.uuid }], permissions }];
    const target_token = `[agent]:${before.uuid}`;
    const edited = await rpc(url, 'token_edit', { token, target_token, limit });
    assert.ok(edited.result?.success, JSON.stringify(edited));
    await server.end();
    server = npmStart(dir, port);
    await server.printed(/svc is ready: (\S+)/);
    await until('the registration', list, ([one]: any[]) => one?.connected_for_tasks);
  } finally {
    await server.end();
    rmSync(dir, { recursive: true, force: true });
  }
});

test.run();
