// proof only: 15
/** The agent program beside real mounts that never answer: FUSE file systems that nobody serves, in a mount namespace of their own. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import * as assert from 'uvu/assert';
import { AGENT, SERVER, soon, TOKEN } from './agent-program-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: real dead mounts');
const main = resolve(import.meta.dirname, '../agent/src/main.ts');

const canMount =
  process.getuid?.() === 0 &&
  existsSync('/dev/fuse') &&
  spawnSync('unshare', ['-m', 'true']).status === 0;
const asRoot = canMount ? test : test.skip;

/** Mounts COUNT file systems below FOLDER, then runs the rest of the line. The shell holds them, the agent does not. */
const SCRIPT = `
count=$1 folder=$2; shift 2; n=0
while [ $n -lt $count ]; do
  fd=$((n + 4)); mkdir $folder/dead$n; eval "exec $fd<>/dev/fuse"
  mount -i -t fuse.deadfs -o fd=$fd,rootmode=40000,user_id=0,group_id=0 nas:/vol$n $folder/dead$n || exit 9
  n=$((n + 1))
done
"$@" 4>&- 5>&- 6>&- 7>&- 8>&- &
echo "pid $!"; wait $!; how=$?; tries=0
while asks=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c "$folder/[d]ead0"); do
  tries=$((tries + 1)); [ $tries -lt 50 ] || break; sleep 0.1
done
echo "left $asks"; echo "exit $how"
`;

/** Starts the agent beside `dead` mounts; `lines` are its log, after them how it ended. */
function agentBeside(dead: number, { head = '', flags = [] as string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dead-'));
  const config = join(folder, 'agent.toml');
  const server = `name = "main"\nserver_uuid = "${SERVER}"\ntoken = "${TOKEN}"\nws_url = "ws://127.0.0.1:1/svc/rpc"`;
  const top = `log_level = "info"\nagent_uuid = "${AGENT}"\nntp_server = ""\n${head.replace('@', folder)}`;
  writeFileSync(config, `${top}\n[[server]]\n${server}\n`);
  const agent = [process.execPath, main, '-c', config, ...flags];
  const args = ['-m', 'sh', '-c', SCRIPT, 'sh', `${dead}`, folder, ...agent];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  const line = (what: RegExp): Promise<string> =>
    soon(
      `${what}`,
      new Promise((found) => {
        const look = (text: string) => what.test(text) && found(text);
        for (const text of lines) look(text);
        output.on('line', look);
      }),
    );
  output.on('line', (text) => lines.push(text));
  const pid = async () => Number((await line(/^pid \d+$/)).slice(4));
  return { line, pid, folder };
}

/** The agent is ended in any case: the mounts are dropped with their shell. */
async function ended({ line, pid, folder }: ReturnType<typeof agentBeside>): Promise<string> {
  const killed = setTimeout(async () => process.kill(await pid(), 'SIGKILL'), 60_000);
  assert.is(await line(/^left \d+$/), 'left 0', 'no program that asks outlives the agent');
  const how = await line(/^exit \d+$/);
  clearTimeout(killed);
  rmSync(folder, { recursive: true, force: true });
  return how;
}

for (const dead of [1, 2, 5])
  asRoot(`the first sample beside ${dead} dead mounts has the disk of the system`, async () => {
    const agent = agentBeside(dead, { flags: ['-d'] });
    const sample = await agent.line(/ dynamic data /);
    assert.match(sample, /"mount_point":"\/"/);
    assert.not.match(sample, 'dead0');
    assert.is(await ended(agent), 'exit 0');
  });

asRoot('SIGTERM ends the agent beside a dead mount, and the log has named the mount', async () => {
  const agent = agentBeside(1);
  assert.match(await agent.line(/a mount does not answer/), /dead0.*fuse\.deadfs.*no answer/);
  process.kill(await agent.pid(), 'SIGTERM');
  assert.is(await ended(agent), 'exit 0');
});

asRoot('SIGTERM ends the agent while it asks a dead mount', async () => {
  const agent = agentBeside(1);
  await agent.line(/ dynamic summary /);
  process.kill(await agent.pid(), 'SIGTERM');
  assert.is(await ended(agent), 'exit 0');
});

asRoot('SIGTERM ends an agent whose own folder is on a dead mount', async () => {
  const agent = agentBeside(1, { head: 'buffer_dir = "@/dead0/buffer"' });
  await agent.line(/ dynamic summary /);
  process.kill(await agent.pid(), 'SIGTERM');
  // 128 + 15: a thread of the process hangs, so it ends by the signal itself.
  assert.is(await ended(agent), 'exit 143');
});

test.run();
