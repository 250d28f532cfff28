/** Kinds read_config and edit_config of the agent program, and the restart (clients.md §2.5 and §2.8). */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { runAgent } from '../agent/src/agent.ts';
import { systemClock } from '../agent/src/clock.ts';
import { startHttp } from './agent-program-http-server.ts';
import {
  AGENT,
  agentConfig,
  FakeClock,
  memoryLog,
  type Peer,
  SERVER,
  serverConfig,
  soon,
  TOKEN,
} from './agent-program-kit.ts';
import { isAlive, written } from './agent-program-programs.ts';
import { task, withServer } from './agent-program-running.ts';
import { fixedCollector } from './agent-program-samples.ts';
import { failureOf, resultOf, runtimeFor } from './agent-program-task-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: its configuration as a task');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const textOf = (more = '', uuid = AGENT) => `# mine
log_level = "info"
agent_uuid = "${uuid}"
${more}
[[server]]
name = "main"
server_uuid = "${SERVER}"
token = "${TOKEN}"
ws_url = "ws://127.0.0.1:2211/svc/rpc"
`;

let files = 0;
function file(text: string): string {
  files += 1;
  const path = join(dir, `${files}.toml`);
  writeFileSync(path, text);
  return path;
}

const runtimeOf = (config_path: string, clock = new FakeClock(), onRestart = () => {}) =>
  runtimeFor(clock, {}, { config_path, onRestart });

test('gives the text of its file', async () => {
  const text = textOf('# grüße');
  assert.is(await resultOf('read_config', null, { runtime: runtimeOf(file(text)) }), text);
});

test('fails to give a file that is gone', async () => {
  const runtime = runtimeOf(join(dir, 'absent.toml'));
  assert.match(await failureOf('read_config', null, { runtime }), /^ENOENT/);
});

test('replaces its file and asks for a restart after 300 ms, once', async () => {
  const clock = new FakeClock();
  let restarts = 0;
  const path = file(textOf());
  chmodSync(path, 0o600);
  const runtime = runtimeOf(path, clock, () => (restarts += 1));
  const text = textOf('static_report_interval_ms = 5000');
  assert.is(await resultOf('edit_config', text, { runtime }), true);
  assert.is(readFileSync(path, 'utf8'), text);
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(
    readdirSync(dir).filter((name) => name.endsWith('.tmp')),
    [],
  );
  assert.ok(runtime.isRestarting);
  await resultOf('edit_config', text, { runtime });
  await clock.advance(299);
  assert.is(restarts, 0);
  await clock.advance(1000);
  assert.is(restarts, 1);
});

test('writes its own UUID for auto_gen: an edit makes no other agent of it', async () => {
  const path = file(textOf());
  await resultOf('edit_config', textOf('', 'auto_gen'), { runtime: runtimeOf(path) });
  assert.is(readFileSync(path, 'utf8'), textOf());
});

// [what, new text, words of the failure]
const REFUSED: [string, unknown, RegExp][] = [
  ['broken TOML', 'log_level = \n', /^line 1, column \d+: /],
  ['an empty text', '', /^log_level is missing$/],
  ['a missing key', textOf().replace(/agent_uuid.*\n/, ''), /^agent_uuid is missing$/],
  ['a wrong value', textOf('static_report_interval_ms = 0'), /^static_report_interval_ms must be/],
  ['a shell that is not there', textOf('terminal_shell = "/no/shell"'), /^terminal_shell does not/],
  ['no server', 'log_level = "info"\nagent_uuid = "auto_gen"\n', /^server needs at least one/],
  ['no text', null, /^malformed task: edit_config must be a string$/],
];

for (const [what, text, words] of REFUSED) {
  test(`refuses ${what} and leaves its file as it is`, async () => {
    const before = textOf();
    const path = file(before);
    const runtime = runtimeOf(path);
    assert.match(await failureOf('edit_config', text, { runtime }), words);
    assert.is(readFileSync(path, 'utf8'), before);
    assert.is(runtime.isRestarting, false);
  });
}

test('does not show a token of a text that it refuses', async () => {
  const text = `${textOf()}token = "other" oops ${TOKEN}\n`;
  const failure = await failureOf('edit_config', text, { runtime: runtimeOf(file(textOf())) });
  assert.match(failure, /^line \d+, column \d+: /);
  assert.not.match(failure, TOKEN);
});

/** Takes the next upload and leaves out the reports before it. */
async function uploadOf(peer: Peer): Promise<any> {
  for (;;) {
    const { method, params } = await peer.next();
    if (method === 'task_upload_task_result') return params[1];
  }
}

interface Agent {
  peer: Peer;
  outcome: Promise<string>;
  stop: AbortController;
}

/** A whole agent with one server and every kind allowed. */
async function withAgent(path: string, use: (agent: Agent) => Promise<void>): Promise<void> {
  await withServer(async (server) => {
    const stop = new AbortController();
    const allowed_tasks = new Set(['edit_config', 'http_ping', 'execute'] as const);
    const servers = [serverConfig(server.url, { allow_task: true, allowed_tasks })];
    const parts = { collector: fixedCollector, clock: systemClock, log: memoryLog().log };
    const outcome = runAgent(
      { ...parts, config: agentConfig(servers), config_path: path, offset_ms: 0 },
      stop.signal,
    );
    try {
      const peer = await server.welcome();
      await peer.next();
      peer.result(7);
      await use({ peer, outcome, stop });
    } finally {
      stop.abort();
      await soon('the end of the agent', outcome);
    }
  });
}

test('uploads the result, answers what runs, and ends to start again', async () => {
  const slow = await startHttp();
  const path = file(textOf());
  const text = textOf('connect_timeout_ms = 5000');
  try {
    await withAgent(path, async ({ peer, outcome }) => {
      peer.send(task(1, { http_ping: slow.url }));
      await slow.next();
      peer.send(task(2, { edit_config: text }));
      const edited = await uploadOf(peer);
      assert.equal([edited.task_id, edited.success], [2, true]);
      assert.equal(edited.task_event_result, { edit_config: true });
      const ended = await uploadOf(peer);
      assert.equal([ended.task_id, ended.success], [1, false]);
      assert.is(ended.error_message, 'Other error: the agent stops');
      assert.is(await soon('the restart', outcome), 'restart');
      assert.is(readFileSync(path, 'utf8'), text);
    });
  } finally {
    await slow.stop();
  }
});

test('answers what runs before it stops, and leaves no program behind', async () => {
  await withAgent(file(textOf()), async ({ peer, outcome, stop }) => {
    const ready = join(dir, 'ready');
    const script = `require('fs').writeFileSync(${JSON.stringify(ready)}, String(process.pid));
      process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`;
    peer.send(task(3, { execute: { cmd: process.execPath, args: ['-e', script] } }));
    const pid = await written(ready);
    stop.abort();
    const ended = await uploadOf(peer);
    assert.equal([ended.task_id, ended.error_message], [3, 'Other error: the agent stops']);
    assert.is(await soon('the end', outcome), 'stopped');
    assert.is(isAlive(pid), false);
  });
});

test.run();
