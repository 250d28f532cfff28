/** The example agent as a process of its own, beside a server of the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { AGENT, soon } from './agent-program-kit.ts';

const root = resolve(import.meta.dirname, '..');
const DEADLINE_MS = 90_000;

export interface Running {
  child: ChildProcess;
  config: string;
  /** Everything it printed so far; all of it once `closed` has resolved. */
  output: () => string;
  /** Its exit code. */
  closed: Promise<number | null>;
}

interface AgentOptions {
  readonly head?: string;
  readonly server?: string;
  readonly uuid?: string;
  /** Of its file; needs root. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Over the environment of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the agent from source, reporting five times a second; more lines for the file and its server. */
export async function startAgent(
  app: TestApp,
  token: string,
  { head = '', server = '', uuid = AGENT, env = {}, owner }: AgentOptions = {},
): Promise<Running> {
  const config = join(app.dir, uuid === AGENT ? 'agent.toml' : `agent-${uuid}.toml`);
  writeFileSync(
    config,
    `log_level = "info"
agent_uuid = "${uuid}"
dynamic_summary_report_interval_ms = 200
dynamic_report_interval_ms = 200
connect_timeout_ms = 30000
ntp_server = ""
${head}
[[server]]
name = "test"
server_uuid = "${await app.call('svc-server_uuid')}"
token = "${token}"
ws_url = "${app.url.replace('http', 'ws')}/svc/rpc"
${server}
`,
  );
  if (owner) chownSync(config, owner.uid, owner.gid);
  const main = join(root, 'agent/src/main.ts');
  const flags = [main, '-c', config];
  const child = spawn(process.execPath, flags, { cwd: root, env: { ...process.env, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      text += data;
    });
  }
  const closed = new Promise<number | null>((done) => child.once('close', done));
  return { child, config, output: () => text, closed };
}

/** Ends the agent with TERM and gives its exit code; one that was never started needs no end. */
export async function stopAgent(agent: Running | undefined): Promise<number | null> {
  if (!agent) return null;
  const { child, closed } = agent;
  if (child.exitCode === null) child.kill('SIGTERM');
  return await soon('the end of the agent', closed);
}

/** Asks until the answer is good; the deadline makes it an error. */
export async function until<T>(what: string, ask: () => Promise<T>, good: (value: T) => boolean) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await ask();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`${what} did not come: ${JSON.stringify(value)}`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
